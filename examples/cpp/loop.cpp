// SPDX-License-Identifier: MIT
// loop.cpp: multiplies two matrices in a loop and times it.
#include <cmath>
#include <string>

#include "isomat.hpp"
#include "support.hpp"

namespace
{

constexpr int warm_up = 3;

// An element may be off by what float32 arithmetic may lose in size additions.
void check_element(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c,
                   std::size_t size, std::size_t i, std::size_t j)
{
    double exact = 0, magnitude = 0;
    for (std::size_t k = 0; k < size; k++) {
        const double product = double(a[i * size + k]) * double(b[k * size + j]);
        exact += product;
        magnitude += std::abs(product);
    }
    const double found = c[i * size + j];
    if (std::abs(found - exact) <= double(size) * 0x1p-24 * magnitude)
        return;
    throw std::runtime_error("element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                             std::to_string(found) + ", not " + std::to_string(exact));
}

// Compares elements with double-precision dot products.
void check(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c,
           std::size_t size)
{
    const std::size_t places = 7; // the corners, the edges and points inside
    for (std::size_t i = 0; i < places; i++)
        for (std::size_t j = 0; j < places; j++)
            check_element(a, b, c, size, (size - 1) * i / (places - 1), (size - 1) * j / (places - 1));
}

void run(int size, int iterations)
{
    const std::size_t count = std::size_t(size) * std::size_t(size);
    const std::vector<float> a_data = random_values(count, 1), b_data = random_values(count, 2);
    isomat::Context gpu;
    const isomat::Matrix a = gpu.matrix(a_data, size, size), b = gpu.matrix(b_data, size, size);
    isomat::Event start = gpu.event(), end = gpu.event();

    std::vector<double> device_ms, total_ms;
    for (int i = -warm_up; i < iterations; i++) {
        const double began = clock_ms();
        start.record();
        isomat::Matrix c = a * b;
        end.record();
        gpu.synchronize();
        c.close();
        const double took = clock_ms() - began;
        if (i < 0)
            continue;
        total_ms.push_back(took);
        device_ms.push_back(end.elapsed_since(start));
    }

    check(a_data, b_data, (a * b).to_host(), std::size_t(size));
    std::printf("c++: %d x %d, %d multiplications, %s: device %.3f ms, with overhead %.3f ms\n", size, size,
                iterations, isomat::device_info().name, median(device_ms), median(total_ms));
}

} // namespace

int main(int argc, char **argv)
try {
    const Arguments arguments("loop", "[size [iterations]]", argc, argv, 2);
    const int size = arguments.number(0, 4096, 65536);
    run(size, arguments.number(1, 100, 1000000));
} catch (const std::exception &error) {
    std::fprintf(stderr, "loop: %s\n", error.what());
    return 1;
}
