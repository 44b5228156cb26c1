/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own events, in its trace: docs/events.md.
 *
 *     static bob_event_id step;
 *     if (!step)
 *         step = bob_event_register("step", 0, "int n, double dt -> int cells");
 *     BOB_EVENT_BEGIN(step, bob_int(n), bob_real(dt));
 *     ...
 *     BOB_EVENT_END(step, bob_int(cells));
 *
 * This header needs no library: without `bobbin record --events` registering returns 0, and an
 * event of number 0 costs a load and a branch. C11 and C++11; for Fortran there is the module
 * bobbin (share/bobbin/bobbin.f90).
 *
 * Threads: any; an event ends in the thread in which it began. Not in signal handlers. No function
 * here reports errors to the program, changes errno or frees memory of the caller: strings are
 * copied. Register each event once; that takes microseconds. */
#ifndef BOBBIN_EVENTS_H
#define BOBBIN_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: no event; all functions ignore it. Valid in the whole process, and in its fork children. */
typedef uint32_t bob_event_id;

enum bob_event_flag {
	/* Do not record its call path: events from different places of the program fold together,
	 * and cost less. */
	BOB_EVENT_NO_SIGNATURE = 1,
	/* It represents a call of the function of that name (generated wrappers). */
	BOB_EVENT_WRAPPER = 2
};

#define BOB_EVENT_NAME_MAX 63u		/* bytes of a name */
#define BOB_EVENT_PARAMETERS_MAX 16u	/* in and out, together */
#define BOB_EVENT_STRINGS_MAX 8u	/* strings among them */
#define BOB_EVENT_PARAMETER_BYTES 128u	/* total length of their names, plus two for each */
#define BOB_EVENT_STRING_MAX 1024u	/* bytes; longer strings are truncated */

/* A parameter's value; its type was given at registration. */
union bob_arg {
	int64_t i;
	double d;
	const char *s;		/* zero-terminated; NULL is the empty string */
};

static inline union bob_arg bob_int(int64_t i)
{
	union bob_arg a;

	a.i = i;
	return a;
}

static inline union bob_arg bob_real(double d)
{
	union bob_arg a;

	a.d = d;
	return a;
}

static inline union bob_arg bob_text(const char *s)
{
	union bob_arg a;

	a.s = s;
	return a;
}

/* The interface of a recorder. Later versions append members; a recorder of another name is
 * incompatible with this header. */
#define BOB_EVENTS_TABLE "bobbin_events_1"
struct bob_events_table {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	bob_event_id (*event)(const char *name, uint32_t flags, const char *parameters);
	void (*begin)(bob_event_id e, const union bob_arg *in, uint32_t count);
	void (*end)(bob_event_id e, const union bob_arg *out, uint32_t count);
	void (*instant)(bob_event_id e, const union bob_arg *in, uint32_t count);
	bob_event_id (*counter)(const char *name, uint32_t flags);
	void (*set)(bob_event_id e, double value);
	int (*when)(bob_event_id e, const char *condition); /* not in the first versions */
};

/* The recorder; NULL: no recorder is loaded. For wrappers and modules; programs do not need it. */
extern void *bob_events_dlsym(void *handle, const char *name) __asm__("dlsym")
	__attribute__((weak));

static inline const struct bob_events_table *bob_events_recorder(void)
{
	static const struct bob_events_table none = { 0,    0,	  NULL, NULL, NULL,
							     NULL, NULL, NULL, NULL };
	static const struct bob_events_table *found;
	const struct bob_events_table *t = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!t, 0)) {
		if (bob_events_dlsym)
			t = (const struct bob_events_table *)bob_events_dlsym(NULL,
									      BOB_EVENTS_TABLE);
		t = t && t->size >= offsetof(struct bob_events_table, when) ? t : &none;
		__atomic_store_n(&found, t, __ATOMIC_RELEASE);
	}
	return t->size ? t : NULL;
}

/* Register an event by name; the same name yields the same event. `parameters` is a comma-separated
 * list of the parameters at its begin, optionally followed by `->` and those at its end. Each is
 * `int`, `double` or `string` and a name. NULL: none. Returns 0 if nothing is recorded, or if the
 * recorder refuses the event; then the trace has the reason (a name or parameters that are too
 * long, an invalid type, or other parameters than before). */
