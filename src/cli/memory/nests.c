/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints one line per access and per loop. Variation in a loop is written as (count x step), the
 * outermost loop first, as in the tuples of ScalaMemTrace:
 *
 *     loop, 100 times
 *       load 8   0x4a4e040 (100 x +800)(100 x +8)    a[]  mm  mm.c:12
 *
 * For variables of instrumented sources, the first element is printed, and the box of all elements:
 *
 *     a[0][0] (100 x +8)   a[0][0..99]
 *
 * A step from one variable to another is given as the element: a[0] (2 x to b[0])(6 x +8) */
#include "cli/memory/nests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "analysis/memory/frames.h"
#include "analysis/memory/variables.h"
#include "bobbin/fold.h"
#include "cli/code_place.h"

#define PIECES_SHOWN 3u
#define DEPTH_MAX 40u

struct nests {
	const struct bob_trace *trace;
	const struct bob_folded *folded;
	uint32_t thread, process, participant, part;
	struct bob_stack_range stack;
	struct bob_frames *frames; /* of the part */
	uint64_t lines, most;
	uint8_t *shown;		/* by loop: whether its body has been printed */
	FILE *out;
	bob_status st;
};

static int is_full(struct nests *n)
{
	return n->st != BOB_OK || ferror(n->out) || (n->most && n->lines >= n->most);
}

static void begin_line(struct nests *n, unsigned depth)
{
	n->lines++;
	fprintf(n->out, "%*s", (int)(2 * depth), "");
}

/* --- columns --- */

struct series {
	struct bob_piece piece[PIECES_SHOWN];
	uint32_t count;		/* number of pieces; may exceed PIECES_SHOWN */
	int left;		/* has values that are not affine */
};

static int take_piece(void *ctx, const struct bob_piece *p)
{
	struct series *s = ctx;

	if (s->count < PIECES_SHOWN)
		s->piece[s->count] = *p;
	return ++s->count > PIECES_SHOWN;
}

static void read_series(struct nests *n, uint32_t item, uint32_t word, struct series *s)
{
	bob_status st;

	memset(s, 0, sizeof(*s));
	st = bob_folded_pieces(n->folded, n->participant, n->part, item, word, take_piece, s,
			       &s->left);
	if (st < 0)
		n->st = st;
}

/* Trip count of loop `d` of the piece: 10, or 1 + 2i where it depends on enclosing loops. */
static void print_count(FILE *out, const struct bob_piece *p, uint32_t d)
{
	int first = 1;

	if (p->count[d]) {
		fprintf(out, "%" PRId64, (int64_t)p->count[d]);
		first = 0;
	}
	for (uint32_t e = p->dims; e-- > d + 1;) {
		int64_t g = (int64_t)p->grow[bob_piece_pair(d, e)];

		if (!g)
			continue;
		fputs(g < 0 ? "-" : first ? "" : "+", out);
		if (g != 1 && g != -1)
			fprintf(out, "%" PRIu64, (uint64_t)(g < 0 ? -g : g));
		fputc((int)('i' + (p->dims - 1 - e)), out);
		first = 0;
	}
	if (first)
		fputc('0', out);
}

static void print_loops(FILE *out, const struct bob_piece *p)
{
	for (uint32_t d = p->dims; d-- > 0;) {
		fputc('(', out);
		print_count(out, p, d);
		fprintf(out, " x %+" PRId64 ")", (int64_t)p->step[d]);
	}
}

/* Prints the address, or the element of a traced variable there. */
static void print_where(struct nests *n, uint64_t address)
{
	char text[BOB_SUBSCRIPTS_MAX];

	if (bob_subscripts_text(n->trace, n->process, address, text))
		fputs(text, n->out);
	else
		fprintf(n->out, "0x%" PRIx64, address);
}

/* Whether both addresses are elements of traced variables, but of different ones. */
static int leads_elsewhere(const struct nests *n, uint64_t from, uint64_t to)
{
	struct bob_shape a, b;

	return bob_trace_shape(n->trace, n->process, from, &a) == BOB_OK &&
	       bob_trace_shape(n->trace, n->process, to, &b) == BOB_OK && strcmp(a.name, b.name);
}

