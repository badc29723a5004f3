/* SPDX-License-Identifier: MIT */
/* driver.c: finds, opens and fills the table of the CUDA driver. */
#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dl.h"
#include "nvtx.h"

/* Below 11.4 the driver lacks cuGetProcAddress with versioned look-up as used
 * here together with memory pools and the uuid of a MIG slice. */
#define OLDEST_DRIVER 11040

struct im_driver im_cu;

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool opened;

/* A page that the kernel clears in a forked child: a test for a fork without a
 * system call.  Where that is not to be had, the process number is compared. */
static volatile unsigned char *fork_page;
static pid_t opener;

/* ---------------------------------------------------- functions it may lack */

/* Each missing optional function gets a stand-in of the right type. */
#define STAND_IN(need, name, version, parameters) static CUresult missing_##name parameters;
DRIVER_SYMBOLS(STAND_IN)
#undef STAND_IN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STAND_IN(need, name, version, parameters)                                                            \
    static CUresult missing_##name parameters                                                                \
    {                                                                                                        \
        return CUDA_ERROR_NOT_SUPPORTED;                                                                     \
    }
DRIVER_SYMBOLS(STAND_IN)
#undef STAND_IN
#pragma GCC diagnostic pop

enum need { REQUIRED, OPTIONAL };

static const struct symbol {
    enum need need;
    const char *name;
    int version;
    size_t offset; /* of its pointer in struct im_driver */
    void (*stand_in)(void);
} symbols[] = {
#define ROW(need, name, version, parameters)                                                                 \
    {need, #name, version, offsetof(struct im_driver, name), (void (*)(void))missing_##name},
    DRIVER_SYMBOLS(ROW)
#undef ROW
};

/* ----------------------------------------------------------------- look-up */

struct finder {
    CUresult (*get_v2)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    CUresult (*get_v1)(const char *, void **, int, cuuint64_t); /* 11.3 to 11.8 */
};

/* dlsym gives the newest name with a suffix by hand; cuGetProcAddress gives
 * the signature of the version asked for. */
static void *find_symbol(const struct finder *finder, const char *name, int version)
{
    void *pointer = NULL;
    CUdriverProcAddressQueryResult found;
    if (finder->get_v2) {
        if (finder->get_v2(name, &pointer, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &found) !=
            CUDA_SUCCESS)
            pointer = NULL;
    } else if (finder->get_v1) {
        if (finder->get_v1(name, &pointer, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM) != CUDA_SUCCESS)
            pointer = NULL;
    }
    return pointer;
}

static int32_t fail_too_old(const struct im_driver *driver, const char *missing)
{
    return im_fail(ISOMAT_ERROR_DRIVER_TOO_OLD,
                   "the driver %s is of CUDA %d.%d%s%s; isomat needs a driver of CUDA %d.%d or later: "
                   "install a newer NVIDIA driver",
                   driver->path, driver->version / 1000, driver->version % 1000 / 10,
                   missing ? " and has no " : "", missing ? missing : "", OLDEST_DRIVER / 1000,
                   OLDEST_DRIVER % 1000 / 10);
}

static int32_t fill_table(struct im_driver *driver, const struct finder *finder)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *pointer = find_symbol(finder, symbols[i].name, symbols[i].version);
        if (!pointer && symbols[i].need == REQUIRED)
            return fail_too_old(driver, symbols[i].name);
        if (pointer)
            memcpy((char *)driver + symbols[i].offset, &pointer, sizeof pointer);
        else
            memcpy((char *)driver + symbols[i].offset, &symbols[i].stand_in, sizeof pointer);
    }
    return ISOMAT_OK;
}

static int32_t fail_stub(const struct im_driver *driver)
{
    return im_fail_cuda(ISOMAT_ERROR_STUB_DRIVER, CUDA_ERROR_STUB_LIBRARY,
                        "%s is the CUDA toolkit's stub for linking, not a driver: take its folder out of "
                        "LD_LIBRARY_PATH, or set ISOMAT_DRIVER to the driver's path",
                        driver->path);
}

