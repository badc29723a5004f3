# SPDX-License-Identifier: MIT
"""Matrices and products, NumPy or not."""
import array
import struct
import unittest

from support import numbers, product

import isomat
from isomat import Compute, Op, Type, _api, gemm


def transposed(rows):
    return [list(row) for row in zip(*rows)]


class Fixture(unittest.TestCase):
    def setUp(self):
        self.gpu = isomat.Context()
        self.addCleanup(self.gpu.close)

    def refused(self, name, text, function, *arguments, **options):
        """The library's status, its line, and no second line."""
        with self.assertRaises(isomat.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.name, f"ISOMAT_ERROR_{name}")
        self.assertEqual(caught.exception.status, getattr(_api, f"ISOMAT_ERROR_{name}"))
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))


class Products(Fixture):
    A, B = numbers(5, 7, 1), numbers(7, 3, 2)

    def test_of_rows_of_numbers(self):
        c = self.gpu.matrix(self.A) @ self.gpu.matrix(self.B)
        self.assertEqual((c.shape, c.ld, c.type), ((5, 3), 3, Type.F32))
        self.assertEqual(c.tolist(), product(self.A, self.B))

    def test_ops(self):
        for op_a in Op:
            for op_b in Op:
                a = self.gpu.matrix(transposed(self.A) if op_a else self.A)
                b = self.gpu.matrix(transposed(self.B) if op_b else self.B)
                self.assertEqual(gemm(a, b, op_a=op_a, op_b=op_b).tolist(), product(self.A, self.B))

    def test_alpha_beta_out(self):
        a, b, out = self.gpu.matrix(self.A), self.gpu.matrix(self.B), self.gpu.full(5, 3, 8)
        self.assertIs(gemm(a, b, out, alpha=2, beta=-0.5), out)
        self.assertEqual(out.tolist(), [[2 * x - 4 for x in row] for row in product(self.A, self.B)])

    def test_compute_modes(self):
        for compute in Compute:
            type = Type[compute.name] if compute.name in Type.__members__ else Type.F32
            result = Type.F64 if type == Type.F64 else Type.F32
            a, b, out = self.gpu.matrix(self.A, type), self.gpu.matrix(self.B, type), self.gpu.empty(5, 3, result)
            gemm(a, b, out, compute=compute)
            self.assertEqual(out.tolist(), product(self.A, self.B), compute)

    def test_the_usual_mode_is_that_of_the_type(self):
        for type in Type:
            c = self.gpu.matrix(self.A, type) @ self.gpu.matrix(self.B, type)
            self.assertEqual(c.type, type)
            self.assertEqual(c.tolist(), self.gpu.matrix(product(self.A, self.B), type).tolist())

    def test_prepared_operand(self):
        b = self.gpu.matrix(self.B)
        b.prepare(isomat.Operand.B, compute=Compute.TF32)
        b.modified()
        self.assertEqual((self.gpu.matrix(self.A) @ b).tolist(), product(self.A, self.B))

    def test_on_streams(self):
        with self.gpu.stream() as stream, self.gpu.event() as event, self.gpu.event() as end:
            a, b = self.gpu.matrix(self.A, stream=stream), self.gpu.matrix(self.B)
            c = gemm(a, b, stream=stream)
            event.record(stream)
            with self.gpu.stream() as other:
                other.wait(event)
                end.record(other)
                other.synchronize()
                self.assertTrue(other.done() and event.done())
            self.assertGreaterEqual(end.elapsed_since(event), 0)
            self.assertEqual(c.tolist(), product(self.A, self.B))
        self.refused("STALE_HANDLE", "", gemm, a, b, stream=stream)

    def test_refused(self):
        a, b = self.gpu.matrix(self.A), self.gpu.matrix(self.B)
        self.refused("SHAPE_MISMATCH", "5 x 7", gemm, b, a)
        self.refused("ALIAS", "", gemm, self.gpu.matrix([[1]]), b[0:1, 0:1], b[0:1, 0:1])
        self.refused("TYPE_MISMATCH", "", gemm, a, b.astype("float16"))
        self.refused("INVALID_ARGUMENT", "beta", gemm, a, b, beta=1)
        self.refused("INVALID_ARGUMENT", "", self.gpu.empty, -1, 1)
        with self.assertRaises(TypeError):
            a @ self.B

    def test_of_two_contexts_is_refused(self):
        with isomat.Context(own=True) as other:
            self.refused("CONTEXT_MISMATCH", "", gemm, self.gpu.matrix(self.A), other.matrix(self.B))


