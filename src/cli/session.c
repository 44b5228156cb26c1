/* SPDX-License-Identifier: BSD-3-Clause */
/* Session of a verb with a trace (session.h): opens it, chooses threads, shows progress, and
 * decides whether work goes on after a thread that cannot be read. */
#include "cli/session.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/host/clock.h"
#include "cli/terminal/complain.h"
#include "cli/left_out.h"
#include "cli/code_place.h"
#include "cli/source/of_source.h"
#include "table/numbers.h"
#include "cli/terminal/options.h"

#define PROGRESS_FIRST_NS 500000000u	/* none for quick answers */
#define PROGRESS_EVERY_NS 100000000u

static void tick(void *ctx, uint64_t events)
{
	struct cli_session *s = ctx;
	uint64_t now = bob_clock_ns(CLOCK_MONOTONIC);
	char done[BOB_NUMBER_MAX], share[BOB_NUMBER_MAX];

	s->events_done += events;
	if (now < s->progress_due_ns)
		return;
	s->progress_due_ns = now + PROGRESS_EVERY_NS;
	s->progress_shown = 1;
	if (s->events_all >= s->events_done)
		bob_format_share(share, s->events_done, s->events_all);
	else
		share[0] = 0;
	fprintf(stderr, "\rbobbin: reading: %s calls %s   ", bob_format_count(done, s->events_done),
		share);
	fflush(stderr);
}

void cli_session_progress_end(struct cli_session *s)
{
	if (s->progress_shown)
		fputs("\r\033[K", stderr);
	s->progress_shown = 0;
}

int cli_session_select(const char *verb, void *session, const char *spec)
{
	struct cli_session *s = session;
	const char *bad;

	if (!cli_select_parse(&s->select, spec, &bad))
		return 0;
	return cli_misuse(verb,
			  "cannot read the thread choice '%s' at '%s'; "
			  "try 0, 1.0, rank=0-3 or pid=N",
			  spec, bad);
}

static const char *image_name(void *names, uint32_t number)
{
	return cli_names_image(names, number);
}

static const char *symbol_name(void *names, const char *name)
{
	return cli_names_symbol(names, name);
}

static const char *place_name(void *names, const struct bob_trace *t, uint32_t process,
			      uint32_t image, uint64_t pc)
{
	return cli_names_place(names, t, process, image, pc);
}

struct bob_naming cli_session_naming(const struct cli_session *s)
{
	return (struct bob_naming){ cli_names_of, image_name, symbol_name, place_name, s->names };
}

static int select_kind(const char *verb, void *session, const char *kind, const char *arg)
{
	char spec[64];

	if (snprintf(spec, sizeof(spec), "%s=%s", kind, arg) >= (int)sizeof(spec))
		return cli_misuse(verb, "--%s=%s is too long", kind, arg);
	return cli_session_select(verb, session, spec);
}

int cli_session_select_ranks(const char *verb, void *session, const char *ranks)
{
	return select_kind(verb, session, "rank", ranks);
}

int cli_session_select_threads(const char *verb, void *session, const char *threads)
{
	return select_kind(verb, session, "thread", threads);
}

void cli_session_no_limit(const struct cli_session *s, const char *what)
{
	if (s->max_events)
		cli_warn(s->verb, "--max-events has no effect on %s", what);
}

static void print_limited(const struct cli_session *s)
{
	char number[BOB_NUMBER_MAX];

	if (s->trace && (s->limited || bob_trace_limited(s->trace)))
		cli_warn(s->verb,
			 "there are more events: only the first %s of each thread were read, as "
			 "--max-events says",
			 bob_format_count(number, s->max_events));
}

static void print_problems(const struct cli_session *s)
{
	uint32_t n = bob_trace_problem_count(s->trace), lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += bob_trace_problem(s->trace, i)->lost != 0;
	if (lost && strcmp(s->verb, "check") && strcmp(s->verb, "info"))
		cli_warn(s->verb,
			 "something recorded is missing or damaged (%" PRIu32 " place%s); "
			 "see bobbin check %s",
			 lost, bob_plural(lost), s->dir);
}

static void start_progress(struct cli_session *s)
{
	struct bob_trace_sizes sizes;

	if (!isatty(STDERR_FILENO))
		return;
	bob_trace_sizes(s->trace, &sizes);
	s->events_all = sizes.events;
	s->progress.tick = tick;
	s->progress.ctx = s;
	s->progress_due_ns = bob_clock_ns(CLOCK_MONOTONIC) + PROGRESS_FIRST_NS;
}