/* A step to another variable is printed as the element: "2 x to b[0]". */
static void print_steps(struct nests *n, const struct bob_piece *p, uint64_t address)
{
	for (uint32_t d = p->dims; d-- > 0;) {
		fputc('(', n->out);
		print_count(n->out, p, d);
		if (leads_elsewhere(n, address, address + p->step[d])) {
			fputs(" x to ", n->out);
			print_where(n, address + p->step[d]);
			fputs(p->count[d] > 2 ? ", ...)" : ")", n->out);
		} else {
			fprintf(n->out, " x %+" PRId64 ")", (int64_t)p->step[d]);
		}
	}
}

static void print_address(struct nests *n, const struct series *s, int64_t offset)
{
	if (s->count == 1 && !s->left) {
		print_where(n, s->piece[0].base + (uint64_t)offset);
		fputc(' ', n->out);
		print_steps(n, &s->piece[0], s->piece[0].base + (uint64_t)offset);
		return;
	}
	for (uint32_t i = 0; i < s->count && i < PIECES_SHOWN; i++) {
		fputs(i ? ", " : "", n->out);
		print_where(n, s->piece[i].base + (uint64_t)offset);
		if (s->piece[i].dims) {
			fputc(' ', n->out);
			print_steps(n, &s->piece[i], s->piece[i].base + (uint64_t)offset);
		}
	}
	fputs(s->count > PIECES_SHOWN || s->left ? ", ..." : "", n->out);
	fputs(s->left ? " (irregular)" : "", n->out);
}

static int varies(const struct series *s)
{
	uint64_t steps = 0;

	for (uint32_t d = 0; d < s->piece[0].dims; d++)
		steps |= s->piece[0].step[d];
	return s->count != 1 || s->left || steps;
}

/* A value that is the same everywhere is printed without loops. */
static void print_value(struct nests *n, const struct series *s)
{
	if (varies(s))
		print_address(n, s, 0);
	else
		fprintf(n->out, "0x%" PRIx64, s->piece[0].base);
}

/* Trip counts: "100 times", "0, 1, 2, ... 99 times", ... */
static void print_trips(struct nests *n, const struct series *s)
{
	const struct bob_piece *p = &s->piece[0];

	if (!varies(s)) {
		fprintf(n->out, "%" PRIu64 " times", p->base);
		return;
	}
	for (uint32_t i = 0; i < s->count && i < PIECES_SHOWN; i++) {
		fprintf(n->out, "%s%" PRIu64, i ? ", " : "", s->piece[i].base);
		if (s->piece[i].dims) {
			fputc(' ', n->out);
			print_loops(n->out, &s->piece[i]);
		}
	}
	fputs(s->count > PIECES_SHOWN || s->left ? ", ... times" : " times", n->out);
	fputs(s->left ? " (irregular)" : "", n->out);
}

static int is_one(const struct series *s)
{
	return s->count == 1 && !s->left;
}

/* The addresses as one piece, with the leaf's iterations as its innermost loop. 0: no single
 * rule. */
static int with_iterations(const struct bob_leaf *leaf, const struct bob_leaf_access *a,
			   const struct series *word, struct series *out)
{
	const struct series *begin = &word[leaf->counter], *end = &word[leaf->words];
	const struct series *by = a->step_word == BOB_LEAF_NO_WORD ? NULL : &word[a->step_word];

	memset(out, 0, sizeof(*out));
	out->count = 1;
	return is_one(&word[a->word]) && is_one(begin) && is_one(end) && (!by || is_one(by)) &&
	       bob_leaf_iterations(leaf, a, &word[a->word].piece[0], &begin->piece[0],
				   &end->piece[0], by ? &by->piece[0] : NULL, &out->piece[0]);
}

/* --- leaves --- */

/* Addresses of an access, as far as they are known as pieces. */
struct where {
	const struct series *series; /* NULL: none */
	uint32_t path;
	uint64_t bias;		/* added to the access's offset */
};

/* The variable that contains all its addresses; 0: several, or none known. */
static int variable_of(struct nests *n, const struct bob_leaf *leaf,
		       const struct bob_leaf_access *a, const struct where *w,
		       struct bob_variable *v)
{
	struct bob_variable_access x = { .process = n->process, .image = leaf->image, .pc = a->pc,
					 .type = a->type, .stack = n->stack,
					 .on_stack = a->word != BOB_LEAF_NO_WORD &&
						     a->word == leaf->sp_word };
	struct bob_variable next;
	struct bob_source_line line;
	uint32_t count = w->series ? w->series->count : 0;

