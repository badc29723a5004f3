/* SPDX-License-Identifier: MIT */
/* tuning.c: the table of kernels that were measured to be the best, by problem. */
#include "tuning.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- table */

static size_t bucket_of(const struct im_gemm_problem *problem, int32_t compute)
{
    uint64_t hash = (uint64_t)(problem->op_a * 2 + problem->op_b) * 8 + (uint64_t)compute;
    hash = (hash ^ (uint64_t)problem->m) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)problem->n) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)problem->k) * 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 32) % IM_TUNING_BUCKETS;
}

static struct im_tuning_entry *find(struct im_tuning *tuning, const struct im_gemm_problem *problem,
                                    int32_t compute, size_t bucket)
{
    struct im_tuning_entry *entry = atomic_load_explicit(&tuning->buckets[bucket], memory_order_acquire);
    while (entry &&
           !(entry->m == problem->m && entry->n == problem->n && entry->k == problem->k &&
             entry->op_a == problem->op_a && entry->op_b == problem->op_b && entry->compute == compute))
        entry = entry->next;
    return entry;
}

static uint32_t encode(const struct im_choice *choice)
{
    return choice ? (uint32_t)choice->parts << 16 | (uint32_t)choice->id : 0; /* parts is at least 1 */
}

bool im_tuning_look_up(struct im_choice *choice, struct im_tuning *tuning,
                       const struct im_gemm_problem *problem, int32_t compute)
{
    const struct im_tuning_entry *entry = find(tuning, problem, compute, bucket_of(problem, compute));
    uint32_t code = entry ? atomic_load_explicit(&entry->choice, memory_order_relaxed) : 0;
    *choice = im_tuning_decode(code);
    return code != 0;
}

static struct im_tuning_entry *add(struct im_tuning *tuning, const struct im_gemm_problem *problem,
                                   int32_t compute, size_t bucket)
{
    struct im_tuning_entry *entry = malloc(sizeof *entry);
    if (!entry)
        return NULL;
    *entry = (struct im_tuning_entry){
        .next = tuning->buckets[bucket],
        .m = problem->m,
        .n = problem->n,
        .k = problem->k,
        .op_a = problem->op_a,
        .op_b = problem->op_b,
        .compute = compute,
    };
    atomic_store_explicit(&tuning->buckets[bucket], entry, memory_order_release);
    return entry;
}

bool im_tuning_set(struct im_tuning *tuning, const struct im_gemm_problem *problem, int32_t compute,
                   const struct im_choice *choice)
{
    size_t bucket = bucket_of(problem, compute);
    pthread_mutex_lock(&tuning->lock);
    struct im_tuning_entry *entry = find(tuning, problem, compute, bucket);
    if (!entry && choice)
        entry = add(tuning, problem, compute, bucket);
    if (entry) {
        uint32_t before = atomic_exchange(&entry->choice, encode(choice));
        atomic_fetch_add(&tuning->count, (choice != NULL) - (before != 0));
    }
    pthread_mutex_unlock(&tuning->lock);
    return entry || !choice;
}

void im_tuning_clear(struct im_tuning *tuning)
{
    for (size_t i = 0; i < IM_TUNING_BUCKETS; i++)
        while (tuning->buckets[i]) {
            struct im_tuning_entry *entry = tuning->buckets[i];
            tuning->buckets[i] = entry->next;
            free(entry);
        }
    tuning->count = 0;
}

/* -------------------------------------------------------------- of a context */

static void detach(struct im_attachment *attachment, bool reachable)
{
    struct im_tuning *tuning = (struct im_tuning *)attachment;
    (void)reachable;
    im_tuning_clear(tuning);
    pthread_mutex_destroy(&tuning->lock);
    free(tuning);
}

static struct im_tuning *create(struct im_context *context)
{
    struct im_tuning *tuning = calloc(1, sizeof *tuning);
    if (!tuning)
        return NULL;
    pthread_mutex_init(&tuning->lock, NULL);
    im_tuning_read_file(tuning, context);
    tuning->attachment = (struct im_attachment){context->attachments, detach, NULL};
    context->attachments = &tuning->attachment;
    atomic_store_explicit(&context->tuning, tuning, memory_order_release);
    return tuning;
}

struct im_tuning *im_tuning_get(struct im_context *context)
{
    struct im_tuning *tuning = context->tuning;
    if (tuning)
        return tuning;
    pthread_mutex_lock(&context->load_lock);
    tuning = context->tuning;
    if (!tuning)
        tuning = create(context);
    pthread_mutex_unlock(&context->load_lock);
    return tuning;
}
