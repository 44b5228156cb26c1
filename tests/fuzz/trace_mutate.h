/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutations of a blob (trace_blob.h) that keep sizes and checksums right, so that what changes
 * is what a chunk says. Each call changes one file: the bytes of a chunk as they are unpacked, a
 * chunk's head, the file's head, or the order of the chunks. A chunk MORE is a file itself, and
 * is changed as one.
 *
 * The bytes come from LLVMFuzzerMutate: libFuzzer's own, or that of driver.c. Threads: one. */
#ifndef BOB_TESTS_TRACE_MUTATE_H
#define BOB_TESTS_TRACE_MUTATE_H

#include "trace_blob.h"

#define NESTED_MAX 2 /* files in files */
#define GROW_MAX 256u /* bytes that a mutation may add to a chunk */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Numbers at which sums, products and shifts change what they do. */
static const uint64_t odd_numbers[] = {
	0, 1, 2, 3, 7, 8, 0x3f, 0x40, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	0xffffff, 0x1000000, 0x1fffffff, 0x20000000, 0x7fffffff, 0x80000000, 0xfffffffe,
	0xffffffff, 0x100000000, 0x10000000000, 0x3fffffffffffffff, 0x4000000000000000,
	0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff,
};

/* xorshift64 */
static inline uint64_t draw(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

static inline size_t below(uint64_t *state, size_t n)
{
	return n ? (size_t)((draw(state) >> 11) % n) : 0;
}

static inline uint64_t odd_number(uint64_t *r)
{
	uint64_t n = odd_numbers[below(r, sizeof(odd_numbers) / sizeof(odd_numbers[0]))];

	return below(r, 8) ? n : n - below(r, 16);
}

/* --- bytes --- */

/* Replaces `old` bytes at `at` by `len` others. */
static inline void replace_bytes(struct bytes *b, size_t at, size_t old, const uint8_t *with,
				 size_t len)
{
	const struct bytes new = { must_alloc(b->len - old + len), b->len - old + len };

	memcpy(new.at, b->at, at);
	memcpy(new.at + at, with, len);
	memcpy(new.at + at + len, b->at + at + old, b->len - at - old);
	free(b->at);
	*b = new;
}

/* An odd number in the place of the LEB128 number that contains byte `at`. */
static inline void put_leb(struct bytes *b, size_t at, uint64_t number)
{
	size_t from = at, end = at, len = 0;
	uint8_t leb[10];

	while (from && at - from < 9 && b->at[from - 1] & 0x80)
		from--;
	while (end < b->len - 1 && end - from < 9 && b->at[end] & 0x80)
		end++;
	for (; number > 127; number >>= 7)
		leb[len++] = (uint8_t)(number | 0x80);
	leb[len++] = (uint8_t)number;
	replace_bytes(b, from, end + 1 - from, leb, len);
}

/* In place: a number of `size` bytes, mostly where one of its size lies in a struct. */
static inline void put_number(struct bytes *b, size_t at, size_t size, uint64_t number, int add)
{
	uint64_t old = 0;

	if (b->len < size)
		return;
	at = at < b->len - size ? at : b->len - size;
	at -= at % size;
	memcpy(&old, b->at + at, size);
	number = add ? old + (number & 0xff) - 0x80 : number;
	memcpy(b->at + at, &number, size);
}

/* Some bytes of it once more, or moved over others. */
static inline void copy_within(struct bytes *b, uint64_t *r)
{
	const size_t from = below(r, b->len), to = below(r, b->len);
	size_t len = 1 + below(r, 64);
	uint8_t piece[64];

	len = len < b->len - from ? len : b->len - from;
	memcpy(piece, b->at + from, len);
	if (below(r, 2))
		replace_bytes(b, to, 0, piece, len);
	else
		memcpy(b->at + to, piece, len < b->len - to ? len : b->len - to);
}

static inline void mutate_bytes(struct bytes *b, uint64_t *r)
{
	const size_t at = below(r, b->len), len = b->len;

	if (!len || !below(r, 3)) { /* also such that no structure explains */
		bytes_resize(b, len + GROW_MAX);
		b->len = LLVMFuzzerMutate(b->at, len, len + (len && below(r, 2) ? 0 : GROW_MAX));
		return;
	}
	switch (below(r, 8)) {
	case 0:
	case 1:
		put_leb(b, at, odd_number(r));
		break;
	case 2:
	case 3:
		put_number(b, at, 4, odd_number(r), !below(r, 4));
		break;
	case 4:
	case 5:
		put_number(b, at, 8, odd_number(r), !below(r, 4));
		break;
	case 6:
		b->at[at] = (uint8_t)odd_number(r);
		break;
	default:
		copy_within(b, r);
	}
}

/* --- chunks --- */

static inline void mutate_chunk_head(struct bob_chunk_head *h, uint64_t *r)
{
	switch (below(r, 5)) {
	case 0:
		h->kind = (uint16_t)below(r, BOB_CHUNK_RING + 2);
		break;
	case 1:
		h->aux = below(r, 2) ? odd_number(r) : h->aux + 1 - below(r, 3);
		break;
	case 2:
		h->stream =
			(uint32_t)(below(r, 2) ? odd_number(r) : h->stream ^ 1u << below(r, 32));
		break;
	case 3:
		h->len = odd_number(r);
		break;
	default:
		h->flags ^= (uint16_t)(1 + below(r, 3));
	}
}

static inline void mutate_file_head(struct bytes *head, uint64_t *r)
{
	struct bytes b = bytes_copy(head->at, sizeof(struct bob_file_head));

	mutate_bytes(&b, r);
	bytes_resize(&b, sizeof(struct bob_file_head));
	memcpy(head->at + 8, b.at + 8, b.len - 8); /* not the magic */
	free(b.at);
}

static inline void drop_part(struct parts *p, size_t i)
{
	free(p->part[i].plain.at);
	memmove(&p->part[i], &p->part[i + 1], (p->count - i - 1) * sizeof(p->part[0]));
	p->count--;
}

static inline void double_part(struct parts *p, size_t i)
{
	struct part *to = &p->part[p->count];

	if (p->count == CHUNKS_MAX)
		return;
	*to = p->part[i];
	to->plain = bytes_copy(to->plain.at, to->plain.len);
	p->count++;
}

static inline void exchange_parts(struct parts *p, size_t i, size_t k)
{
	const struct part part = p->part[i];

	p->part[i] = p->part[k];
	p->part[k] = part;
}

static void mutate_file(struct bytes *file, uint64_t *r, int nested);

static inline void mutate_part(struct parts *p, size_t i, uint64_t *r, int nested)
{
	struct part *one = &p->part[i];
	size_t times = 1 + (below(r, 4) ? 0 : below(r, 4));

	if (one->head.kind == BOB_CHUNK_MORE && nested < NESTED_MAX && below(r, 8)) {
		mutate_file(&one->plain, r, nested + 1);
		return;
	}
	while (times--)
		mutate_bytes(&one->plain, r);
}

static inline void mutate_parts(struct parts *p, uint64_t *r, int nested)
{
	const size_t i = below(r, p->count);

	switch (p->count ? below(r, 32) : 0) {
	case 0:
	case 1:
		mutate_file_head(&p->head, r);
		break;
	case 2:
		drop_part(p, i);
		break;
	case 3:
		double_part(p, i);
		break;
	case 4:
		exchange_parts(p, i, below(r, p->count));
		break;
	case 5:
	case 6:
	case 7:
		mutate_chunk_head(&p->part[i].head, r);
		break;
	default:
		mutate_part(p, i, r, nested);
	}
}

static void mutate_file(struct bytes *file, uint64_t *r, int nested)
{
	struct parts *p = must_alloc(sizeof(*p));
	struct bytes new;

	parts_read(file, p);
	mutate_parts(p, r, nested);
	new = parts_write(p);
	free(file->at);
	*file = new;
	parts_free(p);
	free(p);
}

/* --- chunks of two files --- */

/* A chunk of `from`, of a kind that the file has if there is one, takes the place of that chunk or
 * is added. */
static inline void cross_files(struct bytes *file, const struct bytes *from, uint64_t *r)
{
	struct parts *p = must_alloc(sizeof(*p)), *q = must_alloc(sizeof(*q));
	struct bytes new;

	parts_read(file, p);
	parts_read(from, q);
	if (q->count && p->count < CHUNKS_MAX) {
		const struct part *taken = &q->part[below(r, q->count)];
		size_t i = below(r, p->count + 1);

		for (size_t k = 0; k < p->count && below(r, 8); k++)
			if (p->part[k].head.kind == taken->head.kind)
				i = k;
		if (i == p->count)
			p->count++;
		else
			free(p->part[i].plain.at);
		p->part[i] = *taken;
		p->part[i].plain = bytes_copy(taken->plain.at, taken->plain.len);
	}
	new = parts_write(p);
	free(file->at);
	*file = new;
	parts_free(p);
	parts_free(q);
	free(p);
	free(q);
}

/* As LLVMFuzzerCustomCrossOver, of one file of each blob. 0: there is no such. */
static inline size_t blob_cross(const uint8_t *data, size_t size, const uint8_t *other,
				size_t other_size, uint8_t *to, size_t capacity, unsigned seed)
{
	struct blob_file files[BLOB_FILES_MAX], more[BLOB_FILES_MAX];
	uint64_t r = (seed + 1ull) * 0x9e3779b97f4a7c15ull;
	size_t used, len = 0;
	const size_t n = blob_read(data, size, files, &used);
	const size_t m = blob_read(other, other_size, more, &used);

	if (n && m) {
		cross_files(&files[below(&r, n)].file, &more[below(&r, m)].file, &r);
		len = blob_write(files, n, to, capacity);
	}
	blob_free(files, n);
	blob_free(more, m);
	return len;
}

/* --- blobs --- */

/* As LLVMFuzzerCustomMutator. What is no blob is mutated as bytes. */
static inline size_t blob_mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct blob_file files[BLOB_FILES_MAX];
	uint64_t r = (seed + 1ull) * 0x9e3779b97f4a7c15ull;
	size_t len = 0;
	const size_t n = blob_read(data, size, files, &len);

	len = 0;

	if (n) {
		struct blob_file *f = &files[below(&r, n)];

		/* processes say most of a trace */
		for (int tries = 0; tries < 3 && f->name[0] != 'p' && f->name[0] != 't'; tries++)
			f = &files[below(&r, n)];
		if (below(&r, 100))
			mutate_file(&f->file, &r, 0);
		else
			f->name[below(&r, BLOB_NAME_BYTES)] ^= (char)(1 << below(&r, 7));
		len = blob_write(files, n, data, max);
	}
	blob_free(files, n);
	return len ? len : LLVMFuzzerMutate(data, size, max);
}

/* --- the target --- */

/* What an input has after its files, for the target that includes this: it is put there, in a
 * buffer of `max` bytes. The new length. */
static size_t choose(uint8_t *data, size_t len, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
				 size_t other_size, uint8_t *to, size_t capacity,
				 unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return choose(data, blob_mutate(data, size, max, seed), max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
				 size_t other_size, uint8_t *to, size_t capacity, unsigned int seed)
{
	const size_t len = blob_cross(data, size, other, other_size, to, capacity, seed);

	return len ? choose(to, len, capacity, seed) : 0;
}

#endif
