/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive/hook_sets.h"

#include "archive/reader.h"

#define VERSION 1u

static bob_status visit_chunk(const struct bob_file *f, const struct bob_chunk_ref *c,
			      uint32_t process,
			      int (*visit)(void *ctx, uint32_t process, const struct bob_set *s),
			      void *ctx, int *stop)
{
	const uint64_t len = bob_chunk_len(c);
	const uint8_t *at = f->bytes + c->off, *end = at + len;
	struct bob_set s;
	bob_status st;

	if (!len || *at++ != VERSION)
		return BOB_ERR_CORRUPT;
	while (!*stop && (st = bob_set_next(&at, end, &s)) != BOB_END) {
		if (st != BOB_OK)
			return st;
		*stop = visit(ctx, process, &s);
	}
	return BOB_OK;
}

bob_status bob_hook_sets_visit(const struct bob_trace *t,
			       int (*visit)(void *ctx, uint32_t process, const struct bob_set *s),
			       void *ctx)
{
	bob_status worst = BOB_OK;
	int stop = 0;

	for (uint32_t i = 0; i < t->process_count && !stop; i++) {
		const struct bob_file *f = t->processes[i]->file;

		for (size_t k = 0; k < f->chunk_count && !stop; k++) {
			const struct bob_chunk_ref *c = &f->chunks[k];

			if (c->head.kind == BOB_CHUNK_SETS &&
			    visit_chunk(f, c, i, visit, ctx, &stop) != BOB_OK)
				worst = BOB_ERR_CORRUPT;
		}
	}
	return worst;
}
