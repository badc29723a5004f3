# SPDX-License-Identifier: MIT
"""DLPack with producers and consumers that are no more than it asks for."""
import ctypes
import gc
import os
import pathlib
import subprocess
import tempfile
import unittest

from support import FOLDER, python
from test_matrix import Fixture

import isomat
from isomat import _dlpack


class Consumer:
    """Takes a capsule as C does: by its name, and then by another."""

    def __init__(self, array, stream=None):
        self.capsule = array.__dlpack__(stream=stream)
        self.address = _dlpack._capsule_pointer(self.capsule, _dlpack._NAME)
        _dlpack._capsule_set_name(self.capsule, _dlpack._USED_NAME)
        self.tensor = _dlpack._Managed.from_address(self.address)

    def let_go(self):
        """Without Python's lock, as a thread of another library might."""
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.tensor.deleter)(self.address)


class Producer:
    """An array in memory of isomat's, lent as another library would."""

    lent = []  # as they have to, until their deleters run

    def __init__(self, matrix, **changes):
        self.matrix, self.streams, self.deleted = matrix, [], []
        self.device = changes.pop("device", (2, 0))
        shape = changes.pop("shape", matrix.shape)
        strides = changes.pop("strides", (matrix.ld, 1))
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = strides and (ctypes.c_int64 * len(strides))(*strides)
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.deleted.append)
        self.managed = _dlpack._Managed(
            data=matrix.pointer, device_type=self.device[0], device_id=self.device[1], ndim=len(shape), code=2,
            bits=32, lanes=1, shape=ctypes.addressof(self.shape),
            strides=ctypes.addressof(self.strides) if strides else 0,
            deleter=ctypes.cast(self.deleter, ctypes.c_void_p),
        )  # fmt: skip
        for name, value in changes.items():
            setattr(self.managed, name, value)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        self.lent.append(self)
        return _dlpack._capsule_new(ctypes.addressof(self.managed), _dlpack._NAME, None)


class Imports(Fixture):
    def setUp(self):
        super().setUp()
        self.a = self.gpu.matrix([[1, 2, 3], [4, 5, 6]])
        self.addCleanup(Producer.lent.clear)

    def test_it_is_the_same_memory(self):
        producer = Producer(self.a)
        taken = self.gpu.adopt(producer)
        taken.fill(7)
        self.assertEqual(self.a.tolist(), [[7, 7, 7], [7, 7, 7]])
        self.assertEqual(producer.streams, [self.gpu.info().cu_stream])
        self.assertNotIn(producer.streams[0], (0, 1, 2))  # those have meanings of their own

    def test_it_is_let_go_of_once_and_last(self):
        producer = Producer(self.a)
        taken = self.gpu.adopt(producer)
        view = taken[0:1, 0:2]
        taken.close()
        del taken
        self.assertEqual(producer.deleted, [])
        self.assertEqual(view.tolist(), [[1, 2]])
        del view
        gc.collect()
        self.assertEqual(producer.deleted, [ctypes.addressof(producer.managed)])

    def test_layouts(self):
        whole = self.gpu.matrix([[1, 2, 3, 4], [5, 6, 7, 8]])
        for changes, expected in (
            ({}, [[1, 2, 3, 4], [5, 6, 7, 8]]),
            ({"strides": None}, [[1, 2, 3, 4], [5, 6, 7, 8]]),
            ({"shape": (2, 2), "strides": (4, 1)}, [[1, 2], [5, 6]]),
            ({"shape": (2, 2), "strides": (4, 1), "byte_offset": 8}, [[3, 4], [7, 8]]),
            ({"shape": (3,), "strides": (1,)}, [[1, 2, 3]]),
            ({"shape": (8,), "strides": None}, [[1, 2, 3, 4, 5, 6, 7, 8]]),
            ({"shape": (0, 4), "strides": None}, []),
        ):
            self.assertEqual(self.gpu.adopt(Producer(whole, **changes)).tolist(), expected)

    def test_types(self):
        for type, code in ("float16", 2), ("bfloat16", 4):
            lent = Producer(self.a.astype(type), code=code, bits=16)
            self.assertEqual(self.gpu.adopt(lent).tolist(), [[1, 2, 3], [4, 5, 6]])
        raw = Producer(self.a.astype("bfloat16"), code=1, bits=16)
        self.assertEqual(self.gpu.adopt(raw, "bfloat16").tolist(), [[1, 2, 3], [4, 5, 6]])
        self.assertEqual(len(raw.deleted), 1)
        raw.deleted.clear()
        self.refused(TypeError, raw)
        self.refused(TypeError, Producer(self.a), "float16")

    def refused(self, error, producer, *arguments, taken=1):
        with self.assertRaises(error) as caught:
            self.gpu.adopt(producer, *arguments)
        del caught
        gc.collect()
        self.assertEqual(len(producer.deleted), taken)

    def test_refused(self):
        for error, changes in (
            (TypeError, {"code": 0}),
            (TypeError, {"bits": 64}),
            (TypeError, {"lanes": 2}),
            (ValueError, {"strides": (1, 2)}),
            (ValueError, {"shape": (1, 2, 3), "strides": None}),
            (ValueError, {"shape": (), "strides": None}),
        ):
            self.refused(error, Producer(self.a, **changes))
        self.refused(TypeError, Producer(self.a, device=(1, 0)), taken=0)
        self.refused(ValueError, Producer(self.a, device=(2, 1)), taken=0)

    def test_taken_before(self):
        class Again(Producer):
            def __dlpack__(self, *, stream=None):
                return capsule

        lender = Producer(self.a)
        capsule = lender.__dlpack__()
        _dlpack._capsule_set_name(capsule, _dlpack._USED_NAME)
        self.refused(ValueError, Again(self.a), taken=0)


