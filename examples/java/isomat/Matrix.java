// SPDX-License-Identifier: MIT
package isomat;

import java.lang.ref.Reference;
import java.nio.FloatBuffer;

/** A float32 matrix in device memory. */
public final class Matrix extends IsomatObject {
    public final long rows;
    public final long cols;
    private final long[] slot; // for calls that take a handle's address, and only read it

    Matrix(long handle, long rows, long cols) {
        super(Api::isomat_matrix_destroy, handle);
        this.rows = rows;
        this.cols = cols;
        slot = new long[] {handle};
    }

    /** The product this * other, a new matrix. Submitted, and not waited for. */
    public Matrix times(Matrix other) {
        long[] created = new long[1];
        gemm(created, 1, this, other, 0);
        return new Matrix(created[0], rows, other.cols);
    }

    /** Becomes left * right. Submitted, and not waited for. */
    public void multiply(Matrix left, Matrix right) {
        multiply(left, right, 1, 0);
    }

    /** Becomes alpha * left * right + beta * this. */
    public void multiply(Matrix left, Matrix right, double alpha, double beta) {
        gemm(slot, alpha, left, right, beta);
        Reference.reachabilityFence(this);
    }

    /** The fence keeps the collector from destroying an operand whose handle was read, but not yet used. */
    private static void gemm(long[] c, double alpha, Matrix a, Matrix b, double beta) {
        a.check(Api.isomat_gemm(c, alpha, a.handle, Api.ISOMAT_OP_N, b.handle, Api.ISOMAT_OP_N, beta,
                Api.ISOMAT_COMPUTE_F32, Api.ISOMAT_NONE));
        Reference.reachabilityFence(b);
    }

    /** Sets every element. */
    public void fill(double value) {
        check(Api.isomat_matrix_fill(handle, value, Api.ISOMAT_NONE));
    }

    /** Its elements, row after row. Waits for the matrix. */
    public float[] data() {
        float[] data = new float[Math.toIntExact(Math.multiplyExact(rows, cols))];
        check(Api.isomat_matrix_to_host(FloatBuffer.wrap(data), cols, handle, Api.ISOMAT_NONE));
        return data;
    }

    /** Its rows. Waits for the matrix. */
    public float[][] toRows() {
        FloatBuffer data = FloatBuffer.wrap(data());
        float[][] result = new float[(int) rows][(int) cols];
        for (float[] row : result) {
            data.get(row);
        }
        return result;
    }

    /** The device address of the first element, for kernels. */
    public long pointer() {
        long[] pointer = new long[1];
        check(Api.isomat_matrix_get_pointer(pointer, handle));
        return pointer[0];
    }
}
