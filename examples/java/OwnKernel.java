// SPDX-License-Identifier: MIT
import isomat.Context;
import isomat.IsomatException;
import isomat.Kernel;
import isomat.Kernel.Dim;
import isomat.Matrix;

/** Launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX: by default ../python/axpy.ptx. */
class OwnKernel {
    private static final int N = 1000;
    private static final int BLOCK = 128;
    private static final float ALPHA = 0.5f;

    private static void run(String path) {
        float[] numbers = new float[N];
        for (int i = 0; i < N; i++) {
            numbers[i] = i;
        }
        try (Context gpu = new Context();
                Matrix x = gpu.matrix(numbers, 1, N);
                Matrix y = gpu.full(1, N, 3);
                Kernel axpy = gpu.load(path).kernel("axpy")) {
            if (axpy.info().debug != 0) {
                Loop.exit(1, "own_kernel: the kernel was built with -G: see isomat inspect");
            }
            axpy.launch(new Dim((N + BLOCK - 1) / BLOCK), new Dim(BLOCK), ALPHA, x, y, N);
            float[] result = y.data();
            for (int i = 0; i < N; i++) {
                if (result[i] != 3 + ALPHA * i) {
                    Loop.exit(1, "own_kernel: a wrong result");
                }
            }
            System.out.println("java: axpy, " + N + " elements, " + axpy.info().registers + " registers");
        }
    }

    public static void main(String[] arguments) {
        try {
            run(arguments.length > 0 ? arguments[0] : "../python/axpy.ptx");
        } catch (IsomatException error) {
            Loop.exit(1, "own_kernel: " + error.getMessage());
        }
    }
}
