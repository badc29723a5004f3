/* SPDX-License-Identifier: MIT */
/* nvtx.c: names stretches of time for a profiler, by the protocol of NVTX version 3.
 *
 * A profiler sets NVTX_INJECTION64_PATH to a library of its own.  Whoever has ranges to name opens
 * it and calls its InitializeInjectionNvtx2 with a function that gives out tables by number; the
 * library writes the addresses of its functions into the places that a table lists, and from then
 * on they are called.  NVTX is headers alone, which are part of the CUDA toolkit; the little that is
 * used of them is declared here, so that no toolkit is needed, and tests/test_nvtx.c holds it
 * against them. */
#include "nvtx.h"

#include <stdint.h>
#include <string.h>

#include "dl.h"

enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3 };
enum { MODULE_CORE2 = 5, MODULE_COUNT = 7, MODULE_FUNCTIONS = 16 };
enum { CORE2_RANGE_PUSH_EX = 4, CORE2_RANGE_POP = 5, CORE2_DOMAIN_CREATE_A = 12 };
enum { NVTX_VERSION = 3, MESSAGE_TYPE_ASCII = 1 };

struct event_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

typedef void function(void);
typedef int range_push_ex(void *domain, const struct event_attributes *attributes);
typedef int range_pop(void *domain);
typedef void *domain_create_a(const char *name);

/* The places for a profiler's functions, and for each module the list of them; number 0 is none. */
static function *functions[MODULE_COUNT][MODULE_FUNCTIONS];
static function **places[MODULE_COUNT][MODULE_FUNCTIONS + 1];
static const unsigned function_counts[MODULE_COUNT] = {0, 16, 9, 15, 7, 16, 7};

static int get_module_table(int module, function ****table, unsigned *size)
{
    if (module < 1 || module >= MODULE_COUNT)
        return 0;
    for (unsigned i = 1; i < function_counts[module]; i++)
        places[module][i] = &functions[module][i];
    if (size)
        *size = function_counts[module];
    if (table)
        *table = places[module];
    return 1;
}

static void set_injection_version(uint32_t version)
{
    (void)version;
}

static const void *get_export_table(uint32_t number)
{
    static const struct {
        size_t struct_size;
        int (*get_module_table)(int module, function ****table, unsigned *size);
    } callbacks = {sizeof callbacks, get_module_table};
    static const struct {
        size_t struct_size;
        uint32_t version, reserved;
        void (*set_injection_version)(uint32_t version);
    } version = {sizeof version, NVTX_VERSION, 0, set_injection_version};
    return number == TABLE_CALLBACKS ? (const void *)&callbacks : number == TABLE_VERSION ? &version : NULL;
}

atomic_bool im_nvtx_attached;
static void *domain;
static range_push_ex *push;
static range_pop *pop;

void im_nvtx_attach(const char *library)
{
    char reason[256];
    int (*initialise)(const void *(*get_table)(uint32_t number));
    void *tool = library && *library ? im_dl_open(library, reason, sizeof reason) : NULL;
    void *symbol = tool ? im_dl_symbol(tool, "InitializeInjectionNvtx2") : NULL;
    if (!symbol)
        return;
    memcpy(&initialise, &symbol, sizeof symbol); /* ISO C has no cast for this */
    if (!initialise(get_export_table))
        return;
    push = (range_push_ex *)functions[MODULE_CORE2][CORE2_RANGE_PUSH_EX];
    pop = (range_pop *)functions[MODULE_CORE2][CORE2_RANGE_POP];
    domain_create_a *create = (domain_create_a *)functions[MODULE_CORE2][CORE2_DOMAIN_CREATE_A];
    if (!push || !pop)
        return;
    domain = create ? create("isomat") : NULL;
    atomic_store_explicit(&im_nvtx_attached, true, memory_order_release);
}

void im_nvtx_push(const char *name)
{
    const struct event_attributes attributes = {
        .version = NVTX_VERSION,
        .size = sizeof attributes,
        .message_type = MESSAGE_TYPE_ASCII,
        .message = name,
    };
    push(domain, &attributes);
}

void im_nvtx_pop(void)
{
    pop(domain);
}
