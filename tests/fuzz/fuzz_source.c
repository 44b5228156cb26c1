/* SPDX-License-Identifier: BSD-3-Clause */
/* Source information from any bytes: refused, or tables that go out and come back the same. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "archive/memory/source_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct out {
	uint8_t *at;
	size_t len, capacity;
};

static void take(void *ctx, const void *p, size_t len)
{
	struct out *o = ctx;

	if (o->capacity - o->len < len) {
		o->capacity = 2 * (o->capacity + len) + 64;
		o->at = realloc(o->at, o->capacity);
		assert(o->at);
	}
	if (len)
		memcpy(o->at + o->len, p, len);
	o->len += len;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_arena arena = { 0 };
	struct out first = { 0 }, second = { 0 };
	struct bob_source s, again;

	if (bob_source_get(bytes, len, &arena, &s) == BOB_OK) {
		for (size_t i = 0; i < s.rows; i++)
			assert(bob_source_row_at(&s, s.row[i].pc) == &s.row[i]);
		for (size_t i = 0; i < s.objects; i++)
			assert(bob_source_object_at(s.object, s.objects,
						    s.object[i].addr + s.object[i].size - 1) ==
			       &s.object[i]);
		bob_source_put(&s, take, &first);
		assert(bob_source_get(first.at, first.len, &arena, &again) == BOB_OK);
		bob_source_put(&again, take, &second);
		assert(first.len == second.len && !memcmp(first.at, second.at, first.len));
	}
	free(first.at);
	free(second.at);
	bob_arena_free(&arena);
	return 0;
}
