/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of functions, loops, accesses, and of marks between them (structure_lines.h). */
#include "cli/memory/structure_lines.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "analysis/place_cells.h"
#include "cli/code_place.h"
#include "table/numbers.h"

void cli_structure_begin_line(struct cli_structure *x, uint32_t depth)
{
	x->lines++;
	fprintf(x->out, "%*s", (int)(2 * depth + 2), "");
}

/* --- functions and loops --- */

static void print_share(struct cli_structure *x, const struct bob_structure_node *n)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	const uint64_t count = cli_structure_accesses(n);

	fprintf(x->out, "   %s access%s", bob_format_count(a, count), count == 1 ? "" : "es");
	if (count != x->all)
		fprintf(x->out, " (%s)", bob_format_share(b, count, x->all));
}

static void print_function(struct cli_structure *x, const struct bob_structure_node *n)
{
	if (n->inlined.function) {
		cli_name_print(n->inlined.function, x->out);
		fprintf(x->out, "   inlined from %s:%" PRIu32, bob_base_name(n->inlined.file),
			n->inlined.line);
	} else {
		cli_function_print(x->space.trace, x->space.process, n->image, n->pc, x->out);
	}
	if (n->site_image != BOB_STRUCTURE_NONE) {
		fputs("   from ", x->out);
		cli_line_print(x->space.trace, x->space.process, n->site_image, n->site, x->out);
	}
	print_share(x, n);
}

/* "loop 40 times", "loop 1+i times, 820 in all", "loop 39 x 39-i times" of a nest. */
static void print_loop(struct cli_structure *x, uint32_t at)
{
	const struct bob_structure_node *n = &x->node[at];
	char a[BOB_NUMBER_MAX];
	struct bob_piece p;
	uint32_t first, own;

	fputs("loop ", x->out);
	if (!bob_structure_trips(x->s, at, &p, &first, &own)) {
		fprintf(x->out, "%s times in all", n->count ? bob_format_count(a, n->count) : "?");
	} else {
		for (uint32_t d = own; d-- > 0;) {
			cli_count_print(&p, first + d, x->out);
			fputs(d ? " x " : " times", x->out);
		}
		if (own > 1 || (p.count[first] != n->count && n->count))
			fprintf(x->out, ", %s in all", bob_format_count(a, n->count));
	}
	print_share(x, n);
}

/* --- synchronisation and events --- */

static bob_status read_leaf(struct cli_structure *x, const struct bob_structure_node *n,
			    struct bob_leaf *leaf)
{
	return bob_trace_leaf(x->space.trace, x->thread, n->shape, leaf, NULL, 0);
}

/* Prints a synchronisation: its object, and a number if that is meaningful. */
static void print_sync(struct cli_structure *x, const struct bob_structure_node *n)
{
	const struct bob_series_source source = bob_structure_source(x->s, n);
	struct bob_fold_shape shape;
	struct bob_series word;
	struct bob_leaf leaf;

	x->st = read_leaf(x, n, &leaf);
	if (x->st != BOB_OK)
		return;
	bob_folded_shape(source.folded, n->shape, &shape);
	fprintf(x->out, "%s  ", bob_sync_name(leaf.sync));
	for (uint32_t w = 0; w < shape.words && w < 2; w++) {
		fputs(w ? ", number " : "", x->out);
		x->st = bob_series_of_word(&source, n->shape * 2, w, &word);
		cli_value_print(&x->space, &word, x->out);
	}
}

/* Prints an MPI call or an event at the place of its call. */
static void print_event(struct cli_structure *x, const struct bob_structure_node *n)
{
	const struct bob_series_source source = bob_structure_source(x->s, n);
	struct bob_series word;
	struct bob_leaf leaf;
	char a[BOB_NUMBER_MAX];

	x->st = read_leaf(x, n, &leaf);
	if (x->st != BOB_OK)
		return;
	if (leaf.value == BOB_VALUE_NO_MARK) {
		x->st = bob_series_of_word(&source, n->shape * 2, 0, &word);
		fprintf(x->out, "(calls of MPI before here that have no place: %" PRIu64 ")",
			word.count ? word.piece[0].base : 0);
		return;
	}
	cli_place_print_mpi(leaf.value, leaf.value_what, x->out);
	if (n->count > 1)
		fprintf(x->out, ", %s times", bob_format_count(a, n->count));
	if (leaf.value != BOB_VALUE_END && n->image != BOB_STRUCTURE_NONE) {
		fputs("   ", x->out);
		cli_place_print(x->space.trace, x->space.process, n->image, n->pc, x->out);
	}
}