	(void)bob_trace_source(n->trace, n->process, leaf->image, a->pc, &line);
	x.placed = count > 0 && count <= PIECES_SHOWN && !w->series->left;
	for (uint32_t i = 0; !i || (x.placed && i < count); i++) {
		if (x.placed) {
			bob_piece_hull(&w->series->piece[i], &x.lo, &x.hi);
			x.lo += (uint64_t)a->offset + w->bias;
			x.hi += (uint64_t)a->offset + w->bias + a->size;
			x.in_variable = (uint8_t)bob_frames_confirm(
				n->frames, w->path, leaf->image, a->pc,
				a->type == BOB_ACCESS_LOAD ? &line.load : &line.store, x.lo, x.hi);
		}
		bob_variable_of(n->trace, &x, &next);
		if (i && (next.kind != v->kind || strcmp(next.name, v->name) != 0))
			return 0;
		*v = next;
	}
	return v->kind >= BOB_VARIABLE_STATIC;
}

/* Prints the variable, and the place in the program. */
static void print_place(struct nests *n, const struct bob_leaf *leaf,
			const struct bob_leaf_access *a, const struct where *w)
{
	struct bob_variable v = { .name = "" };
	const char *name = variable_of(n, leaf, a, w, &v) ? v.name : "";
	char box[BOB_SUBSCRIPTS_MAX];

	if (w->series && w->series->count == 1 && !w->series->left &&
	    bob_box_text(n->trace, n->process, &w->series->piece[0], (uint64_t)a->offset + w->bias,
			 box))
		name = box;
	fprintf(n->out, "   %s%s", name, *name ? "  " : "");
	cli_place_print(n->trace, n->process, leaf->image, a->pc, n->out);
	fputc('\n', n->out);
}

/* `all` are the words of the leaf; *s becomes the series of its addresses, or gets a count of 0. */
static void print_in_loop(struct nests *n, const struct bob_leaf *leaf,
			  const struct bob_leaf_access *a, const struct series *all,
			  struct series *s)
{
	if (with_iterations(leaf, a, all, s)) {
		print_address(n, s, a->offset);
		return;
	}
	s->count = 0;
	print_address(n, &all[a->word], a->offset);
	fprintf(n->out, " (each time %+" PRId64 "%s)", a->step,
		a->step_word == BOB_LEAF_NO_WORD ? "" : " and more");
}

static void print_access(struct nests *n, const struct bob_leaf *leaf,
			 const struct bob_leaf_access *a, const struct series *word,
			 const struct series *all, uint32_t path, unsigned depth)
{
	static const char *const types[] = { "load", "store", "atomic" };
	struct series once = { .count = 1 };
	struct where w = { .path = path };

	begin_line(n, depth);
	fprintf(n->out, "%-6s%3u  ", types[a->type], a->size);
	if (a->word == BOB_LEAF_NO_WORD) {
		const struct bob_image_info *im =
			bob_trace_image(n->trace, n->process, leaf->image);

		w.series = im ? &once : NULL;
		w.bias = im ? im->bias : 0;
		fprintf(n->out, "at 0x%" PRIx64 " of the image", (uint64_t)a->offset);
	} else if (leaf->kind == BOB_LEAF_LOOP && a->word < leaf->words) {
		w.series = &once;
		print_in_loop(n, leaf, a, all, &once);
	} else {
		w.series = word;
		print_address(n, word, a->offset);
	}
	if (a->guarded)
		fputs(" sometimes", n->out);
	print_place(n, leaf, a, &w);
}

/* Prints a synchronisation: its object, and a number if that is meaningful. */
static void print_sync(struct nests *n, const struct bob_leaf *leaf, const struct series *word,
		       uint32_t words, unsigned depth)
{
	begin_line(n, depth);
	fprintf(n->out, "%s  ", bob_sync_name(leaf->sync));
	for (uint32_t w = 0; w < words && w < 2; w++) {
		fputs(w ? ", number " : "", n->out);
		print_value(n, &word[w]);
	}
	fputc('\n', n->out);
}

