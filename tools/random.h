/* SPDX-License-Identifier: MIT */
/* random.h: random numbers of which any one can be had alone. */
#ifndef ISOMAT_TOOLS_RANDOM_H
#define ISOMAT_TOOLS_RANDOM_H

#include <stdint.h>

/* The index-th of the stream that seed chooses (splitmix64). */
static inline uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t x = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif /* ISOMAT_TOOLS_RANDOM_H */
