// SPDX-License-Identifier: MIT
// test_binding.cpp: failures are exceptions with isomat's line; objects may be moved, shared between threads,
// dropped in any order, and left to the end of the program.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "isomat.hpp"

static_assert(!std::is_copy_constructible_v<isomat::Matrix> && !std::is_copy_assignable_v<isomat::Matrix>);
static_assert(std::is_nothrow_move_constructible_v<isomat::Matrix> &&
              std::is_nothrow_move_assignable_v<isomat::Matrix>);

namespace
{

std::atomic<int> failures{0};

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::cerr << __LINE__ << ": not so: " #condition "\n";                                           \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

// It throws this status, with one line that has the text.
void expect_error(std::int32_t status, const std::string &text, const std::function<void()> &call)
{
    try {
        call();
    } catch (const isomat::Error &error) {
        const std::string line = error.what();
        if (error.status() == status && line.find('\n') == std::string::npos &&
            line.find(text) != std::string::npos)
            return;
        std::cerr << "not " << status << " with '" << text << "' but " << error.name() << ": " << line
                  << "\n";
        failures++;
        return;
    }
    std::cerr << "nothing thrown, where " << status << " was expected\n";
    failures++;
}

const std::vector<float> values = {1, 2, 3, 4, 5, 6};
const std::vector<float> product = {22, 28, 49, 64};

void test_errors()
{
    isomat::Context gpu;
    isomat::Matrix a = gpu.matrix(values, 2, 3), b = gpu.matrix(values, 3, 2);
    expect_error(ISOMAT_ERROR_SHAPE_MISMATCH, "2 x 3", [&] { a *a; });
    expect_error(ISOMAT_ERROR_INVALID_ARGUMENT, "6 values", [&] { gpu.matrix(values, 2, 2); });
    expect_error(ISOMAT_ERROR_INVALID_ARGUMENT, "6 values", [&] { gpu.matrix(values, -2, -3); });
    expect_error(ISOMAT_ERROR_INVALID_ARGUMENT, "6 values", [&] { gpu.matrix(values, INT64_MAX, 4); });
    expect_error(ISOMAT_ERROR_INVALID_ARGUMENT, "", [&] { isomat::Context{-1}; });
    const isomat::Matrix half = gpu.matrix(3, 2, ISOMAT_TYPE_F16);
    expect_error(ISOMAT_ERROR_TYPE_MISMATCH, "", [&] { a *half; });
    expect_error(ISOMAT_ERROR_TYPE_MISMATCH, "float32", [&] { half.to_host(); });
    expect_error(ISOMAT_ERROR_NOT_FOUND, "no_such",
                 [&] { gpu.load(".version 7.0\n.target sm_75\n.address_size 64\n").kernel("no_such"); });
    expect_error(ISOMAT_ERROR_WRONG_KIND, "", [&] { isomat::Matrix(gpu.stream().get()).info(); });

    isomat::Matrix c = gpu.matrix(2, 2);
    const isomat_matrix gone = c.get();
    c.close();
    c.close(); // does nothing
    expect_error(ISOMAT_ERROR_INVALID_HANDLE, "", [&] { c.to_host(); });
    expect_error(ISOMAT_ERROR_INVALID_HANDLE, "closed", [&] { multiply(c, a, b); });
    expect_error(ISOMAT_ERROR_STALE_HANDLE, "", [&] { isomat::Matrix(gone).info(); });

    // All is as good as before.
    EXPECT((a * b).to_host() == product);
}

void test_lifetimes()
{
    std::optional<isomat::Context> gpu(std::in_place);
    std::optional<isomat::Matrix> a(gpu->matrix(values, 2, 3)), b(gpu->matrix(values, 3, 2));
    isomat::Matrix c = *a * *b;
    gpu.reset();
    a.reset();
    b.reset();
    isomat::Matrix moved = std::move(c);
    EXPECT(c.get() == ISOMAT_NONE);
    isomat::Matrix &same = moved;
    moved = std::move(same);
    EXPECT(moved.to_host() == product);
    moved = moved.view(1, 0, 1, 2); // keeps the storage
    EXPECT(moved.to_host() == std::vector<float>({49, 64}));
    c = std::move(moved);
    EXPECT(c.info().rows == 1);
}

// Threads share some matrices: they multiply them, replace them and take views of them, in any order. Bad
// luck is an Error and no more; products that were made are right.
void stress(double seconds)
{
    constexpr int threads = 16, slots = 8;
    isomat::Context gpu;
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<isomat::Matrix> matrix;
    } shared[slots];
    std::atomic<long> done{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);

    auto work = [&](unsigned seed) {
        std::minstd_rand random(seed);
        isomat::Matrix a = gpu.matrix(values, 2, 3), b = gpu.matrix(values, 3, 2);
        while (std::chrono::steady_clock::now() < end) {
            Slot &slot = shared[random() % slots];
            std::shared_ptr<isomat::Matrix> taken;
            {
                std::lock_guard<std::mutex> lock(slot.mutex);
                taken = slot.matrix;
            }
            switch (random() % 5) {
            case 0: {
                auto made = std::make_shared<isomat::Matrix>(a * b);
                std::lock_guard<std::mutex> lock(slot.mutex);
                slot.matrix = made;
                break;
            }
            case 1:
                if (taken)
                    EXPECT(taken->to_host() == product);
                break;
            case 2:
                if (taken)
                    EXPECT((*taken * a).view(0, 0, 1, 1).to_host()[0] == 22 * 1 + 28 * 4);
                break;
            case 3: {
                std::lock_guard<std::mutex> lock(slot.mutex);
                slot.matrix.reset();
                break;
            }
            default: {
                isomat_matrix stale = gpu.matrix(3, 3).get(); // destroyed at once
                expect_error(ISOMAT_ERROR_STALE_HANDLE, "", [&] { isomat::Matrix(stale).info(); });
            }
            }
            done++;
        }
    };
    std::vector<std::thread> running;
    for (int i = 0; i < threads; i++)
        running.emplace_back(work, unsigned(i + 1));
    for (std::thread &thread : running)
        thread.join();
    std::cout << done << " operations in " << threads << " threads\n";
    EXPECT(done >= threads);
}

std::optional<isomat::Context> last_context; // destroyed after main has returned
std::optional<isomat::Matrix> last_matrix;

} // namespace

int main()
{
    const std::int64_t before = isomat_live_objects();
    test_errors();
    test_lifetimes();
    const char *seconds = std::getenv("ISOMAT_STRESS_SECONDS");
    stress(seconds ? std::atof(seconds) : 2);
    EXPECT(isomat_live_objects() == before);

    last_context.emplace();
    last_matrix = last_context->matrix(values, 2, 3) * last_context->matrix(values, 3, 2);
    return failures ? 1 : 0;
}
