/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of one spec: taken in small pieces, freed at once. */
#ifndef BOB_WRAP_POOL_H
#define BOB_WRAP_POOL_H

#include <stddef.h>

struct bob_wrap_pool;

/* NULL without memory. */
struct bob_wrap_pool *bob_wrap_pool_open(void);
void bob_wrap_pool_close(struct bob_wrap_pool *p); /* NULL is allowed */
/* Zeroed, aligned for anything; NULL without memory. */
void *bob_wrap_take(struct bob_wrap_pool *p, size_t bytes);
/* `len` bytes and a zero. */
char *bob_wrap_keep(struct bob_wrap_pool *p, const char *text, size_t len);

/* Text that grows. What was added without memory for it is lost, and `failed` says so. */
struct bob_wrap_string {
	char *at;
	size_t len, capacity;
	int failed;
};
void bob_wrap_add(struct bob_wrap_string *s, const char *text, size_t len);
void bob_wrap_addf(struct bob_wrap_string *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Into the pool; the string is empty again. NULL without memory. */
char *bob_wrap_string_end(struct bob_wrap_string *s, struct bob_wrap_pool *p);

#endif