int cli_session_open_dir(struct cli_session *s, const char *dir)
{
	struct bob_error err = { 0 };
	bob_status st;

	s->dir = dir;
	cli_place_demangle(!s->no_demangle);
	st = bob_trace_open(s->dir, &s->trace, &err);
	if (st != BOB_OK)
		return cli_fail_open(s->verb, s->dir, st, &err);
	st = bob_functions_create(s->trace, &s->functions);
	if (st == BOB_OK && s->max_events)
		st = bob_trace_limit(s->trace, s->max_events);
	if (st == BOB_OK) {
		s->names = cli_names_create(s->functions, !s->no_demangle);
		if (!s->names)
			st = BOB_ERR_NOMEM;
	}
	if (st != BOB_OK) {
		cli_session_close(s);
		return cli_fail_status(s->verb, "cannot list the functions", st, NULL);
	}
	print_problems(s);
	start_progress(s);
	return 0;
}

int cli_session_open(struct cli_session *s, int argc, char **argv)
{
	if (argc - optind > 1)
		return cli_misuse(s->verb, "one trace at a time, not '%s' as well",
				  argv[optind + 1]);
	return cli_session_open_dir(s, optind < argc ? argv[optind] : CLI_DIR_DEFAULT);
}

void cli_session_close(struct cli_session *s)
{
	cli_session_progress_end(s);
	print_limited(s);
	cli_names_destroy(s->names);
	bob_functions_destroy(s->functions);
	bob_trace_close(s->trace);
	free(s->left_out);
	s->left_out = NULL;
	s->names = NULL;
	s->functions = NULL;
	s->trace = NULL;
}

uint32_t cli_session_thread(const struct cli_session *s, uint32_t thread)
{
	uint32_t n = bob_trace_thread_count(s->trace);

	while (thread < n && ((s->left_out && s->left_out[thread]) ||
			      !cli_select_match(&s->select, s->trace, thread)))
		thread++;
	return thread;
}

uint32_t *cli_session_threads(const struct cli_session *s, uint32_t *count)
{
	const uint32_t n = bob_trace_thread_count(s->trace);
	uint32_t *threads = calloc(n + 1u, sizeof(*threads));

	*count = 0;
	for (uint32_t i = cli_session_thread(s, 0); threads && i < n;
	     i = cli_session_thread(s, i + 1))
		threads[(*count)++] = i;
	return threads;
}

#define OFF "the trace has no MPI calls: it was recorded with --mpi-level=off"

static int is_off(const struct cli_session *s)
{
	const char *level = cli_left_out_value(s, "mpi-level");

	return level && !strcmp(level, "off");
}

int cli_session_need_calls(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1)) {
		const struct bob_thread_info *th = bob_trace_thread(s->trace, i);

		if (th->events || th->symbols)
			return 0;
	}
	if (is_off(s))
		return cli_fail(s->verb, OFF);
	if (!n && cli_is_of_source(s->trace))
		return cli_fail(s->verb, "the trace has no accesses: %s",
				cli_source_without_accesses(s->trace));
	return cli_fail(s->verb, "the trace has no calls, or none in the threads chosen; "
				 "bobbin info says what there is and why");
}

int cli_session_has_folded(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace), participant;

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		if (bob_trace_folded(s->trace, i, &participant))
			return 1;
	return 0;
}

static int has_mpi(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);
	struct bob_value_cursor *c;

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		if (bob_value_cursor_open(s->trace, i, BOB_VALUES_MPI, &c, NULL) == BOB_OK) {
			bob_value_cursor_close(c);
			return 1;
		}
	return 0;
}

int cli_session_is_mpi(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		if (bob_trace_thread(s->trace, i)->symbols)
			return 0;
	return has_mpi(s);
}

int cli_session_events_alone(const struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace);

	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		if (bob_trace_accesses(s->trace, i))
			return 0;
	return cli_session_is_mpi(s);
}

int cli_session_need_mpi(const struct cli_session *s)
{
	if (has_mpi(s))
		return 0;
	if (is_off(s))
		return cli_fail(s->verb, OFF);
	return cli_fail(s->verb,
			"the trace has no MPI calls and no events, or none in the threads chosen; "
			"they are recorded with bobbin record --mpi or --events");
}

int cli_session_thread_done(struct cli_session *s, uint32_t thread, bob_status st,
			    const struct bob_error *err)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	char what[96];

	if (st == BOB_OK)
		return 0;
	cli_session_progress_end(s);
	if (st == BOB_ERR_INVAL && th->codec == 4) {
		cli_warn(s->verb,
			 "thread %" PRIu32 ".%" PRIu32 " was recorded with --codec=null: "
			 "its calls were counted, not stored",
			 th->process, th->number);
		return 0;
	}
	snprintf(what, sizeof(what), "thread %" PRIu32 ".%" PRIu32 " cannot be read to its end",
		 th->process, th->number);
	s->damaged++;
	cli_fail_status(s->verb, what, st, err);
	return st == BOB_ERR_NOMEM ? 1 : 0;
}
