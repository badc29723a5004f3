/* SPDX-License-Identifier: MIT */
/* kept.c: what multiplication made of a matrix, kept for the next time. */
#include "kept.h"

#include <stdlib.h>

#include "matrix.h"
#include "memory.h"
#include "workspace.h"

#define SEEN_PER_ROOT 8
#define DEFAULT_SHARE 8 /* an eighth of the device's memory */

/* One for each context. */
struct im_kept_store {
    struct im_attachment attachment;
    struct im_context *context;
    pthread_mutex_t lock;   /* of this and of every record, root's lists included */
    pthread_cond_t settled; /* a form that was being made is ready, or is not to be */
    struct im_kept *first;
    int64_t bytes, limit;
};

/* ------------------------------------------------------------------- store */

static void trim(struct im_attachment *attachment)
{
    im_kept_drop_all(((struct im_kept_store *)attachment)->context);
}

/* Matrices hold their context, so that none is left. */
static void detach(struct im_attachment *attachment, bool reachable)
{
    struct im_kept_store *store = (struct im_kept_store *)attachment;
    (void)reachable;
    pthread_cond_destroy(&store->settled);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static struct im_kept_store *create_store(struct im_context *context)
{
    struct im_kept_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    IM_CALL_QUIETLY(cuMemGetInfo, &free_bytes, &total_bytes);
    store->attachment = (struct im_attachment){context->attachments, detach, trim};
    store->context = context;
    store->limit = (int64_t)total_bytes / DEFAULT_SHARE;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->settled, NULL);
    context->attachments = &store->attachment;
    context->kept = store;
    return store;
}

/* The context's store, created when first asked for; NULL without host memory.  The
 * context is current. */
static struct im_kept_store *get_store(struct im_context *context)
{
    struct im_kept_store *store = context->kept;
    if (store)
        return store;
    pthread_mutex_lock(&context->load_lock);
    store = context->kept;
    if (!store)
        store = create_store(context);
    pthread_mutex_unlock(&context->load_lock);
    return store;
}

/* ---------------------------------------------- records; the store is locked */

static void unlink_used(struct im_kept *kept)
{
    *kept->link = kept->next;
    if (kept->next)
        kept->next->link = kept->link;
}

static void link_used(struct im_kept_store *store, struct im_kept *kept)
{
    kept->next = store->first;
    kept->link = &store->first;
    if (kept->next)
        kept->next->link = &kept->next;
    store->first = kept;
}

/* Gives a form's memory back behind all that may use it. */
static void free_memory(struct im_kept_store *store, struct im_kept *kept, bool reachable)
{
    struct im_stream *stream = kept->root->stream;
    unlink_used(kept);
    store->bytes -= kept->bytes;
    if (reachable) {
        if (im_matrix_await_users(kept->root, stream) != ISOMAT_OK)
            IM_CALL_QUIETLY(cuCtxSynchronize);
        im_memory_free(kept->pointer, stream);
        IM_CALL_QUIETLY(cuEventDestroy, kept->made);
    }
    kept->pointer = 0;
}

static void remove_record(struct im_kept *kept)
{
    struct im_kept *head = kept->root->kept;
    if (head == kept) {
        kept->root->kept = kept->next_of_root;
        return;
    }
    while (head->next_of_root != kept)
        head = head->next_of_root;
    head->next_of_root = kept->next_of_root;
}

/* Forgets a record, now or with its last pin. */
static void drop(struct im_kept_store *store, struct im_kept *kept, bool reachable)
{
    if (!kept->dropped)
        remove_record(kept);
    kept->dropped = true;
    if (kept->pins > 0)
        return;
    if (kept->pointer)
        free_memory(store, kept, reachable);
    free(kept);
}

/* Makes room under the limit: the form used longest ago goes first, one that the caller
 * asked for only for another such. */
