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
#include "archive/archive.h"
#include "base/hash.h"
#include "bobbin/fold.h"
#include "table/numbers.h"
#include "cli/code_place.h"

#define DEPTH_MAX 40u
#define FRAMES_MAX 255u
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

static uint8_t rule_of_inlined(const struct bob_trace *t, uint32_t process, uint32_t image,
			       uint64_t pc, cli_symbol_rule_fn rule_of, void *ctx)
{
	struct bob_inlined_frame frame[FRAMES_MAX];
	const uint32_t n = bob_trace_inlined(t, process, image, pc, frame, FRAMES_MAX);
	uint8_t rule = 0;

	for (uint32_t i = 0; i < n; i++)
		rule |= rule_of(ctx, frame[i].function);
	return rule;
}

static int ask(const struct expanding *x, const struct bob_access *a)
{
	struct bob_function_info f;
	uint32_t id = ~0u;
	uint8_t rule;

	if (bob_trace_function_at(x->trace, x->process, a->image, a->pc, &f) == BOB_OK)
		id = f.id;
	rule = x->o->rules[bob_functions_number(x->o->functions, x->process, id)];
	rule |= rule_of_inlined(x->trace, x->process, a->image, a->pc, x->o->rule_of, x->o->ctx);
	return !(rule & (BOB_TREE_HIDE | BOB_TREE_PASS)) && (!x->o->only || rule & BOB_TREE_ONLY);
}

/* Answers are cached: an instruction mostly has many accesses. */
static int is_wanted(struct expanding *x, const struct bob_access *a)
{
	struct answer *known = &x->answers[bob_hash_mix(a->pc) & (ANSWERS - 1)];

	if (!x->o->rules)
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

struct looking {
	const struct bob_trace *trace;
	uint32_t process;
	cli_symbol_rule_fn rule_of;
	void *ctx;
	uint8_t found;
};

static void look(void *ctx, uint32_t image, uint64_t pc)
{
	struct looking *l = ctx;

	l->found |= rule_of_inlined(l->trace, l->process, image, pc, l->rule_of, l->ctx);
}

int cli_inlined_has_rule(const struct bob_trace *t, cli_symbol_rule_fn rule_of, void *ctx,
			 uint8_t rule)
{
	struct looking l = { .trace = t, .rule_of = rule_of, .ctx = ctx };

	for (; l.process < bob_trace_process_count(t) && !(l.found & rule); l.process++)
		(void)bob_archive_used(t, l.process, look, &l); /* damage is reported elsewhere */
	return (l.found & rule) != 0;
}
