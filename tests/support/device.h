/* SPDX-License-Identifier: MIT */
/* device.h: the driver that a test program runs on, and a context for each of its tests.
 *
 * ISOMAT_TEST_DRIVER chooses: host (the default) or nvidia.  A GPU that was
 * asked for and is missing is an error, not a skip.
 */
#ifndef ISOMAT_TEST_DEVICE_H
#define ISOMAT_TEST_DEVICE_H

#include "tests/support/test.h"

enum device_need {
    DEVICE_ANY, /* either driver */
    DEVICE_HOST /* the host driver's own facilities; the program is skipped on a GPU */
};

/* Sets ISOMAT_DRIVER for this process.  Returns 0, or the exit status for main. */
int device_choose(enum device_need need);

/* device_choose, then opens the driver and remembers how many objects live. */
int device_open(enum device_need need);

/* The exit status for main: cmocka's result, or failure if objects were left behind. */
int device_close(int failed);

/* Prints and returns what is left beyond what lived at device_open; 0 is none. */
int64_t device_leaked(void);

int device_is_host(void);

/* Compute capability of device 0: 80 for 8.0. */
int device_capability(void);

/* What a test gets as *state. */
struct device_fixture {
    isomat_context context;
    int64_t live; /* isomat's objects before the context */
};

/* Set-up and tear-down of one test: a primary context, and nothing may be left at the end. */
int device_setup(void **state);
int device_teardown(void **state);

#define device_test(function) cmocka_unit_test_setup_teardown(function, device_setup, device_teardown)

/* The fixture's context. */
isomat_context device_context(void **state);

/* A driver function of that version, straight from the driver that isomat opened.  For the facts
 * that isomat does not tell: the current context, objects to adopt. */
void *device_function(const char *name, int version);

/* Shorthands over device_function. */
uint64_t device_current_context(void);
void device_push_context(uint64_t cu_context);
uint64_t device_pop_context(void);
uint64_t device_create_native_context(void); /* current on return, as cuCtxCreate leaves it */
void device_destroy_native_context(uint64_t cu_context);
uint64_t device_create_native_stream(void); /* of the current context */
void device_destroy_native_stream(uint64_t cu_stream);
uint64_t device_allocate_native(size_t bytes); /* in the current context */
void device_free_native(uint64_t pointer);
uint64_t device_create_native_event(void);
void device_destroy_native_event(uint64_t cu_event);

/* The host driver's own controls; only after device_open(DEVICE_HOST) or device_load_host. */
int device_load_host(void); /* maps it before isomat does; 0 or TEST_ERROR */
int64_t device_host_objects(void);
int64_t device_host_calls(const char *function);
void device_host_fault(const char *fault); /* "cuFoo:n=RESULT", NULL for none */

#endif
