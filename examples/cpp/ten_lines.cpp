// SPDX-License-Identifier: MIT
// ten_lines.cpp: one product, from vectors and back; copy it and go on from here.
#include <cstdio>

#include "isomat.hpp"

int main()
try {
    isomat::Context gpu;
    isomat::Matrix a = gpu.matrix({1, 2, 3, 4, 5, 6}, 2, 3);
    isomat::Matrix b = gpu.matrix({1, 2, 3, 4, 5, 6}, 3, 2);
    std::vector<float> c = (a * b).to_host();
    std::printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
} catch (const isomat::Error &error) {
    std::fprintf(stderr, "ten_lines: %s\n", error.what());
    return 1;
}
