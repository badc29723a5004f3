/* SPDX-License-Identifier: MIT */
/* module.c: loading images: the choice among them, JIT logs, globals. */
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "image.h"

#define JIT_LOG_BYTES 16384

/* ------------------------------------------------------------------- load */

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static struct im_target target_of(const struct im_context *context)
{
    return (struct im_target){context->limits.capability, im_cu.kind == ISOMAT_DRIVER_KIND_HOST};
}

static int32_t fail_no_image(const struct im_image_list *list, const struct im_context *context)
{
    char *report = im_image_report(list, target_of(context), ';');
    int32_t status = im_fail(ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE, "no image for this device (sm_%d): %s",
                             context->limits.capability, report ? report : "no memory to list the images");
    free(report);
    return status;
}

/* Says which PTX and which driver did not go together. */
static int32_t fail_jit(int32_t status, const struct im_image *image, const char *log)
{
    if (status == ISOMAT_ERROR_JIT_FAILED)
        im_fail_append(" (PTX ISA %d.%d for compute_%d, driver of CUDA %d.%d)", image->ptx_major,
                       image->ptx_minor, image->arch, im_cu.version / 1000, im_cu.version % 1000 / 10);
    if (log[0]) {
        im_fail_append(": %.*s", (int)strcspn(log, "\n"), log);
        im_fail_log(log);
    }
    return status;
}

/* Hands one image to the driver. */
static int32_t load_image(struct im_loaded_module *loaded, const struct im_image_list *list, int32_t index)
{
    char errors[JIT_LOG_BYTES] = "";
    void *image = im_image_extract(list, index);
    if (!image)
        return IM_OUT_OF_HOST_MEMORY("an image");
    /* A value is given in the pointer itself. */
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {loaded->log, (void *)(uintptr_t)JIT_LOG_BYTES, errors,
                      (void *)(uintptr_t)sizeof errors};
    double start = now_ms();
    int32_t status = IM_CALL(cuModuleLoadDataEx, &loaded->cu, image, 4, options, values);
    loaded->info.load_ms = now_ms() - start;
    free(image);
    return status == ISOMAT_OK ? status : fail_jit(status, &list->images[index], errors);
}

static void free_loaded(struct im_loaded_module *loaded)
{
    free(loaded->report);
    free(loaded->log);
    free(loaded);
}

static int32_t load_chosen(struct im_loaded_module *loaded, const struct im_image_list *list, int32_t index,
                           struct im_context *context)
{
    const struct im_image *image = &list->images[index];
    loaded->report = im_image_report(list, target_of(context), '\n');
    loaded->log = calloc(1, JIT_LOG_BYTES);
    if (!loaded->report || !loaded->log)
        return IM_OUT_OF_HOST_MEMORY("a module");
    loaded->info.container = list->container;
    loaded->info.image = image->kind;
    loaded->info.image_arch = image->arch;
    loaded->info.image_count = list->count;
    loaded->info.jit = image->kind == ISOMAT_IMAGE_PTX;
    loaded->info.debug = image->debug;
    return load_image(loaded, list, index);
}

/* Chooses an image and loads it; the context is current. */
static int32_t load(struct im_loaded_module **loaded, struct im_context *context, const void *bytes,
                    size_t size)
{
    struct im_image_list list;
    int32_t status = im_image_list_read(&list, bytes, size);
    if (status != ISOMAT_OK)
        return status;
    int32_t index = im_image_choose(&list, target_of(context));
    *loaded = index < 0 ? NULL : calloc(1, sizeof **loaded);
    if (index < 0)
        status = fail_no_image(&list, context);
    else if (!*loaded)
        status = IM_OUT_OF_HOST_MEMORY("a module");
    else
        status = load_chosen(*loaded, &list, index, context);
    if (status != ISOMAT_OK && *loaded) {
        free_loaded(*loaded);
        *loaded = NULL;
    }
    im_image_list_free(&list);
    return status;
}

/* Unloads it, if its context is current, and frees it. */
static void unload(struct im_loaded_module *loaded, bool reachable)
{
    if (reachable)
        IM_CALL_QUIETLY(cuModuleUnload, loaded->cu);
    free_loaded(loaded);
}

/* ----------------------------------------------- embedded modules and kernels */

static void detach(struct im_attachment *attachment, bool reachable)
{
    unload((struct im_loaded_module *)attachment, reachable);
}

