// SPDX-License-Identifier: MIT
// own_kernel.cpp: launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
//
//     own_kernel [module]        by default ../python/axpy.ptx
#include <cstdio>

#include "isomat.hpp"

int main(int argc, char **argv)
try {
    const std::uint32_t n = 1000, block = 128;
    const float alpha = 0.5f;
    std::vector<float> numbers(n);
    for (std::uint32_t i = 0; i < n; i++)
        numbers[i] = float(i);

    const isomat::Context gpu;
    const isomat::Module module = gpu.load_file(argc > 1 ? argv[1] : "../python/axpy.ptx");
    const isomat::Kernel axpy = module.kernel("axpy");
    if (axpy.info().debug)
        throw std::runtime_error("the kernel was built with -G: see isomat inspect");
    const isomat::Matrix x = gpu.matrix(numbers, 1, n);
    isomat::Matrix y = gpu.matrix(1, n);
    y.fill(3);
    axpy.launch({(n + block - 1) / block}, {block}, alpha, x.pointer(), y.pointer(), n);
    const std::vector<float> result = y.to_host();
    for (std::uint32_t i = 0; i < n; i++)
        if (result[i] != 3 + alpha * float(i))
            throw std::runtime_error("a wrong result");
    std::printf("c++: axpy, %u elements, %d registers\n", n, axpy.info().registers);
} catch (const std::exception &error) {
    std::fprintf(stderr, "own_kernel: %s\n", error.what());
    return 1;
}
