/* SPDX-License-Identifier: MIT */
/* faults.c: calls counted, made to fail, or hidden.
 *
 * ISOMAT_HOST_FAULT, or isomat_hostdriver_set_fault():
 *   cuMemAlloc_v2:3=OUT_OF_MEMORY        the third call fails
 *   cuLaunchKernel:2+=LAUNCH_FAILED      the second and all later ones
 *   cuLaunchKernel:2~=ILLEGAL_ADDRESS    the second succeeds; the error is the context's from then on
 *   cuLaunchKernel:2!=DEVICE_UNAVAILABLE the device is lost: the second and every call of any function
 * ISOMAT_HOST_HIDE: names, separated by commas.  A function may be called by
 * the name that is exported or without its _v2.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { FAULTS_MAX = 64, NAME_MAX_BYTES = 64 };

struct counted {
    const char *symbol, *name;
    int64_t calls, since_set; /* ever; since the faults were last set */
};

static struct counted counted[] = {
#define X(name, symbol, version, parameters) {#symbol, #name, 0, 0},
    API_FUNCTIONS(X)
#undef X
};

struct fault_rule {
    char function[NAME_MAX_BYTES];
    int64_t from;
    bool onward;
    enum fault_when when;
    CUresult result;
};

static struct fault_rule rules[FAULTS_MAX];
static int rule_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool is_called(const struct counted *function, const char *name)
{
    return strcmp(function->symbol, name) == 0 || strcmp(function->name, name) == 0;
}

static bool result_find(const char *text, size_t length, CUresult *result)
{
    static const struct {
        const char *name;
        CUresult value;
    } results[] = {
#define X(name, value) {#name, value},
        CUDA_ABI_RESULTS(X)
#undef X
    };
    char *end;

    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        const char *name = results[i].name, *brief = name + (i == 0 ? 5 : 11); /* CUDA_ERROR_ */
        if ((strlen(name) == length && memcmp(name, text, length) == 0) ||
            (strlen(brief) == length && memcmp(brief, text, length) == 0)) {
            *result = results[i].value;
            return true;
        }
    }
    unsigned long number = strtoul(text, &end, 10);
    *result = (CUresult)number;
    return length > 0 && end == text + length && number < 1000;
}

/* One rule; false if it makes no sense. */
static bool rule_parse(const char *text, size_t length, struct fault_rule *rule)
{
    const char *colon = memchr(text, ':', length), *equals = memchr(text, '=', length);
    char *end;

    if (colon == NULL || equals == NULL || equals < colon || colon - text >= NAME_MAX_BYTES)
        return false;
    *rule = (struct fault_rule){.from = strtoll(colon + 1, &end, 10)};
    memcpy(rule->function, text, (size_t)(colon - text));
    rule->onward = *end == '+';
    rule->when = *end == '~' ? FAULT_LATER : *end == '!' ? FAULT_LOST : FAULT_NOW;
    if (end + (rule->onward || rule->when != FAULT_NOW) != equals || rule->from < 1)
        return false;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (is_called(&counted[i], rule->function))
            return result_find(equals + 1, length - (size_t)(equals + 1 - text), &rule->result);
    return false;
}

static int set(const char *spec)
{
    struct fault_rule new[FAULTS_MAX];
    int count = 0;

    while (spec != NULL && *spec != 0) {
        size_t length = strcspn(spec, ",");
        if (count == FAULTS_MAX || !rule_parse(spec, length, &new[count++]))
            return -1;
        spec += length + (spec[length] == ',');
    }
    memcpy(rules, new, (size_t)count * sizeof *new);
    rule_count = count;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        counted[i].since_set = 0;
    return 0;
}

int isomat_hostdriver_set_fault(const char *spec)
{
    pthread_mutex_lock(&mutex);
    int result = set(spec);
    driver.lost = CUDA_SUCCESS;
    pthread_mutex_unlock(&mutex);
    return result;
}

void faults_configure(void)
{
    const char *spec = getenv("ISOMAT_HOST_FAULT");

    if (spec != NULL)
        isomat_hostdriver_set_fault(spec);
}

CUresult fault_injected(const char *symbol, enum fault_when *when)
{
    CUresult result = CUDA_SUCCESS;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct counted *function = &counted[i];
        if (strcmp(function->symbol, symbol) != 0)
            continue;
        function->calls++;
        function->since_set++;
        for (int j = 0; j < rule_count && result == CUDA_SUCCESS; j++)
            if (is_called(function, rules[j].function) &&
                (function->since_set == rules[j].from ||
                 (rules[j].onward && function->since_set > rules[j].from))) {
                result = rules[j].result;
                *when = rules[j].when;
            }
        break;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

int64_t isomat_hostdriver_call_count(const char *name)
{
    int64_t calls = -1;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; name != NULL && i < sizeof counted / sizeof *counted; i++)
        if (is_called(&counted[i], name))
            calls = (calls < 0 ? 0 : calls) + counted[i].calls;
    pthread_mutex_unlock(&mutex);
    return calls;
}

bool fault_hidden(const char *name)
{
    const char *list = getenv("ISOMAT_HOST_HIDE");

    while (list != NULL && *list != 0) {
        size_t length = strcspn(list, ",");
        if (strlen(name) == length && memcmp(name, list, length) == 0)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}
