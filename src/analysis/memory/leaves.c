/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the folded accesses of a thread, leaf by leaf: their numbers follow from the loops' trip
 * counts, their addresses from the pieces of their columns. By variable, each piece is counted
 * separately, because it may be in another variable. */
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/frames.h"
#include "analysis/memory/rows.h"

#define PIECES_MAX BOB_MEMORY_PIECES_MAX
#define PIECES_FEW BOB_MEMORY_PIECES_FEW
#define LEAF_ACCESSES 4096u	/* maximal number per leaf */

struct thread {
	struct bob_memory *m;
	const struct bob_folded *folded;
	uint32_t thread, participant, part;
	uint64_t *shape, *loop;
	struct bob_frames *frames;
	struct bob_memory_skipped *skip;
};

static struct bob_variable_access access_of(const struct bob_leaf *leaf,
					    const struct bob_leaf_access *a)
{
	return (struct bob_variable_access){ .image = leaf->image, .pc = a->pc, .type = a->type,
					     .on_stack = a->word != BOB_LEAF_NO_WORD &&
							 a->word == leaf->sp_word };
}

static void place_of(const struct thread *t, const struct bob_leaf *leaf,
		     const struct bob_leaf_access *a, struct bob_place *p)
{
	struct bob_source_line line;

	(void)bob_trace_source(t->m->trace, t->m->process, leaf->image, a->pc, &line);
	*p = a->type == BOB_ACCESS_LOAD ? line.load : line.store;
}

/* Does the variable of an access follow from its instruction, independent of the address? */
static int is_placed(const struct thread *t, const struct bob_leaf *leaf,
		     const struct bob_leaf_access *a)
{
	struct bob_place p;

	place_of(t, leaf, a, &p);
	return p.kind == BOB_PLACE_LOCAL || p.kind == BOB_PLACE_STACK ||
	       p.kind == BOB_PLACE_POINTER || p.kind == BOB_PLACE_THREAD ||
	       p.kind == BOB_PLACE_THREAD_INDEXED ||
	       (a->word != BOB_LEAF_NO_WORD && a->word == leaf->sp_word);
}

static void skip(struct thread *t, const struct bob_leaf *leaf, const struct bob_leaf_access *a)
{
	if (BOB_VEC_ADD(t->skip, (struct bob_memory_pc){ a->pc, leaf->image }))
		t->m->failed = 1;
}

static int is_skipped(const struct thread *t, const struct bob_leaf *leaf,
		      const struct bob_leaf_access *a)
{
	for (size_t i = 0; i < t->skip->count; i++)
		if (t->skip->at[i].pc == a->pc && t->skip->at[i].image == leaf->image)
			return 1;
	return 0;
}

/* --- one access --- */

struct adding {
	struct thread *t;
	const struct bob_leaf *leaf;
	const struct bob_leaf_access *a;
	uint32_t path, pieces;
	uint64_t points;	/* values of the pieces so far */
	size_t row;		/* row of all pieces, + 1, unless rows are variables */
};

/* The row of a piece; by variable, it depends on the piece's addresses. */
static struct bob_memory_entry *row_of(struct adding *x, const struct bob_piece *p)
{
	struct bob_variable_access a = access_of(x->leaf, x->a);
	struct bob_memory_entry *r;
	struct bob_place place;

	if (x->row)
		return &x->t->m->rows.at[x->row - 1];
	bob_piece_hull(p, &a.lo, &a.hi);
	a.lo += (uint64_t)x->a->offset;
	a.hi += (uint64_t)x->a->offset + x->a->size;
	a.placed = a.hi > a.lo;
	if (x->t->m->by == BOB_MEMORY_VARIABLE) {
		place_of(x->t, x->leaf, x->a, &place);
		a.in_variable = (uint8_t)bob_frames_confirm(x->t->frames, x->path, x->leaf->image,
							    x->a->pc, &place, a.lo, a.hi);
	}
	r = bob_memory_row_of(x->t->m, &a);
	if (r && x->t->m->by != BOB_MEMORY_VARIABLE)
		x->row = (size_t)(r - x->t->m->rows.at) + 1;
	return r;
}

static int add_piece(void *ctx, const struct bob_piece *p)
{
	struct adding *x = ctx;
	struct bob_memory *m = x->t->m;
	uint64_t points = bob_piece_points(p);
	struct bob_memory_entry *r = row_of(x, p);

	if (!r)
		return 1;
	bob_memory_count(&r->pub, x->a->type, points, x->a->size);
	bob_memory_add_piece(m, r, p, x->a->offset, x->a->size, points);
	x->points += points;
	return ++x->pieces == PIECES_MAX;
}

