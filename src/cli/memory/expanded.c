/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a line per access and, before the first access of an iteration, a line per loop that
 * advanced:
 *
 *     loop 1, 3 of 100
 *       loop 0, 1 of 50
 *         load    8  0x4a4e040   work+0x7b */
#include "cli/memory/expanded.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "base/hash.h"
#include "bobbin/fold.h"
#include "table/numbers.h"
#include "cli/code_place.h"

#define DEPTH_MAX 40u
#define ANSWERS 1024u /* a power of two */

/* Whether the accesses of an instruction are wanted. */
struct answer {
	uint64_t pc;
	uint32_t image;
	uint8_t known, wanted;
};

struct expanding {
	const struct bob_trace *trace;
	const struct cli_expanded *o;
	uint32_t process;
	uint64_t lines;
	struct bob_fold_at shown[DEPTH_MAX];
	uint32_t depth;		/* of `shown` */
	struct answer answers[ANSWERS];
	FILE *out;
};

static int is_full(const struct expanding *x)
{
	return ferror(x->out) || (x->o->lines && x->lines >= x->o->lines);
}

static int ask(const struct expanding *x, const struct bob_access *a)
{
	const uint8_t rule = cli_choice_at(x->o->choice, x->trace, x->process, a->image, a->pc);

	return !(rule & (BOB_TREE_HIDE | BOB_TREE_PASS)) &&
	       (!x->o->choice->only || rule & BOB_TREE_ONLY);
}

/* Answers are cached: an instruction mostly has many accesses. */
static int is_wanted(struct expanding *x, const struct bob_access *a)
{
	struct answer *known = &x->answers[bob_hash_mix(a->pc) & (ANSWERS - 1)];

	if (!x->o->choice->rules)
		return 1;
	if (!known->known || known->pc != a->pc || known->image != a->image)
		*known = (struct answer){ a->pc, a->image, 1, (uint8_t)ask(x, a) };
	return known->wanted;
}

static void begin_line(struct expanding *x, uint32_t depth)
{
	x->lines++;
	fprintf(x->out, "%*s", (int)(2 * depth + 2), "");
}

/* Prints the loops that have advanced since the last line. */
static void print_loops(struct expanding *x, const struct bob_loop_cursor *c)
{
	struct bob_fold_at at[DEPTH_MAX];
	uint32_t depth = bob_loop_cursor_loops(c, at, DEPTH_MAX), same = 0;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	depth = depth < DEPTH_MAX ? depth : DEPTH_MAX;
	while (same < depth && same < x->depth &&
	       !memcmp(&at[same], &x->shown[same], sizeof(at[same])))
		same++;
	for (; same < depth && !is_full(x); same++) {
		begin_line(x, same);
		fprintf(x->out, "loop %" PRIu32 ", %s of %s\n", at[same].loop,
			bob_format_count(a, at[same].iteration + 1),
			bob_format_count(b, at[same].trips));
	}
	memcpy(x->shown, at, depth * sizeof(*at));
	x->depth = depth;
}

static void print_access(struct expanding *x, const struct bob_access *a)
{
	static const char *const types[] = { "load", "store", "atomic" };

	char text[BOB_SUBSCRIPTS_MAX];

	begin_line(x, x->depth);
	fprintf(x->out, "%-6s%3u  ", types[a->type], a->size);
	if (bob_subscripts_text(x->trace, x->process, a->address, text))
		fprintf(x->out, "%s   ", text);
	else
		fprintf(x->out, "0x%" PRIx64 "   ", a->address);
	cli_place_print(x->trace, x->process, a->image, a->pc, x->out);
	fputc('\n', x->out);
}

bob_status cli_expanded_print(const struct bob_trace *t, uint32_t thread,
			      const struct cli_expanded *o, FILE *out)
{
	struct expanding x = { .trace = t, .o = o, .out = out,
			       .process = bob_trace_thread(t, thread)->process };
	struct bob_loop_cursor *c;
	struct bob_access a;
	uint64_t number = 0;
	uint32_t shape;
	bob_status st = bob_loop_cursor_open(t, thread, &c, NULL);

	if (st != BOB_OK)
		return st;
	for (; (st = bob_loop_cursor_next(c, &a, &shape, NULL)) == BOB_OK; number++) {
		if (number > o->last || is_full(&x))
			break;
		if (number < o->first || !is_wanted(&x, &a))
			continue;
		print_loops(&x, c);
		if (!is_full(&x))
			print_access(&x, &a);
	}
	bob_loop_cursor_close(c);
	if (st == BOB_OK && is_full(&x))
		fputs("  ... more accesses: --lines, --events\n", out);
	else if (!x.lines)
		fputs("  nothing to show\n", out);
	return st == BOB_END ? BOB_OK : st;
}
