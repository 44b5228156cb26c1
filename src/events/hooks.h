/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: which of them are called at an event, and the data that they return. Hooks are called
 * while no event is being recorded, and nothing here records one.
 *
 * Threads: any. */
#ifndef BOB_EVENTS_HOOKS_H
#define BOB_EVENTS_HOOKS_H

#include "bobbin/hooks.h"
#include "events/recorder.h"

#define BOB_EV_HOOKS_MAX 64u

/* Number of hooks; events check for 0 first. */
extern uint32_t bob_ev_hook_count;

/* Bit set of hooks to call at an event. */
typedef uint64_t bob_ev_hooks;

/* Data returned by hooks in a phase that has ended, for bob_ev_hooks_keep. */
struct bob_ev_data {
	uint32_t count;
	struct {
		uint8_t hook, phase;
		union bob_datum data;
	} of[BOB_EV_HOOKS_MAX];
};

/* Hooks to call at an event that begins, by its name and parameters. *left_out: the event must not
 * be recorded. NULL: it is recorded in any case. */
bob_ev_hooks bob_ev_hooks_of(uint32_t what, const struct bob_hook_event *e, bool *left_out);
/* Adds the conditions of --when, one per line; logs how many events they left out. */
void bob_ev_filters_add(const char *lines);
void bob_ev_filters_say(void);
/* Calls the hooks and appends their data to *data. */
void bob_ev_hooks_call(bob_ev_hooks hooks, const struct bob_hook_event *e,
		       struct bob_ev_data *data);
/* Place of an event: the calls that lead there, outermost first, in the memory of the event's
 * definition (borrowed). */
struct bob_ev_path {
	uint32_t depth;
	const uint64_t *place;
};
/* Whether some of these hooks request the place. */
bool bob_ev_hooks_want_place(bob_ev_hooks which);
/* Path of a definition of the thread's stream; empty if that no longer exists. */
struct bob_ev_path bob_ev_path_of(const struct bob_ev_thread *t, uint32_t number);
/* Adds data of an event of this name to value sets. t NULL: nothing is recorded, and the data
 * are dropped. */
void bob_ev_hooks_keep(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		       const struct bob_ev_data *data);
int bob_ev_hook_add(const struct bob_hook *h);
const struct bob_hook *bob_ev_hook(uint32_t number);
/* For the thread's next calls of hooks: an exception that leaves a hook ends there. */
extern __thread bool bob_ev_hooks_held;
/* Whether the calling thread is in a hook, or in one at a call of MPI. */
bool bob_ev_is_in_hook(void);
bool bob_ev_is_in_mpi_hook(void);

/* For bob_predicate_holds: `ctx` is a struct bob_hook_event, whose parameters are searched. */
struct bob_predicate_value;
int bob_ev_find_parameter(void *ctx, const char *name, size_t len, struct bob_predicate_value *v);

/* --- so_far.c: implements bob_hook_so_far; releases the calling thread's trace --- */
bob_status bob_ev_so_far(uint64_t bytes_most, const struct bob_so_far **out);
void bob_ev_so_far_close(void);

/* --- exchange.c: implements bob_hook_exchange; board.c: bob_hook_post and bob_hook_posted --- */
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
/* An event of the program; `args` are the parameters of its begin or end. */
void bob_ev_describe_user(struct bob_ev_description *to, uint32_t id, bool at_end,
			  const union bob_arg *args, uint32_t count);
/* Any other event; the caller then adds the name, and one parameter after the other. */
void bob_ev_describe(struct bob_ev_description *to, uint32_t kind, bool at_end);
void bob_ev_describe_parameter(struct bob_ev_description *to, const char *name, uint32_t type,
			       union bob_arg value);

/* --- user_hooks.c: hooks at the program's own events, which may nest. Also called where nothing is
 * recorded --- */
/* False: the event must not be recorded. `caller` and `cfa` as for bob_ev_open. */
bool bob_ev_user_hooks_begin(uint32_t id, const union bob_arg *in, uint32_t count,
			     const void *caller, const void *cfa);
void bob_ev_user_hooks_end(uint32_t id, const union bob_arg *out, uint32_t count);

/* --- sets.c: value sets of a thread, then of the process --- */
/* `path` NULL: no place. */
void bob_ev_sets_add(struct bob_ev_thread *t, const char *event, const struct bob_ev_path *path,
		     uint32_t hook, uint32_t phase, const union bob_datum *data);
/* Moves the thread's sets to the process; moves those of all threads. */
void bob_ev_sets_end(struct bob_ev_thread *t);
void bob_ev_sets_gather(void);
/* Packs the process's sets for another process. Free with bob_ev_unmap of *size bytes; NULL: none.
 * The reverse adds the sets of another process; false: not all could be added. */
void *bob_ev_sets_pack(size_t *len, size_t *size);
bool bob_ev_sets_unite(const void *bytes, size_t len);
/* true: another process has the sets, and will deliver the results. false: it could not receive
 * them; they stay here and go to the file. */
void bob_ev_sets_given(bool are_there);
/* All sets are complete: passes results to hooks, and writes the sets to the file. Once. */
void bob_ev_sets_finish(void);
/* The same without results: the process ends at once. */
void bob_ev_sets_write(void);
/* Writes the sets to the file; they continue to grow. */
void bob_ev_sets_save(void);
/* Writes the sets of all threads so far to the file, under one name, whichever thread comes
 * first. */
void bob_ev_sets_flush(void);

/* --- sets_file.c: sets in the process's file --- */
/* Names the sets until bob_ev_sets_unname: each later writing replaces the earlier one of the same
 * name, and those of merged sets whose names are listed. */
void bob_ev_sets_name(void);
void bob_ev_sets_unname(void);
/* Names, *count of them, our own first; NULL: none. bob_ev_sets_have adds names of sets merged into
 * these; false: out of memory. */
const uint64_t *bob_ev_sets_names(uint32_t *count);
bool bob_ev_sets_have(const uint64_t *names, uint32_t count);
void bob_ev_sets_put(const void *bytes, size_t len);
void bob_ev_sets_put_alone(const void *bytes, size_t len); /* unnamed, never replaced */

/* --- plugins.c: `paths` separated by ':'; NULL: none --- */
void bob_ev_plugins_begin(const char *paths);
void bob_ev_plugins_finish(void);

#endif
