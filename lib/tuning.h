/* SPDX-License-Identifier: MIT */
/* tuning.h: kernels that were measured to be the best for a context's device, by problem.
 *
 * They come from a file, read when they are first asked for, and from isomat_gemm_set_kernel. */
#ifndef ISOMAT_TUNING_H
#define ISOMAT_TUNING_H

#include "context.h"
#include "select.h"

#define IM_TUNING_BUCKETS 4096

/* Never freed before the table: readers take no lock. */
struct im_tuning_entry {
    struct im_tuning_entry *next;
    int64_t m, n, k;
    int32_t op_a, op_b, compute;
    _Atomic uint32_t choice; /* 0: none any more */
};

struct im_tuning {
    struct im_attachment attachment;
    pthread_mutex_t lock;  /* of those who write */
    _Atomic int64_t count; /* entries with a choice */
    int32_t state;         /* ISOMAT_TUNING_..., of the file */
    char path[1024];
    char reason[512]; /* why the file is ignored, one line */
    struct im_tuning_entry *_Atomic buckets[IM_TUNING_BUCKETS];
};

/* The context's table, made and its file read when first asked for; NULL without host memory.  Leaves the
 * thread's last failure as it is. */
struct im_tuning *im_tuning_get(struct im_context *context);

/* Sets the choice for a problem, or takes it away if choice is NULL.  False without host memory. */
bool im_tuning_set(struct im_tuning *tuning, const struct im_gemm_problem *problem, int32_t compute,
                   const struct im_choice *choice);

/* Forgets all of them; nobody else may know the table yet. */
void im_tuning_clear(struct im_tuning *tuning);

/* Decides which file there is, reads it, and sets state, path and reason (tuning_file.c). */
void im_tuning_read_file(struct im_tuning *tuning, const struct im_context *context);

static inline struct im_choice im_tuning_decode(uint32_t code)
{
    return (struct im_choice){(enum im_kernel_id)(code & 0xffff), (int32_t)(code >> 16)};
}

bool im_tuning_look_up(struct im_choice *choice, struct im_tuning *tuning,
                       const struct im_gemm_problem *problem, int32_t compute);

/* The choice for exactly this problem, if there is one. */
static inline bool im_tuning_find(struct im_choice *choice, const struct im_gemm_problem *problem,
                                  int32_t compute, struct im_context *context)
{
    struct im_tuning *tuning = atomic_load_explicit(&context->tuning, memory_order_acquire);
    if (__builtin_expect(!tuning, 0))
        tuning = im_tuning_get(context);
    return tuning && atomic_load_explicit(&tuning->count, memory_order_relaxed) > 0 &&
           im_tuning_look_up(choice, tuning, problem, compute);
}

#endif /* ISOMAT_TUNING_H */