static int32_t load_embedded(struct im_loaded_module **loaded, struct im_context *context,
                             enum im_embedded_id id)
{
    const struct im_embedded *embedded = &im_embedded_modules[id];
    int32_t status = ISOMAT_OK;
    *loaded = context->embedded[id];
    if (*loaded)
        return ISOMAT_OK;
    if (embedded->begin == embedded->end)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED,
                       "the module %s is empty: this build was made without its architecture",
                       embedded->name);
    pthread_mutex_lock(&context->load_lock);
    *loaded = context->embedded[id];
    if (!*loaded) {
        status = load(loaded, context, embedded->begin, (size_t)(embedded->end - embedded->begin));
        if (status == ISOMAT_OK) {
            (*loaded)->attachment = (struct im_attachment){context->attachments, detach, NULL};
            context->attachments = &(*loaded)->attachment;
            context->embedded[id] = *loaded;
        }
    }
    pthread_mutex_unlock(&context->load_lock);
    return status;
}

int32_t im_module_own_kernel(CUfunction *function, struct im_context *context, enum im_kernel_id id)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct im_loaded_module *loaded;
    *function = atomic_load_explicit(&context->kernels[id], memory_order_acquire);
    if (__builtin_expect(*function != NULL, 1))
        return ISOMAT_OK;
    int32_t status = load_embedded(&loaded, context, row->module);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuModuleGetFunction, function, loaded->cu, row->name);
    if (status == ISOMAT_OK && row->shared_bytes > (uint32_t)context->limits.shared_per_block)
        status = IM_CALL(cuFuncSetAttribute, *function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         (int)row->shared_bytes);
    if (status == ISOMAT_OK)
        atomic_store_explicit(&context->kernels[id], *function, memory_order_release);
    return status;
}

/* ------------------------------------------------------------------ public */

static void finalise(struct im_object *object)
{
    struct im_module *module = (struct im_module *)object;
    struct im_scope scope;
    if (module->owned) {
        bool reachable = im_scope_enter_quietly(&scope, module->context);
        unload(module->loaded, reachable);
        if (reachable)
            im_scope_leave_quietly(&scope);
    }
    im_context_release(module->context);
    free(module);
}

/* Wraps a loaded module; takes a reference to the context. */
static int32_t wrap(isomat_module *handle, struct im_context *context, struct im_loaded_module *loaded,
                    bool owned)
{
    struct im_module *module = calloc(1, sizeof *module);
    if (!module)
        return IM_OUT_OF_HOST_MEMORY("a module");
    *module = (struct im_module){{.finalise = finalise}, context, loaded, owned};
    int32_t status = im_handle_create(handle, &module->object, IM_KIND_MODULE);
    if (status == ISOMAT_OK)
        im_object_ref(&context->object);
    else
        free(module);
    return status;
}

int32_t isomat_module_load_data(isomat_module *handle, isomat_context context_handle, const void *image,
                                int64_t bytes)
{
    IM_RANGE();
    struct im_context *context;
    struct im_loaded_module *loaded;
    struct im_scope scope;
    if (!handle)
        return IM_NULL_ARGUMENT("module");
    *handle = ISOMAT_NONE;
    if (!image)
        return IM_NULL_ARGUMENT("image");
    if (bytes <= 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "an image of %lld bytes", (long long)bytes);
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        status = load(&loaded, context, image, (size_t)bytes);
        if (status == ISOMAT_OK) {
            status = wrap(handle, context, loaded, true);
            if (status != ISOMAT_OK)
                unload(loaded, true);
        }
        status = im_scope_leave(&scope, status);
    }
    im_context_release(context);
    return status;
}

