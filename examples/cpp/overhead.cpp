// SPDX-License-Identifier: MIT
// overhead.cpp: the host's time per call of an empty kernel's launch and of a small product.
//
//     overhead [calls]        by default 100000
//
// Medians over batches of calls; what is submitted in a batch is waited for outside the time.
#include "isomat.hpp"
#include "support.hpp"

namespace
{

constexpr int most_calls = 100000000;
constexpr int most_in_batch = 500; // few enough that the driver's queue does not fill up
constexpr int size = 64;

const char empty_ptx[] = ".version 7.0\n"
                         ".target sm_75\n"
                         ".address_size 64\n"
                         ".visible .entry empty() { ret; }\n";

// Nanoseconds per call.
template <typename Call> double measure(const isomat::Context &gpu, int calls, Call call)
{
    const int batch = std::min(calls, most_in_batch);
    const int batches = (calls + batch - 1) / batch;
    std::vector<double> ns;
    for (int i = -1; i < batches; i++) { // the first is the warm-up
        const double began = clock_ms();
        for (int j = 0; j < batch; j++)
            call();
        const double ended = clock_ms();
        gpu.synchronize();
        if (i >= 0)
            ns.push_back((ended - began) * 1e6 / batch);
    }
    return median(ns);
}

void run(int calls)
{
    isomat::Context gpu;
    const isomat::Kernel empty = gpu.load(empty_ptx).kernel("empty");
    const isomat::Matrix a = gpu.matrix(random_values(size * size, 1), size, size);
    const isomat::Matrix b = gpu.matrix(random_values(size * size, 2), size, size);
    isomat::Matrix c = gpu.matrix(size, size);
    const double launch_ns = measure(gpu, calls, [&] { empty.launch({}, {}); });
    const double product_ns = measure(gpu, calls, [&] { multiply(c, a, b); });
    std::printf("c++: %d calls: empty launch %.0f ns, %d x %d product %.0f ns\n", calls, launch_ns, size,
                size, product_ns);
}

} // namespace

int main(int argc, char **argv)
try {
    run(Arguments("overhead", "[calls]", argc, argv, 1).number(0, 100000, most_calls));
} catch (const std::exception &error) {
    std::fprintf(stderr, "overhead: %s\n", error.what());
    return 1;
}
