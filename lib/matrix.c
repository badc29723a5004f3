/* SPDX-License-Identifier: MIT */
/* matrix.c: the life of matrices: storage, views, streams that use it. */
#include "matrix.h"

#include <stdlib.h>

#include "kept.h"
#include "memory.h"

const char *im_type_name(int32_t type)
{
    static const char *const names[] = {[ISOMAT_TYPE_F32] = "f32",
                                        [ISOMAT_TYPE_F16] = "f16",
                                        [ISOMAT_TYPE_BF16] = "bf16",
                                        [ISOMAT_TYPE_F64] = "f64"};
    return names[type];
}

/* ------------------------------------------------------------------ checks */

static int32_t check_shape(const struct im_matrix_shape *shape)
{
    int64_t elements;
    int64_t element = im_element_bytes(shape->type);
    if (!element)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown element type %d", shape->type);
    if (shape->rows < 0 || shape->cols < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "a matrix of %lld x %lld: a size is negative",
                       (long long)shape->rows, (long long)shape->cols);
    if (shape->ld < shape->cols)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "leading dimension %lld for rows of %lld",
                       (long long)shape->ld, (long long)shape->cols);
    if (__builtin_mul_overflow(shape->rows, shape->ld, &elements) || elements > INT64_MAX / element)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "a matrix of %lld x %lld is too large",
                       (long long)shape->rows, (long long)shape->ld);
    return ISOMAT_OK;
}

/* Elements from the first to the last, what lies between rows included. */
static int64_t extent(const struct im_matrix *matrix)
{
    if (matrix->rows == 0 || matrix->cols == 0)
        return 0;
    return (matrix->rows - 1) * matrix->ld + matrix->cols;
}

bool im_matrix_aligned(const struct im_matrix *matrix)
{
    uint64_t vector_bytes = (uint64_t)(IM_VECTOR_ELEMENTS * im_element_bytes(matrix->type));
    return matrix->pointer % vector_bytes == 0 && (matrix->ld % IM_VECTOR_ELEMENTS == 0 || matrix->rows == 1);
}

bool im_matrix_vector(const struct im_matrix *matrix)
{
    return im_matrix_aligned(matrix) && matrix->cols % IM_VECTOR_ELEMENTS == 0;
}

int64_t im_matrix_extent_bytes(const struct im_matrix *matrix)
{
    return extent(matrix) * im_element_bytes(matrix->type);
}

bool im_matrix_overlap(const struct im_matrix *a, const struct im_matrix *b)
{
    if (a->pointer > b->pointer) {
        const struct im_matrix *swap = a;
        a = b;
        b = swap;
    }
    if (extent(a) == 0 || extent(b) == 0)
        return false;
    uint64_t distance = b->pointer - a->pointer;
    if (distance >= (uint64_t)im_matrix_extent_bytes(a))
        return false;
    uint64_t pitch = (uint64_t)(a->ld * im_element_bytes(a->type));
    if (pitch != (uint64_t)(b->ld * im_element_bytes(b->type)))
        return true; /* with different rows, sharing the range is enough to refuse */
    /* b begins at a place in a row of a's; its rows may go on into the next of a's. */
    uint64_t row = distance / pitch;
    uint64_t place = distance % pitch;
    bool rows_meet = row < (uint64_t)a->rows;
    bool next_rows_meet = row + 1 < (uint64_t)a->rows;
    return (rows_meet && place < (uint64_t)(a->cols * im_element_bytes(a->type))) ||
           (next_rows_meet && place + (uint64_t)(b->cols * im_element_bytes(b->type)) > pitch);
}

/* ----------------------------------------------------------------- streams */

int32_t im_matrix_use(struct im_matrix *matrix, struct im_stream *stream)
{
    struct im_matrix *root = matrix->root;
    struct im_stream *evicted;
    int place;
    if (stream == root->stream)
        return ISOMAT_OK;
    if (stream->recording)
        return im_recording_add(stream->recording, &root->object, IM_RECORDED_READ);
    pthread_mutex_lock(&root->lock);
    for (place = 0; place < IM_FOREIGN_STREAMS && root->foreign[place]; place++) {
        if (root->foreign[place] == stream) {
            pthread_mutex_unlock(&root->lock);
            return ISOMAT_OK;
        }
    }
    int32_t status = im_stream_wait_for(stream, root->stream);
    place %= IM_FOREIGN_STREAMS; /* no place left: the first one's work is waited for now */
    evicted = root->foreign[place];
    if (status == ISOMAT_OK && evicted)
        status = im_stream_wait_for(root->stream, evicted);
    if (status == ISOMAT_OK) {
        im_stream_ref(stream);
        root->foreign[place] = stream;
        if (evicted)
            im_stream_release(evicted);
    }
    pthread_mutex_unlock(&root->lock);
    return status;
}

