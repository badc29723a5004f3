/* SPDX-License-Identifier: MIT */
/* decompress.c: the payload of a fatbin's entry in the plain: one raw LZ4 block or one zstd frame. */
#include "decompress.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>

/* Against bombs: nvcc's own images stay below 140 MB and 200 to 1. */
#define MAX_BYTES ((uint64_t)512 << 20)
#define MAX_RATIO 4096
#define SMALL_BYTES ((uint64_t)1 << 20)

struct insp_unpacker {
    unsigned char *buffer;
    size_t room;
    ZSTD_DCtx *zstd;
};

struct insp_unpacker *insp_unpacker_create(void)
{
    return calloc(1, sizeof(struct insp_unpacker));
}

void insp_unpacker_free(struct insp_unpacker *unpacker)
{
    if (!unpacker)
        return;
    ZSTD_freeDCtx(unpacker->zstd);
    free(unpacker->buffer);
    free(unpacker);
}

static bool make_room(struct insp_unpacker *unpacker, size_t bytes)
{
    if (bytes <= unpacker->room)
        return true;
    free(unpacker->buffer);
    unpacker->room = 0;
    unpacker->buffer = malloc(bytes);
    if (unpacker->buffer)
        unpacker->room = bytes;
    return unpacker->buffer != NULL;
}

static const char *unpack_lz4(unsigned char *plain, uint64_t full_bytes, struct insp_span packed)
{
    if (packed.size > INT_MAX || full_bytes > INT_MAX)
        return "an LZ4 payload is too large";
    int length =
        LZ4_decompress_safe((const char *)packed.bytes, (char *)plain, (int)packed.size, (int)full_bytes);
    return length == (int)full_bytes ? NULL : "a payload does not decompress (LZ4)";
}

static const char *unpack_zstd(struct insp_unpacker *unpacker, uint64_t full_bytes, struct insp_span packed)
{
    if (!unpacker->zstd)
        unpacker->zstd = ZSTD_createDCtx();
    if (!unpacker->zstd)
        return "no memory to decompress a payload";
    unsigned long long declared = ZSTD_getFrameContentSize(packed.bytes, packed.size);
    if (declared == ZSTD_CONTENTSIZE_ERROR ||
        (declared != ZSTD_CONTENTSIZE_UNKNOWN && declared != full_bytes))
        return "a payload is no zstd frame of the declared size";
    size_t length =
        ZSTD_decompressDCtx(unpacker->zstd, unpacker->buffer, (size_t)full_bytes, packed.bytes, packed.size);
    return length == full_bytes ? NULL : "a payload does not decompress (zstd)";
}

const char *insp_unpack(struct insp_unpacker *unpacker, struct insp_span *plain, struct insp_span packed,
                        enum insp_packing packing, uint64_t full_bytes)
{
    const char *wrong = NULL;
    *plain = packed;
    if (packing == INSP_STORED)
        return NULL;
    if (packing == INSP_OLD_PACKING)
        return "a payload is compressed in an unknown, older way";
    if (full_bytes > MAX_BYTES || (full_bytes > SMALL_BYTES && full_bytes / MAX_RATIO > packed.size))
        return "a payload claims an unlikely size once decompressed";
    if (!make_room(unpacker, full_bytes ? (size_t)full_bytes : 1))
        return "no memory to decompress a payload";
    wrong = packing == INSP_LZ4 ? unpack_lz4(unpacker->buffer, full_bytes, packed)
                                : unpack_zstd(unpacker, full_bytes, packed);
    *plain = (struct insp_span){unpacker->buffer, wrong ? 0 : (size_t)full_bytes};
    return wrong;
}