void cli_structure_print_node(struct cli_structure *x, uint32_t node)
{
	const struct bob_structure_node *n = &x->node[node];

	cli_structure_begin_line(x, n->depth);
	if (n->kind == BOB_STRUCTURE_FUNCTION)
		print_function(x, n);
	else if (n->kind == BOB_STRUCTURE_SYNC)
		print_sync(x, n);
	else if (n->kind == BOB_STRUCTURE_EVENT)
		print_event(x, n);
	else
		print_loop(x, node);
	fputc('\n', x->out);
}

/* --- accesses --- */

/* The variable that contains all its addresses; 0: several, or none known. */
static int find_variable(struct cli_structure *x, const struct cli_structure_access *m,
			 uint32_t path, struct bob_variable *v)
{
	const struct bob_series *s = &m->series;
	const struct bob_place *place = m->a.type == BOB_ACCESS_LOAD ? &m->line.load :
								       &m->line.store;
	struct bob_variable_access q = { .process = x->space.process, .image = m->leaf.image,
					 .pc = m->a.pc, .type = m->a.type, .stack = x->stack,
					 .on_stack = m->a.word != BOB_LEAF_NO_WORD &&
						     m->a.word == m->leaf.sp_word };
	struct bob_variable next;

	q.placed = s->count > 0 && s->count <= BOB_SERIES_PIECES && !s->left && !s->is_of_runs;
	for (uint32_t i = 0; !i || (q.placed && i < s->count); i++) {
		if (q.placed) {
			bob_piece_hull(&s->piece[i], &q.lo, &q.hi);
			q.hi += m->a.size;
			q.in_variable = (uint8_t)bob_frames_confirm(x->frames, path, m->leaf.image,
								    m->a.pc, place, q.lo, q.hi);
		}
		bob_variable_of(x->space.trace, &q, &next);
		if (i && (next.kind != v->kind || strcmp(next.name, v->name) != 0))
			return 0;
		*v = next;
	}
	return 1;
}

/* An address in an image moves with it: its variable is found by the real one. */
static void find_variable_at(struct cli_structure *x, const struct cli_structure_access *m,
			     uint32_t path, struct bob_variable *v)
{
	struct cli_structure_access moved = *m;
	const struct bob_image_info *im =
		bob_trace_image(x->space.trace, x->space.process, m->leaf.image);

	if (m->a.word == BOB_LEAF_NO_WORD && im)
		moved.series.piece[0].base += im->bias;
	else if (m->a.word == BOB_LEAF_NO_WORD)
		moved.series.count = 0;
	if (!find_variable(x, &moved, path, v))
		*v = (struct bob_variable){ .name = "" };
}

static void use_frames(struct cli_structure *x, uint32_t part)
{
	if (x->frames && x->framed == part)
		return;
	bob_frames_destroy(x->frames);
	x->frames = bob_frames_create(x->space.trace, x->thread, part);
	x->framed = part;
	if (!x->frames)
		x->st = BOB_ERR_NOMEM;
}

void cli_structure_read(struct cli_structure *x, uint32_t node, struct cli_structure_access *m)
{
	const struct bob_structure_node *n = &x->node[node];
	const struct bob_series_source source = bob_structure_source(x->s, n);
	struct bob_fold_shape shape;

	memset(m, 0, sizeof(*m));
	m->variable.name = "";
	use_frames(x, n->part);
	if (x->st == BOB_OK)
		x->st = bob_structure_addresses(x->s, node, &m->leaf, &m->a, &m->series);
	if (x->st != BOB_OK)
		return;
	(void)bob_trace_source(x->space.trace, x->space.process, n->image, n->pc, &m->line);
	bob_folded_shape(source.folded, n->shape, &shape);
	find_variable_at(x, m, shape.path, &m->variable);
}

