// SPDX-License-Identifier: MIT
// TenLines.java: one product, from numbers and back; copy it and go on from here.
import isomat.Context;
import isomat.Matrix;

class TenLines {
    public static void main(String[] arguments) {
        try (Context gpu = new Context();
                Matrix a = gpu.matrix(new float[][] {{1, 2, 3}, {4, 5, 6}});
                Matrix b = gpu.matrix(new float[][] {{1, 2}, {3, 4}, {5, 6}});
                Matrix c = a.times(b)) {
            for (float[] row : c.toRows()) {
                System.out.printf("%.0f %.0f%n", row[0], row[1]);
            }
        }
    }
}