class Elements(Fixture):
    def test_types_cover_the_header(self):
        for enum, prefix in (Type, "TYPE"), (Op, "OP"), (Compute, "COMPUTE"), (isomat.Operand, "OPERAND"):
            prefix = f"ISOMAT_{prefix}_"
            constants = {name[len(prefix) :]: value for name, value in vars(_api).items() if name.startswith(prefix)}
            self.assertEqual({each.name: each.value for each in enum}, constants)

    def test_flat_buffer_with_its_shape(self):
        data = array.array("f", range(6))
        for each in data, memoryview(data).toreadonly(), memoryview(data).cast("B").cast("f", (2, 3)):
            self.assertEqual(self.gpu.matrix(each, shape=(2, 3)).tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_raw_float16(self):
        raw = array.array("H", struct.unpack("<4H", struct.pack("<4e", 1, 2, 3, 0.1)))
        matrix = self.gpu.matrix(raw, "float16", shape=(2, 2))
        self.assertEqual(matrix.type, Type.F16)
        self.assertEqual(matrix.tolist(), [[1, 2], [3, struct.unpack("<e", struct.pack("<e", 0.1))[0]]])
        out = bytearray(8)
        matrix.download(out)
        self.assertEqual(out, raw.tobytes())

    def test_raw_bfloat16(self):
        raw = array.array("H", [0x3F80, 0xC000])  # 1, -2
        matrix = self.gpu.matrix(raw, "bfloat16", shape=(1, 2))
        self.assertEqual(matrix.tolist(), [[1, -2]])
        out = array.array("H", [0, 0])
        matrix.download(out)
        self.assertEqual(out, raw)

    def test_float64(self):
        data = array.array("d", [1 / 3, 1e300, -5e-324, 0.1])
        matrix = self.gpu.matrix(data, "float64", shape=(2, 2))
        self.assertEqual(matrix.tolist(), [[1 / 3, 1e300], [-5e-324, 0.1]])
        self.assertEqual(gemm(self.gpu.matrix([[0.1]], "float64"), self.gpu.matrix([[1]], "float64"), alpha=0.1).tolist(), [[0.1 * 0.1]])
        out = array.array("d", bytes(32))
        matrix.download(out)
        self.assertEqual(out, data)

    def test_types_are_converted_on_the_device(self):
        third = self.gpu.matrix([[1 / 3]])
        self.assertEqual(third.astype(Type.BF16).astype("float32").tolist(), [[0.333984375]])

    def test_upload_and_fill(self):
        matrix = self.gpu.empty(2, 2)
        matrix.upload([[1, 2], [3, 4]])
        self.assertEqual(matrix.tolist(), [[1, 2], [3, 4]])
        matrix.fill(0.5)
        self.assertEqual(matrix.tolist(), [[0.5, 0.5], [0.5, 0.5]])
        with self.assertRaisesRegex(ValueError, "1 x 2 of float32 into 2 x 2"):
            matrix.upload([[1, 2]])

    def test_views_share_the_elements(self):
        matrix = self.gpu.matrix(numbers(4, 5, 3))
        view = matrix[1:3, 2:]
        matrix.close()
        self.assertEqual((view.shape, view.ld), ((2, 3), 5))
        self.assertEqual(view.tolist(), [row[2:] for row in numbers(4, 5, 3)[1:3]])
        view[0:1, 0:1].fill(9)
        self.assertEqual(view.tolist()[0][0], 9)
        for place in 1, (1, 2), (slice(None), 1):
            with self.assertRaises(TypeError):
                view[place]
        with self.assertRaises(ValueError):
            view[::2, :]

    def test_empty_matrices(self):
        self.assertEqual(self.gpu.empty(0, 3).tolist(), [])
        self.assertEqual(self.gpu.matrix([]).shape, (0, 0))
        self.assertEqual((self.gpu.empty(2, 0) @ self.gpu.empty(0, 2)).tolist(), [[0, 0], [0, 0]])

    def test_refused_on_the_host(self):
        for error, data, options in (
            (ValueError, [[1, 2], [3]], {}),
            (ValueError, array.array("f", [1, 2]), {}),
            (ValueError, array.array("f", [1, 2]), {"shape": (1, 3)}),
            (ValueError, array.array("f", [1, 2]), {"shape": (-1, -2)}),
            (TypeError, array.array("d", [1, 2]), {"shape": (1, 2)}),
            (TypeError, array.array("H", [1, 2]), {"shape": (1, 2)}),
            (TypeError, [[1]], {"type": "float128"}),
            (TypeError, 1, {}),
        ):
            with self.assertRaises(error, msg=repr(data)):
                self.gpu.matrix(data, **options)
        with self.assertRaises(OverflowError):
            self.gpu.empty(2**64 + 1, 1)
        for out in bytes(4), array.array("f", [1, 2]), array.array("i", [1]):
            with self.assertRaises(ValueError):
                self.gpu.matrix([[1]]).download(out)


if __name__ == "__main__":
    unittest.main()
