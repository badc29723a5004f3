// SPDX-License-Identifier: MIT
import isomat.Api;
import isomat.Context;
import isomat.Event;
import isomat.Isomat;
import isomat.IsomatException;
import isomat.Kernel;
import isomat.Kernel.Dim;
import isomat.Matrix;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Errors, ends of objects, threads; seconds of the last from ISOMAT_STRESS_SECONDS. With the argument "end" the
 * process ends with everything alive, and test.sh looks how.
 */
class TestIsomat {
    private static final String PTX = "../python/axpy.ptx";
    private static final float[][] A = {{1, 2, 3}, {4, 5, 6}};
    private static final float[][] B = {{1, 2}, {3, 4}, {5, 6}};

    private static void expect(boolean right, Object what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }

    private static void same(float[][] found, float[][] wanted) {
        expect(Arrays.deepEquals(found, wanted), Arrays.deepToString(found));
    }

    /** A failure with that status and a line. */
    private static void refused(String name, Runnable call) {
        try {
            call.run();
        } catch (IsomatException error) {
            expect(error.statusName().equals("ISOMAT_ERROR_" + name), error.statusName() + ": " + error.getMessage());
            expect(!error.getMessage().isEmpty() && error.getMessage().lines().count() == 1, error.getMessage());
            return;
        }
        throw new AssertionError("not refused: " + name);
    }

