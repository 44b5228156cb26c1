/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing byte buffer for writers of records and text. If an append finds no memory, it sets
 * `failed` and later appends are dropped, so that callers need to check only once, at the end. A
 * zeroed struct is an empty buffer. base/reader.h reads what is written here.
 *
 * Owner: the caller, who frees with bob_bytes_free, or passes `at` on to be freed with free().
 * Threads: one while it changes. Units: bytes. Errors: `failed`; callers then return
 * BOB_ERR_NOMEM. */
#ifndef BOB_BASE_BYTES_H
#define BOB_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bob_bytes {
	uint8_t *at;
	size_t len, cap;
	int failed;
};

/* Reserve `more` bytes at `at + len`. Returns their address, or NULL. The caller raises `len`. */
uint8_t *bob_bytes_reserve(struct bob_bytes *b, size_t more);
void bob_bytes_add(struct bob_bytes *b, const void *bytes, size_t len);
/* bob_bytes_add as a bob_fold_write_fn; ctx is a struct bob_bytes. */
void bob_bytes_take(void *ctx, const void *bytes, size_t len);
void bob_bytes_free(struct bob_bytes *b);

#endif
