/* SPDX-License-Identifier: MIT */
/* json.h: writes JSON, indented; what is left to the caller is only to begin and end. */
#ifndef ISOMAT_TOOLS_JSON_H
#define ISOMAT_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    int depth;
    bool filled;      /* the innermost container has a member */
    int line_depth;   /* containers at this depth and deeper stay on one line; 0 for none */
    char closers[16]; /* of the open containers */
};

/* key is NULL for the outermost value and inside arrays. */
void json_begin_object(struct json *json, const char *key);
void json_begin_array(struct json *json, const char *key);

/* The same, but the object stays on one line. */
void json_begin_line(struct json *json, const char *key);

/* Ends the innermost object or array. */
void json_end(struct json *json);

/* text NULL gives null; bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);

/* NaN and infinity give null. */
void json_number(struct json *json, const char *key, double value);

#endif /* ISOMAT_TOOLS_JSON_H */
