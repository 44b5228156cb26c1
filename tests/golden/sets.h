/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of hooks: the trace `sets`. One process has no name for its sets, one has written its sets
 * twice, and the sets of the third are part of those of the second. There are single numbers and
 * bins, user-defined sets and sets of places. */
#ifndef BOB_TESTS_GOLDEN_SETS_H
#define BOB_TESTS_GOLDEN_SETS_H

#include <math.h>

#include "archive/events/value_numbers.h"
#include "archive/events/sets_table.h"
#include "base/varint.h"
#include "build.h"

#define SETS_IMAGE 0x5e75ull

struct sets_bytes {
	uint8_t bytes[16384];
	size_t len;
};

static inline void sets_put(struct sets_bytes *b, const void *bytes, size_t len)
{
	b->len += bob_varint_put(b->bytes + b->len, len);
	if (len)
		memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

static inline void sets_begin(struct sets_bytes *b, const char *hook, const char *event,
			      uint32_t phase, const struct bob_set_call *call, uint32_t depth)
{
	sets_put(b, hook, strlen(hook));
	sets_put(b, event, strlen(event));
	b->len += bob_varint_put(b->bytes + b->len, phase | (depth ? 2 : 0));
	if (depth)
		b->len += bob_set_put_calls(b->bytes + b->len, call, depth);
}

static inline void sets_numbers(struct sets_bytes *b, const struct bob_value_numbers *n)
{
	uint8_t bytes[BOB_VALUE_BYTES_MAX];

	b->len += bob_varint_put(b->bytes + b->len, BOB_SET_NUMBERS);
	sets_put(b, bytes, bob_value_pack(n, bytes, sizeof(bytes)));
	sets_put(b, "", 0);
}

static inline void sets_own(struct sets_bytes *b, const char *bytes, const char *text)
{
	b->len += bob_varint_put(b->bytes + b->len, BOB_SET_OWN);
	sets_put(b, bytes, strlen(bytes));
	sets_put(b, text, strlen(text));
}

/* `seed` makes them different. */
static inline void sets_some(struct sets_bytes *b, uint32_t seed)
{
	const struct bob_set_call call[] = { { SETS_IMAGE, 0x1004 }, { SETS_IMAGE, 0x1048 },
					     { 0x77ull << 56, 16 },  { BOB_SET_IMAGE_UNKNOWN, 0 },
					     { SETS_IMAGE, 0x2000 + seed } };
	struct bob_value_numbers few = { 0 }, many = { 0 }, odd = { 0 };

	for (uint32_t i = 0; i < 20; i++)
		bob_value_add(&few, (double)(i % 5 + seed));
	for (uint32_t i = 0; i < 500; i++)
		bob_value_add(&many, (double)i * i - 1000);
	bob_value_add(&odd, -0.0);
	bob_value_add(&odd, -INFINITY);
	bob_value_add(&odd, NAN);
	b->len = 0;
	sets_begin(b, "few", "MPI_Send", 0, NULL, 0);
	sets_numbers(b, &few);
	sets_begin(b, "many", "step", 1, call, 5);
	sets_numbers(b, &many);
	sets_begin(b, "many", "step", 1, call, 1);
	sets_numbers(b, &odd);
	sets_begin(b, "a \"hook\"\n", "\xce\xb1:beta", 1, call + 1, 2);
	sets_own(b, seed ? "\1\2\3" : "", "2 clusters\x1b\\");
}

static inline void sets_process(struct build *p, uint32_t rank)
{
	uint8_t buf[512];
	struct bob_meta meta;
	const uint32_t r[2] = { rank, 3 };

	build_process(p, 900 + rank, 1, 0, 900);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_EXE, "/bin/sets", 9);
	bob_meta_put(&meta, BOB_REC_RANK, r, sizeof(r));
	build_rec_image(&meta, 0, 0, 4, rank == 1 ? 0x1111ull : SETS_IMAGE, "/bin/sets");
	if (rank == 1)
		build_rec_image(&meta, 1, 8, 4, SETS_IMAGE, "/bin/sets");
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
}

static inline void sets_copy(void *ctx, const void *bytes, size_t len)
{
	struct sets_bytes *b = ctx;

	assert(len <= sizeof(b->bytes) - b->len);
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

/* As tables; without names if `count` is 0. */
static inline void sets_put_chunk(struct build *p, uint64_t times, const uint64_t *names,
				  uint32_t count, const struct sets_bytes *b)
{
	const uint8_t *at = b->bytes, *end = at + b->len;
	static struct sets_bytes table;
	struct bob_set_name name[8] = { { 0 } };
	struct bob_set_call call[64];
	struct bob_set_row row[16];
	uint32_t rows = 0, calls = 0;
	struct bob_set s;

	for (; bob_set_next(&at, end, &s) == BOB_OK; calls += s.depth) {
		row[rows++] = bob_set_row_of(&s);
		bob_set_calls(&s, call + calls);
	}
	assert(at == end && rows < 16 && calls < 64 && count < 8);
	for (uint32_t i = 0; i < count; i++)
		name[i].name = names[i];
	name[0].times = times;
	table.len = 0;
	bob_rows_write(&bob_sets_table, row, rows, sets_copy, &table);
	bob_rows_write(&bob_set_calls_table, call, calls, sets_copy, &table);
	if (count)
		bob_rows_write(&bob_set_names_table, name, count, sets_copy, &table);
	build_sealed(p, BOB_CHUNK_TABLE_SETS, 0, table.bytes, table.len);
}

static inline void golden_sets_files(struct build *p, struct build *image)
{
	const uint64_t names[] = { 77, 1000, 55 };
	static struct sets_bytes b;

	sets_process(&p[0], 0);
	sets_some(&b, 0);
	sets_put_chunk(&p[0], 0, NULL, 0, &b);
	sets_process(&p[1], 1);
	sets_some(&b, 1);
	sets_put_chunk(&p[1], 2, names, 3, &b);
	sets_some(&b, 2);
	sets_put_chunk(&p[1], 3, names, 3, &b);
	sets_process(&p[2], 2);
	sets_some(&b, 3);
	sets_put_chunk(&p[2], 1, names + 1, 1, &b);
	build_image(image, SETS_IMAGE, "sets", 4);
}

#endif