/* Fills *driver from an open library, without publishing it. */
static int32_t set_up(struct im_driver *driver, void *library, const char *name)
{
    struct finder finder;
    CUresult (*get_version)(int *) = NULL;
    CUresult (*initialise)(unsigned int) = NULL;
    uint32_t (*host_version)(void) = NULL;
    *(void **)&finder.get_v2 = im_dl_symbol(library, "cuGetProcAddress_v2");
    *(void **)&finder.get_v1 = im_dl_symbol(library, "cuGetProcAddress");
    *(void **)&get_version = im_dl_symbol(library, "cuDriverGetVersion");
    *(void **)&initialise = im_dl_symbol(library, "cuInit");
    *(void **)&host_version = im_dl_symbol(library, "isomat_hostdriver_version");

    driver->library = library;
    driver->kind = host_version ? ISOMAT_DRIVER_KIND_HOST : ISOMAT_DRIVER_KIND_NVIDIA;
    im_dl_path_of(*(void **)&initialise, driver->path, sizeof driver->path);
    if (!driver->path[0])
        snprintf(driver->path, sizeof driver->path, "%s", name);
    if (!initialise || !get_version)
        return im_fail(ISOMAT_ERROR_NO_DRIVER, "%s is not a CUDA driver: it has no %s", driver->path,
                       initialise ? "cuDriverGetVersion" : "cuInit");

    CUresult result = get_version(&driver->version);
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return fail_stub(driver);
    if (result != CUDA_SUCCESS)
        return im_fail_cuda(ISOMAT_ERROR_DRIVER, (int32_t)result, "%s: cuDriverGetVersion gave error %u",
                            driver->path, result);
    if (driver->version < OLDEST_DRIVER)
        return fail_too_old(driver, NULL);
    if (!finder.get_v2 && !finder.get_v1) {
        /* The stub may lack everything else: let it say what it is. */
        if (initialise(0) == CUDA_ERROR_STUB_LIBRARY)
            return fail_stub(driver);
        return fail_too_old(driver, "cuGetProcAddress");
    }
    int32_t status = fill_table(driver, &finder);
    /* Of the functions for pools all or none are of use. */
    driver->memory_pools = status == ISOMAT_OK && driver->cuMemPoolCreate != missing_cuMemPoolCreate &&
                           driver->cuMemPoolSetAttribute != missing_cuMemPoolSetAttribute &&
                           driver->cuMemPoolGetAttribute != missing_cuMemPoolGetAttribute &&
                           driver->cuMemPoolTrimTo != missing_cuMemPoolTrimTo &&
                           driver->cuMemPoolDestroy != missing_cuMemPoolDestroy &&
                           driver->cuMemAllocFromPoolAsync != missing_cuMemAllocFromPoolAsync &&
                           driver->cuMemFreeAsync != missing_cuMemFreeAsync;
    driver->hopper_launches = status == ISOMAT_OK &&
                              driver->cuTensorMapEncodeTiled != missing_cuTensorMapEncodeTiled &&
                              driver->cuLaunchKernelEx != missing_cuLaunchKernelEx;
    driver->graphs = status == ISOMAT_OK && driver->cuStreamBeginCapture != missing_cuStreamBeginCapture &&
                     driver->cuStreamEndCapture != missing_cuStreamEndCapture &&
                     driver->cuGraphGetNodes != missing_cuGraphGetNodes &&
                     driver->cuGraphDestroy != missing_cuGraphDestroy &&
                     driver->cuGraphInstantiateWithFlags != missing_cuGraphInstantiateWithFlags &&
                     driver->cuGraphLaunch != missing_cuGraphLaunch &&
                     driver->cuGraphExecDestroy != missing_cuGraphExecDestroy;
    return status;
}

static int32_t fail_no_device(const struct im_driver *driver)
{
    return im_fail_cuda(
        ISOMAT_ERROR_NO_DEVICE, CUDA_ERROR_NO_DEVICE,
        "the driver %s sees no CUDA device: check nvidia-smi and CUDA_VISIBLE_DEVICES, or set "
        "ISOMAT_DRIVER=host to run on the CPU",
        driver->path);
}

static int32_t initialise(struct im_driver *driver)
{
    const char *name = "unknown error";
    CUresult result = driver->cuInit(0);
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return fail_stub(driver);
    if (result == CUDA_ERROR_NO_DEVICE)
        return fail_no_device(driver);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGetCount(&driver->device_count);
    if (result != CUDA_SUCCESS) {
        driver->cuGetErrorName(result, &name);
        return im_fail_cuda(ISOMAT_ERROR_DRIVER, (int32_t)result, "the driver %s does not start: %s (%u)",
                            driver->path, name ? name : "unknown error", result);
    }
    return driver->device_count > 0 ? ISOMAT_OK : fail_no_device(driver);
}

/* ------------------------------------------------------------------ search */

/* Appends to a message under construction. */
static void note_attempt(char *attempts, size_t capacity, const char *name, const char *reason)
{
    size_t used = strlen(attempts);
    /* dlerror usually begins with the name itself. */
    bool named = strncmp(reason, name, strlen(name)) == 0;
    snprintf(attempts + used, capacity - used, "%s%s%s%s", used ? "; " : "", named ? "" : name,
             named ? "" : ": ", reason);
}

#define NVIDIA_REMEDY "install the NVIDIA driver, or set ISOMAT_DRIVER=host to run on the CPU"
#define HOST_REMEDY "install isomat's host driver, or set ISOMAT_HOSTDRIVER to its path"

/* Where to look, and what to do about it if nothing is there. */
struct search {
    char attempts[IM_MESSAGE_BYTES / 2];
    const char *remedy;
};

/* Opens the first library of a list that a loader finds, and starts it. */
static int32_t try_names(struct im_driver *driver, const char *const *names, struct search *search)
{
    char reason[256];
    for (; *names; names++) {
        void *library = im_dl_open(*names, reason, sizeof reason);
        if (!library) {
            note_attempt(search->attempts, sizeof search->attempts, *names, reason);
            continue;
        }
        memset(driver, 0, sizeof *driver);
        int32_t status = set_up(driver, library, *names);
        return status == ISOMAT_OK ? initialise(driver) : status;
    }
    return im_fail(ISOMAT_ERROR_NO_DRIVER, "no CUDA driver found (%s): %s", search->attempts, search->remedy);
}

