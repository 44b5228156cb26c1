/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that grow: what a writer of records or text appends to. The first append that finds no
 * memory sets `failed`; what follows is dropped, so callers check once, in the end. A zeroed struct
 * is empty. base/reader.h reads what is written here.
 *
 * Owner: the caller; bob_bytes_free, or free() for `at` that goes elsewhere. Threads: one while it
 * changes. Units: bytes. Errors: `failed`, for which callers return BOB_ERR_NOMEM. */
#ifndef BOB_BASE_BYTES_H
#define BOB_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bob_bytes {
	uint8_t *at;
	size_t len, cap;
	int failed;
};

/* Memory for `more` bytes at `at + len`: their address, or NULL. The caller raises `len`. */
uint8_t *bob_bytes_reserve(struct bob_bytes *b, size_t more);
void bob_bytes_add(struct bob_bytes *b, const void *bytes, size_t len);
/* bob_bytes_add for bob_fold_write_fn; ctx is a struct bob_bytes. */
void bob_bytes_take(void *ctx, const void *bytes, size_t len);
void bob_bytes_free(struct bob_bytes *b);

#endif
