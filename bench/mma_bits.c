/* SPDX-License-Identifier: MIT */
/* mma_bits.c: the bits that tensor-core instructions give, to compare the host driver with a GPU.
 *
 *     mma_bits FILE [PRODUCTS]      runs each instruction on the same made-up products, 2048 of them
 *     mma_bits --compare A B        the share of equal results, by instruction and kind of input
 *
 * ISOMAT_DRIVER=host or nvidia chooses who computes; the host driver sums as the capability of
 * ISOMAT_HOST_CAPABILITY does.  An instruction that the device lacks is left out.  Fragments are filled
 * register by register, so that no layout matters.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isomat.h"
#include "tools/random.h"

enum type { F16, BF16, TF32, E4M3, E5M2, S8, F32, F64 };

/* What the products are made of. */
enum kind { NEAR, SPREAD, POSITIVE, CANCELLING, ONE_LARGE, TINY, HOLLOW, ANY_BITS, KINDS };

static const char *const kind_names[] = {
    "near 1",    "exponents far apart", "positive", "cancelling", "one large, many small",
    "subnormal", "zeros of both signs", "any bits",
};

struct instruction {
    const char *name, *target;
    enum type a, c;
    uint8_t a_registers, b_registers, c_registers; /* of 32 bits a lane */
};

static const struct instruction instructions[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", "sm_80", F16, F32, 4, 2, 4},
    {"m16n8k8.row.col.f32.f16.f16.f32", "sm_75", F16, F32, 2, 1, 4},
    {"m16n8k16.row.col.f16.f16.f16.f16", "sm_80", F16, F16, 4, 2, 2},
    {"m16n8k8.row.col.f16.f16.f16.f16", "sm_75", F16, F16, 2, 1, 2},
    {"m8n8k4.row.col.f32.f16.f16.f32", "sm_70", F16, F32, 2, 2, 8},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", "sm_80", BF16, F32, 4, 2, 4},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", "sm_80", BF16, F32, 2, 1, 4},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", "sm_80", TF32, F32, 4, 2, 4},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", "sm_80", TF32, F32, 2, 1, 4},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", "sm_89", E4M3, F32, 4, 2, 4},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", "sm_89", E5M2, F32, 4, 2, 4},
    {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", "sm_80", S8, S8, 4, 2, 4},
    {"m8n8k4.row.col.f64.f64.f64.f64", "sm_80", F64, F64, 2, 2, 4},
};

enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions, LANES = 32, SEED = 20, PTX_BYTES = 4096 };

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "mma_bits: %s%s%s\n", which, which[0] != 0 ? ": " : "", what);
    exit(1);
}

static void check(int32_t status)
{
    if (status != ISOMAT_OK)
        fail(isomat_error_message(), "");
}

/* A float of the type's layout from its parts; the exponent is clamped to normal numbers. */
static uint64_t encode(int exponent_bits, int fraction_bits, int exponent, uint64_t fraction, bool negative)
{
    int bias = (1 << (exponent_bits - 1)) - 1, most = 2 * bias - (exponent_bits == 4 ? 1 : 0);
    int biased = exponent + bias;

    biased = biased < 0 ? 0 : biased > most ? most : biased;
    return (uint64_t)negative << (exponent_bits + fraction_bits) | (uint64_t)biased << fraction_bits |
           (fraction & (((uint64_t)1 << fraction_bits) - 1));
}

static const struct {
    uint8_t bytes, exponent_bits, fraction_bits;
} layouts[] = {
    [F16] = {2, 5, 10}, [BF16] = {2, 8, 7}, [TF32] = {4, 8, 23}, [E4M3] = {1, 4, 3},
    [E5M2] = {1, 5, 2}, [F32] = {4, 8, 23}, [F64] = {8, 11, 52},
};

