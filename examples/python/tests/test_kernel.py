# SPDX-License-Identifier: MIT
"""Kernels of one's own, and memory of other libraries."""
import ctypes
import gc
import unittest
import weakref
from unittest import mock

from support import FOLDER, Array, numbers, product
from test_matrix import Fixture

from isomat import _library

PTX = FOLDER / "axpy.ptx"


class Kernels(Fixture):
    def setUp(self):
        super().setUp()
        self.axpy = self.gpu.load(PTX)["axpy"]
        self.x, self.y = self.gpu.matrix([[1, 2, 3]]), self.gpu.full(1, 3, 10)

    def test_launch(self):
        self.axpy.launch(1, 32, 2.0, self.x, self.y, 3)
        self.assertEqual(self.y.tolist(), [[12, 14, 16]])

    def test_integers_of_both_signs(self):
        for n in 2**32 - 1, -1:
            self.axpy.launch(1, 3, 1.0, self.x, self.y, n)
        self.assertEqual(self.y.tolist(), [[12, 14, 16]])

    def test_prepared_launch(self):
        with self.gpu.stream() as stream:
            array = Array(self.y)
            watch = weakref.ref(array)
            pointers = ctypes.c_uint64(self.x.pointer), array
            self.gpu.synchronize()
            arguments = ctypes.c_float(1), *pointers, ctypes.c_uint32(2)
            launch = self.axpy.prepare((1, 1), (4, 1, 1), *arguments, stream=stream)
            del array, pointers, arguments
            gc.collect()
            self.assertIsNotNone(watch())
            launch()
            launch()
            stream.synchronize()
        self.assertEqual(self.y.tolist(), [[12, 14, 10]])
        self.refused("STALE_HANDLE", "", launch)

    def test_from_bytes(self):
        with self.gpu.load(PTX.read_bytes()) as module:
            self.assertEqual(module.info().container, 3)
            self.assertIn("taken", module.report())
            self.assertEqual(module.log(), "")
            self.assertEqual(module["axpy"].parameter_bytes, [4, 8, 8, 4])
            self.assertGreater(module["axpy"].occupancy(32), 0)

    def test_refused(self):
        launch = self.axpy.launch
        self.refused("ARGUMENT_COUNT", "", launch, 1, 32, 1.0, self.x, self.y)
        self.refused("ARGUMENT_COUNT", "", launch, 1, 32, 1.0, self.x, self.y, 3, 4)
        self.refused("ARGUMENT_SIZE", "", launch, 1, 32, ctypes.c_double(1), self.x, self.y, 3)
        self.refused("INVALID_LAUNCH", "", launch, 0, 32, 1.0, self.x, self.y, 3)
        self.refused("INVALID_LAUNCH", "", launch, 1, 4096, 1.0, self.x, self.y, 3)
        for error, arguments in (
            (OverflowError, (1, 32, 1.0, self.x, self.y, 2**32)),
            (OverflowError, (2**32 + 1, 32, 1.0, self.x, self.y, 3)),
            (OverflowError, (1, 32, 1e300, self.x, self.y, 3)),
            (ValueError, ((1, 1, 1, 1), 32, 1.0, self.x, self.y, 3)),
            (TypeError, (1, 32, 1.0, self.x, [1], 3)),
        ):
            with self.assertRaises(error, msg=repr(arguments)):
                launch(*arguments)
        self.axpy.close()
        self.refused("STALE_HANDLE", "", launch, 1, 32, 1.0, self.x, self.y, 3)

    def test_modules_refused(self):
        self.refused("FILE", "absent.fatbin", self.gpu.load, "absent.fatbin")
        self.refused("INVALID_IMAGE", "", self.gpu.load, b"neither")
        self.refused("NOT_FOUND", "absent", self.gpu.load(PTX).__getitem__, "absent")
        self.refused("NOT_FOUND", "gemm_f32", self.gpu.load_embedded, "absent")


