/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes columns as text (series_text.h). */
#include "cli/memory/series_text.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/arrays/arrays.h"

/* The trip count of loop `d` of the piece: 10, or 1+2i where it depends on enclosing loops. */
void cli_count_print(const struct bob_piece *p, uint32_t d, FILE *out)
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

/* Prints the address, or the element of a traced variable there. */
static void print_where(const struct cli_space *s, uint64_t address, FILE *out)
{
	char text[BOB_SUBSCRIPTS_MAX];

	if (bob_subscripts_text(s->trace, s->process, address, text))
		fputs(text, out);
	else
		fprintf(out, "0x%" PRIx64, address);
}

/* Whether both addresses are elements of traced variables, but of different ones. */
static int leads_elsewhere(const struct cli_space *s, uint64_t from, uint64_t to)
{
	struct bob_shape a, b;

	return bob_trace_shape(s->trace, s->process, from, &a) == BOB_OK &&
	       bob_trace_shape(s->trace, s->process, to, &b) == BOB_OK && strcmp(a.name, b.name);
}

/* A step to another variable is printed as the element: "2 x to b[0]". */
void cli_steps_print(const struct cli_space *s, const struct bob_piece *p, FILE *out)
{
	for (uint32_t d = p->dims; d-- > 0;) {
		fputc('(', out);
		cli_count_print(p, d, out);
		if (leads_elsewhere(s, p->base, p->base + p->step[d])) {
			fputs(" x to ", out);
			print_where(s, p->base + p->step[d], out);
			fputs(p->count[d] > 2 ? ", ...)" : ")", out);
		} else {
			fprintf(out, " x %+" PRId64 ")", (int64_t)p->step[d]);
		}
	}
}

void cli_series_print(const struct cli_space *s, const struct bob_series *x, FILE *out)
{
	for (uint32_t i = 0; i < x->count && i < BOB_SERIES_PIECES; i++) {
		fputs(i ? ", " : "", out);
		print_where(s, x->piece[i].base, out);
		if (x->piece[i].dims) {
			fputc(' ', out);
			cli_steps_print(s, &x->piece[i], out);
		}
	}
	fputs(x->count > BOB_SERIES_PIECES || x->left ? ", ..." : "", out);
	fputs(x->left ? " (irregular)" : "", out);
}

void cli_value_print(const struct cli_space *s, const struct bob_series *x, FILE *out)
{
	if (bob_series_varies(x))
		cli_series_print(s, x, out);
	else
		fprintf(out, "0x%" PRIx64, x->piece[0].base);
}
