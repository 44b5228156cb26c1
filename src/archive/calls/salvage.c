/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the blocks of a stream whose chain is broken: every 8-byte aligned offset is tried for a
 * block header with a valid checksum. A block is used if the next header confirms it or the
 * stream's head names it; only then its symbols are known exactly. */
#include "archive/reader.h"
#include "base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct found {
	uint64_t at;
	struct bob_run_block b;
};

struct found_list {
	BOB_VEC(struct found);
};

/* Lists headers in stream order. A header whose number or position decreases is not of this
 * stream. */
static bob_status scan(const struct bob_stream *s, uint64_t end_pos, struct found_list *list)
{
	struct found f;

	for (size_t i = 0; i < s->span_count; i++) {
		const struct bob_span *sp = &s->spans[i];
		uint64_t skip = -sp->at & 7;

		for (uint64_t k = skip; k < sp->len; k += 8) {
			f.at = sp->at + k;
			if (!bob_block_read(s, f.at, &f.b) || f.b.pos > end_pos)
				continue;
			if (list->count && (f.b.no <= list->at[list->count - 1].b.no ||
					    f.b.pos < list->at[list->count - 1].b.pos))
				continue;
			if (BOB_VEC_ADD(list, f))
				return BOB_ERR_NOMEM;
		}
	}
	return BOB_OK;
}

/* Does the header `next` confirm the block before it? */
static int vouched(const struct found *f, const struct found *next)
{
	return next->b.no == f->b.no + 1 && next->b.prev_off == f->at &&
	       f->b.pos + next->b.prev_count == next->b.pos &&
	       next->at - f->at - sizeof(f->b) >= next->b.prev_len;
}

/* Returns 0 if the extent of the block is unknown, so that it cannot be decoded exactly. */
static int describe(const struct bob_stream *s, const struct found *f, const struct found *next,
		    uint64_t end_pos, const struct bob_run_slot *slot, struct bob_block_ref *ref)
{
	uint64_t avail = bob_stream_avail(s, f->at) - sizeof(f->b);

	memset(ref, 0, sizeof(*ref));
	ref->off = f->at + sizeof(f->b);
	ref->pos = f->b.pos;
	ref->ext = f->b.ext_count;
	if (next && next->at - f->at >= sizeof(f->b) && vouched(f, next)) {
		ref->len = next->b.prev_len;
		ref->count = next->b.prev_count;
		ref->crc = next->b.prev_crc;
		ref->flags = BOB_BLOCK_CRC;
		return 1;
	}
	if (!slot || f->at != slot->block_off || f->b.pos != slot->block_pos)
		return 0;
	ref->len = slot->out_len - ref->off;
	ref->count = end_pos - f->b.pos;
	ref->flags = slot->flags & BOB_RUN_CLOSED ? 0 : BOB_BLOCK_TAIL;
	if (ref->len > avail) {
		ref->len = avail;
		ref->flags = BOB_BLOCK_PARTIAL;
		return s->info.codec != BOB_CODEC_PARLOT;
	}
	return 1;
}

bob_status bob_stream_salvage(struct bob_trace *t, struct bob_stream *s, uint64_t end_pos,
			      const struct bob_run_slot *slot)
{
	struct found_list list = { 0 };
	struct bob_block_ref ref;
	uint64_t pos = 0;
	bob_status st = scan(s, end_pos, &list);

	for (size_t i = 0; i < list.count && st == BOB_OK; i++) {
		const struct found *next = i + 1 < list.count ? &list.at[i + 1] : NULL;

		if (!describe(s, &list.at[i], next, end_pos, slot, &ref)) {
			bob_problem_add(t, s->file, bob_stream_where(s, list.at[i].at),
					"a block whose end is not known", 1);
			continue;
		}
		if (ref.pos != pos)
			ref.flags |= BOB_BLOCK_HOLE;
		pos = ref.pos + ref.count;
		if (bob_array_reserve(&s->blocks, s->block_count, &s->block_cap,
				      sizeof(*s->blocks)))
			st = BOB_ERR_NOMEM;
		else
			s->blocks[s->block_count++] = ref;
	}
	if (!list.count)
		bob_problem_add(t, s->file, s->head_off, "no block of a stream can be found", 1);
	BOB_VEC_FREE(&list);
	return st;
}