static inline bob_event_id bob_event_register(const char *name, uint32_t flags,
					      const char *parameters)
{
	const struct bob_events_table *t = bob_events_recorder();

	return t ? t->event(name, flags, parameters) : 0;
}

/* Record the event only if this condition on its begin parameters is true: "n > 1000 && name !=
 * \"x\"", as in `bobbin record --when` (docs/hooks.md). The trace has the number of events that
 * were left out. Once for each event. Returns 1 if the condition applies; 0 if nothing is recorded,
 * or the condition is invalid (the trace has the reason) and all events are recorded. */
static inline int bob_event_when(bob_event_id e, const char *condition)
{
	const struct bob_events_table *t = e ? bob_events_recorder() : NULL;

	return t && t->size > offsetof(struct bob_events_table, when) ? t->when(e, condition) : 0;
}

/* Begin and end of an event. Events may be nested; the end of an event also ends the events within
 * it that have not ended. Missing parameters are 0; excess parameters are dropped. These are
 * macros, so that the recorded place is a line of the caller; `e` is evaluated twice.
 *
 *     void bob_event_begin_with(bob_event_id e, uint32_t count, const union bob_arg *in);
 *     void bob_event_end_with(bob_event_id e, uint32_t count, const union bob_arg *out);
 *     void bob_event_begin(bob_event_id e);
 *     void bob_event_end(bob_event_id e); */
#define bob_event_begin_with(e, count, in) BOB_EVENTS_DO_(e, begin, in, count)
#define bob_event_end_with(e, count, out) BOB_EVENTS_DO_(e, end, out, count)
#define bob_event_begin(e) BOB_EVENTS_DO_(e, begin, NULL, 0)
#define bob_event_end(e) BOB_EVENTS_DO_(e, end, NULL, 0)
/* An event without duration. */
#define bob_event_instant_with(e, count, in) BOB_EVENTS_DO_(e, instant, in, count)
#define bob_event_instant(e) BOB_EVENTS_DO_(e, instant, NULL, 0)
#define BOB_EVENTS_DO_(e, what, args, count)                                                       \
	((e) ? bob_events_recorder()->what((e), (args), (count)) : (void)0)

/* A counter: an event without duration, with one parameter, its value. */
static inline bob_event_id bob_counter_register(const char *name, uint32_t flags)
{
	const struct bob_events_table *t = bob_events_recorder();

	return t ? t->counter(name, flags) : 0;
}

/*     void bob_counter_set(bob_event_id e, double value); */
#define bob_counter_set(e, value) ((e) ? bob_events_recorder()->set((e), (value)) : (void)0)

/* The same with the parameters as arguments: BOB_EVENT_BEGIN(e, bob_int(n), bob_text(file)). */
#define BOB_EVENT_ARGS_(...) = { __VA_ARGS__ }
#define BOB_EVENT_WITH_(what, e, ...)                                                              \
	do {                                                                                       \
		if (e) {                                                                           \
			const union bob_arg bob_args_[] BOB_EVENT_ARGS_(__VA_ARGS__);              \
			what(e, (uint32_t)(sizeof(bob_args_) / sizeof(bob_args_[0])), bob_args_);  \
		}                                                                                  \
	} while (0)
#define BOB_EVENT_BEGIN(e, ...) BOB_EVENT_WITH_(bob_event_begin_with, e, __VA_ARGS__)
#define BOB_EVENT_END(e, ...) BOB_EVENT_WITH_(bob_event_end_with, e, __VA_ARGS__)
#define BOB_EVENT_INSTANT(e, ...) BOB_EVENT_WITH_(bob_event_instant_with, e, __VA_ARGS__)

#ifdef __cplusplus
}

namespace bobbin
{
/* An event for the duration of a block, also if an exception leaves it. */
class scope
{
      public:
	explicit scope(bob_event_id e) : event(e)
	{
		bob_event_begin(e);
	}
	~scope()
	{
		bob_event_end(event);
	}
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

      private:
	bob_event_id event;
};
} // namespace bobbin
#endif
#endif
