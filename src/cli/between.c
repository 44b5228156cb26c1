/* SPDX-License-Identifier: BSD-3-Clause */
/* --between (between.h): parses the two ends, finds the stretch of each thread, and restricts
 * memory accesses or calls to it. */
#define _GNU_SOURCE
#include "cli/between.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/mpi_functions.h"
#include "cli/terminal/complain.h"
#include "cli/terminal/options.h"

/* --- reading the argument --- */

static int is_named(const char *name, const char *text, size_t len)
{
	if (len > 4 && !strncmp(text, "MPI_", 4)) {
		text += 4;
		len -= 4;
	}
	return strlen(name) == len && !memcmp(name, text, len);
}

static int number_of(const char *verb, const char *arg, const char *text, size_t len, uint64_t *out)
{
	char digits[24];

	if (len && len < sizeof(digits)) {
		memcpy(digits, text, len);
		digits[len] = 0;
		if (!cli_parse_count(digits, out))
			return 0;
	}
	return cli_misuse(verb, "--between=%s: '%.*s' is no number", arg, (int)len, text);
}

/* The text after the last colon is a number; names of events may have colons. */
static int parse_name(const char *verb, const char *arg, const char *text, size_t len,
		      struct bob_stretch_end *end)
{
	const char *colon = memrchr(text, ':', len);
	size_t name = colon ? (size_t)(colon - text) : len;
	uint64_t k = 1;

	if (colon && number_of(verb, arg, colon + 1, len - name - 1, &k))
		return 2;
	if (!k)
		return cli_misuse(verb, "--between=%s: calls of a function are numbered from 1",
				  arg);
	for (uint32_t i = 0; i < bob_mpi_function_count; i++)
		if (is_named(bob_mpi_functions[i].name, text, name)) {
			end->what = bob_mpi_functions[i].number;
			end->number = k - 1;
			return 0;
		}
	if (!name || (name > 4 && !strncmp(text, "MPI_", 4)))
		return cli_misuse(verb,
				  "--between=%s: '%.*s' is no function of MPI; try MPI_Barrier:2, "
				  "an event's name, or #17",
				  arg, (int)name, text);
	end->name = strndup(text, name); /* never freed */
	end->number = k - 1;
	return end->name ? 0 : cli_fail(verb, "out of memory");
}

static int parse_end(const char *verb, const char *arg, const char *text, size_t len,
		     struct bob_stretch_end *end)
{
	memset(end, 0, sizeof(*end));
	end->given = len != 0;
	if (!len)
		return 0;
	end->by_number = *text == '#';
	if (end->by_number)
		return number_of(verb, arg, text + 1, len - 1, &end->number);
	return parse_name(verb, arg, text, len, end);
}

int cli_between_parse(const char *verb, void *between, const char *arg)
{
	struct cli_between *b = between;
	const char *dots = strstr(arg, "..");
	int status;

	if (!dots || !strcmp(arg, ".."))
		return cli_misuse(verb,
				  "--between is FROM..TO, such as MPI_Barrier:2..MPI_Barrier:3 or "
				  "#10..#20, not '%s'",
				  arg);
	b->given = 1;
	b->text = arg;
	status = parse_end(verb, arg, arg, (size_t)(dots - arg), &b->stretch.from);
	if (!status)
		status = parse_end(verb, arg, dots + 2, strlen(dots + 2), &b->stretch.to);
	return status;
}

/* --- memory accesses --- */

/* Reasons why a thread does not have the stretch. */
static const char *const texts[] = {
	[BOB_STRETCH_NO_ACCESSES] = "no memory accesses",
	[BOB_STRETCH_NO_EVENTS] = "no MPI calls and no events",
	[BOB_STRETCH_NO_FROM] = "no call or event that it begins with",
	[BOB_STRETCH_NO_TO] = "no call or event that it ends with",
	[BOB_STRETCH_BACKWARDS] = "the end before the beginning",
	[BOB_STRETCH_NO_PLACE] =
		"calls or events from when nothing else was recorded, so its place is unknown",
	[BOB_STRETCH_DAMAGED] = "damage before it",
};
#define LACKS (sizeof(texts) / sizeof(texts[0]))

