/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds threads from the chunks of a process file: gathers each stream's DATA chunks, takes a
 * consistent copy of its head, and lists its blocks by following the headers backwards from the one
 * that the head names. Reads one header per block and decodes nothing. */
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/order.h"
#include "base/search.h"

/* --- bytes of a stream --- */

/* The span that contains stream offset `at`, or NULL. */
static const struct bob_span *find_span(const struct bob_stream *s, uint64_t at)
{
	const struct bob_span *sp = s->spans;
	size_t after;

	BOB_PARTITION_POINT(after, s->span_count, i, sp[i].at <= at);
	return after && at - sp[after - 1].at < sp[after - 1].len ? &sp[after - 1] : NULL;
}

const uint8_t *bob_stream_piece(const struct bob_stream *s, uint64_t at, uint64_t len)
{
	const struct bob_span *sp = find_span(s, at);

	if (!sp || sp->len - (at - sp->at) < len)
		return NULL;
	return s->file->bytes + sp->off + (at - sp->at);
}

bob_status bob_stream_copy(const struct bob_stream *s, uint64_t at, uint64_t len, void *to)
{
	uint8_t *p = to;

	while (len) {
		const struct bob_span *sp = find_span(s, at);
		uint64_t n;

		if (!sp)
			return BOB_ERR_CORRUPT;
		n = sp->len - (at - sp->at);
		if (n > len)
			n = len;
		memcpy(p, s->file->bytes + sp->off + (at - sp->at), n);
		p += n;
		at += n;
		len -= n;
	}
	return BOB_OK;
}

uint64_t bob_stream_avail(const struct bob_stream *s, uint64_t at)
{
	const struct bob_span *sp = find_span(s, at);
	const struct bob_span *end = s->spans + s->span_count;
	uint64_t to;

	if (!sp)
		return 0;
	to = sp->at + sp->len;
	while (++sp < end && sp->at == to)
		to += sp->len;
	return to - at;
}

uint64_t bob_stream_where(const struct bob_stream *s, uint64_t at)
{
	const struct bob_span *sp = find_span(s, at);

	return sp ? sp->off + (at - sp->at) : s->head_off;
}

int bob_block_read(const struct bob_stream *s, uint64_t at, struct bob_run_block *b)
{
	return at % 8 == 0 && bob_stream_copy(s, at, sizeof(*b), b) == BOB_OK &&
	       b->magic == BOB_RUN_BLOCK_MAGIC &&
	       b->crc == bob_crc32c(0, b, offsetof(struct bob_run_block, crc));
}

/* --- the head --- */

/* Copies a head that a running writer may be changing. `commit` is read first: a later slot may be
 * combined with an earlier count, but not vice versa. */
static void copy_head(const uint8_t *from, struct bob_stream_head *to)
{
	uint32_t cur = 0;

	for (int tries = 0; tries < 16; tries++) {
		memcpy(&to->run.commit, from, sizeof(to->run.commit));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(&cur, from + offsetof(struct bob_run_head, cur), sizeof(cur));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy((uint8_t *)to + sizeof(to->run.commit), from + sizeof(to->run.commit),
		       sizeof(*to) - sizeof(to->run.commit));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(&to->run.cur, from + offsetof(struct bob_run_head, cur), sizeof(cur));
		if (cur == to->run.cur)
			return;
	}
	to->run.cur = cur;
}

/* Can a writer have left this slot? The bytes that it refers to are not checked. */
static int slot_ok(const struct bob_run_slot *slot)
{
	if (!slot->out_len)
		return !slot->coded_pos && !slot->block_off && !slot->block_pos;
	return slot->block_off % 8 == 0 && slot->block_off < slot->out_len &&
	       slot->out_len - slot->block_off >= sizeof(struct bob_run_block) &&
	       slot->block_pos <= slot->coded_pos && slot->ext_count <= slot->coded_pos;
}