int32_t im_matrix_use_to_write(struct im_matrix *matrix, struct im_stream *stream)
{
    if (stream->recording) { /* the graph's launch will write it */
        im_kept_drop_recorded(stream->recording, matrix->root);
        return im_recording_add(stream->recording, &matrix->root->object, IM_RECORDED_WRITTEN);
    }
    int32_t status = im_matrix_use(matrix, stream);
    return status == ISOMAT_OK ? im_kept_drop(matrix->root) : status;
}

int32_t im_matrix_await_users(struct im_matrix *root, struct im_stream *stream)
{
    int32_t status = root->stream == stream ? ISOMAT_OK : im_stream_wait_for(stream, root->stream);
    pthread_mutex_lock(&root->lock);
    for (int i = 0; i < IM_FOREIGN_STREAMS && root->foreign[i] && status == ISOMAT_OK; i++)
        if (root->foreign[i] != stream)
            status = im_stream_wait_for(stream, root->foreign[i]);
    pthread_mutex_unlock(&root->lock);
    return status;
}

/* -------------------------------------------------------- creation and end */

/* Frees storage behind all work that was submitted on it. */
static void free_storage(struct im_matrix *root)
{
    struct im_scope scope;
    bool reachable = (root->pointer || root->kept) && im_scope_enter_quietly(&scope, root->context);
    im_kept_end(root, reachable);
    if (reachable) {
        if (root->owned && root->pointer) {
            if (im_matrix_await_users(root, root->stream) != ISOMAT_OK)
                IM_CALL_QUIETLY(cuCtxSynchronize);
            if (root->context->pool)
                IM_CALL_QUIETLY(cuMemFreeAsync, root->pointer, root->stream->cu);
            else
                IM_CALL_QUIETLY(cuMemFree, root->pointer);
        }
        im_scope_leave_quietly(&scope);
    }
    for (int i = 0; i < IM_FOREIGN_STREAMS && root->foreign[i]; i++)
        im_stream_release(root->foreign[i]);
    im_stream_release(root->stream);
    pthread_mutex_destroy(&root->lock);
}

static void finalise(struct im_object *object)
{
    struct im_matrix *matrix = (struct im_matrix *)object;
    if (matrix->root == matrix)
        free_storage(matrix);
    else
        im_matrix_release(matrix->root);
    im_context_release(matrix->context);
    free(matrix);
}

/* Gives a root or a view its handle; on failure it is freed. */
static int32_t publish(isomat_matrix *handle, struct im_matrix *matrix)
{
    matrix->object.finalise = finalise;
    int32_t status = im_handle_create(handle, &matrix->object, IM_KIND_MATRIX);
    if (status == ISOMAT_OK) {
        im_object_ref(&matrix->context->object);
        if (matrix->root == matrix)
            im_stream_ref(matrix->stream);
        else
            im_object_ref(&matrix->root->object);
    } else {
        free(matrix);
    }
    return status;
}

static struct im_matrix *new_root(const struct im_matrix_shape *shape, struct im_stream *stream)
{
    struct im_matrix *matrix = calloc(1, sizeof *matrix);
    if (!matrix) {
        IM_OUT_OF_HOST_MEMORY("a matrix");
        return NULL;
    }
    matrix->context = stream->context;
    matrix->root = matrix;
    matrix->rows = shape->rows;
    matrix->cols = shape->cols;
    matrix->ld = shape->ld;
    matrix->type = shape->type;
    matrix->stream = stream;
    pthread_mutex_init(&matrix->lock, NULL);
    return matrix;
}

