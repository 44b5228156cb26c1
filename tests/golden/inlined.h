/* SPDX-License-Identifier: BSD-3-Clause */
/* A golden trace with inlined calls: the process of syncs.h, and an image with calls. */
#ifndef BOB_TESTS_GOLDEN_INLINED_H
#define BOB_TESTS_GOLDEN_INLINED_H

#include "syncs.h"

static inline void golden_inlined_image(struct build *b)
{
	static const char *file[] = { "/src/sync.c" };
	static const char *text[] = { "_ZN4mesh3getEi", "/src/mesh.h", "f", "m\xc3\xa4sh::put x" };
	static struct bob_source_inlined call[] = {
		{ ~0u, 0, 1, 4 },	  { 0, 2, 1, 9 },    { 1, 3, 1, 4000000000u },
		{ ~0u, ~0u, ~0u, 0 }, { 3, 0, 1, 200 },
	};
	static struct bob_source_row row[] = {
		{ 0x1000, 0, 12, 0, 0, 3 }, { 0x1004, 0, 11, 0, 0, 3 }, { 0x1010, 0, 13, 0, 0, 2 },
		{ 0x1011, ~0u, 0, 0, 0, 5 }, { 0x1270, 0, 7, 0, 0, 0 }, { 0x1280, 0, 7, 0, 0, 0 },
		{ 0x70000000, 0, 1, 0, 0, 4 },
	};
	const struct bob_source s = { .file = file, .files = 1, .row = row, .rows = 7,
				      .inlined = call, .inlined_count = 5, .text = text,
				      .texts = 4 };
	struct sync_bytes bytes = { .len = 0 };

	sync_source(b, 0x77, "", &s);
	if (bob_source_put_inlined(&s, sync_take, &bytes) != BOB_OK)
		abort();
	build_sealed(b, BOB_CHUNK_TABLE_INLINED, 5, bytes.at, bytes.len);
}

#endif