    /** An error of Java's own. */
    private static void refused(Class<? extends RuntimeException> type, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException error) {
            expect(error.getClass() == type, error);
            return;
        }
        throw new AssertionError("not refused: " + type);
    }

    private static void products() {
        try (Context gpu = new Context(); Matrix a = gpu.matrix(A); Matrix b = gpu.matrix(B)) {
            Matrix c = a.times(b);
            same(c.toRows(), new float[][] {{22, 28}, {49, 64}});
            c.multiply(a, b, 2, 0.5);
            same(c.toRows(), new float[][] {{55, 70}, {122.5f, 160}});
            same(gpu.matrix(new float[2][0]).times(gpu.matrix(new float[0], 0, 2)).toRows(), new float[2][2]);
        }
    }

    private static void wrongArguments() {
        try (Context gpu = new Context(); Matrix a = gpu.matrix(A)) {
            refused("SHAPE_MISMATCH", () -> a.times(a));
            refused("SHAPE_MISMATCH", () -> a.multiply(a, gpu.matrix(B)));
            refused("INVALID_ARGUMENT", () -> gpu.full(-1, 1, 0));
            refused("INVALID_ARGUMENT", () -> new Context(-1));
            refused("INVALID_ARGUMENT", () -> gpu.event().elapsedSince(gpu.event()));
            refused(IllegalArgumentException.class, () -> gpu.matrix(new float[][] {{1, 2}, {3}}));
            refused(IllegalArgumentException.class, () -> gpu.matrix(new float[2], 1, 3));
            refused(IllegalArgumentException.class, () -> gpu.matrix(new float[2], -1, -2));
            refused(NullPointerException.class, () -> a.times(null));
        }
    }

    private static void closedObjects() {
        Context gpu = new Context();
        Matrix a = gpu.matrix(A);
        Event event = gpu.event();
        for (int i = 0; i < 2; i++) {
            a.close();
            event.close();
        }
        refused("STALE_HANDLE", a::toRows);
        refused("STALE_HANDLE", () -> gpu.full(2, 2, 1).times(a));
        refused("STALE_HANDLE", event::record);
        gpu.close();
        refused("STALE_HANDLE", () -> gpu.matrix(A));
    }

    private static void kernels() {
        try (Context gpu = new Context(); Matrix x = gpu.matrix(A); Matrix y = gpu.full(1, 6, 10)) {
            Kernel axpy = gpu.load(PTX).kernel("axpy");
            Runnable launch = axpy.prepare(new Dim(1), new Dim(32, 1, 1), 2f, x, y, 6);
            System.gc();
            launch.run();
            launch.run();
            same(y.toRows(), new float[][] {{14, 18, 22, 26, 30, 34}});
            Dim one = new Dim(1);
            refused("ARGUMENT_COUNT", () -> axpy.launch(one, one, x, y));
            refused("ARGUMENT_SIZE", () -> axpy.launch(one, one, 2.0, x, y, 6));
            refused("INVALID_LAUNCH", () -> axpy.launch(new Dim(0), one, 2f, x, y, 6));
            refused(IllegalArgumentException.class, () -> axpy.launch(one, one, "2", x, y, 6));
            refused("NOT_FOUND", () -> gpu.load(PTX).kernel("fast"));
            refused("FILE", () -> gpu.load("absent.ptx"));
            refused("INVALID_IMAGE", () -> gpu.load("no module".getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static void nothingIsLeft() throws InterruptedException {
        drain();
        long before = Isomat.liveObjects();
        try (Context gpu = new Context(); Matrix a = gpu.matrix(A); Matrix b = gpu.matrix(B); Matrix c = a.times(b)) {
            expect(Isomat.liveObjects() > before, c);
        }
        expect(Isomat.liveObjects() == before, "closed, and yet left");
        Context gpu = new Context();
        for (int i = 0; i < 500; i++) {
            gpu.matrix(A).times(gpu.matrix(B));
        }
        gpu.event();
        gpu = null;
        drain();
        expect(Isomat.liveObjects() <= before, Isomat.liveObjects() - before + " objects are left by the collector");
    }

    /** Until the collector finds no more. */
    private static void drain() throws InterruptedException {
        long live = Long.MAX_VALUE;
        for (int calm = 0; calm < 5; calm++) {
            System.gc();
            Thread.sleep(20);
            if (Isomat.liveObjects() != live) {
                calm = 0;
            }
            live = Isomat.liveObjects();
        }
    }

    /** Random operations until then; gives how many. */
    private static long work(Context gpu, Random chance, AtomicReferenceArray<Matrix> matrices, long done) {
        long count = 0;
        while (System.nanoTime() < done) {
            Matrix a = matrices.get(chance.nextInt(matrices.length()));
            Matrix b = matrices.get(chance.nextInt(matrices.length()));
            try {
                Matrix c = a.times(b);
                switch (chance.nextInt(5)) {
                    case 0 -> c.close();
                    case 1 -> a.close();
                    case 2 -> c.data();
                    case 3 -> b.fill(1);
                    default -> { } // c is the collector's
                }
                matrices.set(chance.nextInt(matrices.length()), gpu.full(8, 8, 1));
                count++;
            } catch (IsomatException error) {
                if (error.status != Api.ISOMAT_ERROR_STALE_HANDLE) { // closed by another thread
                    throw error;
                }
            }
        }
        return count;
    }

    private static void threads() throws Exception {
        String seconds = System.getenv().getOrDefault("ISOMAT_STRESS_SECONDS", "2");
        long done = System.nanoTime() + (long) (1e9 * Double.parseDouble(seconds));
        ExecutorService pool = Executors.newFixedThreadPool(16);
        try (Context gpu = new Context()) {
            AtomicReferenceArray<Matrix> matrices = new AtomicReferenceArray<>(32);
            for (int i = 0; i < matrices.length(); i++) {
                matrices.set(i, gpu.full(8, 8, 1));
            }
            Future<?>[] workers = new Future<?>[16];
            for (int i = 0; i < workers.length; i++) {
                Random chance = new Random(i);
                workers[i] = pool.submit(() -> work(gpu, chance, matrices, done));
            }
            for (Future<?> each : workers) {
                expect((Long) each.get() > 0, "an idle thread");
            }
        } finally {
            pool.shutdown();
        }
    }

    /** Ends with objects alive, a thread that goes on, and a hook that closes. */
    private static void end() throws InterruptedException {
        Context gpu = new Context();
        Matrix a = gpu.matrix(new float[][] {{1, 2}, {3, 4}});
        Kernel axpy = gpu.load(PTX).kernel("axpy");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            gpu.close();
            a.close();
            axpy.close();
            a.close();
        }));
        Thread worker = new Thread(() -> {
            while (true) {
                a.times(a).data();
            }
        });
        worker.setDaemon(true);
        worker.setUncaughtExceptionHandler((thread, error) -> { }); // the matrix is closed under it
        worker.start();
        Thread.sleep(50);
        System.out.println("end");
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            end();
            return;
        }
        products();
        wrongArguments();
        closedObjects();
        kernels();
        nothingIsLeft();
        threads();
        System.out.println("java: all tests passed");
    }
}
