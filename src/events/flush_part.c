/* SPDX-License-Identifier: BSD-3-Clause */
/* record --flush-every: ends a part of a thread's stream, completes it in the file and frees its
 * memory; writes value sets of hooks. At an event that all ranks have, also merges the ranks'
 * traces and sets as in MPI_Finalize, but recording continues. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#include "archive/events/flush_option.h"
#include "archive/events/mpi_functions.h"
#include "archive/events/user_key.h"
#include "events/hooks.h"
#include "events/ranks.h"

#define WHATS (BOB_EV_USER + 8u * 16385u)

enum { NOT_KNOWN, NO, YES };

bool bob_ev_flushes;
static struct bob_flush how;
static uint8_t *chosen;		/* [what]: whether it matches BOB_FLUSH_EVENT */
static bool failed;		/* an attempt to merge has failed: not repeated */

void bob_ev_flush_begin(void)
{
	const char *text = bob_ev_agent->setting("BOBBIN_FLUSH_EVERY"), *expected;

	if (!text || bob_flush_parse(text, &how, &expected))
		return;
	chosen = how.kind == BOB_FLUSH_EVENT ? bob_ev_map(WHATS) : NULL;
	bob_ev_flushes = chosen || how.kind != BOB_FLUSH_EVENT;
}

void bob_ev_part_all(void *unused)
{
	struct bob_ev_thread *t;

	(void)unused;
	bob_ev_agent->cut();
	t = bob_ev_thread_now();
	if (t && bob_ev_settle(t))
		(void)bob_event_writer_cut(t->writer); /* a flat stream has no parts */
}

/* --- when --- */

static bool matches(uint32_t what)
{
	char name[BOB_EVENT_NAME_MAX + 8];
	const struct bob_mpi_function *f;

	if (what >= BOB_EV_USER) {
		snprintf(name, sizeof(name), "%s", bob_ev_user(what)->name);
	} else {
		f = bob_ev_mpi ? bob_ev_mpi->function(what) : NULL;
		snprintf(name, sizeof(name), "MPI_%s", f ? f->name : "?");
	}
	return !fnmatch(how.event, name, 0);
}

static bool is_chosen(uint32_t what)
{
	uint8_t *c = what < WHATS ? &chosen[what] : NULL;

	if (c && *c == NOT_KNOWN) /* races store the same */
		*c = matches(what) ? YES : NO;
	return c && *c == YES;
}

static bool is_due(struct bob_ev_thread *t, uint32_t what)
{
	uint64_t now;

	if (how.kind == BOB_FLUSH_TIME) {
		now = t->times ? t->end_ns : bob_ev_now_ns();
		if (!t->flushed)
			t->flushed = now;
		if (now - t->flushed < how.every)
			return false;
		t->flushed = now;
		return true;
	}
	if ((how.kind == BOB_FLUSH_EVENT && !is_chosen(what)) || ++t->flushed < how.every)
		return false;
	t->flushed = 0;
	return true;
}

/* --- what --- */

static void unite(uint32_t what)
{
	const struct bob_transport *t = bob_ev_transport_now(what < BOB_EV_USER);

	if (!t || t->ranks < 2 || failed) {
		bob_ev_part_all(NULL);
		return;
	}
	failed = !bob_ev_merge(t, bob_ev_part_all, NULL);
	if (failed)
		bob_ev_log("--flush-every: ranks did not come together; "
			   "what follows is merged at the end\n");
}

void bob_ev_flush_look(uint32_t what)
{
	struct bob_ev_thread *t = bob_ev_thread_now();
	const int saved = errno;

	if (!t || bob_ev_is_within() || !is_due(t, what))
		return;
	bob_ev_depth = 1;
	if (bob_ev_hook_count)
		bob_ev_sets_flush();
	if (how.all && bob_ev_merge_is_wanted())
		unite(what);
	else
		bob_ev_part_all(NULL);
	bob_ev_depth = 0;
	errno = saved;
}
