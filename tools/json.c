/* SPDX-License-Identifier: MIT */
/* json.c: writes JSON, indented. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"

/* The length of the UTF-8 character at s, 0 if the bytes are none. */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 : (s[0] >> 3) == 30 ? 4 : 0;
    uint32_t code = length > 1 ? s[0] & (0x7f >> length) : s[0];
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (length > 1 && (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        return 0;
    return length;
}

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = utf8_length(s);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(file, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)length, file);
        s += length ? length : 1;
    }
    fputc('"', file);
}

static void break_line(struct json *json)
{
    if (json->line_depth == 0)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    else if (json->filled)
        fputc(' ', json->file);
}

/* Everything that stands before a value. */
static void put_key(struct json *json, const char *key)
{
    if (json->filled)
        fputc(',', json->file);
    if (json->depth > 0)
        break_line(json);
    if (key) {
        put_string(json->file, key);
        fputs(": ", json->file);
    }
    json->filled = true;
}

static void begin(struct json *json, const char *key, const char *pair)
{
    put_key(json, key);
    fputc(pair[0], json->file);
    json->closers[json->depth++] = pair[1];
    json->filled = false;
}

void json_begin_object(struct json *json, const char *key)
{
    begin(json, key, "{}");
}

void json_begin_array(struct json *json, const char *key)
{
    begin(json, key, "[]");
}

void json_begin_line(struct json *json, const char *key)
{
    begin(json, key, "{}");
    if (json->line_depth == 0)
        json->line_depth = json->depth;
}

void json_end(struct json *json)
{
    bool line = json->line_depth != 0;
    if (json->line_depth == json->depth)
        json->line_depth = 0;
    json->depth--;
    if (json->filled && !line)
        break_line(json);
    fputc(json->closers[json->depth], json->file);
    json->filled = true;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    put_key(json, key);
    if (text)
        put_string(json->file, text);
    else
        fputs("null", json->file);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_number(struct json *json, const char *key, double value)
{
    put_key(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.9g", value);
    else
        fputs("null", json->file);
}
