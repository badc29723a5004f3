/* SPDX-License-Identifier: MIT */
/* session.c: the driver and one device, opened for a verb. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "session.h"

bool is_host_driver(const isomat_driver_info *driver)
{
    return driver->kind == ISOMAT_DRIVER_KIND_HOST;
}

int driver_open(isomat_driver_info *driver)
{
    *driver = (isomat_driver_info){.struct_size = sizeof *driver};
    if (isomat_driver_get_info(driver) != ISOMAT_OK)
        return fail_library();
    const char *choice = getenv("ISOMAT_DRIVER");
    if (is_host_driver(driver))
        note("%susing the host driver (CPU)",
             choice && strcmp(choice, "auto") == 0 ? "no NVIDIA driver, " : "");
    return STATUS_OK;
}

int session_open(struct session *session, int32_t device)
{
    *session = (struct session){.context = ISOMAT_NONE};
    int status = driver_open(&session->driver);
    if (status != STATUS_OK)
        return status;
    session->device.struct_size = sizeof session->device;
    if (isomat_device_get_info(&session->device, device) != ISOMAT_OK ||
        isomat_context_create(&session->context, device, ISOMAT_CONTEXT_PRIMARY) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

void session_close(struct session *session)
{
    isomat_context_destroy(session->context);
    session->context = ISOMAT_NONE;
}

/* ISO C has no conversion from void * to a function pointer. */
bool find_function(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

void *session_driver(const struct session *session)
{
    return dlopen(session->driver.path, RTLD_LAZY | RTLD_NOLOAD);
}

bool session_make_current(const struct session *session)
{
    isomat_context_info info = {.struct_size = sizeof info};
    int (*set_current)(void *context);
    void *driver = session_driver(session);
    return driver && isomat_context_get_info(&info, session->context) == ISOMAT_OK &&
           find_function(driver, "cuCtxSetCurrent", &set_current) &&
           set_current((void *)(uintptr_t)info.cu_context) == 0;
}
