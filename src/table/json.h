/* SPDX-License-Identifier: BSD-3-Clause */
/* A streaming JSON writer. It writes commas, indentation and escapes; it does not check nesting.
 * Strings are expected in UTF-8; each invalid byte becomes U+FFFD. */
#ifndef BOB_EXPORT_JSON_H
#define BOB_EXPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

struct bob_json {
	FILE *out;
	int depth;
	int first;	/* nothing has been written at this level */
	int dense;	/* 1: no line breaks or spaces */
};

/* `key` is NULL inside arrays and for the outermost value. */
void bob_json_object(struct bob_json *j, const char *key);
void bob_json_array(struct bob_json *j, const char *key);
void bob_json_end(struct bob_json *j, char bracket);	/* bracket: '}' or ']' */
void bob_json_string(struct bob_json *j, const char *key, const char *value); /* NULL: null */
void bob_json_uint(struct bob_json *j, const char *key, uint64_t value);
void bob_json_int(struct bob_json *j, const char *key, int64_t value);
void bob_json_real(struct bob_json *j, const char *key, double value);
void bob_json_share(struct bob_json *j, const char *key, double value); /* six significant digits */
void bob_json_decimal(struct bob_json *j, const char *key, const char *digits);
void bob_json_bool(struct bob_json *j, const char *key, int value);

#endif
