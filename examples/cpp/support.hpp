// SPDX-License-Identifier: MIT
// support.hpp: what the programs that measure need besides isomat: arguments, data, clock, median.
#ifndef SUPPORT_HPP
#define SUPPORT_HPP

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

// A program's arguments, which are numbers from 1 on. Ends it with status 2 if they are not.
class Arguments
{
  public:
    Arguments(const char *program, const char *usage, int argc, char **argv, int most)
        : program_(program), usage_(usage), values_(argv + 1, argv + std::max(argc, 1))
    {
        if (argc - 1 > most)
            fail();
    }

    int number(std::size_t index, int value_if_missing, int most) const
    {
        if (index >= values_.size())
            return value_if_missing;
        const std::string_view text = values_[index];
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most)
            return value;
        std::fprintf(stderr, "%s: '%s' is not a number from 1 to %d\n", program_, text.data(), most);
        fail();
    }

  private:
    [[noreturn]] void fail() const
    {
        std::fprintf(stderr, "usage: %s %s\n", program_, usage_);
        std::exit(2);
    }

    const char *program_;
    const char *usage_;
    std::vector<std::string_view> values_;
};

// Random numbers, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator. The
// programs in every language use this one.
inline std::vector<float> random_values(std::size_t count, std::uint64_t state)
{
    std::vector<float> values(count);
    for (float &value : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<float>(state >> 40) / 16777216.0f - 0.5f;
    }
    return values;
}

inline double clock_ms()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

#endif // SUPPORT_HPP
