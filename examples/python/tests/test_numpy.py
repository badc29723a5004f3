# SPDX-License-Identifier: MIT
"""NumPy in and out."""
import unittest

from support import FOLDER, pick
from test_matrix import Fixture

import loop

numpy, ml_dtypes = pick("numpy"), pick("ml_dtypes")


@unittest.skipUnless(numpy, "NumPy is not installed")
class Arrays(Fixture):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng()
        self.a = random.standard_normal((9, 12)).astype("float32")

    def same(self, matrix, array):
        self.assertEqual(matrix.numpy().dtype, array.dtype)
        numpy.testing.assert_array_equal(matrix.numpy(), array)

    def test_in_and_out(self):
        for type in "float32", "float16":
            array = self.a.astype(type)
            self.same(self.gpu.matrix(array), array)
            numpy.testing.assert_array_equal(numpy.asarray(self.gpu.matrix(array)), array)

    def test_product(self):
        c = self.gpu.matrix(self.a) @ self.gpu.matrix(self.a.T)
        exact = self.a.astype("float64") @ self.a.T.astype("float64")
        magnitude = abs(self.a).astype("float64") @ abs(self.a.T).astype("float64")
        self.assertTrue((abs(c.numpy() - exact) <= 12 * 2.0**-24 * magnitude).all())

    def test_a_product_of_both_kinds_is_refused(self):
        for left, right in (self.a, self.gpu.matrix(self.a.T)), (self.gpu.matrix(self.a), self.a.T):
            with self.assertRaises(TypeError):
                left @ right

    def test_layouts(self):
        for array in (self.a.T, self.a[::-1], self.a[:, ::2], self.a[2:5, 3:7], self.a[::2], self.a[:0], self.a[:, :0],
                      self.a[:1], self.a[:, :1], numpy.broadcast_to(self.a[0], (4, 12))):  # fmt: skip
            self.same(self.gpu.matrix(array), array)
            matrix = self.gpu.empty(*array.shape)
            matrix.upload(array)
            self.same(matrix, array)
        self.same(self.gpu.matrix(self.a.ravel(), shape=(12, 9)), self.a.reshape(12, 9))

    def test_download_into_rows_apart(self):
        out = numpy.full((11, 20), 7, "float32")
        self.gpu.matrix(self.a).download(out[1:10, 4:16])
        numpy.testing.assert_array_equal(out[1:10, 4:16], self.a)
        out[1:10, 4:16] = 7
        self.assertTrue((out == 7).all())
        readonly = numpy.empty((9, 12), "float32")
        readonly.flags.writeable = False
        for bad in out, out[:9, :12].astype("float64"), numpy.empty((12, 9), "float32").T, readonly:
            with self.assertRaises(ValueError):
                self.gpu.matrix(self.a).download(bad)

    def test_conversion_is_asked_for(self):
        for array in self.a.astype("float64"), numpy.arange(6).reshape(2, 3), self.a.astype(">f4"):
            with self.assertRaises(TypeError):
                self.gpu.matrix(array)
            self.same(self.gpu.matrix(array, "float32"), array.astype("float32"))
            self.same(self.gpu.matrix(array, "float16"), array.astype("float16"))
        once = numpy.array([[1 + 2.0**-11 + 2.0**-30]])  # by way of float32 it would become 1
        self.same(self.gpu.matrix(once, "float16"), once.astype("float16"))
        with self.assertRaises(ValueError):
            self.gpu.matrix(numpy.zeros((2, 2, 2), "float32"))

    def test_bfloat16(self):
        matrix = self.gpu.matrix(self.a, "bfloat16")
        expected = self.a.view("uint32") + 0x7FFF + (self.a.view("uint32") >> 16 & 1) >> 16
        raw = numpy.empty((9, 12), "uint16")
        matrix.download(raw)
        numpy.testing.assert_array_equal(raw, expected)
        self.same(self.gpu.matrix(raw, "bfloat16").astype("float32"), (raw.astype("uint32") << 16).view("float32"))
        if ml_dtypes:
            array = self.a.astype(ml_dtypes.bfloat16)
            self.same(matrix, array)
            self.same(self.gpu.matrix(array), array)

    def test_scalars_as_arguments(self):
        x, y = self.gpu.full(1, 4, 2), self.gpu.full(1, 4, 1)
        axpy = self.gpu.load(FOLDER / "axpy.ptx")["axpy"]
        axpy.launch(1, 32, numpy.float32(3), x, y, numpy.uint32(4))
        self.same(y, numpy.full((1, 4), 7, "float32"))
        self.refused("ARGUMENT_SIZE", "", axpy.launch, 1, 32, numpy.float32(3), x, y, numpy.int64(4))

    def test_the_loops_numbers(self):
        for count in 1, 2, 3, 1000:
            self.assertEqual(list(loop.random(count, 2)), list(loop._random(count, 2)))


if __name__ == "__main__":
    unittest.main()