int32_t im_matrix_create(isomat_matrix *handle, struct im_matrix **created,
                         const struct im_matrix_shape *shape, struct im_stream *stream)
{
    int32_t status = check_shape(shape);
    if (status == ISOMAT_OK && stream->recording)
        status = im_stream_fail_captured("a new matrix");
    if (status != ISOMAT_OK)
        return status;
    struct im_matrix *matrix = new_root(shape, stream);
    if (!matrix)
        return ISOMAT_ERROR_OUT_OF_HOST_MEMORY;
    matrix->owned = true;
    if (extent(matrix) > 0)
        status = im_memory_allocate(&matrix->pointer, im_matrix_extent_bytes(matrix), stream);
    if (status != ISOMAT_OK) {
        free(matrix);
        return status;
    }
    CUdeviceptr pointer = matrix->pointer;
    status = publish(handle, matrix);
    if (status == ISOMAT_OK)
        *created = matrix;
    else if (pointer)
        im_memory_free(pointer, stream);
    return status;
}

static int32_t create_and_fill(isomat_matrix *handle, isomat_context context_handle,
                               isomat_stream stream_handle, const struct im_matrix_shape *shape,
                               const void *data, int64_t data_ld)
{
    struct im_context *context;
    struct im_stream *stream;
    struct im_matrix *matrix;
    struct im_scope scope;
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_get(&stream, stream_handle, context);
    if (status == ISOMAT_OK) {
        status = im_scope_enter(&scope, context);
        if (status == ISOMAT_OK) {
            status = im_matrix_create(handle, &matrix, shape, stream);
            if (status == ISOMAT_OK && data && matrix->pointer) {
                int64_t element = im_element_bytes(shape->type);
                struct im_copy_2d copy = {matrix->pointer,      shape->ld * element,   (uintptr_t)data,
                                          data_ld * element,    shape->cols * element, shape->rows,
                                          ISOMAT_COPY_TO_DEVICE};
                status = im_memory_copy(&copy, stream);
            }
            status = im_scope_leave(&scope, status);
        }
        im_stream_release(stream);
    }
    if (status != ISOMAT_OK && *handle != ISOMAT_NONE) {
        im_handle_destroy(*handle, IM_KIND_MATRIX);
        *handle = ISOMAT_NONE;
    }
    im_context_release(context);
    return status;
}

int32_t isomat_matrix_create(isomat_matrix *handle, isomat_context context, int64_t rows, int64_t cols,
                             int32_t type, isomat_stream stream)
{
    IM_RANGE();
    struct im_matrix_shape shape = {rows, cols, cols, type};
    if (!handle)
        return IM_NULL_ARGUMENT("matrix");
    *handle = ISOMAT_NONE;
    return create_and_fill(handle, context, stream, &shape, NULL, cols);
}

int32_t isomat_matrix_from_host(isomat_matrix *handle, isomat_context context, const void *data, int64_t rows,
                                int64_t cols, int64_t ld, int32_t type, isomat_stream stream)
{
    IM_RANGE();
    struct im_matrix_shape of_data = {rows, cols, ld, type};
    struct im_matrix_shape shape = {rows, cols, cols, type};
    if (!handle)
        return IM_NULL_ARGUMENT("matrix");
    *handle = ISOMAT_NONE;
    int32_t status = check_shape(&of_data);
    if (status != ISOMAT_OK)
        return status;
    if (!data && rows > 0 && cols > 0)
        return IM_NULL_ARGUMENT("data");
    return create_and_fill(handle, context, stream, &shape, data, ld);
}

/* ------------------------------------------------------ adoption and views */

/* Checks what the driver knows about a pointer: pointers of another driver
 * allocation kind are unknown to it and pass. */
static int32_t check_pointer(uint64_t pointer, const struct im_context *context)
{
    CUmemorytype kind = 0;
    CUcontext owner = NULL;
    if (im_cu.cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_SUCCESS)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "0x%llx is no address of device memory",
                       (unsigned long long)pointer);
    if (kind == CU_MEMORYTYPE_HOST)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "0x%llx is an address of host memory",
                       (unsigned long long)pointer);
    /* Memory of a pool belongs to a device, not to a context: no owner then. */
    if (im_cu.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, pointer) == CUDA_SUCCESS && owner &&
        owner != context->cu)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "the memory at 0x%llx is of another context",
                       (unsigned long long)pointer);
    return ISOMAT_OK;
}

