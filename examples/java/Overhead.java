// SPDX-License-Identifier: MIT
import isomat.Context;
import isomat.IsomatException;
import isomat.Kernel.Dim;
import isomat.Matrix;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Times the host's side of a call: an empty kernel, and a product of 64 x 64 into a matrix that is there:
 * overhead [calls], by default 100000.
 */
class Overhead {
    private static final int BATCH = 500;
    private static final String EMPTY =
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n";

    /** The median over batches of the nanoseconds of a call; what waits between batches is not counted. */
    private static double nanoseconds(Context gpu, int calls, Runnable call) {
        double[] times = new double[(calls + BATCH - 1) / BATCH];
        for (int batch = 0; batch < times.length; batch++) {
            long began = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                call.run();
            }
            times[batch] = (System.nanoTime() - began) / (double) BATCH;
            gpu.synchronize();
        }
        return Loop.median(times);
    }

    private static String run(int calls) {
        try (Context gpu = new Context();
                Matrix a = gpu.full(64, 64, 1);
                Matrix b = gpu.full(64, 64, 1);
                Matrix c = gpu.full(64, 64, 0)) {
            Runnable empty = gpu.load(EMPTY.getBytes(StandardCharsets.US_ASCII))
                    .kernel("empty")
                    .prepare(new Dim(1), new Dim(1));
            double launch = nanoseconds(gpu, calls, empty);
            double product = nanoseconds(gpu, calls, () -> c.multiply(a, b));
            return String.format(Locale.ROOT,
                    "java: %d calls: empty launch %.0f ns, 64 x 64 product %.0f ns", calls, launch, product);
        }
    }

    public static void main(String[] arguments) {
        String text = arguments.length > 0 ? arguments[0] : "100000";
        if (arguments.length > 1 || !text.matches("0*[1-9][0-9]{0,8}")) {
            Loop.exit(2, "usage: overhead [calls]");
        }
        try {
            System.out.println(run(Integer.parseInt(text)));
        } catch (IsomatException error) {
            Loop.exit(1, "overhead: " + error.getMessage());
        }
    }
}
