// SPDX-License-Identifier: MIT
package isomat;

import com.sun.jna.Memory;
import java.lang.ref.Reference;

/** A kernel of a module, which it keeps. */
public final class Kernel extends IsomatObject {
    Kernel(long handle) {
        super(Api::isomat_kernel_destroy, handle);
    }

    /** What it needs: registers, debug (1 if it was built with -G), … */
    public Api.isomat_kernel_info info() {
        Api.isomat_kernel_info info = Isomat.sized(new Api.isomat_kernel_info());
        check(Api.isomat_kernel_get_info(info.getPointer(), handle));
        info.read();
        return info;
    }

    /** Submits it once: as prepare. */
    public void launch(Dim grid, Dim block, Object... arguments) {
        prepare(grid, block, arguments).run();
    }

    /**
     * A launch to run again and again: grid of blocks, block of threads, and an argument for each parameter: a
     * Matrix, or a Float, Double, Byte, Short, Integer or Long of the parameter's width.
     */
    public Runnable prepare(Dim grid, Dim block, Object... arguments) {
        Api.isomat_launch launch = Isomat.sized(new Api.isomat_launch());
        launch.read();
        launch.grid_x = grid.x();
        launch.grid_y = grid.y();
        launch.grid_z = grid.z();
        launch.block_x = block.x();
        launch.block_y = block.y();
        launch.block_z = block.z();
        launch.write();
        return new Launch(this, launch, arguments);
    }

    /** A size of a grid or of a block. */
    public record Dim(int x, int y, int z) {
        /** Of one dimension. */
        public Dim(int x) {
            this(x, 1, 1);
        }
    }

    /** A kernel with all that it is launched with. */
    private static final class Launch implements Runnable {
        private final Kernel kernel;
        private final Api.isomat_launch launch;
        private final Object[] arguments; // kept as long as their addresses are
        private final int count;
        private final Memory values;
        private final Memory pointers;
        private final Memory sizes;

        Launch(Kernel kernel, Api.isomat_launch launch, Object[] arguments) {
            this.kernel = kernel;
            this.launch = launch;
            this.arguments = arguments.clone();
            count = arguments.length;
            values = new Memory(Math.max(1, 8L * count));
            pointers = new Memory(Math.max(1, 8L * count));
            sizes = new Memory(Math.max(1, 8L * count));
            for (int i = 0; i < count; i++) {
                sizes.setLong(8L * i, store(8L * i, arguments[i]));
                pointers.setPointer(8L * i, values.share(8L * i));
            }
        }

        /** Writes an argument's value; gives its size. */
        private int store(long offset, Object argument) {
            if (argument instanceof Matrix matrix) {
                values.setLong(offset, matrix.pointer());
                return Long.BYTES;
            } else if (argument instanceof Float value) {
                values.setFloat(offset, value);
                return Float.BYTES;
            } else if (argument instanceof Double value) {
                values.setDouble(offset, value);
                return Double.BYTES;
            } else if (argument instanceof Byte value) {
                values.setByte(offset, value);
                return Byte.BYTES;
            } else if (argument instanceof Short value) {
                values.setShort(offset, value);
                return Short.BYTES;
            } else if (argument instanceof Integer value) {
                values.setInt(offset, value);
                return Integer.BYTES;
            } else if (argument instanceof Long value) {
                values.setLong(offset, value);
                return Long.BYTES;
            }
            String type = argument == null ? "null" : argument.getClass().getName();
            throw new IllegalArgumentException(type + " is no argument of a kernel: a Matrix or a number");
        }

        @Override
        public void run() {
            kernel.check(Api.isomat_kernel_launch(kernel.handle, launch.getPointer(), pointers, count, sizes));
            Reference.reachabilityFence(this); // and with it the arguments and their values
        }
    }
}
