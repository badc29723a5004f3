/* SPDX-License-Identifier: MIT */
/* nvtx_tool.c: what a profiler lets a program open, reduced to writing down the ranges that it is told.
 * Each range is "(name", each end is ")". */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
/* NVIDIA's own declarations, where they are, instead of the few below. */
#include <nvtx3/nvToolsExt.h>
typedef NvtxExportTableCallbacks callback_table;
typedef NvtxFunctionTable function_table;
typedef nvtxEventAttributes_t event_attributes;
#define NAME_OF(attributes) ((attributes)->message.ascii)
#define TYPE_OF(attributes) ((attributes)->messageType)
#else
typedef void (***function_table)(void);
typedef struct {
    size_t struct_size;
    int (*GetModuleFunctionTable)(int module, function_table *table, unsigned *size);
} callback_table;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
} event_attributes;
enum {
    NVTX_ETID_CALLBACKS = 1,
    NVTX_ETID_VERSIONINFO = 3,
    NVTX_CB_MODULE_CORE = 1,
    NVTX_CB_MODULE_CORE2 = 5,
    NVTX_CBID_CORE2_DomainRangePushEx = 4,
    NVTX_CBID_CORE2_DomainRangePop = 5,
    NVTX_CBID_CORE2_DomainCreateA = 12,
    NVTX_CBID_CORE2_SIZE = 16,
    NVTX_MESSAGE_TYPE_ASCII = 1,
};
#define NAME_OF(attributes) ((attributes)->message)
#define TYPE_OF(attributes) ((attributes)->message_type)
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT char nvtx_tool_log[1 << 16];
static int domain_number;

EXPORT int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t number));

static void note(const char *before, const char *text)
{
    size_t used = strlen(nvtx_tool_log);
    snprintf(nvtx_tool_log + used, sizeof nvtx_tool_log - used, "%s%s", before, text);
}

static void *create_domain(const char *name)
{
    note("domain ", name);
    return &domain_number;
}

static int push(void *domain, const event_attributes *attributes)
{
    if (domain != &domain_number || attributes->size != sizeof *attributes || attributes->version != 3 ||
        TYPE_OF(attributes) != NVTX_MESSAGE_TYPE_ASCII)
        note("!", "wrong attributes");
    note("(", NAME_OF(attributes));
    return 0;
}

static int pop(void *domain)
{
    note(")", domain == &domain_number ? "" : "!");
    return 0;
}

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t number))
{
    const callback_table *callbacks = get_table(NVTX_ETID_CALLBACKS);
    function_table table = NULL;
    unsigned size = 0;
    /* a profiler looks at all of this */
    if (!callbacks || callbacks->struct_size < sizeof *callbacks || !get_table(NVTX_ETID_VERSIONINFO) ||
        get_table(99) || callbacks->GetModuleFunctionTable(99, &table, &size) ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) || size != 16 ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size != NVTX_CBID_CORE2_SIZE)
        return 0;
    for (unsigned i = 1; i < size; i++)
        if (!table[i])
            return 0;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (void (*)(void))create_domain;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (void (*)(void))push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (void (*)(void))pop;
    return 1;
}