static void print_variable(struct cli_structure *x, const struct cli_structure_access *m)
{
	const struct bob_variable *v = &m->variable;
	char box[BOB_SUBSCRIPTS_MAX];
	const char *name = v->kind >= BOB_VARIABLE_STATIC ? v->name :
			   v->kind == BOB_VARIABLE_STACK  ? bob_variable_text(v) :
							    "";

	if (bob_series_is_one(&m->series) &&
	    bob_box_text(x->space.trace, x->space.process, &m->series.piece[0], 0, box))
		name = box;
	fprintf(x->out, "   %s%s", name, *name ? "  " : "");
}

/* The innermost function around a node. */
static const struct bob_structure_node *function_around(const struct cli_structure *x, uint32_t at)
{
	uint32_t depth = x->node[at].depth;

	for (uint32_t i = at; i-- > 0 && depth;) {
		if (x->node[i].depth >= depth)
			continue;
		depth = x->node[i].depth;
		if (x->node[i].kind == BOB_STRUCTURE_FUNCTION)
			return &x->node[i];
	}
	return NULL;
}

/* The line of the source; the function only if it is not that of the lines around it. */
static void print_place(struct cli_structure *x, uint32_t at)
{
	const struct bob_structure_node *n = &x->node[at], *around = function_around(x, at);
	const struct bob_trace *t = x->space.trace;
	struct bob_inlined_frame inlined = { .function = NULL };
	struct bob_function_info f;

	(void)bob_trace_inlined(t, x->space.process, n->image, n->pc, &inlined, 1);
	if (inlined.function && *inlined.function) {
		if (!around || !around->inlined.function ||
		    strcmp(around->inlined.function, inlined.function) != 0) {
			cli_name_print(inlined.function, x->out);
			fputs("  ", x->out);
		}
		cli_line_print(t, x->space.process, n->image, n->pc, x->out);
	} else if (around && !around->inlined.function && n->image == around->image &&
		   bob_trace_function_at(t, x->space.process, n->image, n->pc, &f) == BOB_OK &&
		   f.addr == around->pc) {
		cli_line_print(t, x->space.process, n->image, n->pc, x->out);
	} else {
		cli_place_print(t, x->space.process, n->image, n->pc, x->out);
	}
}

/* The addresses of the first access of a group, and how many there are of others. */
static void print_addresses(struct cli_structure *x, const struct cli_structure_group *g,
			    const struct cli_structure_access *m)
{
	const struct bob_structure_node *n = &x->node[g->first];
	char a[BOB_NUMBER_MAX];

	if (m->a.word == BOB_LEAF_NO_WORD) {
		fprintf(x->out, "at 0x%" PRIx64 " of the image%s", m->series.piece[0].base,
			m->series.piece[0].dims ? " " : "");
		cli_steps_print(&x->space, &m->series.piece[0], x->out);
	} else {
		cli_series_print(&x->space, &m->series, x->out);
	}
	if (m->series.is_of_runs)
		fprintf(x->out, " (each time %+" PRId64 "%s)", m->a.step,
			m->a.step_word == BOB_LEAF_NO_WORD ? "" : " and more");
	if (g->places > n->joined)
		fprintf(x->out, " and %s more", bob_format_count(a, g->places - n->joined));
	if (!n->count)
		fputs(", ? times", x->out);
	else if (g->count != bob_series_values(&m->series))
		fprintf(x->out, ", %s times", bob_format_count(a, g->count));
	if (m->a.guarded)
		fputs(" sometimes", x->out);
}

void cli_structure_print_group(struct cli_structure *x, const struct cli_structure_group *g)
{
	static const char *const types[] = { "load", "store", "atomic" };
	struct cli_structure_access m;

	cli_structure_read(x, g->first, &m);
	if (x->st != BOB_OK)
		return;
	cli_structure_begin_line(x, x->node[g->first].depth);
	fprintf(x->out, "%-6s%3u  ", types[m.a.type], m.a.size);
	print_addresses(x, g, &m);
	print_variable(x, &m);
	print_place(x, g->first);
	fputc('\n', x->out);
}
