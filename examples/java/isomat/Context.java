// SPDX-License-Identifier: MIT
package isomat;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/** A device in use, and the maker of everything else. */
public final class Context extends IsomatObject {
    /** The primary context of device 0. */
    public Context() {
        this(0);
    }

    /** The device's primary context, which other libraries of the process share. */
    public Context(int device) {
        super(Api::isomat_context_destroy, create(device));
    }

    private static long create(int device) {
        Isomat.open();
        long[] slot = new long[1];
        Isomat.check(Api.isomat_context_create(slot, device, Api.ISOMAT_CONTEXT_PRIMARY));
        return slot[0];
    }

    /** Waits for all of its work. */
    public void synchronize() {
        check(Api.isomat_context_synchronize(handle));
    }

    /** A float32 matrix of rows.length rows. */
    public Matrix matrix(float[][] rows) {
        int cols = rows.length > 0 ? rows[0].length : 0;
        FloatBuffer data = FloatBuffer.allocate(Math.multiplyExact(rows.length, cols));
        for (float[] row : rows) {
            if (row.length != cols) {
                throw new IllegalArgumentException("rows of different lengths");
            }
            data.put(row);
        }
        return matrix(data.array(), rows.length, cols);
    }

    /** A float32 matrix from its elements, row after row. */
    public Matrix matrix(float[] data, long rows, long cols) {
        if (rows < 0 || cols < 0 || Math.multiplyExact(rows, cols) != data.length) {
            throw new IllegalArgumentException(data.length + " values are not " + rows + " x " + cols);
        }
        long[] slot = new long[1];
        check(Api.isomat_matrix_from_host(
                slot, handle, FloatBuffer.wrap(data), rows, cols, cols, Api.ISOMAT_TYPE_F32, Api.ISOMAT_NONE));
        return new Matrix(slot[0], rows, cols);
    }

    /** A matrix whose elements are equal. */
    public Matrix full(long rows, long cols, double value) {
        long[] slot = new long[1];
        check(Api.isomat_matrix_create(slot, handle, rows, cols, Api.ISOMAT_TYPE_F32, Api.ISOMAT_NONE));
        Matrix matrix = new Matrix(slot[0], rows, cols);
        matrix.fill(value);
        return matrix;
    }

    /** An event that measures time. */
    public Event event() {
        long[] slot = new long[1];
        check(Api.isomat_event_create(slot, handle, 1));
        return new Event(slot[0]);
    }

    /** A module from a file: a fatbin, a cubin or PTX. */
    public Module load(String path) {
        long[] slot = new long[1];
        check(Api.isomat_module_load_file(slot, handle, path));
        return new Module(slot[0]);
    }

    /** The same from its bytes. */
    public Module load(byte[] image) {
        long[] slot = new long[1];
        check(Api.isomat_module_load_data(slot, handle, ByteBuffer.wrap(image), image.length));
        return new Module(slot[0]);
    }
}