/* The valid slot, or NULL. *old: it is the older one, whose count is smaller than `commit`. */
static const struct bob_run_slot *choose_slot(const struct bob_run_head *h, int *old)
{
	const struct bob_run_slot *slot = &h->slot[h->cur & 1];

	*old = 0;
	if (slot_ok(slot))
		return slot;
	*old = 1;
	slot = &h->slot[(h->cur + 1) & 1];
	return slot_ok(slot) && slot->out_len ? slot : NULL;
}

/* Number of symbols, as far as the head is valid. */
static uint64_t count_symbols(struct bob_trace *t, const struct bob_stream *s,
			      const struct bob_run_head *h, const struct bob_run_slot *slot,
			      int old)
{
	if (!slot)
		return h->commit;
	if (slot->flags & BOB_RUN_CLOSED) {
		if (h->commit != slot->coded_pos)
			bob_problem_add(t, s->file, s->head_off,
					"a closed stream's counts do not agree", 1);
		return slot->coded_pos;
	}
	if (old || h->commit <= slot->coded_pos)
		return slot->coded_pos;
	if (h->codec != BOB_CODEC_NULL && h->commit - slot->block_pos > BOB_BLOCK_COUNT_MAX) {
		bob_problem_add(t, s->file, s->head_off, "invalid number of symbols", 1);
		return slot->coded_pos;
	}
	return h->commit;
}

/* --- blocks --- */

static int push_block(struct bob_stream *s, const struct bob_block_ref *b)
{
	if (bob_array_reserve(&s->blocks, s->block_count, &s->block_cap, sizeof(*s->blocks)))
		return -1;
	s->blocks[s->block_count++] = *b;
	return 0;
}

/* Follows the chain from the slot's block to the first block. BOB_ERR_CORRUPT: it is broken. */
static bob_status walk_chain(struct bob_stream *s, const struct bob_run_head *h,
			     const struct bob_run_slot *slot, uint64_t end)
{
	const uint32_t crc = h->crc[slot - h->slot];
	struct bob_block_ref ref = { .off = slot->block_off + sizeof(struct bob_run_block),
				     .len = slot->out_len - slot->block_off -
					    sizeof(struct bob_run_block),
				     .pos = slot->block_pos,
				     .count = end - slot->block_pos,
				     .crc = crc,
				     .flags = (slot->flags & BOB_RUN_CLOSED ? 0 : BOB_BLOCK_TAIL) |
					      (crc ? BOB_BLOCK_CRC : 0) };
	uint64_t at = slot->block_off;
	uint32_t no = slot->block_no;
	struct bob_run_block b;

	if (bob_stream_avail(s, at) < slot->out_len - at)
		return BOB_ERR_CORRUPT;
	for (;; no--) {
		if (!bob_block_read(s, at, &b) || b.no != no || b.pos != ref.pos)
			return BOB_ERR_CORRUPT;
		ref.ext = b.ext_count;
		if (push_block(s, &ref))
			return BOB_ERR_NOMEM;
		if (!no)
			break;
		if (b.prev_off >= at || at - b.prev_off < sizeof(b) ||
		    b.prev_len > at - b.prev_off - sizeof(b) || b.prev_count > ref.pos)
			return BOB_ERR_CORRUPT;
		at = b.prev_off;
		ref.off = at + sizeof(b);
		ref.len = b.prev_len;
		ref.pos -= b.prev_count;
		ref.count = b.prev_count;
		ref.crc = b.prev_crc;
		ref.flags = BOB_BLOCK_CRC;
	}
	if (at || ref.pos)
		return BOB_ERR_CORRUPT;
	for (size_t i = 0, k = s->block_count; i + 1 < k--; i++) {
		ref = s->blocks[i];
		s->blocks[i] = s->blocks[k];
		s->blocks[k] = ref;
	}
	return BOB_OK;
}

