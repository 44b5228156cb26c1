/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives frame addresses from the folded accesses of a thread: collects one candidate per access
 * and keeps the unambiguous ones. */
#include "analysis/memory/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/vec.h"
#include "base/order.h"

#define THREAD_BLOCK (~0ull - 1) /* instead of a function: the thread's block of the image */

struct frame {
	uint64_t function;	/* link address */
	uint64_t cfa;
	uint32_t path, image;
	int several;
};

struct bob_frames {
	const struct bob_trace *trace;
	uint32_t process;
	BOB_VEC(struct frame);	/* sorted */
	int failed;
};

BOB_COMPARE(by_key, struct frame, BOB_UP(path) BOB_UP(image) BOB_UP(function))

/* Link address of the function of an instruction, or ~0. */
static uint64_t function_of(const struct bob_frames *f, uint32_t image, uint64_t pc)
{
	struct bob_function_info fn;

	return bob_trace_function_at(f->trace, f->process, image, pc, &fn) == BOB_OK ? fn.addr :
										       ~0ull;
}

struct constant {
	uint64_t value;
	int any, several;
};

static int take(void *ctx, const struct bob_piece *p)
{
	struct constant *c = ctx;

	for (uint32_t d = 0; d < p->dims; d++)
		c->several |= p->step[d] != 0;
	c->several |= c->any && c->value != p->base;
	c->value = p->base;
	c->any = 1;
	return c->several;
}

static void add(struct bob_frames *f, const struct frame *frame)
{
	if (BOB_VEC_ADD(f, *frame))
		f->failed = 1;
}

/* Adds the frame addresses that the accesses of a leaf imply. */
static void add_leaf(struct bob_frames *f, const struct bob_folded *folded, uint32_t participant,
		     uint32_t part, uint32_t shape, const struct bob_leaf *leaf,
		     const struct bob_leaf_access *a)
{
	struct bob_fold_shape s;

	bob_folded_shape(folded, shape, &s);
	for (uint32_t i = 0; i < leaf->accesses; i++) {
		struct bob_source_line line;
		struct constant c = { 0 };
		const struct bob_place *p;
		struct frame frame = { .path = s.path, .image = leaf->image };
		int left = 0;

		if (a[i].word == BOB_LEAF_NO_WORD ||
		    bob_trace_source(f->trace, f->process, leaf->image, a[i].pc, &line) != BOB_OK)
			continue;
		p = a[i].type == BOB_ACCESS_LOAD ? &line.load : &line.store;
		if (p->kind != BOB_PLACE_LOCAL && p->kind != BOB_PLACE_STACK &&
		    p->kind != BOB_PLACE_THREAD)
			continue;
		(void)bob_folded_pieces(folded, participant, part, 2 * shape, a[i].word, take, &c,
					&left);
		if (!c.any && !left)
			continue;
		frame.function = function_of(f, leaf->image, a[i].pc);
		if (p->kind == BOB_PLACE_THREAD) {
			if (leaf->kind != BOB_LEAF_BLOCK)
				continue;	/* redundant: blocks determine the address */
			frame.path = BOB_FOLD_NO_PATH;
			frame.function = THREAD_BLOCK;
		}
		frame.cfa = c.value + (uint64_t)a[i].offset - (uint64_t)p->frame;
		frame.several = c.several || left || leaf->kind != BOB_LEAF_BLOCK;
		add(f, &frame);
	}
}

static void unite(struct bob_frames *f)
{
	size_t n = 0;

	if (f->count)
		qsort(f->at, f->count, sizeof(*f->at), by_key);
	for (size_t i = 0; i < f->count; i++) {
		if (!n || by_key(&f->at[n - 1], &f->at[i])) {
			f->at[n++] = f->at[i];
			continue;
		}
		f->at[n - 1].several |= f->at[i].several || f->at[n - 1].cfa != f->at[i].cfa;
	}
	f->count = n;
}

struct bob_frames *bob_frames_create(const struct bob_trace *t, uint32_t thread, uint32_t part)
{
	struct bob_leaf_access *a = calloc(4096, sizeof(*a)); /* maximum per leaf */
	struct bob_frames *f = calloc(1, sizeof(*f));
	uint32_t participant;
	const struct bob_folded *folded = bob_trace_folded(t, thread, &participant);

	if (!a || !f) {
		free(a);
		free(f);
		return NULL;
	}
	f->trace = t;
	f->process = bob_trace_thread(t, thread)->process;
	for (uint32_t i = 0; folded && i < bob_folded_shapes(folded) && !f->failed; i++) {
		struct bob_leaf leaf;

		if (bob_trace_leaf(t, thread, i, &leaf, a, 4096) == BOB_OK &&
		    (leaf.kind == BOB_LEAF_BLOCK || leaf.kind == BOB_LEAF_LOOP) &&
		    leaf.accesses <= 4096)
			add_leaf(f, folded, participant, part, i, &leaf, a);
	}
	free(a);
	unite(f);
	return f;
}

void bob_frames_destroy(struct bob_frames *f)
{
	if (!f)
		return;
	BOB_VEC_FREE(f);
	free(f);
}

static int find(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t function,
		uint64_t *cfa)
{
	const struct frame key = { .path = path, .image = image, .function = function };
	const struct frame *found = NULL;

	if (f && f->count && !f->failed && function != ~0ull)
		found = bsearch(&key, f->at, f->count, sizeof(*f->at), by_key);
	if (!found || found->several)
		return 0;
	*cfa = found->cfa;
	return 1;
}

int bob_frames_find(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		    uint64_t *cfa)
{
	return f && find(f, path, image, function_of(f, image, pc), cfa);
}

int bob_frames_confirm(const struct bob_frames *f, uint32_t path, uint32_t image, uint64_t pc,
		       const struct bob_place *place, uint64_t lo, uint64_t hi)
{
	uint64_t cfa;

	if (!*place->name)
		return 0;
	if (place->kind == BOB_PLACE_THREAD_INDEXED ?
		    !find(f, BOB_FOLD_NO_PATH, image, THREAD_BLOCK, &cfa) :
		    (place->kind != BOB_PLACE_INDEXED ||
		     !bob_frames_find(f, path, image, pc, &cfa)))
		return 0;
	cfa += (uint64_t)place->frame;
	return lo >= cfa && hi >= lo && hi - cfa <= place->size;
}