/* One element of A or B, or of C (addend). */
static uint64_t element(enum type type, enum kind kind, uint64_t index, bool addend)
{
    uint64_t bits = random_bits(SEED, index * 2), more = random_bits(SEED, index * 2 + 1);
    int exponent = -1 - (int)(more % 3), width = layouts[type].exponent_bits;
    int reach = width == 4 ? 6 : width == 5 ? 12 : 30;
    bool negative = bits >> 63;

    if (type == S8)
        return addend ? bits & 0xffffffff : bits & 0xff;
    switch (kind) {
    case SPREAD:
        exponent = (int)(more % (uint64_t)(2 * reach)) - reach;
        break;
    case POSITIVE:
        negative = false;
        break;
    case CANCELLING: /* large products of both signs, a large addend, and so a small sum */
        exponent = addend ? 4 : 1;
        bits &= ~(uint64_t)0xf;
        break;
    case ONE_LARGE:
        exponent = more % 8 == 0 ? reach / 2 : -reach / 2 + (int)(more >> 8 & 3);
        break;
    case TINY:
        exponent = more % 4 == 0 ? 0 : -2 * reach - 200;
        break;
    case HOLLOW:
        if (more % 2 == 0)
            return encode(width, layouts[type].fraction_bits, -100000, 0, negative);
        break;
    case ANY_BITS:
        return layouts[type].bytes == 8 ? bits : bits & (((uint64_t)1 << layouts[type].bytes * 8) - 1);
    default:
        break;
    }
    return encode(width, layouts[type].fraction_bits, exponent, bits >> 3, negative);
}

/* The registers of one operand, in words, product by product and lane by lane. */
static uint32_t *fragments(const struct instruction *in, int operand, int64_t products)
{
    int registers = operand == 0 ? in->a_registers : operand == 1 ? in->b_registers : in->c_registers;
    enum type type = operand == 2 ? in->c : in->a;
    int64_t words = products * LANES * registers;
    uint32_t *data = calloc((size_t)words, 4);
    int bytes = type == S8 ? (operand == 2 ? 4 : 1) : layouts[type].bytes;
    uint64_t salt = ((uint64_t)(in - instructions) * 3 + (uint64_t)operand) << 40;

    if (data == NULL)
        fail("out of memory", "");
    for (int64_t i = 0; i < words * 4 / bytes; i++) {
        enum kind kind = (enum kind)(i * bytes / 4 / (LANES * registers) % KINDS);
        uint64_t bits = element(type, kind, salt + (uint64_t)i, operand == 2);
        memcpy((char *)data + i * bytes, &bits, (size_t)bytes);
    }
    return data;
}

static int append(char *text, int used, const char *format, const char *prefix, int count, bool wide)
{
    used += snprintf(text + used, (size_t)(PTX_BYTES - used), "%s{", format);
    for (int i = 0; i < (wide ? count / 2 : count); i++)
        used += snprintf(text + used, (size_t)(PTX_BYTES - used), "%s%%%s%d", i > 0 ? "," : "", prefix, i);
    return used + snprintf(text + used, (size_t)(PTX_BYTES - used), "}");
}