static bob_status list_blocks(struct bob_trace *t, struct bob_stream *s,
			      const struct bob_run_head *h)
{
	int old;
	const struct bob_run_slot *slot = choose_slot(h, &old);
	bob_status st;

	if (!slot || old)
		bob_problem_add(t, s->file, s->head_off, "a stream's newest state is damaged", 1);
	s->info.symbols = count_symbols(t, s, h, slot, old);
	s->info.stream_bytes = slot ? slot->out_len : 0;
	if (h->codec == BOB_CODEC_NULL) {
		uint64_t ext = slot ? slot->ext_count : 0;

		s->info.events = s->info.symbols < ext ? 0 : s->info.symbols - ext;
		s->counted = 1;
		return BOB_OK;
	}
	if (slot && !slot->out_len) {
		if (s->info.symbols)
			bob_problem_add(t, s->file, s->head_off, "symbols without coded bytes", 1);
		s->info.symbols = 0;
		s->counted = 1;
		return BOB_OK;
	}
	if (slot && slot->flags & BOB_RUN_CLOSED) {
		s->info.events = slot->coded_pos - slot->ext_count;
		s->counted = 1;
	} else if (slot) {
		s->tail_len = bob_run_tail((enum bob_codec)h->codec, slot, s->tail);
	}
	st = slot ? walk_chain(s, h, slot, s->info.symbols) : BOB_ERR_CORRUPT;
	if (st != BOB_ERR_CORRUPT)
		return st;
	bob_problem_add(t, s->file, s->head_off, "the chain of a stream's blocks is broken", 1);
	s->block_count = 0;
	s->counted = 0;
	return bob_stream_salvage(t, s, s->info.symbols, slot);
}

/* --- streams --- */

static void fill_info(struct bob_trace *t, struct bob_stream *s, const struct bob_stream_head *h)
{
	struct bob_thread_info *i = &s->info;
	const struct bob_stream_counters *c = &h->count;
	const char *name = bob_arena_name(&t->arena, h->name, strnlen(h->name, sizeof(h->name)));

	i->tid = h->tid;
	/* it was about to end when the process was killed, so the end was not recorded */
	i->state = h->state == BOB_THREAD_LIVE && h->end_mono_ns ? BOB_THREAD_ENDED : h->state;
	i->codec = h->run.codec;
	i->name = name ? name : "";
	i->start_mono_ns = h->start_mono_ns;
	i->end_mono_ns = h->end_mono_ns;
	i->top_mismatch = c->top_mismatch;
	i->orphans = c->orphans;
	i->sp_rule = c->sp_rule;
	i->slow_entries = c->slow_entries;
	i->site_misses = c->site_misses;
	i->queued = c->queued;
	i->lost = c->lost;
	i->switches = c->switches;
	i->restarts = c->restarts;
	i->outside = c->outside;
	i->beside = c->beside;
}

static int head_sane(struct bob_trace *t, const struct bob_file *f, const struct bob_chunk_ref *c)
{
	if (c->avail < sizeof(struct bob_stream_head)) {
		bob_problem_add(t, f, c->off, "a stream's head is cut off", 1);
		return 0;
	}
	if (!bob_chunk_crc_ok(f, c))
		bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
	return 1;
}

static bob_status add_stream(struct bob_trace *t, struct bob_process *p,
			     const struct bob_chunk_ref *c)
{
	struct bob_stream_head h;
	struct bob_stream *s;

	if (!head_sane(t, p->file, c))
		return BOB_OK;
	copy_head(p->file->bytes + c->off, &h);
	if (!h.run.codec && !h.run.commit) {
		bob_problem_add(t, p->file, c->off, "a stream that was never begun", 0);
		return BOB_OK;
	}
	if (h.run.codec < BOB_CODEC_RUN || h.run.codec > BOB_CODEC_NULL) {
		bob_problem_add(t, p->file, c->off, "a stream of an unknown codec", 1);
		return BOB_OK;
	}
	if (h.state > BOB_THREAD_AT_EXIT)
		bob_problem_add(t, p->file, c->off, "unknown state of a thread", 0);
	if (bob_array_reserve(&p->streams, p->stream_count, &p->stream_cap, sizeof(*p->streams)))
		return BOB_ERR_NOMEM;
	s = calloc(1, sizeof(*s));
	if (!s)
		return BOB_ERR_NOMEM;
	p->streams[p->stream_count++] = s;
	s->file = p->file;
	s->number = c->head.stream;
	s->head_off = c->off;
	s->start_depth = h.start_depth;
	fill_info(t, s, &h);
	return BOB_OK;
}

