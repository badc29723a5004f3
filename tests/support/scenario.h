/* SPDX-License-Identifier: MIT */
/* scenario.h: short uses of isomat from beginning to end, for tests that break the driver under them.
 *
 * A scenario returns the first failure or ISOMAT_OK, and cleans up in either
 * case.  It contains no assert, so a forked child may run it.
 */
#ifndef ISOMAT_TEST_SCENARIO_H
#define ISOMAT_TEST_SCENARIO_H

#include "tests/support/test.h"

struct scenario {
    const char *name;
    int32_t (*run)(void);
};

#define SCENARIO_COUNT 11

extern const struct scenario scenarios[SCENARIO_COUNT];

/* Called, if set, before each destruction. */
extern void (*scenario_before_clean_up)(void);

/* What a scenario returns when every call succeeded and a result was wrong. */
#define SCENARIO_WRONG 1000

#endif
