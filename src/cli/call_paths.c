/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a line per call path:
 *
 *        accesses      loads     stores  function
 *         246,000      1,200        800  main
 *         244,000    160,000     84,000    work  called at main+0x7b */
#include "cli/call_paths.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/memory/signatures.h"
#include "cli/terminal/complain.h"
#include "cli/merge/folding.h"
#include "table/numbers.h"
#include "cli/code_place.h"

#define INDENT_MAX 40u

struct printing {
	struct cli_session *s;
	uint32_t process;
	uint64_t lines;
	FILE *out;
};

static void print_name(const struct printing *p, const struct bob_signature *g)
{
	const struct bob_image_info *im = bob_trace_image(p->s->trace, p->process, g->image);

	if (g->function != BOB_SIGNATURE_NONE)
		fputs(cli_names_get(p->s->names,
				    bob_functions_number(p->s->functions, p->process, g->function)),
		      p->out);
	else
		fprintf(p->out, "code in %s", im ? im->soname : "no image");
}

static void print_row(const struct printing *p, const struct bob_signature *g)
{
	unsigned depth = g->depth < INDENT_MAX ? g->depth : INDENT_MAX;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX], c[BOB_NUMBER_MAX];

	fprintf(p->out, "%15s %14s %14s  %*s", bob_format_count(a, g->below),
		bob_format_count(b, g->loads), bob_format_count(c, g->stores + g->atomics),
		(int)(2 * depth), "");
	print_name(p, g);
	if (g->site_image != BOB_SIGNATURE_NONE) {
		fputs("  called at ", p->out);
		cli_place_print(p->s->trace, p->process, g->site_image, g->site, p->out);
	}
	fputc('\n', p->out);
}

static void print_title(const struct printing *p, uint32_t threads, uint64_t total)
{
	const struct bob_process_info *info = bob_trace_process(p->s->trace, p->process);
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	fprintf(p->out, "process %" PRIu32 "  pid %" PRIu32, p->process, info->pid);
	if (info->rank >= 0)
		fprintf(p->out, "  rank %" PRId32, info->rank);
	fprintf(p->out, "  %s access%s of %s thread%s\n", bob_format_count(a, total),
		total == 1 ? "" : "es", bob_format_count(b, threads), bob_plural(threads));
	(void)cli_loss_print(p->s->trace, p->process, "  ", p->out);
	fprintf(p->out, "%15s %14s %14s  function\n", "accesses", "own loads", "own stores");
}

static int print_process(const struct printing *p, const uint32_t *threads, uint32_t count)
{
	struct bob_error err = { .text = "" };
	const struct bob_signature *g;
	struct bob_signatures *tree;
	uint64_t total = 0;
	uint32_t rows;
	char a[BOB_NUMBER_MAX];
	bob_status st = bob_signatures_create(p->s->trace, threads, count, &tree, &err);

	if (st != BOB_OK)
		return cli_fail_status("show", "not all of the trace can be read", st, &err);
	g = bob_signatures_all(tree, &rows);
	for (uint32_t i = 0; i < rows; i++)
		total += g[i].depth ? 0 : g[i].below;
	total += bob_signatures_without(tree);
	print_title(p, count, total);
	for (uint32_t i = 0; i < rows && (!p->lines || i < p->lines); i++)
		print_row(p, &g[i]);
	if (p->lines && rows > p->lines)
		fprintf(p->out, "%15s ... %s more call paths: --lines\n", "",
			bob_format_count(a, rows - p->lines));
	if (bob_signatures_without(tree))
		fprintf(p->out, "%15s more are not folded and have no path: see bobbin fold\n",
			bob_format_count(a, bob_signatures_without(tree)));
	bob_signatures_destroy(tree);
	return 0;
}

int cli_signatures_print(struct cli_session *s, uint64_t lines, FILE *out)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0, shown = 0;
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct printing p = { .s = s, .lines = lines, .out = out };
	struct bob_access_cursor *c;
	int status = 0;

	if (!threads)
		return cli_fail("show", "out of memory");
	for (uint32_t i = cli_session_thread(s, 0); !status; i = cli_session_thread(s, i + 1)) {
		uint32_t process = i < n ? bob_trace_thread(s->trace, i)->process : ~0u;

		if (count && process != p.process) {
			fputs(shown++ ? "\n" : "", out);
			status = print_process(&p, threads, count);
			count = 0;
		}
		if (i >= n)
			break;
		p.process = process;
		if (bob_access_cursor_open(s->trace, i, &c, NULL) != BOB_OK)
			continue;
		bob_access_cursor_close(c);
		threads[count++] = i;
	}
	free(threads);
	return status;
}
