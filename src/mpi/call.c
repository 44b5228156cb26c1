/* SPDX-License-Identifier: BSD-3-Clause */
/* Records one MPI call: decides whether it is recorded, opens its event before the call, and
 * commits it after the call. Called by the generated wrappers (shim.h). */
#include <string.h>

#include "events/hooks.h"
#include "mpi/recorder.h"

/* Sets up a call that is followed, but not recorded: its words go to a scratch buffer. */
static bool follow(struct bob_mpi_call *c, struct bob_ev_thread *t, uint32_t function)
{
	c->e.thread = t;
	c->e.what = function;
	c->e.word = t->nowhere;
	c->e.words = 0;
	c->e.capacity = BOB_EV_FIXED_WORDS;
	bob_ev_keep_begin(t);
	bob_ev_depth = 1;
	return true;
}

bool bob_mpi_enter(struct bob_mpi_call *c, uint32_t function, const void *caller, const void *cfa)
{
	struct bob_ev_thread *t;

	c->passed = false;
	c->hooks = 0;
	if (bob_ev_is_within() || !bob_mpi_is_recorded || bob_ev_is_off())
		return false;
	bob_ev_end_left(cfa);
	if (bob_mpi_how[function] == BOB_MPI_PASS) {
		bob_ev_depth = 1;
		c->passed = true;
		return false;
	}
	t = bob_ev_thread();
	if (!t)
		return false;
	if (bob_mpi_how[function] == BOB_MPI_FOLLOW && bob_ev_is_of_tool(function, caller))
		return false;
	c->silent = bob_mpi_how[function] == BOB_MPI_FOLLOW;
	if (c->silent)
		return follow(c, t, function);
	bob_ev_depth = 1;
	if (!bob_ev_open(&c->e, t, function, caller, cfa)) {
		bob_ev_depth = 0;
		return false;
	}
	bob_ev_keep_begin(t);
	return true;
}

uint32_t bob_mpi_ahead(struct bob_mpi_call *c, uint32_t words)
{
	const uint32_t in = c->e.words;

	memset(c->e.word + in, 0, 8ull * (words - in));
	c->e.words = words;
	return in;
}

void bob_mpi_back(struct bob_mpi_call *c, uint32_t in)
{
	c->e.words = in;
}

void bob_mpi_before(struct bob_mpi_call *c)
{
	if (!c->silent && bob_ev_hook_count)
		bob_mpi_hooks_before(c);
	if (!c->silent)
		bob_ev_begun(&c->e);
}

void bob_mpi_after(struct bob_mpi_call *c, int result)
{
	(void)result;
	if (!c->silent)
		bob_ev_done(&c->e);
}

void bob_mpi_leave(struct bob_mpi_call *c)
{
	if (c->hooks) {
		bob_mpi_hooks_leave(c);
		return;
	}
	bob_ev_depth = 0;
	if (!c->silent && bob_ev_put(&c->e))
		bob_ev_flush_after(c->e.what);
}

void bob_mpi_part(struct bob_mpi_call *c)
{
	bob_ev_agent->cut();
	if (c && !c->silent)
		bob_ev_part(&c->e); /* MPI_Finalize has no parameters: no word is put yet */
}

void bob_mpi_more(struct bob_mpi_call *c, uint32_t more)
{
	if (c->silent)
		c->e.words = 0;
	else
		bob_ev_more(&c->e, more);
}

void *bob_mpi_keep(struct bob_mpi_call *c, uint64_t count, uint64_t size)
{
	return c->e.thread ? bob_ev_keep(c->e.thread, count, size) : NULL;
}
