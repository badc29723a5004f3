// SPDX-License-Identifier: MIT
import isomat.Context;
import isomat.Event;
import isomat.Isomat;
import isomat.IsomatException;
import isomat.Matrix;
import java.util.Arrays;
import java.util.Locale;

/** Multiplies two matrices in a loop and times it: loop [size [iterations]], by default 4096 100. */
class Loop {
    private static final int WARM_UP = 3;
    private static final int LARGEST_SIZE = 65536;
    private static final int MOST_ITERATIONS = 1_000_000;

    /**
     * Random float32, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator. The loops in
     * every language use this one.
     */
    static float[] random(int count, long state) {
        float[] data = new float[count];
        for (int i = 0; i < count; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            data[i] = (state >>> 40) / 16777216.0f - 0.5f;
        }
        return data;
    }

    /** Compares element (i, j) with a dot product in double precision; float32 may lose so much in size additions. */
    private static void check(int size, int i, int j, float[] a, float[] b, float[] c) {
        double exact = 0;
        double magnitude = 0;
        for (int k = 0; k < size; k++) {
            double product = (double) a[i * size + k] * b[k * size + j];
            exact += product;
            magnitude += Math.abs(product);
        }
        double found = c[i * size + j];
        if (!(Math.abs(found - exact) <= size * 0x1p-24 * magnitude)) {
            exit(1, String.format(Locale.ROOT, "loop: element (%d, %d) is %.9g, not %.9g", i, j, found, exact));
        }
    }

    /** Compares the corners, the edges and points inside. */
    private static void check(int size, float[] a, float[] b, float[] c) {
        for (long i = 0; i < 7; i++) {
            for (long j = 0; j < 7; j++) {
                check(size, (int) ((size - 1) * i / 6), (int) ((size - 1) * j / 6), a, b, c);
            }
        }
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** Multiplies, synchronizes and closes the result, again and again; gives the line to print. */
    private static String run(int size, int iterations) {
        float[] aData = random(Math.multiplyExact(size, size), 1);
        float[] bData = random(size * size, 2);
        double[] device = new double[iterations];
        double[] total = new double[iterations];
        try (Context gpu = new Context();
                Matrix a = gpu.matrix(aData, size, size);
                Matrix b = gpu.matrix(bData, size, size);
                Event start = gpu.event();
                Event end = gpu.event()) {
            for (int i = -WARM_UP; i < iterations; i++) {
                long began = System.nanoTime();
                start.record();
                Matrix c = a.times(b);
                end.record();
                gpu.synchronize();
                c.close();
                double took = (System.nanoTime() - began) / 1e6;
                if (i >= 0) {
                    total[i] = took;
                    device[i] = end.elapsedSince(start);
                }
            }
            try (Matrix c = a.times(b)) {
                check(size, aData, bData, c.data());
            }
        }
        return String.format(Locale.ROOT,
                "java: %d x %d, %d multiplications, %s: device %.3f ms, with overhead %.3f ms",
                size, size, iterations, Isomat.deviceName(0), median(device), median(total));
    }

    static void exit(int status, String message) {
        System.err.println(message);
        System.exit(status);
    }

    /** An argument as a number from 1 to most. */
    private static int parse(String text, int most) {
        if (text.matches("[0-9]{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        }
        exit(2, "loop: '" + text + "' is not a number from 1 to " + most + "\nusage: loop [size [iterations]]");
        return 0;
    }

    public static void main(String[] arguments) {
        if (arguments.length > 2) {
            exit(2, "usage: loop [size [iterations]]");
        }
        int size = arguments.length > 0 ? parse(arguments[0], LARGEST_SIZE) : 4096;
        int iterations = arguments.length > 1 ? parse(arguments[1], MOST_ITERATIONS) : 100;
        try {
            System.out.println(run(size, iterations));
        } catch (IsomatException error) {
            exit(1, "loop: " + error.getMessage());
        } catch (ArithmeticException error) {
            exit(1, "loop: an array of Java has less than 2^31 elements");
        }
    }
}
