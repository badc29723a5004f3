# SPDX-License-Identifier: MIT
"""The type hints, by mypy if it is installed."""
import subprocess
import sys
import unittest

from support import FOLDER, pick


class Types(unittest.TestCase):
    @unittest.skipUnless(pick("mypy"), "mypy is not installed")
    def test_mypy(self):
        programs = [str(path) for path in sorted(FOLDER.glob("*.py"))]
        command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "/dev/null"]
        ended = subprocess.run(
            [*command, "isomat", *programs], cwd=FOLDER, capture_output=True, text=True, check=False
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main()
