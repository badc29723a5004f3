#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ten_lines.py: one product, from numbers and back; copy it and go on from here.
import isomat

with isomat.Context() as gpu:
    a = gpu.matrix([[1, 2, 3], [4, 5, 6]])
    b = gpu.matrix([[1, 2], [3, 4], [5, 6]])
    c = a @ b
    for row in c.tolist():
        print(*map("{:g}".format, row))
