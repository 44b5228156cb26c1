/* SPDX-License-Identifier: BSD-3-Clause */
/* Arena of one spec: many small allocations, freed at once. */
#ifndef BOB_WRAP_POOL_H
#define BOB_WRAP_POOL_H

#include <stddef.h>

struct bob_wrap_pool;

/* NULL: out of memory. */
struct bob_wrap_pool *bob_wrap_pool_open(void);
void bob_wrap_pool_close(struct bob_wrap_pool *p); /* NULL is allowed */
/* Zeroed, aligned for any type; NULL: out of memory. */
void *bob_wrap_take(struct bob_wrap_pool *p, size_t bytes);
/* Copies `len` bytes and appends a zero. */
char *bob_wrap_keep(struct bob_wrap_pool *p, const char *text, size_t len);

/* Growing text. If memory runs out, what is added is lost and `failed` is set. */
struct bob_wrap_string {
	char *at;
	size_t len, capacity;
	int failed;
};
void bob_wrap_add(struct bob_wrap_string *s, const char *text, size_t len);
void bob_wrap_addf(struct bob_wrap_string *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Moves the text into the pool and empties the string. NULL: out of memory. */
char *bob_wrap_string_end(struct bob_wrap_string *s, struct bob_wrap_pool *p);

#endif
