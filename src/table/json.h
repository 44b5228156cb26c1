/* SPDX-License-Identifier: BSD-3-Clause */
/* A streaming JSON writer: commas, indentation and escapes are its business, nesting is checked by
 * no one. Strings are taken for UTF-8; bytes that are not become U+FFFD. */
#ifndef BOB_EXPORT_JSON_H
#define BOB_EXPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

struct bob_json {
	FILE *out;
	int depth;
	int first;	/* nothing was written at this level yet */
	int dense;	/* 1: no line breaks inside */
};

/* `key` is NULL inside arrays and for the outermost value. */
void bob_json_object(struct bob_json *j, const char *key);
void bob_json_array(struct bob_json *j, const char *key);
void bob_json_end(struct bob_json *j, char bracket);	/* '}' or ']' */
void bob_json_string(struct bob_json *j, const char *key, const char *value); /* NULL: null */
void bob_json_uint(struct bob_json *j, const char *key, uint64_t value);
void bob_json_int(struct bob_json *j, const char *key, int64_t value);
void bob_json_real(struct bob_json *j, const char *key, double value);
void bob_json_share(struct bob_json *j, const char *key, double value); /* six digits */
void bob_json_decimal(struct bob_json *j, const char *key, const char *digits);
void bob_json_bool(struct bob_json *j, const char *key, int value);

#endif