static int32_t fail_file(const char *path)
{
    return im_fail(ISOMAT_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
}

/* Reads a whole file into memory to be freed. */
static int32_t read_file(void **bytes, int64_t *size, const char *path)
{
    struct stat properties;
    int32_t status = ISOMAT_OK;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_file(path);
    if (fstat(fileno(file), &properties) != 0) {
        status = fail_file(path);
    } else if (!S_ISREG(properties.st_mode)) {
        status = im_fail(ISOMAT_ERROR_FILE, "%s is not a file", path);
    } else if (properties.st_size == 0) {
        status = im_fail(ISOMAT_ERROR_INVALID_IMAGE, "%s is empty", path);
    } else {
        *size = properties.st_size;
        *bytes = malloc((size_t)*size);
        if (!*bytes) {
            status = IM_OUT_OF_HOST_MEMORY("a module file");
        } else if (fread(*bytes, 1, (size_t)*size, file) != (size_t)*size) {
            status = fail_file(path);
            free(*bytes);
        }
    }
    fclose(file);
    return status;
}

int32_t isomat_module_load_file(isomat_module *handle, isomat_context context, const char *path)
{
    IM_RANGE();
    void *bytes = NULL;
    int64_t size = 0;
    if (!handle)
        return IM_NULL_ARGUMENT("module");
    *handle = ISOMAT_NONE;
    if (!path)
        return IM_NULL_ARGUMENT("path");
    int32_t status = read_file(&bytes, &size, path);
    if (status != ISOMAT_OK)
        return status;
    status = isomat_module_load_data(handle, context, bytes, size);
    if (status != ISOMAT_OK)
        im_fail_append(" (%s)", path);
    free(bytes);
    return status;
}

static int32_t find_embedded(enum im_embedded_id *id, const char *name)
{
    for (int i = 0; i < IM_EMBEDDED_COUNT; i++) {
        if (strcmp(name, im_embedded_modules[i].name) == 0) {
            *id = (enum im_embedded_id)i;
            return ISOMAT_OK;
        }
    }
    int32_t status = im_fail(ISOMAT_ERROR_NOT_FOUND, "no embedded module \"%.64s\"; there are", name);
    for (int i = 0; i < IM_EMBEDDED_COUNT; i++)
        im_fail_append("%s %s", i ? "," : "", im_embedded_modules[i].name);
    return status;
}

int32_t isomat_module_load_embedded(isomat_module *handle, isomat_context context_handle, const char *name)
{
    IM_RANGE();
    struct im_context *context;
    struct im_loaded_module *loaded;
    struct im_scope scope;
    enum im_embedded_id id = 0;
    if (!handle)
        return IM_NULL_ARGUMENT("module");
    *handle = ISOMAT_NONE;
    if (!name)
        return IM_NULL_ARGUMENT("name");
    int32_t status = find_embedded(&id, name);
    if (status == ISOMAT_OK)
        status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        status = load_embedded(&loaded, context, id);
        if (status == ISOMAT_OK)
            status = wrap(handle, context, loaded, false);
        status = im_scope_leave(&scope, status);
    }
    im_context_release(context);
    return status;
}

int32_t isomat_module_destroy(isomat_module handle)
{
    return im_handle_destroy(handle, IM_KIND_MODULE);
}

int32_t isomat_module_get_info(isomat_module_info *info, isomat_module handle)
{
    struct im_module *module;
    int32_t status = IM_CHECK_STRUCT(info, "module info");
    if (status == ISOMAT_OK)
        status = im_handle_get(&module, handle, IM_KIND_MODULE);
    if (status != ISOMAT_OK)
        return status;
    uint32_t struct_size = info->struct_size;
    *info = module->loaded->info;
    info->struct_size = struct_size;
    im_object_unref(&module->object);
    return ISOMAT_OK;
}

enum text { REPORT, LOG };

static int32_t get_text(char *buffer, int64_t capacity, int64_t *length, isomat_module handle, enum text text)
{
    struct im_module *module;
    int32_t status = im_handle_get(&module, handle, IM_KIND_MODULE);
    if (status != ISOMAT_OK)
        return status;
    int64_t whole =
        im_copy_text(buffer, capacity, text == LOG ? module->loaded->log : module->loaded->report);
    if (length)
        *length = whole;
    im_object_unref(&module->object);
    return ISOMAT_OK;
}

int32_t isomat_module_get_report(char *buffer, int64_t capacity, int64_t *length, isomat_module module)
{
    return get_text(buffer, capacity, length, module, REPORT);
}

int32_t isomat_module_get_log(char *buffer, int64_t capacity, int64_t *length, isomat_module module)
{
    return get_text(buffer, capacity, length, module, LOG);
}

int32_t isomat_module_get_global(uint64_t *pointer, int64_t *bytes, isomat_module handle, const char *name)
{
    struct im_module *module;
    struct im_scope scope;
    CUdeviceptr found = 0;
    size_t size = 0;
    if (!name)
        return IM_NULL_ARGUMENT("name");
    int32_t status = im_handle_get(&module, handle, IM_KIND_MODULE);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, module->context);
    if (status == ISOMAT_OK) {
        status = IM_CALL(cuModuleGetGlobal, &found, &size, module->loaded->cu, name);
        if (status == ISOMAT_ERROR_NOT_FOUND)
            status =
                im_fail_cuda(status, isomat_error_cuda_result(), "the module has no global \"%.128s\"", name);
        status = im_scope_leave(&scope, status);
    }
    if (status == ISOMAT_OK && pointer)
        *pointer = found;
    if (status == ISOMAT_OK && bytes)
        *bytes = (int64_t)size;
    im_object_unref(&module->object);
    return status;
}
