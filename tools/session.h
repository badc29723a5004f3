/* SPDX-License-Identifier: MIT */
/* session.h: the driver and one device, opened for a verb. */
#ifndef ISOMAT_TOOLS_SESSION_H
#define ISOMAT_TOOLS_SESSION_H

#include <stdbool.h>

#include <isomat.h>

struct session {
    isomat_context context;
    isomat_driver_info driver;
    isomat_device_info device;
};

/* Opens the driver, and says so if it is the host driver.  A failure is said; returns an exit
 * status. */
int driver_open(isomat_driver_info *driver);

/* The same, and the primary context of a device. */
int session_open(struct session *session, int32_t device);

/* Harmless on a zeroed session. */
void session_close(struct session *session);

/* What a peer of isomat needs.  Looks a function up; function is the address of a pointer to it. */
bool find_function(void *library, const char *name, void *function);

/* The driver that isomat opened, for find_function; NULL if it cannot be. */
void *session_driver(const struct session *session);

/* isomat leaves no context current; libraries and functions of the driver take the thread's. */
bool session_make_current(const struct session *session);

bool is_host_driver(const isomat_driver_info *driver);

#endif /* ISOMAT_TOOLS_SESSION_H */
