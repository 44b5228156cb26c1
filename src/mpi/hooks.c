/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks at MPI calls. A hook runs with no event open, and its own events are recorded. So the event
 * of the call is dropped once its words are copied, and opened again after the hooks. */
#include <stdio.h>
#include <string.h>

#include "archive/events/mpi_functions.h"
#include "events/hooks.h"
#include "mpi/recorder.h"

static void describe(struct bob_ev_description *to, const struct bob_mpi_call *c, bool at_end)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(c->e.what);

	bob_ev_describe(to, BOB_HOOK_MPI, at_end);
	snprintf(to->name, sizeof(to->name), "MPI_%s", f ? f->name : "?");
	for (uint32_t i = 0; f && i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];
		const uint8_t at = at_end && p->out != BOB_MPI_NOWHERE ? p->out : p->in;

		if (at < c->e.words)
			bob_ev_describe_parameter(to, p->name, BOB_ARG_INT,
						  bob_int((int64_t)c->e.word[at]));
	}
	if (f && at_end && f->result < c->e.words)
		bob_ev_describe_parameter(to, "result", BOB_ARG_INT,
					  bob_int((int64_t)c->e.word[f->result]));
}

/* MPI_Init and MPI_Finalize are recorded in every trace, whatever hooks return. */
static bool is_bound(uint32_t function)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(function);

	return f && f->flags & (BOB_MPI_STARTED | BOB_MPI_FINISHING);
}

/* Opens the event again. The thread's stream may have changed. Returns false if the call can no
 * longer be recorded. */
static bool begin_anew(struct bob_mpi_call *c, const uint64_t *word, uint32_t words, uint32_t age)
{
	struct bob_ev_thread *t = bob_ev_thread();
	const uint32_t what = c->e.what;
	const uint64_t sp = c->e.sp, frame = c->e.frame;
	uint32_t number = c->e.number;
	uint64_t unused;

	if (!t ||
	    (age != t->sites_age &&
	     bob_ev_site(t, what, true, c, NULL, &number, &unused) != BOB_OK) ||
	    !bob_ev_open_as(&c->e, t, what, number))
		return false;
	c->e.sp = sp;
	c->e.frame = frame;
	memcpy(c->e.word, word, words * sizeof(*word));
	c->e.words = words;
	return true;
}

/* The call path, if a hook requests it. The thread's stream may have ended while the hook ran. */
static struct bob_ev_path path_of(const struct bob_mpi_call *c)
{
	if (!bob_ev_hooks_want_place(c->hooks) || c->e.thread != bob_ev_thread_now())
		return (struct bob_ev_path){ 0, NULL };
	return bob_ev_path_of(c->e.thread, c->e.number);
}

static void give_up(struct bob_mpi_call *c)
{
	static uint64_t nowhere[BOB_EV_FIXED_WORDS]; /* write-only */

	c->silent = true;
	c->hooks = 0;
	c->e.thread = NULL;
	c->e.word = nowhere;
	c->e.words = 0;
	c->e.capacity = BOB_EV_FIXED_WORDS;
}

/* The call is followed, but not recorded; the next event drops its record. */
static void leave_out(struct bob_mpi_call *c)
{
	c->silent = true;
	c->e.word = c->e.thread->nowhere;
	c->e.words = 0;
	c->e.capacity = BOB_EV_FIXED_WORDS;
}

/* Memory kept by MPI calls in hooks is separate from that of this call (bob_mpi_keep). */
static void call_hooks(struct bob_mpi_call *c, const struct bob_hook_event *e,
		       struct bob_ev_data *data)
{
	struct bob_ev_thread *t = c->e.thread;
	struct kept *const kept = t->kept;
	const uint64_t used = t->kept_used;

	t->kept = NULL;
	bob_ev_depth = 0;
	bob_ev_hooks_call(c->hooks, e, data);
	bob_ev_depth = 1;
	if (bob_ev_thread() != t)
		return;
	bob_ev_keep_end(t);
	t->kept = kept;
	t->kept_used = used;
}

void bob_mpi_hooks_before(struct bob_mpi_call *c)
{
	struct bob_ev_data data = { .count = 0 };
	uint64_t word[BOB_EV_FIXED_WORDS];
	const uint32_t words = c->e.words, age = c->e.thread->sites_age;
	struct bob_ev_description description;
	struct bob_ev_path path;
	bool left_out = false;

	describe(&description, c, false);
	c->hooks = bob_ev_hooks_of(c->e.what, &description.event,
				   is_bound(c->e.what) ? NULL : &left_out);
	if (!c->hooks) {
		if (left_out)
			leave_out(c);
		return;
	}
	path = path_of(c);
	memcpy(word, c->e.word, words * sizeof(*word));
	call_hooks(c, &description.event, &data);
	if (!begin_anew(c, word, words, age)) {
		give_up(c);
		return;
	}
	bob_ev_hooks_keep(c->e.thread, description.name, &path, &data);
	if (left_out)
		leave_out(c);
}

void bob_mpi_hooks_leave(struct bob_mpi_call *c)
{
	struct bob_ev_data data = { .count = 0 };
	const struct bob_ev_path path = path_of(c);
	struct bob_ev_description description;

	if (c->silent) /* not recorded: the call has no words */
		c->e.words = 0;
	describe(&description, c, true);
	bob_ev_depth = 0;
	if (!c->silent)
		bob_ev_put(&c->e);
	bob_ev_hooks_call(c->hooks, &description.event, &data);
	bob_ev_hooks_keep(bob_ev_thread(), description.name, &path, &data);
	if (!c->silent)
		bob_ev_flush_after(c->e.what);
}
