/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that made recorded accesses, and their source information. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "archive/write/event_write.h"
#include "archive/events/hook_sets.h"
#include "archive/reader.h"
#include "base/search.h"
#include "base/sized.h"

#define RAW_WORDS_READ                                                                             \
	(16u << 20) /* of a process; with more raw records all descriptors count as used */

/* --- instructions in use --- */

struct used {
	uint8_t *bits;		/* by descriptor number */
	uint64_t count;
};

static void mark(struct used *u, uint64_t number)
{
	if (number < u->count)
		u->bits[number / 8] |= (uint8_t)(1 << number % 8);
}

static void mark_folded(struct used *u, const struct bob_folded *f)
{
	struct bob_fold_shape s;
	uint32_t number;

	for (uint32_t i = 0; i < bob_folded_shapes(f); i++) {
		bob_folded_shape(f, i, &s);
		if (bob_mem_leaf_key(s.key, s.key_len, &number) == BOB_OK)
			mark(u, number);
	}
}

/* Marks the descriptors of raw records, including records after damage. */
static bob_status mark_raw(struct used *u, const struct bob_process *p, const struct bob_stream *s)
{
	struct bob_stream raw = *s;
	struct bob_mem_record rec;
	struct bob_records r;
	uint64_t words = 0;
	bob_status st;

	raw.folded = NULL;
	for (size_t i = 0; i < s->raw_count; i++)
		words += s->raws[i].words;
	if (words > RAW_WORDS_READ) {
		memset(u->bits, 0xff, u->count / 8 + 1);
		return BOB_OK;
	}
	bob_records_open(&r, p, &raw);
	do {
		st = bob_records_next(&r, &rec, NULL);
		if (st == BOB_OK)
			mark(u, rec.number);
	} while (st == BOB_OK || st == BOB_ERR_CORRUPT);
	bob_records_close(&r);
	return st == BOB_END ? BOB_OK : st;
}

/* Visits the places of call paths of events with values. */
static void visit_calls(const struct bob_trace *t, uint32_t process,
			void (*visit)(void *ctx, uint32_t image, uint64_t pc), void *ctx)
{
	const struct bob_process *p = t->processes[process];
	uint32_t image, parent;
	uint64_t place, pc;

	for (size_t i = 0; i < p->stream_count; i++) {
		const struct bob_event_stream *e = &p->streams[i]->mpi;

		for (uint32_t path = 1;
		     e->folded && bob_folded_path(e->folded, path, &parent, &place); path++) {
			bob_trace_place(t, process, place, &image, &pc);
			visit(ctx, image, pc);
		}
		for (size_t d = 0; d < e->def_count; d++)
			for (uint32_t k = 0; k < e->defs[d].depth; k++) {
				bob_trace_place(t, process, e->defs[d].place[k], &image, &pc);
				visit(ctx, image, pc);
			}
		if (e->folded && p->common->events)
			break; /* all threads share these paths */
	}
}

struct visiting {
	const struct bob_trace *t;
	uint32_t process;
	void (*visit)(void *ctx, uint32_t image, uint64_t pc);
	void *ctx;
};

/* Sets of other processes are skipped: their places are visited for those processes. */
static int visit_set(void *ctx, uint32_t process, const struct bob_set *s)
{
	const struct visiting *v = ctx;
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	if (process != v->process)
		return 0;
	bob_set_calls(s, call);
	for (uint32_t i = 0; i < s->depth; i++) {
		const uint32_t image = bob_hook_image(v->t, process, call[i].image);

		if (image != BOB_SET_NO_IMAGE)
			v->visit(v->ctx, image, call[i].address);
	}
	return 0;
}

static bob_status visit_sets(const struct bob_trace *t, uint32_t process,
			     void (*visit)(void *ctx, uint32_t image, uint64_t pc), void *ctx)
{
	const struct bob_file *f = t->processes[process]->file;
	struct visiting v = { t, process, visit, ctx };
	int has_sets = 0;

	for (size_t k = 0; k < f->chunk_count; k++)
		has_sets |= f->chunks[k].head.kind == BOB_CHUNK_SETS ||
			    f->chunks[k].head.kind == BOB_CHUNK_TABLE_SETS;
	/* damage is reported when sets are printed */
	return has_sets && bob_hook_sets_visit(t, visit_set, &v) == BOB_ERR_NOMEM ? BOB_ERR_NOMEM :
										    BOB_OK;
}

bob_status bob_archive_used(const struct bob_trace *t, uint32_t process,
			    void (*visit)(void *ctx, uint32_t image, uint64_t pc), void *ctx)
{
	const struct bob_process *p = t->processes[process];
	const struct bob_desc_run *run = p->common->descs;
	const size_t runs = p->common->desc_run_count;
	struct used u = { .count = runs ? run[runs - 1].first + run[runs - 1].count : 0 };
	bob_status st = visit_sets(t, process, visit, ctx);

	if (st != BOB_OK)
		return st;
	visit_calls(t, process, visit, ctx);
	if (!u.count || u.count > BOB_MEM_NUMBER)
		return u.count ? BOB_ERR_CORRUPT : BOB_OK;
	u.bits = calloc(1, u.count / 8 + 1);
	if (!u.bits)
		return BOB_ERR_NOMEM;
	if (p->common->merged)
		mark_folded(&u, p->common->merged);
	for (size_t i = 0; i < p->stream_count && st == BOB_OK; i++) {
		if (p->streams[i]->folded && !p->common->merged)
			mark_folded(&u, p->streams[i]->folded);
		if (bob_stream_has_raw(p->streams[i]))
			st = mark_raw(&u, p, p->streams[i]);
	}
	for (uint64_t n = 0; n < u.count && st == BOB_OK; n++) {
		const struct bob_mem_desc *d = NULL;

		if (u.bits[n / 8] >> n % 8 & 1)
			d = bob_desc_find(p, n);
		for (uint32_t i = 0; d && i < d->access_count; i++)
			visit(ctx, bob_desc_image(p, d), d->pc + d->access[i].pc);
	}
	free(u.bits);
	return st;
}