static void complain(struct adding *x, enum bob_memory_reason reason, uint64_t values, uint64_t all)
{
	const struct bob_memory_unfolded u = { reason, x->t->m->process, x->leaf->image, x->a->pc,
					       x->a->type, values, all };

	bob_memory_add_unfolded(x->t->m, &u);
}

static void judge(struct adding *x, uint64_t times)
{
	if (x->points < times)
		complain(x, BOB_MEMORY_ADDRESSES, times - x->points, times);
	else if (x->pieces > PIECES_FEW && times / x->pieces < PIECES_FEW)
		complain(x, BOB_MEMORY_PIECES, x->pieces, times);
}

/* Adds accesses whose addresses follow no rule. */
static void add_irregular(struct adding *x, uint64_t times)
{
	struct bob_variable_access a = access_of(x->leaf, x->a);
	struct bob_memory_entry *r = bob_memory_row_of(x->t->m, &a);

	if (!r)
		return;
	bob_memory_count(&r->pub, x->a->type, times, x->a->size);
	r->pub.irregular += times;
}

static int has_left(void *ctx, const struct bob_piece *p)
{
	(void)p;
	return ++*(uint32_t *)ctx == PIECES_MAX;
}

/* Must all accesses of the instruction be expanded, because only their addresses identify the
 * variable? */
static int must_expand(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
		       const struct bob_leaf_access *a)
{
	uint32_t pieces = 0;
	int left = 0;

	if (t->m->by != BOB_MEMORY_VARIABLE || a->word == BOB_LEAF_NO_WORD)
		return 0;
	if (is_skipped(t, leaf, a))
		return 1;
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, a->word, has_left,
				&pieces, &left);
	return (left || pieces == PIECES_MAX) && !is_placed(t, leaf, a);
}

static void add_access(struct thread *t, uint32_t shape, uint32_t path, const struct bob_leaf *leaf,
		       const struct bob_leaf_access *a, int first, uint64_t times)
{
	struct adding x = { .t = t, .leaf = leaf, .a = a, .path = path };
	struct bob_piece once = { .dims = 0 };
	int left = 0;

	if (a->word == BOB_LEAF_NO_WORD) { /* its offset is a link address */
		const struct bob_image_info *im =
			bob_trace_image(t->m->trace, t->m->process, leaf->image);

		once.base = im ? im->bias : 0;
		if (times > 1) {
			once.dims = 1;
			once.count[0] = times;
		}
		add_piece(&x, &once);
		return;
	}
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, a->word, add_piece,
				&x, &left);
	if (x.points < times)
		add_irregular(&x, times - x.points);
	if (first)
		judge(&x, times);
}

static int count_points(void *ctx, const struct bob_piece *p)
{
	struct adding *x = ctx;

	x->points += bob_piece_points(p);
	return ++x->pieces == PIECES_MAX;
}

/* Reports why an access that will be expanded did not fold. */
static void judge_skipped(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
			  const struct bob_leaf_access *a)
{
	struct adding x = { .t = t, .leaf = leaf, .a = a };
	int left = 0;

	if (a->word == BOB_LEAF_NO_WORD || leaf->kind == BOB_LEAF_LOOP)
		return;
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, a->word,
				count_points, &x, &left);
	judge(&x, t->shape[shape]);
}

/* --- leaves that are loops --- */

/* A column: its only piece, and the sum of its values in pieces. */
struct column {
	struct bob_piece piece;
	uint32_t pieces;
	int left;		/* it has values that follow no rule, too */
	uint64_t sum;
};

static int add_values(void *ctx, const struct bob_piece *p)
{
	struct column *c = ctx;
	uint64_t sum = 0;

	if (bob_piece_sum(p, &sum) != BOB_OK)
		c->left = 1;
	c->sum += sum;
	c->piece = *p;
	c->pieces++;
	return 0;
}

static void read_column(const struct thread *t, uint32_t shape, uint32_t word, struct column *c)
{
	int left = 0;

	memset(c, 0, sizeof(*c));
	(void)bob_folded_pieces(t->folded, t->participant, t->part, shape * 2, word, add_values, c,
				&left);
	c->left |= left;
}

