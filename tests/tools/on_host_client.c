/* SPDX-License-Identifier: MIT */
/* on_host_client.c: a program that knows nothing of isomat: it opens libcuda.so.1 and runs a kernel. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry answer(.param .u64 p) {\n.reg .b64 %d;\n"
                          "ld.param.u64 %d, [p]; st.global.u32 [%d], 42; ret;\n}\n";

static void *library;

/* Calls by name; the first failure ends the program. */
#define CALL(name, types, ...)                                                                               \
    do {                                                                                                     \
        int(*function) types;                                                                                \
        void *symbol = dlsym(library, name);                                                                 \
        memcpy(&function, &symbol, sizeof function);                                                         \
        int result = symbol != NULL ? function(__VA_ARGS__) : -1;                                            \
        if (result != 0) {                                                                                   \
            fprintf(stderr, "%s: %d\n", name, result);                                                       \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

int main(void)
{
    void *context, *module, *kernel;
    uint64_t pointer;
    uint32_t answer = 0;
    char device[64];

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    CALL("cuInit", (unsigned), 0);
    CALL("cuDeviceGetName", (char *, int, int), device, sizeof device, 0);
    CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0);
    CALL("cuModuleLoadData", (void **, const void *), &module, ptx);
    CALL("cuModuleGetFunction", (void **, void *, const char *), &kernel, module, "answer");
    CALL("cuMemAlloc_v2", (uint64_t *, size_t), &pointer, 4);
    void *parameters[] = {&pointer};
    CALL("cuLaunchKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
          void **),
         kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), &answer, pointer, 4);
    CALL("cuCtxDestroy_v2", (void *), context);
    printf("%s: %u\n", device, answer);
    return 0;
}