static bool make_room(struct im_kept_store *store, int64_t bytes, bool prepared)
{
    while (store->bytes > store->limit - bytes) {
        struct im_kept *oldest = NULL;
        for (struct im_kept *each = store->first; each; each = each->next)
            if (each->pins == 0 && (prepared || !each->prepared))
                oldest = each;
        if (!oldest)
            return false;
        drop(store, oldest, true);
    }
    return true;
}

static bool same_key(const struct im_kept_key *a, const struct im_kept_key *b)
{
    return a->pointer == b->pointer && a->rows == b->rows && a->cols == b->cols && a->ld == b->ld &&
           a->kind == b->kind;
}

static struct im_kept *find_record(const struct im_matrix *root, const struct im_kept_key *key)
{
    struct im_kept *each = root->kept;
    while (each && !same_key(&each->key, key))
        each = each->next_of_root;
    return each;
}

/* The same, once the thread that makes a form, if it is another, has done so. */
static struct im_kept *find_settled(struct im_kept_store *store, const struct im_matrix *root,
                                    const struct im_kept_key *key)
{
    struct im_kept *kept = find_record(root, key);
    while (kept && kept->pointer && !kept->ready && !pthread_equal(kept->thread, pthread_self())) {
        pthread_cond_wait(&store->settled, &store->lock);
        kept = find_record(root, key);
    }
    return kept;
}

/* A new record of a root; of those only seen, the oldest makes place. */
static struct im_kept *add_record(struct im_kept_store *store, struct im_matrix *root,
                                  const struct im_kept_key *key)
{
    int count = 0;
    struct im_kept *oldest = NULL;
    for (struct im_kept *each = root->kept; each; each = each->next_of_root) {
        if (each->pointer)
            continue; /* these are under the limit */
        oldest = each;
        count++;
    }
    if (count >= SEEN_PER_ROOT)
        drop(store, oldest, true);
    struct im_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->root = root;
    kept->key = *key;
    kept->next_of_root = root->kept;
    root->kept = kept;
    return kept;
}

