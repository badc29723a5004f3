# SPDX-License-Identifier: MIT
"""The programs of this folder, run as their users run them."""
import unittest

from support import FOLDER, python

LINE = r"\Apython: {0} x {0}, 3 multiplications, .+: device \d+\.\d{{3}} ms, with overhead \d+\.\d{{3}} ms\n\Z"


class Programs(unittest.TestCase):
    def run_program(self, program, *arguments, status=0, **environment):
        ended = python(FOLDER / program, *arguments, **environment)
        self.assertEqual(ended.returncode, status, ended.stderr)
        if status == 0:
            self.assertEqual(ended.stderr, "")
        return ended.stdout if status == 0 else ended.stderr

    def test_ten_lines(self):
        self.assertEqual(self.run_program("ten_lines.py"), "22 28\n49 64\n")

    def test_loop(self):
        for size in 1, 96:
            self.assertRegex(self.run_program("loop.py", size, 3), LINE.format(size))

    def test_usage(self):
        for arguments in ("0",), ("-1",), ("12x",), ("99999999999999999999",), ("",), (1, 0), (1, 1, 1):
            self.assertIn("usage: ", self.run_program("loop.py", *arguments, status=2))

    def test_overhead(self):
        line = r"\Apython: {} calls: empty launch [1-9]\d* ns, 64 x 64 product [1-9]\d* ns\n\Z"
        for calls in 1, 600:
            self.assertRegex(self.run_program("overhead.py", calls), line.format(calls))
        for arguments in ("0",), ("12x",), (1, 1):
            self.assertIn("usage: ", self.run_program("overhead.py", *arguments, status=2))

    def test_own_kernel(self):
        self.assertRegex(self.run_program("own_kernel.py"), r"\Apython: axpy, 1000 elements, \d+ registers\n\Z")
        message = self.run_program("own_kernel.py", "absent.fatbin", status=1)
        self.assertRegex(message, r"\Aown_kernel.py: .*absent.fatbin.*\n\Z")

    def test_no_driver(self):
        for program, *arguments in ("loop.py", 1, 1), ("overhead.py", 1), ("own_kernel.py",):
            message = self.run_program(program, *arguments, status=1, ISOMAT_DRIVER="/nonexistent/libcuda.so.1")
            self.assertRegex(message, r"\A\w+(\.py)?: .*/nonexistent/libcuda.so.1.*\n\Z")


if __name__ == "__main__":
    unittest.main()