class Adopted(Fixture):
    A, B = numbers(4, 6, 1), numbers(6, 5, 2)

    def test_both_ways_without_a_copy(self):
        a, b = (self.gpu.matrix(each) for each in (self.A, self.B))
        adopted = self.gpu.adopt(Array(a))
        self.assertEqual((adopted.pointer, adopted.shape), (a.pointer, a.shape))
        self.assertEqual((adopted @ self.gpu.adopt(Array(b))).tolist(), product(self.A, self.B))
        a.fill(1)
        self.assertEqual(adopted.tolist(), a.tolist())

    def test_rows_apart(self):
        view = self.gpu.matrix(self.A)[1:3, 2:5]
        interface = view.__cuda_array_interface__
        self.assertEqual((interface["shape"], interface["strides"]), ((2, 3), (24, 4)))
        adopted = self.gpu.adopt(Array(view))
        self.assertEqual((adopted.ld, adopted.tolist()), (6, [row[2:5] for row in self.A[1:3]]))

    def test_types(self):
        for type, typestr in ("float16", "<f2"), ("bfloat16", "<u2"):
            matrix = self.gpu.matrix(self.A, type)
            array = Array(matrix)
            self.assertEqual(array.__cuda_array_interface__["typestr"], typestr)
            self.assertEqual(self.gpu.adopt(array, type).tolist(), self.A)
        with self.assertRaises(TypeError):
            self.gpu.adopt(array)
        with self.assertRaises(TypeError):
            self.gpu.adopt(array, "float16")
        with self.assertRaises(TypeError):
            self.gpu.adopt(Array(self.gpu.matrix(self.A)), "float16")

    def test_one_dimension_and_none(self):
        a = self.gpu.matrix([[1, 2, 3]])
        for strides in None, (4,):
            self.assertEqual(self.gpu.adopt(Array(a, shape=(3,), strides=strides)).tolist(), [[1, 2, 3]])
        for shape, strides in ((0, 3), None), ((3, 0), (-4, 4)):
            none = Array(a, shape=shape, strides=strides, data=(0, False))
            self.assertEqual(self.gpu.adopt(none).shape, shape)

    def test_streams(self):
        a = self.gpu.matrix(self.A)
        with self.gpu.stream() as stream:
            for told in {"stream": stream.native}, {"stream": 1}, {"version": 2}:
                a.fill(2, stream=stream)
                self.assertEqual(self.gpu.adopt(Array(a, **told)).tolist(), [[2] * 6] * 4)

    def test_the_owner_is_kept_until_the_last_view_is_gone(self):
        owner = Array(self.gpu.matrix(self.A))
        watch = weakref.ref(owner)
        adopted = self.gpu.adopt(owner)
        view = adopted[0:1, 0:2]
        del owner
        adopted.close()
        self.assertEqual(view.tolist(), [self.A[0][:2]])
        view.close()
        self.assertIsNone(watch())

    def test_what_waits(self):
        # The host driver may be done before one can see that it was not: count the calls.
        library, waited = _library.library(), "isomat_context_synchronize"
        with mock.patch.object(library, waited, wraps=getattr(library, waited)) as wait:
            array = Array(self.gpu.matrix(self.A))
            self.assertEqual(wait.call_count, 1)
            adopted = self.gpu.adopt(array)
            self.assertEqual(wait.call_count, 1)
            view = adopted[0:1, 0:1]
            adopted.close()
            self.assertEqual(wait.call_count, 1)
            view.close()
            self.assertEqual(wait.call_count, 2)
            self.gpu.adopt(Array(array.matrix, version=2)).close()
            self.assertEqual(wait.call_count, 5)
        with self.gpu.stream() as stream, mock.patch.object(
            library, "isomat_stream_wait", wraps=library.isomat_stream_wait
        ) as wait:
            self.gpu.adopt(Array(array.matrix, stream=stream.native))
            self.assertEqual(wait.call_count, 1)
        with mock.patch.object(
            library, "isomat_stream_synchronize", wraps=library.isomat_stream_synchronize
        ) as wait:
            adopted = self.gpu.adopt(array)
            self.gpu.close()
            adopted.close()
            self.assertEqual(wait.call_count, 1)

    def test_refused(self):
        a = self.gpu.matrix(self.A)
        pointer = a.pointer
        for error, changes in (
            (ValueError, {"data": (pointer, True)}),
            (ValueError, {"mask": a}),
            (ValueError, {"shape": (2, 2, 6)}),
            (ValueError, {"strides": (4, 16)}),
            (ValueError, {"strides": (-24, 4)}),
            (ValueError, {"strides": (25, 4)}),
            (TypeError, {"typestr": "<f8"}),
            (TypeError, {"typestr": ">f4"}),
        ):
            with self.assertRaises(error, msg=repr(changes)):
                self.gpu.adopt(Array(a, **changes))
        with self.assertRaisesRegex(TypeError, "list has neither __dlpack__ nor __cuda_array_interface__"):
            self.gpu.adopt([[1]])
        self.refused("INVALID_ARGUMENT", "", self.gpu.adopt, Array(a, data=(pointer + 1, False)))


if __name__ == "__main__":
    unittest.main()