class Exports(Fixture):
    def setUp(self):
        super().setUp()
        self.a = self.gpu.matrix([[1, 2, 3], [4, 5, 6]])
        self.gpu.adopt(self.a).close()  # makes the context's default stream an object
        gc.collect()
        self.gpu.synchronize()
        self.before = isomat.live_objects()

    def left(self):
        self.gpu.synchronize()
        return isomat.live_objects() - self.before

    def test_what_is_told(self):
        self.assertEqual(self.a.__dlpack_device__(), (2, 0))
        for matrix, code, bits in (self.a, 2, 32), (self.a.astype("float16"), 2, 16), (self.a.astype("bfloat16"), 4, 16):
            view = matrix[1:2, 1:3]
            tensor = Consumer(view).tensor
            self.assertEqual((tensor.data, tensor.byte_offset), (view.pointer, 0))
            self.assertEqual((tensor.device_type, tensor.device_id, tensor.ndim), (2, 0, 2))
            self.assertEqual((tensor.code, tensor.bits, tensor.lanes), (code, bits, 1))
            self.assertEqual((ctypes.c_int64 * 2).from_address(tensor.shape)[:], [1, 2])
            self.assertEqual((ctypes.c_int64 * 2).from_address(tensor.strides)[:], [3, 1])

    def test_there_and_back(self):
        back = self.gpu.adopt(self.a)
        self.a.fill(5)
        self.a.close()
        self.assertEqual(back.tolist(), [[5, 5, 5], [5, 5, 5]])
        back.close()
        self.assertEqual(isomat.live_objects(), self.before - 1)

    def test_the_memory_is_kept_as_long_as_it_is_lent(self):
        consumer = Consumer(self.a)
        address = self.a.pointer
        self.a.close()
        self.gpu.synchronize()
        other = self.gpu.full(2, 3, 9)  # would be given that memory if it were free
        self.assertNotEqual(other.pointer, address)
        self.assertEqual((ctypes.c_uint64 * 1).from_address(consumer.address)[0], address)
        other.close()
        del consumer.capsule
        self.assertGreater(self.left(), -1)
        consumer.let_go()
        self.assertEqual(self.left(), -1)

    def test_a_capsule_that_nobody_takes(self):
        capsule = self.a.__dlpack__()
        self.assertEqual(self.left(), 1)
        del capsule
        self.assertEqual(self.left(), 0)
        self.a.__dlpack__()
        self.a.__dlpack__()
        self.assertEqual(self.left(), 0)

    def test_refused(self):
        for options in {"copy": True}, {"dl_device": (1, 0)}:
            with self.assertRaises(BufferError):
                self.a.__dlpack__(**options)
        self.a.__dlpack__(copy=False, dl_device=(2, 0), max_version=(1, 0), stream=-1)
        self.a.close()
        with self.assertRaises(isomat.Error):
            self.a.__dlpack__()

    LATE = """if True:
        import builtins, ctypes, sys
        sys.path.insert(0, sys.argv[1])
        import isomat
        from isomat import _dlpack
        gpu = isomat.Context()
        a = gpu.matrix([[1, 2], [3, 4]])
        builtins.capsule = a.__dlpack__()
        cycle = [a.__dlpack__()]
        cycle.append(cycle)
        builtins.adopted = gpu.adopt(a)
        if len(sys.argv) > 2:
            consumer = ctypes.PyDLL(sys.argv[2])
            consumer.take.argtypes = [ctypes.py_object]
            for _ in range(3):
                assert consumer.take(a.__dlpack__()) == 0
        print("end", flush=True)
    """

    # Holds on until the process ends, which is later than Python does.
    KEEPER = """
        #include <stdint.h>
        #include <stdio.h>
        struct managed { void *data; int32_t words[4]; void *more[4]; void (*deleter)(struct managed *); };
        extern void *PyCapsule_GetPointer(void *, const char *);
        extern int PyCapsule_SetName(void *, const char *);
        extern int Py_IsInitialized(void);
        static struct managed *kept[3];
        static int count;
        int take(void *capsule)
        {
            kept[count] = PyCapsule_GetPointer(capsule, "dltensor");
            return PyCapsule_SetName(capsule, "used_dltensor") || !kept[count++];
        }
        __attribute__((destructor)) static void end(void)
        {
            for (int i = 0; i < count; i++)
                kept[i]->deleter(kept[i]);
            printf("%d let go of, Python %d\\n", count, Py_IsInitialized());
        }
    """

    def test_the_end_of_the_interpreter(self):
        ended = python("-c", self.LATE, FOLDER)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "end\n", ""))
        with tempfile.TemporaryDirectory() as folder:
            source, library = pathlib.Path(folder, "keeper.c"), pathlib.Path(folder, "keeper.so")
            source.write_text(self.KEEPER)
            compiler = os.environ.get("CC", "cc").split()
            try:
                subprocess.run([*compiler, "-shared", "-fPIC", "-o", library, source], check=True)
            except OSError:
                self.skipTest("no compiler for a consumer in C")
            ended = python("-c", self.LATE, FOLDER, library)
            self.assertEqual(
                (ended.returncode, ended.stdout, ended.stderr), (0, "end\n3 let go of, Python 0\n", "")
            )


if __name__ == "__main__":
    unittest.main()
