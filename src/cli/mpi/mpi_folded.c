/* SPDX-License-Identifier: BSD-3-Clause */
/* show --mpi: prints one set of equal ranks after the other, a line for each call and each loop,
 * with a loop's calls indented. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/event_words.h"
#include "cli/terminal/complain.h"
#include "cli/mpi/mpi_cells.h"
#include "cli/mpi/mpi_show.h"
#include "analysis/mpi/values.h"
#include "table/numbers.h"
#include "cli/code_place.h"

#define DEPTH_MAX 40u

struct showing {
	struct cli_session *s;
	const struct cli_mpi_show *o;
	const struct bob_mpi_programs *programs;
	const struct bob_mpi_program *const *member;
	uint32_t count;
	struct bob_mpi_objects **objects; /* by process; NULL: not created */
	uint32_t *rank, *me;	/* of members */
	struct cli_mpi_series *series;
	uint8_t *shown;		/* loops already printed */
	uint32_t part;
	uint64_t lines;
	FILE *out;
	bob_status st;
};

int cli_mpi_show_wants(const struct cli_mpi_show *o, const struct bob_mpi_function *f)
{
	char full[128];
	int wanted = !o->only_count;

	const char *name = f->name;

	snprintf(full, sizeof(full), "%s%s", f->flags & BOB_MPI_USER ? "" : "MPI_", name);
	for (int i = 0; i < o->only_count && !wanted; i++)
		wanted = !fnmatch(o->only[i], full, 0) || !fnmatch(o->only[i], name, 0);
	for (int i = 0; i < o->not_count && wanted; i++)
		wanted = fnmatch(o->not [i], full, 0) != 0 && fnmatch(o->not [i], name, 0) != 0;
	return wanted;
}

static int is_full(const struct showing *w)
{
	return w->st != BOB_OK || ferror(w->out) || (w->o->lines && w->lines >= w->o->lines);
}

static void begin_line(struct showing *w, unsigned depth)
{
	w->lines++;
	fprintf(w->out, "%*s", (int)(2 * depth), "");
}

/* --- a call --- */

static const struct bob_mpi_objects *objects_of(struct showing *w, uint32_t thread)
{
	uint32_t process = bob_trace_thread(w->s->trace, thread)->process;

	if (!w->objects[process])
		w->st = bob_mpi_objects_create(w->s->trace, process, &w->objects[process]);
	return w->objects[process];
}

/* Finds each member's rank in the call's communicator; in the first one if the call uses
 * several. */
static void find_ranks(struct showing *w, struct cli_mpi_leaf *leaf)
{
	const struct bob_mpi_param *p = bob_mpi_param_of(leaf->cells.function, BOB_MPI_ROLE_COMM);

	for (uint32_t i = 0; i < w->count && w->st == BOB_OK; i++) {
		const struct bob_mpi_objects *o = objects_of(w, w->member[i]->thread);
		const struct bob_mpi_comm *c = NULL;
		uint32_t peers;

		if (!o)
			return;
		if (p) {
			cli_mpi_series_read(w->member[i], leaf->part, leaf->item, p->in,
					    &leaf->series[i]);
			if (leaf->series[i].count)
				c = bob_mpi_objects_comm(o, leaf->series[i].piece[0].base);
		} else {
			c = bob_mpi_objects_comm(o, 1);
		}
		w->me[i] = c && c->members ? c->me : ~0u;
		peers = c ? c->members : 0;
		leaf->who.peers = !i || leaf->who.peers == peers ? peers : 0;
	}
}

static void print_place(struct showing *w, uint32_t path)
{
	struct bob_mpi_place place;

	if (!bob_mpi_places_last(bob_mpi_programs_places(w->programs), path, &place))
		return;
	fputs("   ", w->out);
	cli_place_print(w->s->trace, place.process, place.image, place.pc, w->out);
}

static struct cli_mpi_leaf begin_leaf(struct showing *w, uint32_t item)
{
	struct cli_mpi_leaf leaf = { .programs = w->programs,
				     .member = w->member,
				     .who = { .count = w->count, .me = w->me },
				     .rank = w->rank,
				     .part = w->part,
				     .item = item,
				     .series = w->series };

	cli_mpi_leaf_begin(&leaf);
	return leaf;
}

static void print_call(struct showing *w, uint32_t item, unsigned depth)
{
	struct cli_mpi_leaf leaf = begin_leaf(w, item);
	struct bob_mpi_leaf l;

	if (!bob_mpi_programs_leaf(w->member[0], item >> 1, &l) ||
	    !cli_mpi_show_wants(w->o, l.function))
		return;
	leaf.cells.function = l.function;
	leaf.cells.open = l.open;
	find_ranks(w, &leaf);
	if (w->st != BOB_OK)
		return;
	begin_line(w, depth);
	cli_mpi_call_print(&leaf.cells, w->out);
	print_place(w, l.path);
	fputc('\n', w->out);
}

/* --- loops --- */

/* Whether the loop contains a call to be shown. */
static int has_wanted(const struct showing *w, uint32_t item, unsigned depth)
{
	const uint32_t *body;
	struct bob_mpi_leaf l;
	uint32_t len;

	if (!(item & 1))
		return bob_mpi_programs_leaf(w->member[0], item >> 1, &l) &&
		       cli_mpi_show_wants(w->o, l.function);
	body = bob_folded_body(w->member[0]->folded, item >> 1, &len);
	for (uint32_t i = 0; i < len; i++)
		if (depth == DEPTH_MAX || has_wanted(w, body[i], depth + 1))
			return 1;
	return 0;
}