static void warn(const struct cli_between *b, const struct cli_session *s, const uint32_t *thread,
		 const enum bob_stretch_lack *lack, uint32_t count)
{
	for (uint32_t why = BOB_STRETCH_NO_EVENTS; why < LACKS; why++) {
		const struct bob_thread_info *first = NULL;
		uint32_t n = 0;

		for (uint32_t i = 0; i < count; i++) {
			if ((uint32_t)lack[i] != why)
				continue;
			first = first ? first : bob_trace_thread(s->trace, thread[i]);
			n++;
		}
		if (n)
			cli_warn(s->verb,
				 "--between=%s: %" PRIu32 " thread%s left out (%" PRIu32 ".%" PRIu32
				 "%s): %s",
				 b->text, n, n == 1 ? " is" : "s are", first->process,
				 first->number, n == 1 ? "" : ", ...", texts[why]);
	}
}

static int fail_absent(const struct cli_between *b, const struct cli_session *s,
		       const enum bob_stretch_lack *lack, uint32_t count)
{
	enum bob_stretch_lack most = BOB_STRETCH_NO_ACCESSES;

	for (uint32_t i = 0; i < count; i++)
		most = lack[i] > most ? lack[i] : most;
	if (most == BOB_STRETCH_NO_ACCESSES || most == BOB_STRETCH_NO_EVENTS)
		return cli_fail(
			s->verb,
			"--between=%s: the trace, or the threads chosen, have no MPI calls and no "
			"events among memory accesses; they are recorded with bobbin record --mem "
			"--mpi or --events",
			b->text);
	return cli_fail(s->verb, "--between=%s: in no thread: %s", b->text, texts[most]);
}

static int apply(const struct cli_between *b, struct cli_session *s, uint32_t *thread,
		 enum bob_stretch_lack *lack, uint32_t count)
{
	uint32_t found = 0;
	bob_status st = bob_trace_restrict(s->trace, thread, count, &b->stretch, lack);

	if (st != BOB_OK)
		return cli_fail_status(s->verb, "cannot find the stretch", st, NULL);
	for (uint32_t i = 0; i < count; i++) {
		found += lack[i] == BOB_STRETCH_FOUND;
		s->left_out[thread[i]] = lack[i] != BOB_STRETCH_FOUND;
	}
	if (!found)
		return fail_absent(b, s, lack, count);
	warn(b, s, thread, lack, count);
	return 0;
}

int cli_between_apply(const struct cli_between *b, struct cli_session *s, int keep_syncs)
{
	uint32_t n = bob_trace_thread_count(s->trace), count = 0;
	struct cli_between with = *b;
	enum bob_stretch_lack *lack;
	uint32_t *thread;
	int status;

	if (!b->given)
		return 0;
	with.stretch.keep_syncs = keep_syncs;
	thread = calloc(n + 1u, sizeof(*thread));
	lack = calloc(n + 1u, sizeof(*lack));
	s->left_out = calloc(n + 1u, 1);
	if (thread && lack && s->left_out) {
		for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
			thread[count++] = i;
		status = apply(&with, s, thread, lack, count);
	} else {
		status = cli_fail(s->verb, "out of memory");
	}
	free(thread);
	free(lack);
	return status;
}

/* --- calls --- */

typedef bob_status find_fn(const struct bob_trace *t, uint32_t thread,
			   const struct bob_stretch *stretch, uint64_t *first, uint64_t *last,
			   enum bob_stretch_lack *lack);

static int find(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
		find_fn *find_in, uint64_t *first, uint64_t *last)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	enum bob_stretch_lack lack = BOB_STRETCH_FOUND;
	bob_status st;

	if (!b->given)
		return 1;
	st = find_in(s->trace, thread, &b->stretch, first, last, &lack);
	if (st == BOB_OK && lack == BOB_STRETCH_FOUND)
		return 1;
	cli_warn(s->verb, "--between=%s: thread %" PRIu32 ".%" PRIu32 " is left out: %s", b->text,
		 th->process, th->number,
		 st == BOB_OK			       ? texts[lack] :
		 st == BOB_NONE || st == BOB_ERR_INVAL ? texts[BOB_STRETCH_NO_EVENTS] :
							 "it cannot be read");
	return 0;
}

int cli_between_positions(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			  uint64_t *first, uint64_t *last)
{
	return find(b, s, thread, bob_trace_stretch_positions, first, last);
}

int cli_between_numbers(const struct cli_between *b, const struct cli_session *s, uint32_t thread,
			uint64_t *first, uint64_t *last)
{
	return find(b, s, thread, bob_trace_stretch_numbers, first, last);
}
