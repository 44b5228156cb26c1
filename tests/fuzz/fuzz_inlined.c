/* SPDX-License-Identifier: BSD-3-Clause */
/* Inlined calls from any bytes, for the rows of a source: refused, or tables that go out and come
 * back the same, also without those that are not in use. The first byte is the number of rows. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "archive/memory/source_info.h"
#include "base/host/bytes.h"

#define ROWS_MAX 255u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void make_rows(struct bob_source *s, struct bob_source_row *row, size_t count)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < count; i++)
		row[i] = (struct bob_source_row){ .pc = i + 1, .file = ~0u };
	s->row = row;
	s->rows = count;
}

/* Every chain ends. */
static void check_chains(const struct bob_source *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		uint32_t depth = 0;

		assert(s->row[i].inlined <= s->inlined_count);
		for (uint32_t at = s->row[i].inlined - 1; at != ~0u; at = s->inlined[at].parent) {
			assert(++depth <= BOB_SOURCE_INLINED_DEPTH && at < s->inlined_count);
			assert(s->inlined[at].function == ~0u ||
			       s->inlined[at].function < s->texts);
			assert(s->inlined[at].file == ~0u || s->inlined[at].file < s->texts);
		}
	}
}

static void check_round(const struct bob_source *s, struct bob_arena *arena)
{
	struct bob_source_row row[ROWS_MAX];
	struct bob_bytes first = { 0 }, second = { 0 };
	struct bob_source again;

	make_rows(&again, row, s->rows);
	assert(bob_source_put_inlined(s, bob_bytes_take, &first) == BOB_OK);
	if (first.len)
		assert(bob_source_get_inlined(first.at, first.len, arena, &again) == BOB_OK);
	assert(again.inlined_count == s->inlined_count);
	assert(bob_source_put_inlined(&again, bob_bytes_take, &second) == BOB_OK);
	assert(first.len == second.len && (!first.len || !memcmp(first.at, second.at, first.len)));
	bob_bytes_free(&first);
	bob_bytes_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_source_row row[ROWS_MAX];
	struct bob_arena arena = { 0 };
	struct bob_source s;

	if (!len)
		return 0;
	make_rows(&s, row, bytes[0]);
	if (bob_source_get_inlined(bytes + 1, len - 1, &arena, &s) == BOB_OK) {
		check_chains(&s);
		check_round(&s, &arena);
		assert(bob_source_drop_inlined(&s) == BOB_OK);
		check_chains(&s);
		check_round(&s, &arena);
	} else {
		assert(!s.inlined_count);
	}
	bob_arena_free(&arena);
	return 0;
}