/* The kernel: each warp loads its fragments, multiplies, stores. */
static void write_kernel(char *text, const struct instruction *in)
{
    static const char names[] = "abcd";
    const uint8_t count[] = {in->a_registers, in->b_registers, in->c_registers, in->c_registers};
    bool wide = in->a == F64;
    const char *type = wide ? "b64" : "b32";
    int used =
        snprintf(text, PTX_BYTES,
                 ".version %s\n.target %s\n.address_size 64\n.visible .entry product(.param .u64 a, .param "
                 ".u64 b, .param .u64 c, .param .u64 d)\n{\n.reg .%s %%a<8>, %%b<8>, %%c<8>, %%d<8>;\n.reg "
                 ".b32 %%r<4>;\n.reg .b64 %%p<5>;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\n"
                 "mad.lo.u32 %%r3, %%r1, 32, %%r2;\n",
                 strcmp(in->target, "sm_89") == 0 ? "8.4" : "7.0", in->target, type);

    for (int i = 0; i < 4; i++) {
        used +=
            snprintf(text + used, (size_t)(PTX_BYTES - used),
                     "ld.param.u64 %%p%d, [%c];\nmul.wide.u32 %%p4, %%r3, %d;\nadd.u64 %%p%d, %%p%d, %%p4;\n",
                     i, names[i], count[i] * 4, i, i);
        for (int j = 0; i < 3 && j < (wide ? count[i] / 2 : count[i]); j++)
            used += snprintf(text + used, (size_t)(PTX_BYTES - used), "ld.global.%s %%%c%d, [%%p%d+%d];\n",
                             type, names[i], j, i, j * (wide ? 8 : 4));
    }
    used += snprintf(text + used, (size_t)(PTX_BYTES - used), "mma.sync.aligned.%s", in->name);
    used = append(text, used, " ", "d", count[3], wide);
    used = append(text, used, ", ", "a", count[0], wide);
    used = append(text, used, ", ", "b", count[1], wide);
    used = append(text, used, ", ", "c", count[2], wide);
    used += snprintf(text + used, (size_t)(PTX_BYTES - used), ";\n");
    for (int j = 0; j < (wide ? count[3] / 2 : count[3]); j++)
        used += snprintf(text + used, (size_t)(PTX_BYTES - used), "st.global.%s [%%p3+%d], %%d%d;\n", type,
                         j * (wide ? 8 : 4), j);
    snprintf(text + used, (size_t)(PTX_BYTES - used), "ret;\n}\n");
}

static void run(isomat_context context, const struct instruction *in, int64_t products, FILE *file)
{
    char text[PTX_BYTES];
    isomat_module module;
    isomat_kernel kernel;
    uint64_t address[4];
    const void *arguments[] = {&address[0], &address[1], &address[2], &address[3]};
    int64_t words = products * LANES * in->c_registers;
    const isomat_launch launch = {.struct_size = sizeof launch,
                                  .grid_x = (uint32_t)products,
                                  .grid_y = 1,
                                  .grid_z = 1,
                                  .block_x = LANES,
                                  .block_y = 1,
                                  .block_z = 1};

    write_kernel(text, in);
    if (isomat_module_load_data(&module, context, text, (int64_t)strlen(text)) != ISOMAT_OK) {
        printf("left out  %s: %s\n", in->name, isomat_error_message());
        return;
    }
    check(isomat_kernel_get(&kernel, module, "product"));
    for (int i = 0; i < 3; i++) {
        uint32_t *data = fragments(in, i, products);
        int64_t bytes = products * LANES * 4 *
                        (i == 0   ? in->a_registers
                         : i == 1 ? in->b_registers
                                  : in->c_registers);
        check(isomat_memory_allocate(&address[i], bytes, context, ISOMAT_NONE));
        check(isomat_memory_copy_to_device(address[i], data, bytes, context, ISOMAT_NONE));
        free(data);
    }
    check(isomat_memory_allocate(&address[3], words * 4, context, ISOMAT_NONE));
    check(isomat_kernel_launch(kernel, &launch, arguments, 4, NULL));
    uint32_t *results = malloc((size_t)words * 4);
    if (results == NULL)
        fail("out of memory", "");
    check(isomat_memory_copy_to_host(results, address[3], words * 4, context, ISOMAT_NONE));
    fprintf(file, "%s %lld\n", in->name, (long long)words);
    if (fwrite(results, 4, (size_t)words, file) != (size_t)words)
        fail("cannot write the results", "");
    printf("ran       %s\n", in->name);
    free(results);
    for (int i = 0; i < 4; i++)
        check(isomat_memory_free(address[i], context, ISOMAT_NONE));
    check(isomat_kernel_destroy(kernel));
    check(isomat_module_destroy(module));
}

