/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds-checked reading of untrusted bytes: a position and an end. The first item that is
 * truncated or out of range makes the reader `bad`: its position stays at the beginning of that
 * item, and all further items read as 0. So a decoder reads a whole record and checks `bad` once,
 * before it uses any of it. Only loops whose trip count was read must check it in between.
 * Freestanding.
 *
 * Owner: the caller, who also owns the bytes; results of `bob_reader_bytes` and `bob_reader_text`
 * are borrowed from them. Threads: one. Errors: `bad`; callers then return BOB_ERR_CORRUPT. */
#ifndef BOB_BASE_READER_H
#define BOB_BASE_READER_H

#include <string.h>

#include "base/varint.h"

struct bob_reader {
	const uint8_t *at, *end;
	int bad;
};

static inline struct bob_reader bob_reader_of(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	return (struct bob_reader){ at, len ? at + len : at, 0 };
}

static inline size_t bob_reader_left(const struct bob_reader *r)
{
	return (size_t)(r->end - r->at);
}

/* Whether all bytes were read and every item was valid. */
static inline int bob_reader_is_done(const struct bob_reader *r)
{
	return !r->bad && r->at == r->end;
}

static inline uint64_t bob_reader_varint(struct bob_reader *r)
{
	uint64_t v = 0;

	r->bad = r->bad || bob_varint_get(&r->at, r->end, &v) != BOB_OK;
	return v;
}

/* A varint that is at most `most`; larger ones make the reader bad. */
static inline uint64_t bob_reader_up_to(struct bob_reader *r, uint64_t most)
{
	const uint8_t *before = r->at;
	const uint64_t v = bob_reader_varint(r);

	if (v <= most)
		return v;
	r->at = before;
	r->bad = 1;
	return 0;
}

static inline int64_t bob_reader_signed(struct bob_reader *r)
{
	return bob_unzigzag(bob_reader_varint(r));
}

/* Borrow `len` bytes, or NULL. */
static inline const uint8_t *bob_reader_bytes(struct bob_reader *r, uint64_t len)
{
	const uint8_t *bytes = r->at;

	if (r->bad || len > bob_reader_left(r)) {
		r->bad = 1;
		return NULL;
	}
	if (len)
		r->at += len;
	return bytes;
}

static inline uint8_t bob_reader_byte(struct bob_reader *r)
{
	const uint8_t *byte = bob_reader_bytes(r, 1);

	return byte ? *byte : 0;
}

/* An object of fixed size, zeroed when bad. */
static inline void bob_reader_copy(struct bob_reader *r, void *to, size_t size)
{
	const uint8_t *bytes = bob_reader_bytes(r, size);

	if (bytes && size)
		memcpy(to, bytes, size);
	else if (size)
		memset(to, 0, size);
}

/* A length as a varint, followed by that many bytes. If bad, *len is 0 and the result is NULL. */
static inline const uint8_t *bob_reader_text(struct bob_reader *r, size_t *len)
{
	const uint8_t *before = r->at;
	const uint64_t n = bob_reader_varint(r);
	const uint8_t *bytes = bob_reader_bytes(r, n);

	*len = bytes ? (size_t)n : 0;
	if (!bytes)
		r->at = before;
	return bytes;
}

#endif
