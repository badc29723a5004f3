/* SPDX-License-Identifier: MIT */
/* nvinfo.c: the attributes in a cubin's .nv.info sections.  Each is a format, a number, and two
 * bytes that are its value or the length of what follows. */
#include "nvinfo.h"

#include "sass.h"

enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_SHORT = 3, FORMAT_SIZED = 4 };

enum {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_REQUIRED_THREADS = 0x10,
    ATTRIBUTE_PARAMETER = 0x17,
    ATTRIBUTE_PARAMETER_BYTES = 0x19,
    ATTRIBUTE_MAX_REGISTERS = 0x1b,
    ATTRIBUTE_TOOLKIT = 0x37,
    ATTRIBUTE_CLUSTER = 0x3d,
    ATTRIBUTE_PARAMETER_V2 = 0x45,
    ATTRIBUTE_BARRIERS = 0x4c,
    ATTRIBUTE_ANNOTATIONS = 0x55,
};

enum { ANNOTATION_SPILL = 1, UNLIMITED_REGISTERS = 255, MAX_PARAMETERS = 4096 };

bool insp_nvinfo_next(struct insp_attribute *attribute, struct insp_span section, uint64_t *offset)
{
    uint8_t format = insp_u8(section, *offset);
    if (!insp_inside(section, *offset, 4) || format < FORMAT_NONE || format > FORMAT_SIZED)
        return false;
    *attribute = (struct insp_attribute){
        .number = insp_u8(section, *offset + 1),
        .value = format == FORMAT_BYTE ? insp_u8(section, *offset + 2) : insp_u16(section, *offset + 2),
    };
    *offset += 4;
    if (format != FORMAT_SIZED)
        return true;
    if (!insp_inside(section, *offset, attribute->value))
        return false;
    attribute->bytes = insp_slice(section, *offset, attribute->value);
    *offset = (*offset + attribute->value + 3) & ~(uint64_t)3;
    return true;
}

static void read_three(uint32_t numbers[3], struct insp_span bytes)
{
    for (uint64_t i = 0; i < 3; i++)
        numbers[i] = insp_u32(bytes, 4 * i);
}

/* Both forms: index, ordinal, offset, then flags with the size above bit 18, or the size. */
static void read_parameter(struct insp_kernel *kernel, struct insp_span bytes, bool wide)
{
    uint16_t ordinal = insp_u16(bytes, 4);
    if (bytes.size < 12 || ordinal >= kernel->parameter_count || !kernel->parameters)
        return;
    kernel->parameters[ordinal].offset = insp_u16(bytes, 6);
    kernel->parameters[ordinal].bytes = wide ? insp_u32(bytes, 8) : insp_u32(bytes, 8) >> 18;
}

static void read_spills(struct insp_kernel *kernel, struct insp_span list, struct insp_span text)
{
    if (kernel->spill_store_bytes == INSP_UNKNOWN)
        kernel->spill_store_bytes = kernel->spill_load_bytes = 0;
    for (uint64_t at = 0; insp_inside(list, at, 8); at += 8)
        if (insp_u32(list, at) == ANNOTATION_SPILL)
            insp_sass_spill(kernel, text, insp_u32(list, at + 4));
}

static void see(struct insp_kernel *kernel, const struct insp_attribute *attribute, struct insp_span text)
{
    switch (attribute->number) {
    case ATTRIBUTE_MAX_THREADS:
        read_three(kernel->max_threads, attribute->bytes);
        break;
    case ATTRIBUTE_REQUIRED_THREADS:
        read_three(kernel->required_threads, attribute->bytes);
        break;
    case ATTRIBUTE_CLUSTER:
        read_three(kernel->cluster, attribute->bytes);
        break;
    case ATTRIBUTE_PARAMETER:
        read_parameter(kernel, attribute->bytes, false);
        break;
    case ATTRIBUTE_PARAMETER_V2:
        read_parameter(kernel, attribute->bytes, true);
        break;
    case ATTRIBUTE_PARAMETER_BYTES:
        kernel->parameter_bytes = attribute->value;
        break;
    case ATTRIBUTE_MAX_REGISTERS:
        kernel->max_registers = attribute->value < UNLIMITED_REGISTERS ? (int32_t)attribute->value : 0;
        break;
    case ATTRIBUTE_BARRIERS:
        kernel->barriers = (int32_t)attribute->value;
        break;
    case ATTRIBUTE_ANNOTATIONS:
        read_spills(kernel, attribute->bytes, text);
        break;
    default:
        break;
    }
}

void insp_nvinfo_kernel(struct insp_reader *reader, struct insp_kernel *kernel, struct insp_span section,
                        struct insp_span text)
{
    struct insp_attribute attribute;
    uint32_t count = 0;
    kernel->parameter_bytes = 0;
    for (uint64_t at = 0; insp_nvinfo_next(&attribute, section, &at);)
        if (attribute.number == ATTRIBUTE_PARAMETER || attribute.number == ATTRIBUTE_PARAMETER_V2)
            count++;
    if (count > MAX_PARAMETERS)
        count = MAX_PARAMETERS;
    if (count > 0)
        kernel->parameters = insp_arena_get(&reader->report->arena, count * sizeof *kernel->parameters);
    kernel->parameter_count = kernel->parameters ? count : 0;
    struct insp_image *image = &reader->report->images[kernel->image];
    for (uint64_t at = 0; insp_nvinfo_next(&attribute, section, &at);) {
        see(kernel, &attribute, text);
        if (attribute.number == ATTRIBUTE_TOOLKIT && !image->toolkit) /* where there is no note */
            image->toolkit = (int32_t)(insp_u32(attribute.bytes, 0) & 0xffff);
    }
}