/* The addresses of a loop's access as one piece. Returns 0 if there is no such piece. */
static int loop_piece(const struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
		      const struct bob_leaf_access *a, const struct column *begin,
		      const struct column *end, struct bob_piece *all)
{
	struct column word, by = { .pieces = 1 };

	if (a->word == BOB_LEAF_NO_WORD)
		return 0;
	read_column(t, shape, a->word, &word);
	if (a->step_word != BOB_LEAF_NO_WORD)
		read_column(t, shape, a->step_word, &by);
	return word.pieces == 1 && begin->pieces == 1 && end->pieces == 1 && by.pieces == 1 &&
	       !word.left && !by.left &&
	       bob_leaf_iterations(leaf, a, &word.piece, &begin->piece, &end->piece,
				   a->step_word == BOB_LEAF_NO_WORD ? NULL : &by.piece, all);
}

static void add_loop_access(struct thread *t, uint32_t shape, uint32_t path,
			    const struct bob_leaf *leaf, const struct bob_leaf_access *a,
			    const struct column *begin, const struct column *end, uint64_t trips)
{
	struct adding x = { .t = t, .leaf = leaf, .a = a, .path = path };
	struct bob_variable_access v = access_of(leaf, a);
	struct bob_memory_entry *r;
	struct bob_piece all;

	if (a->word == BOB_LEAF_NO_WORD) {
		add_access(t, shape, path, leaf, a, 0, trips);
		return;
	}
	if (loop_piece(t, shape, leaf, a, begin, end, &all)) {
		r = row_of(&x, &all);
		if (!r)
			return;
		bob_memory_count(&r->pub, a->type, trips, a->size);
		bob_memory_add_piece(t->m, r, &all, a->offset, a->size, trips);
		return;
	}
	if (t->m->by == BOB_MEMORY_VARIABLE && !is_placed(t, leaf, a)) {
		skip(t, leaf, a);
		return;
	}
	r = bob_memory_row_of(t->m, &v);
	if (!r)
		return;
	bob_memory_count(&r->pub, a->type, trips, a->size);
	r->pub.unknown += trips;
}

/* Counts the iterations of all runs of the loop from their initial and final counters. */
static void add_loop(struct thread *t, uint32_t shape, uint32_t path, const struct bob_leaf *leaf,
		     const struct bob_leaf_access *a)
{
	struct column begin, end;
	uint64_t trips;

	read_column(t, shape, leaf->counter, &begin);
	read_column(t, shape, leaf->words, &end);
	trips = (uint64_t)((int64_t)(end.sum - begin.sum) / leaf->counter_step);
	for (uint32_t i = 0; i < leaf->accesses; i++)
		if (!is_skipped(t, leaf, &a[i]))
			add_loop_access(t, shape, path, leaf, &a[i], &begin, &end, trips);
}

/* Do all runs of the loop have regular trip counts? */
static int is_regular(struct thread *t, uint32_t shape, const struct bob_leaf *leaf)
{
	struct column begin, end;
	int regular = 1;

	for (t->part = 0; t->part < bob_folded_parts(t->folded, t->participant); t->part++) {
		read_column(t, shape, leaf->counter, &begin);
		read_column(t, shape, leaf->words, &end);
		regular &= !begin.left && !end.left;
	}
	t->part = 0;
	return regular;
}

/* --- all leaves --- */

static int is_first(const struct bob_leaf_access *a, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (a[k].word == a[i].word)
			return 0;
	return 1;
}