int bob_archive_is_of_values(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process *p = t->processes[process];
	int calls = 1;

	for (int i = 0; p->info.config && p->info.config[i]; i++)
		calls &= strcmp(p->info.config[i], "BOBBIN_CALLS=0") != 0;
	for (size_t i = 0; i < p->image_count; i++)
		calls |= p->images[i].info.patched != 0;
	return !calls && !p->common->desc_run_count && !p->coverage.functions;
}

/* --- source information --- */

static const struct bob_image *image_at(const struct bob_trace *t, uint32_t process, uint32_t image)
{
	if (process >= t->process_count || image >= t->processes[process]->image_count)
		return NULL;
	return &t->processes[process]->images[image];
}

static struct bob_place place_of(const struct bob_source *s, uint32_t place)
{
	const struct bob_source_place *p = place ? &s->place[place - 1] : NULL;

	return p ? (struct bob_place){ p->kind, p->name, p->frame, p->size } :
		   (struct bob_place){ .name = "" };
}

bob_status bob_trace_source_sized(const struct bob_trace *t, uint32_t process, uint32_t image,
				  uint64_t pc, struct bob_source_line *out, size_t out_size)
{
	const struct bob_image *im = image_at(t, process, image);
	const struct bob_source_row *r = im && im->source ? bob_source_row_at(im->source, pc) :
							    NULL;
	struct bob_source_line l = { .file = "", .load = { .name = "" }, .store = { .name = "" } };

	if (r) {
		l.file = r->file == ~0u ? "" : im->source->file[r->file];
		l.line = r->line;
		l.load = place_of(im->source, r->load);
		l.store = place_of(im->source, r->store);
	}
	bob_sized_copy(out, out_size, &l, sizeof(l));
	return r ? BOB_OK : BOB_NONE;
}

uint32_t bob_trace_inlined(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
			   struct bob_inlined_frame *to, uint32_t capacity)
{
	const struct bob_image *im = image_at(t, process, image);
	const struct bob_source *s = im ? im->source : NULL;
	const struct bob_source_row *r = s ? bob_source_row_at(s, pc) : NULL;
	uint32_t n = 0;

	for (uint32_t at = r ? r->inlined - 1 : ~0u; at != ~0u; at = s->inlined[at].parent, n++) {
		const struct bob_source_inlined *c = &s->inlined[at];

		if (n < capacity)
			to[n] = (struct bob_inlined_frame){
				c->function == ~0u ? "" : s->text[c->function],
				c->file == ~0u ? "" : s->text[c->file], c->line
			};
	}
	return n;
}

bob_status bob_trace_object_sized(const struct bob_trace *t, uint32_t process, uint64_t address,
				  struct bob_object *out, size_t out_size)
{
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;
	struct bob_object object;
	int found = 0;

	for (size_t i = 0; p && i < p->image_count; i++) {
		const struct bob_image *im = &p->images[i];
		const struct bob_source *s = im->source;
		const struct bob_source_object *o, *section;
		int is_section;

		if (!s)
			continue;
		section = bob_source_object_at(s->section, s->sections, address - im->info.bias);
		o = bob_source_object_at(s->object, s->objects, address - im->info.bias);
		if (!o && !section)
			continue;
		if (found++)	/* ambiguous: one image was unloaded before the other was loaded */
			return BOB_NONE;
		is_section = !o;
		o = o ? o : section;
		object = (struct bob_object){ o->name, o->addr + im->info.bias, o->size,
					      (uint32_t)i, is_section };
	}
	if (found)
		bob_sized_copy(out, out_size, &object, sizeof(object));
	return found ? BOB_OK : BOB_NONE;
}

/* Narrows [*lo, *hi) to the range around `at` without a border of an object. */
static void narrow(const struct bob_source_object *o, size_t count, uint64_t at, uint64_t *lo,
		   uint64_t *hi)
{
	size_t low;
	uint64_t from = 0, to = UINT64_MAX;

	/* the first one after it */
	BOB_PARTITION_POINT(low, count, mid, o[mid].addr <= at);
	if (low < count)
		to = o[low].addr;
	if (low) {
		from = o[low - 1].addr + o[low - 1].size;
		if (at < from) {
			to = from;
			from = o[low - 1].addr;
		}
	}
	*lo = *lo > from ? *lo : from;
	*hi = *hi < to ? *hi : to;
}

void bob_trace_object_span(const struct bob_trace *t, uint32_t process, uint64_t address,
			   uint64_t *lo, uint64_t *hi)
{
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;

	*lo = 0;
	*hi = UINT64_MAX;
	for (size_t i = 0; p && i < p->image_count; i++) {
		const struct bob_image *im = &p->images[i];
		uint64_t from = 0, to = UINT64_MAX, at = address - im->info.bias;

		if (!im->source)
			continue;
		narrow(im->source->object, im->source->objects, at, &from, &to);
		narrow(im->source->section, im->source->sections, at, &from, &to);
		/* as distances, because a range may wrap around the end of the address space */
		from = at - from;
		to -= at;
		if (from < address - *lo)
			*lo = address - from;
		if (to < *hi - address)
			*hi = address + to;
	}
}

int bob_trace_has_source(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;

	for (size_t i = 0; p && i < p->image_count; i++)
		if (p->images[i].source)
			return 1;
	return 0;
}