static void print_item(struct showing *w, uint32_t item, unsigned depth)
{
	uint32_t loop = item >> 1, len;
	const uint32_t *body;
	struct cli_mpi_leaf leaf;

	if (is_full(w))
		return;
	if (!(item & 1)) {
		print_call(w, item, depth);
		return;
	}
	if ((w->o->only_count || w->o->not_count) && !has_wanted(w, item, 0))
		return;
	leaf = begin_leaf(w, item);
	for (uint32_t i = 0; i < w->count; i++)
		w->me[i] = w->rank[i];
	begin_line(w, depth);
	fprintf(w->out, "loop %" PRIu32 ", ", loop);
	cli_mpi_cell_print(&leaf, 0, BOB_MPI_ROLE_COUNT, w->out);
	fputs(w->shown[loop]	 ? " times: as above\n" :
	      depth == DEPTH_MAX ? " times: ...\n" :
				   " times\n",
	      w->out);
	if (w->shown[loop] || depth == DEPTH_MAX)
		return;
	w->shown[loop] = 1;
	body = bob_folded_body(w->member[0]->folded, loop, &len);
	for (uint32_t i = 0; i < len; i++)
		print_item(w, body[i], depth + 1);
}

static int take_item(void *ctx, uint32_t item)
{
	struct showing *w = ctx;

	print_item(w, item, 1);
	return is_full(w);
}

/* --- a set of ranks --- */

static void print_members(struct showing *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->count; i++)
		n += w->member[i]->rank != ~0u && (!n || w->rank[n - 1] < w->member[i]->rank);
	if (n == w->count) {
		fputs(n == 1 ? "rank " : "ranks ", w->out);
		bob_mpi_ranges_print(w->rank, n, w->out);
		if (n == 1 && bob_trace_thread(w->s->trace, w->member[0]->thread)->number)
			fprintf(w->out, ", thread %" PRIu32,
				bob_trace_thread(w->s->trace, w->member[0]->thread)->number);
		return;
	}
	fputs("threads ", w->out);
	for (uint32_t i = 0; i < w->count; i++) {
		const struct bob_thread_info *th =
			bob_trace_thread(w->s->trace, w->member[i]->thread);

		fprintf(w->out, "%s%" PRIu32 ".%" PRIu32, i ? ", " : "", th->process, th->number);
		if (w->member[i]->rank != ~0u)
			fprintf(w->out, " of rank %" PRIu32, w->member[i]->rank);
	}
}

static void print_title(struct showing *w)
{
	uint64_t least = w->member[0]->calls, most = least;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	for (uint32_t i = 0; i < w->count; i++) {
		uint64_t n = w->member[i]->calls;

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	print_members(w);
	fprintf(w->out, ": %s", bob_format_count(a, least));
	if (most != least)
		fprintf(w->out, " to %s", bob_format_count(b, most));
	fprintf(w->out, " %s%s", cli_event_words(w->s->trace, most), w->count > 1 ? " each" : "");
	if (w->member[0]->open)
		fputs(", the last one in progress when recording ended", w->out);
	if (w->member[0]->damaged)
		fputs(", some could not be read", w->out);
	fputc('\n', w->out);
}

static void show_group(struct showing *w, uint32_t group)
{
	w->member = bob_mpi_programs_group(w->programs, group, &w->count);
	w->rank = calloc(w->count + 1u, sizeof(*w->rank));
	w->me = calloc(w->count + 1u, sizeof(*w->me));
	w->series = calloc(w->count + 1u, sizeof(*w->series));
	w->shown = calloc(bob_folded_loops(w->member[0]->folded) + 1u, 1);
	w->lines = 0;
	if (w->rank && w->me && w->series && w->shown) {
		for (uint32_t i = 0; i < w->count; i++)
			w->rank[i] = w->member[i]->rank;
		print_title(w);
		for (w->part = 0;
		     w->part < bob_folded_parts(w->member[0]->folded, 0) && !is_full(w);
		     w->part++) {
			bob_status st =
				bob_folded_spine(w->member[0]->folded, 0, w->part, take_item, w);

			w->st = w->st == BOB_OK && st < 0 ? st : w->st;
		}
		if (w->o->lines && w->lines >= w->o->lines)
			fputs("  ... more lines: --lines\n", w->out);
		else if (!w->lines)
			fputs("  nothing to show\n", w->out);
	} else {
		w->st = BOB_ERR_NOMEM;
	}
	free(w->rank);
	free(w->me);
	free(w->series);
	free(w->shown);
}

int cli_mpi_show_folded(struct cli_session *s, const struct cli_mpi_show *o, FILE *out)
{
	struct showing w = { .s = s, .o = o, .out = out };
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	uint32_t processes = bob_trace_process_count(s->trace);
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));
	struct bob_mpi_programs *programs = NULL;
	struct bob_error err = { .text = "" };

	w.objects = calloc(processes + 1u, sizeof(*w.objects));
	w.st = threads && w.objects ? BOB_OK : BOB_ERR_NOMEM;
	for (uint32_t i = cli_session_thread(s, 0); w.st == BOB_OK && i < n;
	     i = cli_session_thread(s, i + 1))
		threads[count++] = i;
	if (w.st == BOB_OK)
		w.st = bob_mpi_programs_create(s->trace, threads, count, &programs, &err);
	w.programs = programs;
	for (uint32_t i = 0; w.st == BOB_OK && i < bob_mpi_programs_groups(programs); i++) {
		if (i)
			fputc('\n', out);
		show_group(&w, i);
		s->damaged += w.member[0]->damaged;
	}
	for (uint32_t i = 0; w.objects && i < processes; i++)
		bob_mpi_objects_destroy(w.objects[i]);
	bob_mpi_programs_destroy(programs);
	free(w.objects);
	free(threads);
	if (w.st != BOB_OK)
		return cli_fail_status("show", "not all events can be read", w.st, &err);
	return s->damaged != 0;
}