static bob_status add_leaf(struct thread *t, uint32_t shape, struct bob_leaf_access *a)
{
	struct bob_fold_shape s;
	struct bob_leaf leaf;

	if (bob_trace_leaf(t->m->trace, t->thread, shape, &leaf, a, LEAF_ACCESSES) != BOB_OK ||
	    leaf.accesses > LEAF_ACCESSES)
		return BOB_ERR_CORRUPT;
	bob_folded_shape(t->folded, shape, &s);
	t->m->syncs += leaf.kind == BOB_LEAF_SYNC ? t->shape[shape] : 0;
	if (leaf.kind == BOB_LEAF_LOOP)
		add_loop(t, shape, s.path, &leaf, a);
	for (uint32_t i = 0; i < leaf.accesses && leaf.kind != BOB_LEAF_LOOP; i++)
		if (!is_skipped(t, &leaf, &a[i]))
			add_access(t, shape, s.path, &leaf, &a[i], is_first(a, i), t->shape[shape]);
		else if (is_first(a, i))
			judge_skipped(t, shape, &leaf, &a[i]);
	return t->m->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status add_part(struct thread *t, struct bob_leaf_access *a)
{
	bob_status st = bob_folded_counts(t->folded, t->participant, t->part, t->shape, t->loop);

	if (st != BOB_OK)
		return st;
	if (t->m->by == BOB_MEMORY_VARIABLE) {
		bob_frames_destroy(t->frames);
		t->frames = bob_frames_create(t->m->trace, t->thread, t->part);
		if (!t->frames)
			return BOB_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < bob_folded_shapes(t->folded) && st == BOB_OK; i++)
		if (t->shape[i])
			st = add_leaf(t, i, a);
	if (st == BOB_OK)
		bob_memory_look_at_order(t->m, t->thread, t->part, t->shape, t->loop);
	return t->m->failed ? BOB_ERR_NOMEM : st;
}

/* Can all accesses be counted without their values? By variable: which instructions must be
 * expanded? */
static int is_plain(struct thread *t, struct bob_leaf_access *a)
{
	int plain = 1;

	for (uint32_t i = 0; plain && i < bob_folded_shapes(t->folded); i++) {
		struct bob_leaf leaf;

		if (bob_trace_leaf(t->m->trace, t->thread, i, &leaf, a, LEAF_ACCESSES) != BOB_OK)
			continue; /* reported when it is used */
		plain = leaf.kind == BOB_LEAF_BLOCK || leaf.kind == BOB_LEAF_MARK ||
			leaf.kind == BOB_LEAF_SYNC || leaf.kind == BOB_LEAF_VALUES ||
			(leaf.kind == BOB_LEAF_LOOP && is_regular(t, i, &leaf));
		for (uint32_t k = 0; plain && k < leaf.accesses && k < LEAF_ACCESSES; k++)
			plain &= !a[k].guarded;
	}
	return plain;
}

static int is_one_piece(struct thread *t, uint32_t shape, const struct bob_leaf *leaf,
			const struct bob_leaf_access *a)
{
	struct column begin, end;
	struct bob_piece all;

	read_column(t, shape, leaf->counter, &begin);
	read_column(t, shape, leaf->words, &end);
	return loop_piece(t, shape, leaf, a, &begin, &end, &all);
}

/* Finds the instructions whose variables depend on the addresses, if these are not affine in any
 * leaf. */
static void find_skipped(struct thread *t, struct bob_leaf_access *a)
{
	for (uint32_t i = 0; i < bob_folded_shapes(t->folded); i++) {
		struct bob_leaf leaf;

		if (bob_trace_leaf(t->m->trace, t->thread, i, &leaf, a, LEAF_ACCESSES) != BOB_OK)
			continue;
		for (uint32_t k = 0; k < leaf.accesses && k < LEAF_ACCESSES; k++) {
			int must = 0;

			if (is_skipped(t, &leaf, &a[k]))
				continue;
			for (t->part = 0; t->part < bob_folded_parts(t->folded, t->participant);
			     t->part++)
				must |= leaf.kind == BOB_LEAF_LOOP ?
						a[k].word != BOB_LEAF_NO_WORD &&
							!is_placed(t, &leaf, &a[k]) &&
							!is_one_piece(t, i, &leaf, &a[k]) :
						must_expand(t, i, &leaf, &a[k]);
			t->part = 0;
			if (must)
				skip(t, &leaf, &a[k]);
		}
	}
}

bob_status bob_memory_add_folded(struct bob_memory *m, uint32_t thread,
				 struct bob_memory_skipped *skipped)
{
	struct thread t = { .m = m, .thread = thread, .skip = skipped };
	struct bob_leaf_access *a = calloc(LEAF_ACCESSES, sizeof(*a));
	bob_status st = BOB_ERR_NOMEM;

	t.folded = bob_trace_folded(m->trace, thread, &t.participant);
	t.shape = calloc(bob_folded_shapes(t.folded) + 1u, sizeof(*t.shape));
	t.loop = calloc(bob_folded_loops(t.folded) + 1u, sizeof(*t.loop));
	if (t.shape && t.loop && a)
		st = is_plain(&t, a) ? BOB_OK : BOB_NONE;
	if (st == BOB_OK && m->by == BOB_MEMORY_VARIABLE)
		find_skipped(&t, a);
	for (; st == BOB_OK && t.part < bob_folded_parts(t.folded, t.participant); t.part++)
		st = add_part(&t, a);
	bob_frames_destroy(t.frames);
	free(t.shape);
	free(t.loop);
	free(a);
	return m->failed ? BOB_ERR_NOMEM : st;
}