/* Gives a record memory; false if there is none to be had. */
static bool allocate(struct im_kept_store *store, struct im_kept *kept, int64_t bytes, int64_t zero_bytes,
                     bool prepared, struct im_stream *stream)
{
    if (!make_room(store, bytes, prepared) || !im_memory_try_allocate(&kept->pointer, bytes, stream))
        return false;
    if (im_cu.cuMemsetD8Async(kept->pointer, 0, (size_t)zero_bytes, stream->cu) != CUDA_SUCCESS ||
        im_cu.cuEventCreate(&kept->made, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
        im_memory_free(kept->pointer, stream);
        kept->pointer = 0;
        return false;
    }
    kept->bytes = bytes;
    kept->thread = pthread_self();
    kept->ready = false;
    kept->maker = stream->serial;
    store->bytes += bytes;
    link_used(store, kept);
    return true;
}

/* Pins the form of a record that has one. */
static int32_t pin(struct im_kept_store *store, struct im_kept *kept, struct im_stream *stream)
{
    if (!im_stream_follows(stream, kept->maker)) {
        int32_t status = IM_CALL(cuStreamWaitEvent, stream->cu, kept->made, 0);
        if (status != ISOMAT_OK)
            return status;
    }
    kept->pins++;
    unlink_used(kept);
    link_used(store, kept);
    return ISOMAT_OK;
}

static int32_t get_locked(struct im_kept **result, bool *fresh, struct im_kept_store *store,
                          struct im_matrix *root, const struct im_kept_key *key, int64_t bytes,
                          int64_t zero_bytes, enum im_kept_policy policy, struct im_stream *stream)
{
    bool prepare = policy == IM_KEPT_PREPARE;
    struct im_kept *kept = find_settled(store, root, key);
    if (kept && kept->pointer && root->exposed && !kept->prepared) {
        drop(store, kept, true); /* made before others knew the address */
        kept = NULL;
    }
    if (kept && kept->pointer) {
        kept->prepared |= prepare;
        int32_t status = pin(store, kept, stream);
        if (status == ISOMAT_OK)
            *result = kept;
        return status;
    }
    if (policy == IM_KEPT_FIND || (!prepare && root->exposed))
        return ISOMAT_OK;
    bool again = kept != NULL;
    if (!kept)
        kept = add_record(store, root, key);
    if (kept && (again || prepare) && allocate(store, kept, bytes, zero_bytes, prepare, stream)) {
        kept->prepared = prepare;
        kept->pins++;
        *fresh = true;
        *result = kept;
    } else if (prepare) {
        return im_fail(ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY,
                       "no room to keep a form of %lld bytes: %lld of at most %lld bytes are in use",
                       (long long)bytes, (long long)store->bytes, (long long)store->limit);
    }
    return ISOMAT_OK;
}

/* ---------------------------------------------------------------- captured */

/* The sequence's workspace is locked, so that its products come one after another. */
static int32_t get_recorded(struct im_kept **result, bool *fresh, struct im_matrix *root,
                            const struct im_kept_key *key, int64_t bytes, int64_t zero_bytes,
                            enum im_kept_policy policy, struct im_recording *recording)
{
    if (policy == IM_KEPT_PREPARE)
        return im_stream_fail_captured("isomat_matrix_prepare");
    pthread_mutex_lock(&recording->lock);
    struct im_kept *kept = recording->forms;
    while (kept && (kept->dropped || kept->root != root || !same_key(&kept->key, key)))
        kept = kept->next;
    bool again = kept != NULL;
    if (!again && policy == IM_KEPT_IF_AGAIN && (kept = calloc(1, sizeof *kept))) {
        *kept = (struct im_kept){.next = recording->forms, .root = root, .key = *key, .recorded = true};
        recording->forms = kept;
    }
    pthread_mutex_unlock(&recording->lock);
    if (again && !kept->pointer)
        *fresh = im_workspace_pin(&kept->pointer, recording->workspace, bytes, zero_bytes) == ISOMAT_OK;
    if (again && kept->pointer)
        *result = kept;
    return ISOMAT_OK;
}

void im_kept_drop_recorded(struct im_recording *recording, const struct im_matrix *root)
{
    pthread_mutex_lock(&recording->lock);
    for (struct im_kept *each = recording->forms; each; each = each->next)
        each->dropped |= each->root == root;
    pthread_mutex_unlock(&recording->lock);
}

void im_kept_end_recorded(struct im_recording *recording)
{
    while (recording->forms) {
        struct im_kept *kept = recording->forms;
        recording->forms = kept->next;
        free(kept);
    }
}

/* -------------------------------------------------------- for the layers above */

int32_t im_kept_get(struct im_kept **kept, bool *fresh, const struct im_matrix *matrix, uint32_t kind,
                    int64_t bytes, int64_t zero_bytes, enum im_kept_policy policy, struct im_stream *stream)
{
    const struct im_kept_key key = {matrix->pointer, matrix->rows, matrix->cols, matrix->ld, kind};
    *kept = NULL;
    *fresh = false;
    if (stream->recording)
        return get_recorded(kept, fresh, matrix->root, &key, bytes, zero_bytes, policy, stream->recording);
    struct im_kept_store *store = get_store(matrix->context);
    if (!store)
        return policy == IM_KEPT_PREPARE ? IM_OUT_OF_HOST_MEMORY("kept forms") : ISOMAT_OK;
    pthread_mutex_lock(&store->lock);
    int32_t status = get_locked(kept, fresh, store, matrix->root, &key, bytes, zero_bytes, policy, stream);
    pthread_mutex_unlock(&store->lock);
    return status;
}

int32_t im_kept_made(struct im_kept *kept, struct im_stream *stream)
{
    if (kept->recorded)
        return ISOMAT_OK;
    struct im_kept_store *store = kept->root->context->kept;
    int32_t status = IM_CALL(cuEventRecord, kept->made, stream->cu);
    if (status != ISOMAT_OK)
        return status;
    pthread_mutex_lock(&store->lock);
    kept->ready = true;
    pthread_cond_broadcast(&store->settled);
    pthread_mutex_unlock(&store->lock);
    return ISOMAT_OK;
}

void im_kept_put(struct im_kept *kept, bool made)
{
    if (!kept)
        return;
    if (kept->recorded) {
        kept->dropped |= !made;
        return;
    }
    struct im_kept_store *store = kept->root->context->kept;
    pthread_mutex_lock(&store->lock);
    kept->pins--;
    if (!made || kept->dropped)
        drop(store, kept, true);
    if (!made)
        pthread_cond_broadcast(&store->settled);
    make_room(store, 0, true); /* the limit was lowered while it was in use */
    pthread_mutex_unlock(&store->lock);
}

static void drop_records(struct im_matrix *root, bool reachable)
{
    struct im_kept_store *store = root->context->kept;
    pthread_mutex_lock(&store->lock);
    while (root->kept)
        drop(store, root->kept, reachable);
    pthread_mutex_unlock(&store->lock);
}

int32_t im_kept_drop(struct im_matrix *root)
{
    if (root->kept)
        drop_records(root, true);
    return ISOMAT_OK;
}

void im_kept_end(struct im_matrix *root, bool reachable)
{
    if (root->kept)
        drop_records(root, reachable);
}

void im_kept_drop_all(struct im_context *context)
{
    struct im_kept_store *store = context->kept;
    if (!store)
        return;
    pthread_mutex_lock(&store->lock);
    struct im_kept *next;
    for (struct im_kept *each = store->first; each; each = next) {
        next = each->next;
        if (each->pins == 0)
            drop(store, each, true);
    }
    pthread_mutex_unlock(&store->lock);
}

/* ------------------------------------------------------------------ public */

/* Sets the limit if new_limit is not NULL, and tells what is kept, where asked. */
static int32_t access_store(struct im_context *context, const int64_t *new_limit, int64_t *kept_bytes,
                            int64_t *limit_bytes)
{
    struct im_kept_store *store = get_store(context);
    if (!store)
        return IM_OUT_OF_HOST_MEMORY("kept forms");
    pthread_mutex_lock(&store->lock);
    if (new_limit) {
        store->limit = *new_limit;
        make_room(store, 0, true);
    }
    if (kept_bytes)
        *kept_bytes = store->bytes;
    if (limit_bytes)
        *limit_bytes = store->limit;
    pthread_mutex_unlock(&store->lock);
    return ISOMAT_OK;
}

static int32_t access_context(isomat_context context_handle, const int64_t *new_limit, int64_t *kept_bytes,
                              int64_t *limit_bytes)
{
    struct im_context *context;
    struct im_scope scope;
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, access_store(context, new_limit, kept_bytes, limit_bytes));
    im_context_release(context);
    return status;
}

int32_t isomat_context_set_keep_limit(isomat_context context, int64_t bytes)
{
    if (bytes < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "cannot keep %lld bytes", (long long)bytes);
    return access_context(context, &bytes, NULL, NULL);
}

int32_t isomat_context_get_kept(int64_t *bytes, int64_t *limit_bytes, isomat_context context)
{
    return access_context(context, NULL, bytes, limit_bytes);
}

int32_t isomat_matrix_modified(isomat_matrix handle)
{
    struct im_matrix *matrix;
    struct im_scope scope;
    int32_t status = im_matrix_get(&matrix, handle);
    if (status != ISOMAT_OK)
        return status;
    if (matrix->root->kept) {
        status = im_scope_enter(&scope, matrix->context);
        if (status == ISOMAT_OK)
            status = im_scope_leave(&scope, im_kept_drop(matrix->root));
    }
    im_matrix_release(matrix);
    return status;
}
