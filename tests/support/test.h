/* SPDX-License-Identifier: MIT */
/* test.h: cmocka in the order it needs, isomat.h, and asserts that say what isomat said. */
#ifndef ISOMAT_TEST_H
#define ISOMAT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isomat.h>

#define TEST_SKIP 77  /* exit status of a program that cannot run here */
#define TEST_ERROR 99 /* exit status of a program that had to run and could not */

#define TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The call gave ISOMAT_OK; else its status and the message are printed. */
#define assert_ok(call) test_expect_status(ISOMAT_OK, (call), #call, __FILE__, __LINE__)

/* The call gave this status, and a failure left one line of text. */
#define assert_status(call, expected) test_expect_status((expected), (call), #call, __FILE__, __LINE__)

/* The last message of this thread holds each of these words; the list ends with NULL. */
#define assert_message_contains(...) test_expect_message(__FILE__, __LINE__, __VA_ARGS__, (const char *)NULL)

/* The call failed with this status and wrote ISOMAT_NONE over the handle. */
#define assert_no_handle(handle, call, expected)                                                             \
    do {                                                                                                     \
        (handle) = (uint64_t)0xdeadbeef;                                                                     \
        assert_status(call, expected);                                                                       \
        assert_int_equal((handle), ISOMAT_NONE);                                                             \
    } while (0)

void test_expect_status(int32_t expected, int32_t status, const char *call, const char *file, int line);
void test_expect_message(const char *file, int line, ...);

/* True if the text is one line: not empty, no newline in it. */
int test_is_one_line(const char *text);

#endif
