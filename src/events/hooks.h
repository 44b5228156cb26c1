/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: which are called at an event, and what they bring. Nothing here records an event; it
 * happens outside of what does.
 *
 * Threads: any. */
#ifndef BOB_EVENTS_HOOKS_H
#define BOB_EVENTS_HOOKS_H

#include "bobbin/hooks.h"
#include "events/recorder.h"

#define BOB_EV_HOOKS_MAX 64u

/* How many there are: 0 is what events ask first. */
extern uint32_t bob_ev_hook_count;

/* One bit for each hook that is called at an event. */
typedef uint64_t bob_ev_hooks;

/* Data that hooks brought of a phase that is over, for bob_ev_hooks_keep. */
struct bob_ev_data {
	uint32_t count;
	struct {
		uint8_t hook, phase;
		union bob_datum data;
	} of[BOB_EV_HOOKS_MAX];
};

/* Of an event that begins: which hooks there are, by its name and its parameters. *left_out: it
 * shall not be recorded; NULL: it is in any case. */
bob_ev_hooks bob_ev_hooks_of(uint32_t what, const struct bob_hook_event *e, bool *left_out);
/* Conditions of --when, a line each; how many events were left out, for who reads the trace. */
void bob_ev_filters_add(const char *lines);
void bob_ev_filters_say(void);
/* They are called; what they bring is added to *data. */
void bob_ev_hooks_call(bob_ev_hooks hooks, const struct bob_hook_event *e,
		       struct bob_ev_data *data);
/* Where an event comes from: the calls that lead there, outermost first, as a definition has them;
 * they stay where they are. */
struct bob_ev_path {
	uint32_t depth;
	const uint64_t *place;
};
/* Do some of these want to know it? */
bool bob_ev_hooks_want_place(bob_ev_hooks which);
/* Of a definition of the thread's stream; of no calls if it is not there any more. */
struct bob_ev_path bob_ev_path_of(const struct bob_ev_thread *t, uint32_t number);
/* Data of an event of this name. NULL: nothing is recorded, and they are lost. */
void bob_ev_hooks_keep(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		       const struct bob_ev_data *data);
int bob_ev_hook_add(const struct bob_hook *h);
const struct bob_hook *bob_ev_hook(uint32_t number);
/* For the next ones that are called by the thread: no exception can pass; one that leaves a hook
 * ends there. */
extern __thread bool bob_ev_hooks_held;
/* The calling thread is in a hook; in one at a call of MPI. */
bool bob_ev_is_in_hook(void);
bool bob_ev_is_in_mpi_hook(void);

/* For bob_predicate_holds: `ctx` is a struct bob_hook_event, whose parameters are looked for. */
struct bob_predicate_value;
int bob_ev_find_parameter(void *ctx, const char *name, size_t len, struct bob_predicate_value *v);

/* --- so_far.c: what bob_hook_so_far does; the calling thread's is not needed any more --- */
bob_status bob_ev_so_far(uint64_t bytes_most, const struct bob_so_far **out);
void bob_ev_so_far_close(void);

/* --- exchange.c: what bob_hook_exchange does; board.c: what bob_hook_post and bob_hook_posted do
 * --- */
bob_status bob_ev_exchange(const struct bob_hook *h, const void *mine, bob_hook_report_fn fn,
			   const void **result, size_t *len);
bool bob_ev_post(const char *name, const void *bytes, size_t len);
size_t bob_ev_posted(const char *name, void *to, size_t capacity);

/* --- describe.c: an event as hooks see it --- */
struct bob_ev_description {
	struct bob_hook_event event;
	char name[BOB_EVENT_NAME_MAX + 8];
	struct bob_hook_parameter parameter[BOB_EV_FIXED_WORDS];
	union bob_arg value[BOB_EV_FIXED_WORDS];
};
/* One of the program's own; `args` are the parameters of that end. */
void bob_ev_describe_user(struct bob_ev_description *to, uint32_t id, bool at_end,
			  const union bob_arg *args, uint32_t count);
/* Any other, whose name is put by the caller, and one parameter after the other. */
void bob_ev_describe(struct bob_ev_description *to, uint32_t kind, bool at_end);
void bob_ev_describe_parameter(struct bob_ev_description *to, const char *name, uint32_t type,
			       union bob_arg value);

/* --- user_hooks.c: those of the program's own events, which may lie in one another. Also where
 * nothing is recorded --- */
/* False: the event shall not be recorded. `caller` and `cfa` as of bob_ev_open. */
bool bob_ev_user_hooks_begin(uint32_t id, const union bob_arg *in, uint32_t count,
			     const void *caller, const void *cfa);
void bob_ev_user_hooks_end(uint32_t id, const union bob_arg *out, uint32_t count);

/* --- sets.c: value sets of a thread, then of the process --- */
/* `path` NULL: of no place. */
void bob_ev_sets_add(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		     uint32_t hook, uint32_t phase, const union bob_datum *data);
/* What the thread has is the process's from now on; what all threads have. */
void bob_ev_sets_end(struct bob_ev_thread *t);
void bob_ev_sets_gather(void);
/* The process's, for another one: bytes, to be freed (bob_ev_unmap of *size); NULL: none. And from
 * another one: false, not all could be. */
void *bob_ev_sets_pack(size_t *len, size_t *size);
bool bob_ev_sets_unite(const void *bytes, size_t len);
/* Another process has them, and gives the results; or it could not get them, then they go to the
 * file. */
void bob_ev_sets_given(bool are_there);
/* All there will be is there: hooks get their results, and the file has what they are of. Once. */
void bob_ev_sets_finish(void);
/* The same without results: the process ends at once. */
void bob_ev_sets_write(void);
/* The file has them, and they go on. */
void bob_ev_sets_save(void);
/* What all threads have so far is in the file, under one name, whichever thread comes first. */
void bob_ev_sets_flush(void);

/* --- sets_file.c: sets in the process's file --- */
/* They have a name, until bob_ev_sets_unname: what is written of them replaces what was written
 * before, and what others whose names they have wrote of theirs. */
void bob_ev_sets_name(void);
void bob_ev_sets_unname(void);
/* *count of them, the first our own; NULL: they have none. Sets of others are among them: false, no
 * memory. */
const uint64_t *bob_ev_sets_names(uint32_t *count);
bool bob_ev_sets_have(const uint64_t *names, uint32_t count);
void bob_ev_sets_put(const void *bytes, size_t len);
void bob_ev_sets_put_alone(const void *bytes, size_t len); /* without a name, for ever */

/* --- plugins.c: `paths` apart by ':', NULL: none --- */
void bob_ev_plugins_begin(const char *paths);
void bob_ev_plugins_finish(void);

#endif