static int32_t try_nvidia(struct im_driver *driver, struct search *search)
{
    /* The SONAME first: libcuda.so exists with development links alone, and
     * WSL keeps the driver outside the loader's path. */
    static const char *const names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so", NULL};
    search->remedy = NVIDIA_REMEDY;
    return try_names(driver, names, search);
}

/* The host driver lies in the package's own folder; ISOMAT_HOSTDRIVER names
 * another one, as the tests of an uninstalled build do. */
static int32_t try_host(struct im_driver *driver, struct search *search)
{
    char beside[sizeof driver->path + 64];
    const char *given = secure_getenv("ISOMAT_HOSTDRIVER");
    im_dl_path_of(&im_cu, beside, sizeof driver->path);
    char *slash = strrchr(beside, '/');
    snprintf(slash ? slash : beside, 64, "/isomat/isomat-hostdriver.so");
    const char *const installed[] = {beside, IM_PKGLIBDIR "/isomat-hostdriver.so", NULL};
    const char *const chosen[] = {given, NULL};
    search->remedy = HOST_REMEDY;
    return try_names(driver, given && *given ? chosen : installed, search);
}

static int32_t try_chosen(struct im_driver *driver)
{
    struct search search = {.attempts = ""};
    const char *choice = secure_getenv("ISOMAT_DRIVER");
    if (!choice || !*choice || strcmp(choice, "nvidia") == 0)
        return try_nvidia(driver, &search);
    if (strcmp(choice, "host") == 0)
        return try_host(driver, &search);
    if (strcmp(choice, "auto") == 0) {
        int32_t status = try_nvidia(driver, &search);
        return status == ISOMAT_OK ? status : try_host(driver, &search);
    }
    if (strchr(choice, '/')) {
        const char *const names[] = {choice, NULL};
        search.remedy = "set ISOMAT_DRIVER to nvidia, host, auto, or a driver's path";
        return try_names(driver, names, &search);
    }
    return im_fail(ISOMAT_ERROR_NO_DRIVER, "ISOMAT_DRIVER is \"%s\": use nvidia, host, auto, or a path",
                   choice);
}

/* -------------------------------------------------------------------- fork */

static void watch_for_fork(void)
{
    opener = getpid();
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, 1, MADV_WIPEONFORK) != 0) {
        munmap(page, 1);
        return;
    }
    *(unsigned char *)page = 1;
    fork_page = page;
}

bool im_driver_forked(void)
{
    if (!opened)
        return false;
    return fork_page ? *fork_page == 0 : getpid() != opener;
}

int32_t im_driver_fail_forked(void)
{
    return im_fail(ISOMAT_ERROR_FORKED,
                   "the driver was opened by process %ld and cannot be used in process %ld, its fork: "
                   "open it after the fork, or start the child with exec",
                   (long)opener, (long)getpid());
}

/* ------------------------------------------------------------------- public */

int32_t im_driver_open(void)
{
    if (im_driver_forked())
        return im_driver_fail_forked();
    if (opened)
        return ISOMAT_OK;
    pthread_mutex_lock(&open_lock);
    int32_t status = ISOMAT_OK;
    if (!opened) {
        struct im_driver driver = {0};
        status = try_chosen(&driver);
        if (status == ISOMAT_OK) {
            im_cu = driver;
            watch_for_fork();
            im_nvtx_attach(secure_getenv(IM_NVTX_VARIABLE));
            opened = true;
        }
    }
    pthread_mutex_unlock(&open_lock);
    return status;
}

static int32_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_INVALID_VALUE:
        return ISOMAT_ERROR_INVALID_ARGUMENT;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY;
    case CUDA_ERROR_NOT_READY:
        return ISOMAT_ERROR_NOT_READY;
    case CUDA_ERROR_NOT_FOUND:
        return ISOMAT_ERROR_NOT_FOUND;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE:
        return ISOMAT_ERROR_INVALID_IMAGE;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
        return ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE;
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
        return ISOMAT_ERROR_JIT_FAILED;
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
        return ISOMAT_ERROR_UNSUPPORTED;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
        return ISOMAT_ERROR_INVALID_LAUNCH;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
        return ISOMAT_ERROR_LAUNCH_FAILED;
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        return ISOMAT_ERROR_CAPTURE;
    default:
        return ISOMAT_ERROR_DRIVER;
    }
}

bool im_driver_failure_is_sticky(void)
{
    CUresult result = (CUresult)isomat_error_cuda_result();
    return result != CUDA_SUCCESS && status_of(result) == ISOMAT_ERROR_LAUNCH_FAILED;
}

int32_t im_driver_fail(CUresult result, const char *call)
{
    const char *name = NULL;
    const char *text = NULL;
    im_cu.cuGetErrorName(result, &name);
    im_cu.cuGetErrorString(result, &text);
    return im_fail_cuda(status_of(result), (int32_t)result, "%s: %s (%u)%s%s", call,
                        name ? name : "unrecognised error", result, text ? ", " : "", text ? text : "");
}