/* Prints an MPI call at the place of the path's last call. */
static void print_call(struct nests *n, const struct bob_leaf *leaf, const struct series *word,
		       uint32_t path, unsigned depth)
{
	uint32_t parent, image;
	uint64_t place, pc;

	begin_line(n, depth);
	if (leaf->value == BOB_VALUE_NO_MARK) {
		fprintf(n->out, "(calls of MPI before here that have no place: %" PRIu64 ")",
			word->count ? word->piece[0].base : 0);
	} else {
		cli_place_print_mpi(leaf->value, leaf->value_what, n->out);
		if (leaf->value != BOB_VALUE_END &&
		    bob_folded_path(n->folded, path, &parent, &place)) {
			bob_trace_place(n->trace, n->process, place, &image, &pc);
			fputs("   ", n->out);
			cli_place_print(n->trace, n->process, image, pc, n->out);
		}
	}
	fputc('\n', n->out);
}

static void print_leaf(struct nests *n, uint32_t shape, unsigned depth)
{
	struct bob_leaf leaf;
	struct bob_leaf_access *a = NULL;
	struct series *word;
	struct bob_fold_shape s;

	if (bob_trace_leaf(n->trace, n->thread, shape, &leaf, NULL, 0) != BOB_OK) {
		n->st = BOB_ERR_CORRUPT;
		return;
	}
	bob_folded_shape(n->folded, shape, &s);
	a = calloc(leaf.accesses + 1, sizeof(*a));
	word = calloc(s.words + 1, sizeof(*word));
	if (!a || !word) {
		n->st = BOB_ERR_NOMEM;
	} else {
		(void)bob_trace_leaf(n->trace, n->thread, shape, &leaf, a, leaf.accesses);
		for (uint32_t w = 0; w < s.words; w++)
			read_series(n, shape * 2, w, &word[w]);
		if (leaf.kind == BOB_LEAF_VALUES && !is_full(n))
			print_call(n, &leaf, word, s.path, depth);
		if (leaf.kind == BOB_LEAF_SYNC && !is_full(n))
			print_sync(n, &leaf, word, s.words, depth);
		for (uint32_t i = 0; i < leaf.accesses; i++) {
			uint32_t w = a[i].word;

			if (is_full(n))
				break;
			print_access(n, &leaf, &a[i], w < s.words ? &word[w] : NULL, word, s.path,
				     depth);
		}
	}
	free(a);
	free(word);
}

/* --- loops --- */

static void print_item(struct nests *n, uint32_t item, unsigned depth)
{
	uint32_t loop = item >> 1, len;
	struct series trips;

	if (is_full(n))
		return;
	if (!(item & 1)) {
		print_leaf(n, loop, depth);
		return;
	}
	read_series(n, item, 0, &trips);
	begin_line(n, depth);
	fprintf(n->out, "loop %" PRIu32 ", ", loop);
	print_trips(n, &trips);
	fputs(n->shown[loop] ? ": as above\n" : depth == DEPTH_MAX ? ": ...\n" : "\n", n->out);
	if (n->shown[loop] || depth == DEPTH_MAX)
		return;
	n->shown[loop] = 1;
	const uint32_t *body = bob_folded_body(n->folded, loop, &len);
	for (uint32_t i = 0; i < len; i++)
		print_item(n, body[i], depth + 1);
}

static int take_item(void *ctx, uint32_t item)
{
	struct nests *n = ctx;

	print_item(n, item, 1);
	return is_full(n);
}

bob_status cli_nests_print(const struct bob_trace *t, uint32_t thread, uint64_t lines, FILE *out)
{
	struct nests n = { .trace = t, .thread = thread, .most = lines, .out = out };

	n.folded = bob_trace_folded(t, thread, &n.participant);
	n.process = bob_trace_thread(t, thread)->process;
	bob_stack_range_of(t, thread, &n.stack);
	if (!n.folded)
		return BOB_NONE;
	n.shown = calloc((size_t)bob_folded_loops(n.folded) + 1, 1);
	if (!n.shown)
		return BOB_ERR_NOMEM;
	for (; n.part < bob_folded_parts(n.folded, n.participant) && !is_full(&n); n.part++) {
		n.frames = bob_frames_create(t, thread, n.part);
		bob_status st = bob_folded_spine(n.folded, n.participant, n.part, take_item, &n);

		if (n.st == BOB_OK)
			n.st = st;
		bob_frames_destroy(n.frames);
	}
	if (n.most && n.lines >= n.most)
		fputs("  ... more lines: --lines\n", out);
	free(n.shown);
	return n.st;
}