BOB_COMPARE_POINTERS(by_number, struct bob_stream, BOB_UP(number) BOB_UP(head_off))

/* Of several heads with one number the first wins. */
static void sort_streams(struct bob_trace *t, struct bob_process *p)
{
	size_t n = 0;

	if (p->stream_count)
		qsort(p->streams, p->stream_count, sizeof(*p->streams), by_number);
	for (size_t i = 0; i < p->stream_count; i++) {
		struct bob_stream *s = p->streams[i];

		if (n && p->streams[n - 1]->number == s->number) {
			bob_problem_add(t, p->file, s->head_off, "duplicate stream number", 1);
			free(s);
			continue;
		}
		s->info.number = (uint32_t)n;
		p->streams[n++] = s;
	}
	p->stream_count = n;
}

struct data_chunk {
	uint32_t stream;
	struct bob_span span;
};

BOB_COMPARE(by_stream_offset, struct data_chunk, BOB_UP(stream) BOB_UP(span.at) BOB_UP(span.off))

/* Assigns to each stream its sorted spans, without overlaps. */
static void share_spans(struct bob_trace *t, struct bob_process *p, const struct data_chunk *data,
			size_t count)
{
	size_t used = 0, k = 0;

	for (size_t i = 0; i < p->stream_count; i++) {
		struct bob_stream *s = p->streams[i];
		uint64_t end = 0;

		s->spans = p->spans + used;
		for (; k < count && data[k].stream <= s->number; k++) {
			if (data[k].stream < s->number)
				continue;
			if (data[k].span.at < end ||
			    data[k].span.len > UINT64_MAX - data[k].span.at) {
				bob_problem_add(t, p->file, data[k].span.off,
						"coded bytes for a place that has some", 1);
				continue;
			}
			end = data[k].span.at + data[k].span.len;
			p->spans[used++] = data[k].span;
			s->span_count++;
		}
	}
}

static bob_status gather_spans(struct bob_trace *t, struct bob_process *p)
{
	const struct bob_file *f = p->file;
	struct data_chunk *data = calloc(f->chunk_count + 1, sizeof(*data));
	size_t count = 0;

	p->spans = calloc(f->chunk_count + 1, sizeof(*p->spans));
	if (!data || !p->spans) {
		free(data);
		return BOB_ERR_NOMEM;
	}
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (c->head.kind != BOB_CHUNK_DATA || !c->avail)
			continue;
		data[count].stream = c->head.stream;
		data[count].span.at = c->head.aux;
		data[count].span.off = c->off;
		data[count++].span.len = c->avail;
	}
	if (count)
		qsort(data, count, sizeof(*data), by_stream_offset);
	share_spans(t, p, data, count);
	free(data);
	return BOB_OK;
}

bob_status bob_streams_build(struct bob_trace *t, struct bob_process *p)
{
	const struct bob_file *f = p->file;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->chunk_count && st == BOB_OK; i++)
		if (f->chunks[i].head.kind == BOB_CHUNK_STREAM)
			st = add_stream(t, p, &f->chunks[i]);
	if (st != BOB_OK)
		return st;
	sort_streams(t, p);
	st = gather_spans(t, p);
	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++) {
		struct bob_stream_head h;

		copy_head(f->bytes + p->streams[i]->head_off, &h);
		st = list_blocks(t, p->streams[i], &h.run);
	}
	return st;
}
