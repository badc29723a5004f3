# SPDX-License-Identifier: MIT
"""Ends of objects, the library itself, threads."""
import gc
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support import FOLDER, python
from test_matrix import Fixture

import isomat
from isomat import _library


class Graphs(Fixture):
    def test_a_graph_runs_when_it_is_launched(self):
        stream = self.gpu.stream()
        x, w, y = self.gpu.matrix([[1, 2]]), self.gpu.matrix([[0, 1], [1, 0]]), self.gpu.full(1, 2, 0)
        with self.gpu.capture(stream) as graph:
            isomat.gemm(x, w, y, stream=stream)
        self.assertEqual(y.tolist(), [[0, 0]])
        graph.launch()
        self.assertEqual(y.tolist(), [[2, 1]])
        x.fill(5)
        graph.launch(stream)
        stream.synchronize()
        self.assertEqual(y.tolist(), [[5, 5]])
        self.assertEqual(graph.info().nodes, 1)
        for each in graph, stream, x, w, y:
            each.close()
        self.refused("STALE_HANDLE", "graph", graph.launch)

    def test_a_capture_ends_with_its_block(self):
        a = self.gpu.matrix([[1]])
        with self.assertRaises(ZeroDivisionError):
            with self.gpu.capture():
                a.fill(1 / 0)
        with self.gpu.capture() as graph:
            self.refused("CAPTURE", "captured", a.tolist)
            self.refused("CAPTURE", "already", self.gpu.capture().__enter__)
        graph.launch()
        self.assertEqual(a.tolist(), [[1]])
        graph.close()
        a.close()


class Ends(Fixture):
    def test_nothing_is_left(self):
        gc.collect()
        before = isomat.live_objects()
        gpu = isomat.Context()
        a, stream, event = gpu.matrix([[2]]), gpu.stream(), gpu.event()
        kernel = gpu.load(FOLDER / "axpy.ptx")["axpy"]
        c = (gpu.adopt(a) @ a)[0:1, 0:1]
        for _ in range(2):
            gpu.close()
        self.assertEqual(c.tolist(), [[4]])
        for each in a, kernel, event, stream, c, a:
            each.close()
        self.assertEqual(isomat.live_objects(), before)

        with isomat.Context() as gpu:
            a = gpu.matrix([[2]])
            a.myself = a  # the garbage collector's
            del a
        gc.collect()
        self.assertEqual(isomat.live_objects(), before)

    def test_a_closed_object_is_refused(self):
        a = self.gpu.matrix([[1]])
        stream = self.gpu.stream()
        a.close()
        stream.close()
        self.refused("STALE_HANDLE", "", a.tolist)
        self.refused("STALE_HANDLE", "", isomat.gemm, self.gpu.matrix([[1]]), a)
        # and not taken for the default stream
        self.refused("STALE_HANDLE", "", self.gpu.matrix, [[1]], stream=stream)
        self.assertIn("closed", repr(a))

    def test_dropping_never_raises(self):
        a, complaints = self.gpu.matrix([[1]]), []
        _library.check(_library.library().isomat_matrix_destroy(a.handle))
        before, sys.unraisablehook = sys.unraisablehook, complaints.append
        try:
            del a
            gc.collect()
        finally:
            sys.unraisablehook = before
        self.assertEqual(complaints, [])

    def test_another_kind_is_refused(self):
        self.refused("WRONG_KIND", "", isomat.Matrix.fill, self.gpu, 1)
        for other in self.gpu, 2, None:
            with self.assertRaises(TypeError):
                isomat.gemm(self.gpu.matrix([[1]]), other)

    def test_errors_can_be_pickled(self):
        for error in isomat.Error(-7, "sizes"), isomat.LibraryError("old"):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), copy.status, str(copy)), (type(error), error.status, str(error)))

    def test_late_drops_while_the_interpreter_ends(self):
        program = """if True:
            import atexit, sys, threading, time, isomat
            gpu = isomat.Context()
            a = gpu.matrix([[1, 2], [3, 4]])
            cycle = [gpu.matrix([[1]]), gpu.stream(), gpu.event()]
            cycle.append(cycle)
            sys.late = [gpu.load(sys.argv[1])["axpy"], a @ a]
            class Late:
                def __init__(self, matrix):
                    self.matrix = matrix
                def __del__(self):
                    self.matrix.close(); self.matrix.__del__(); self.matrix.close()
            import builtins
            builtins.late = Late(gpu.matrix([[5]]))
            adopted = gpu.adopt(a)
            atexit.register(lambda: (gpu.close(), a.close(), a.close()))
            def work():
                while True:
                    b = gpu.matrix([[1, 2], [3, 4]])
                    (b @ b).close()
            threading.Thread(target=work, daemon=True).start()
            time.sleep(0.05)
            threading.excepthook = lambda _: None  # the context is closed under it
            print("end")
        """
        for _ in range(5):
            ended = python("-c", program, FOLDER / "axpy.ptx")
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "end\n", ""))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_child_may_drop_them(self):
        program = """if True:
            import os, sys, isomat
            gpu = isomat.Context()
            a = gpu.matrix([[1, 2], [3, 4]])
            child = os.fork()
            if child == 0:
                try:
                    a.tolist()
                except isomat.Error as error:
                    print(error.name, flush=True)
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            print(a.tolist())
        """
        ended = python("-W", "ignore::DeprecationWarning", "-c", program)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(ended.stdout, "ISOMAT_ERROR_FORKED\n[[1.0, 2.0], [3.0, 4.0]]\n")

    def test_threads(self):
        """Random operations on shared matrices for ISOMAT_STRESS_SECONDS."""
        matrices, errors, counts = [self.gpu.full(8, 8, 1) for _ in range(32)], [], []
        done = time.monotonic() + float(os.environ.get("ISOMAT_STRESS_SECONDS", "2"))

        def work(seed):
            chance, count = random.Random(seed), 0
            try:
                while time.monotonic() < done:
                    count += 1
                    a, b = chance.choice(matrices), chance.choice(matrices)
                    try:
                        c = a @ b
                        chance.choice([c.close, a.close, c.tolist, lambda b=b: b.fill(1)])()
                        matrices[chance.randrange(32)] = self.gpu.full(8, 8, 1)
                    except isomat.Error as error:  # closed by another thread
                        if error.name != "ISOMAT_ERROR_STALE_HANDLE":
                            raise
                counts.append(count)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=[seed]) for seed in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertTrue(len(counts) == 16 and all(counts))