static int32_t adopt(isomat_matrix *handle, struct im_context *context, uint64_t pointer,
                     const struct im_matrix_shape *shape, bool owned)
{
    struct im_scope scope;
    int32_t status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, check_pointer(pointer, context));
    if (status != ISOMAT_OK)
        return status;
    struct im_matrix *matrix = new_root(shape, &context->default_stream);
    if (!matrix)
        return ISOMAT_ERROR_OUT_OF_HOST_MEMORY;
    matrix->pointer = pointer;
    matrix->owned = owned;
    matrix->exposed = true;
    return publish(handle, matrix);
}

int32_t isomat_matrix_adopt(isomat_matrix *handle, isomat_context context_handle, uint64_t pointer,
                            int64_t rows, int64_t cols, int64_t ld, int32_t type, int32_t ownership)
{
    struct im_context *context;
    struct im_matrix_shape shape = {rows, cols, ld, type};
    if (!handle)
        return IM_NULL_ARGUMENT("matrix");
    *handle = ISOMAT_NONE;
    int32_t status = check_shape(&shape);
    if (status != ISOMAT_OK)
        return status;
    if (ownership != ISOMAT_ADOPT_BORROW && ownership != ISOMAT_ADOPT_OWN)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown ownership %d", ownership);
    int64_t element = im_element_bytes(type);
    if (pointer == 0 || pointer % (uint64_t)element)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "0x%llx is no address of elements of %lld bytes",
                       (unsigned long long)pointer, (long long)element);
    status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = adopt(handle, context, pointer, &shape, ownership == ISOMAT_ADOPT_OWN);
    im_context_release(context);
    return status;
}

int32_t isomat_matrix_view(isomat_matrix *handle, isomat_matrix matrix_handle, int64_t row, int64_t col,
                           int64_t rows, int64_t cols)
{
    struct im_matrix *matrix;
    if (!handle)
        return IM_NULL_ARGUMENT("view");
    *handle = ISOMAT_NONE;
    int32_t status = im_matrix_get(&matrix, matrix_handle);
    if (status != ISOMAT_OK)
        return status;
    bool inside = row >= 0 && col >= 0 && rows >= 0 && cols >= 0 && row <= matrix->rows &&
                  col <= matrix->cols && rows <= matrix->rows - row && cols <= matrix->cols - col;
    struct im_matrix *view = inside ? calloc(1, sizeof *view) : NULL;
    if (!inside) {
        status = im_fail(ISOMAT_ERROR_INVALID_ARGUMENT,
                         "a view of %lld x %lld at (%lld, %lld) is not inside a matrix of %lld x %lld",
                         (long long)rows, (long long)cols, (long long)row, (long long)col,
                         (long long)matrix->rows, (long long)matrix->cols);
    } else if (!view) {
        status = IM_OUT_OF_HOST_MEMORY("a view");
    } else {
        view->context = matrix->context;
        view->root = matrix->root;
        view->rows = rows;
        view->cols = cols;
        view->ld = matrix->ld;
        view->type = matrix->type;
        if (rows > 0 && cols > 0)
            view->pointer = matrix->pointer +
                            (uint64_t)(row * matrix->ld + col) * (uint64_t)im_element_bytes(matrix->type);
        status = publish(handle, view);
    }
    im_matrix_release(matrix);
    return status;
}

int32_t isomat_matrix_destroy(isomat_matrix handle)
{
    return im_handle_destroy(handle, IM_KIND_MATRIX);
}

int32_t isomat_matrix_get_info(isomat_matrix_info *info, isomat_matrix handle)
{
    struct im_matrix *matrix;
    int32_t status = IM_CHECK_STRUCT(info, "matrix info");
    if (status == ISOMAT_OK)
        status = im_matrix_get(&matrix, handle);
    if (status != ISOMAT_OK)
        return status;
    *info = (isomat_matrix_info){
        .struct_size = info->struct_size,
        .type = matrix->type,
        .rows = matrix->rows,
        .cols = matrix->cols,
        .ld = matrix->ld,
    };
    im_matrix_release(matrix);
    return ISOMAT_OK;
}

int32_t isomat_matrix_get_pointer(uint64_t *pointer, isomat_matrix handle)
{
    struct im_matrix *matrix;
    if (!pointer)
        return IM_NULL_ARGUMENT("pointer");
    int32_t status = im_matrix_get(&matrix, handle);
    if (status != ISOMAT_OK)
        return status;
    matrix->root->exposed = true;
    *pointer = matrix->pointer;
    im_matrix_release(matrix);
    return ISOMAT_OK;
}