/* The results of one instruction in a file, or NULL. */
static uint32_t *results_of(const char *path, const char *name, long long *words)
{
    FILE *file = fopen(path, "rb");
    char found[128];
    uint32_t *results = NULL;

    if (file == NULL)
        fail("cannot be opened", path);
    while (results == NULL && fscanf(file, "%127s %lld", found, words) == 2 && fgetc(file) == '\n') {
        if (*words < 0 || *words > (1 << 28))
            fail("is no file of results", path);
        if (strcmp(found, name) != 0) {
            fseek(file, (long)*words * 4, SEEK_CUR);
            continue;
        }
        results = malloc((size_t)*words * 4 + 1);
        if (results == NULL || fread(results, 4, (size_t)*words, file) != (size_t)*words)
            fail("is cut off", path);
    }
    fclose(file);
    return results;
}

struct tally {
    long long equal, all;
    long long first; /* result that differs, -1: none */
};

/* What one kind of input gave: elements of bytes each, in the products of that kind. */
static struct tally tally(const unsigned char *a, const unsigned char *b, long long words, int registers,
                          int bytes, enum kind kind)
{
    struct tally result = {0, 0, -1};
    long long product = (long long)LANES * registers * 4;

    for (long long at = 0; at < words * 4; at += bytes) {
        if ((enum kind)(at / product % KINDS) != kind)
            continue;
        bool equal = memcmp(a + at, b + at, (size_t)bytes) == 0;
        result.all++;
        result.equal += equal;
        if (!equal && result.first < 0)
            result.first = at / bytes;
    }
    return result;
}

static void compare_one(const struct instruction *in, const uint32_t *a, const uint32_t *b, long long words)
{
    int bytes = in->c == S8 ? 4 : layouts[in->c].bytes;
    struct tally sum = {0, 0, -1}, kinds[KINDS];

    for (int kind = 0; kind < KINDS; kind++) {
        kinds[kind] = tally((const void *)a, (const void *)b, words, in->c_registers, bytes, (enum kind)kind);
        sum.equal += kinds[kind].equal;
        sum.all += kinds[kind].all;
    }
    printf("%-42s %8.4f %% of %lld equal\n", in->name, 100.0 * (double)sum.equal / (double)sum.all, sum.all);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct tally *one = &kinds[kind];
        uint64_t x = 0, y = 0;
        if (one->first < 0)
            continue;
        memcpy(&x, (const char *)a + one->first * bytes, (size_t)bytes);
        memcpy(&y, (const char *)b + one->first * bytes, (size_t)bytes);
        printf("    %-22s %8.4f %%; result %lld: %0*llx, %0*llx\n", kind_names[kind],
               100.0 * (double)one->equal / (double)one->all, one->first, bytes * 2, (unsigned long long)x,
               bytes * 2, (unsigned long long)y);
    }
}

static int compare(const char *left, const char *right)
{
    int compared = 0;

    for (int i = 0; i < INSTRUCTIONS; i++) {
        long long words = 0, others = 0;
        uint32_t *a = results_of(left, instructions[i].name, &words);
        uint32_t *b = results_of(right, instructions[i].name, &others);
        if (a != NULL && b != NULL && words != others)
            fail("the files are of different numbers of products", instructions[i].name);
        if (a == NULL || b == NULL) {
            printf("%-42s not in %s\n", instructions[i].name, a == NULL ? left : right);
        } else {
            compare_one(&instructions[i], a, b, words);
            compared++;
        }
        free(a);
        free(b);
    }
    return compared == 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--compare") == 0)
        return compare(argv[2], argv[3]);
    long long products = argc == 3 ? strtoll(argv[2], NULL, 10) : 2048;
    if (argc < 2 || argc > 3 || argv[1][0] == '-' || products < KINDS || products > 1 << 20) {
        fprintf(stderr, "usage: mma_bits FILE [PRODUCTS], from %d on\n       mma_bits --compare A B\n",
                KINDS);
        return 2;
    }
    isomat_context context;
    check(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    FILE *file = fopen(argv[1], "wb");
    if (file == NULL)
        fail("cannot be written", argv[1]);
    for (int i = 0; i < INSTRUCTIONS; i++)
        run(context, &instructions[i], products, file);
    if (fclose(file) != 0)
        fail("cannot be written", argv[1]);
    check(isomat_context_destroy(context));
    return 0;
}