class Library(unittest.TestCase):
    PROGRAM = """if True:
        import isomat
        try:
            isomat.Context()
        except isomat.Error as error:
            print(type(error).__name__, error.name, error)
    """

    def line(self, **environment):
        ended = python("-c", self.PROGRAM, **environment)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(ended.stdout.count("\n"), 1)
        return ended.stdout

    def test_missing(self):
        line = self.line(ISOMAT_LIBRARY="/nonexistent/libisomat.so.0")
        self.assertRegex(line, "^LibraryError  /nonexistent/libisomat.so.0: ")

    def test_no_driver(self):
        line = self.line(ISOMAT_DRIVER="/nonexistent/libcuda.so.1")
        self.assertRegex(line, "^Error ISOMAT_ERROR_NO_DRIVER .*/nonexistent/libcuda.so.1")

    def test_versions(self):
        major, minor, patch = _library.WRITTEN_FOR
        number = major * 1000000 + minor * 1000 + patch
        for good in number, number + 1, number + 1000:
            _library._check_version(good, "lib")
        for bad in number - 1, number + 1000000:
            with self.assertRaises(isomat.LibraryError):
                _library._check_version(bad, "lib")
        self.assertGreaterEqual(isomat.version().split("."), [str(major), str(minor), str(patch)])

    def test_too_old_or_another(self):
        compiler = os.environ.get("CC", "cc").split()
        written_for = ".".join(map(str, _library.WRITTEN_FOR))
        with tempfile.TemporaryDirectory() as folder:
            for body, text in (
                ("int isomat_version(void) { return 7; }", f"is version 0.0.7, this binding needs {written_for} "),
                ("int other(void) { return 7; }", f"is not isomat {written_for}: .*isomat_version"),
            ):
                source, library = pathlib.Path(folder, "old.c"), pathlib.Path(folder, "old.so")
                source.write_text(body)
                try:
                    subprocess.run([*compiler, "-shared", "-fPIC", "-o", library, source], check=True)
                except OSError:
                    self.skipTest("no compiler for the stand-in")
                self.assertRegex(self.line(ISOMAT_LIBRARY=str(library)), f"^LibraryError  {library} {text}")


if __name__ == "__main__":
    unittest.main()
