/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own events. An event that begins is an open record. If it ends and nothing was
 * recorded within it, the record becomes that of a whole event. Otherwise, its begin becomes an
 * event of its own when the next one comes (it is *settled*), and so does its end, so that records
 * are in the order in which things happened. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "archive/events/user_key.h"
#include "events/hooks.h"
#include "events/hot.h"

#define NEST_MAX 65536u		/* events in progress in a thread */
#define TEXT_WORDS (BOB_USER_STRINGS_MAX * (BOB_EVENT_STRING_MAX / 8))

struct open {
	struct bob_ev_event e;	/* its number is that of the whole event */
	uint32_t id;
	uint32_t age;		/* the thread's sites_age when it began */
	bool left_out;		/* not recorded */
};

struct bob_ev_nest {
	uint32_t depth;
	uint32_t pending;	/* owner of the open record, if any */
	uint32_t texts;		/* words of `text` */
	uint64_t text[TEXT_WORDS]; /* strings of the open record */
	struct open open[NEST_MAX];
};

static uint64_t missed;		/* events that began where nothing can be recorded */

void bob_ev_nest_close(struct bob_ev_thread *t)
{
	bob_ev_unmap(t->nest, sizeof(*t->nest));
}

void bob_ev_say_missed(void)
{
	char line[160];

	if (!missed)
		return;
	snprintf(line, sizeof(line),
		 "%llu events were not recorded: they began in a callback of MPI, in a signal "
		 "handler, or in too many others\n",
		 (unsigned long long)missed);
	bob_ev_log(line);
}

static __attribute__((noinline)) void miss(void)
{
	__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
}

/* For the thread's first event. */
static __attribute__((noinline)) struct bob_ev_thread *make_nest(void)
{
	struct bob_ev_thread *t = bob_ev_thread();

	if (t && !t->nest)
		t->nest = bob_ev_map(sizeof(*t->nest));
	return t && t->nest ? t : NULL;
}

BOB_EV_HOT struct bob_ev_thread *thread_with_nest(void)
{
	struct bob_ev_thread *t = bob_ev_self;

	return __builtin_expect(t && t->alive == BOB_EV_ALIVE && t->nest, 1) ? t : make_nest();
}

/* --- parameters --- */

static uint64_t put_text(struct bob_ev_nest *n, const char *s)
{
	const uint64_t len = s ? strnlen(s, BOB_EVENT_STRING_MAX) : 0;
	const uint64_t words = bob_event_padded(len);

	if (!len)
		return 0;
	n->text[n->texts + words - 1] = 0;
	memcpy(n->text + n->texts, s, len);
	n->texts += (uint32_t)words;
	return len;
}

BOB_EV_HOT void put_arguments(struct bob_ev_event *e, struct bob_ev_nest *n,
			      const struct bob_user_key *k, uint32_t from, uint32_t to,
			      const union bob_arg *arg, uint32_t count)
{
	for (uint32_t i = from; i < to; i++) {
		const union bob_arg a = i - from < count ? arg[i - from] :
							   (union bob_arg){ .i = 0 };

		e->word[e->words++] = k->type[i] == BOB_USER_STRING ? put_text(n, a.s) :
								      (uint64_t)a.i;
	}
}

static __attribute__((noinline)) void put_some_texts(struct bob_ev_event *e)
{
	struct bob_ev_nest *n = e->thread->nest;

	if (e->words + n->texts > e->capacity)
		bob_ev_more(e, n->texts);
	if (!e->lost) {
		memcpy(e->word + e->words, n->text, 8ull * n->texts);
		e->words += n->texts;
	}
	n->texts = 0;
}

BOB_EV_HOT void put_texts(struct bob_ev_event *e, const struct bob_ev_nest *n)
{
	if (__builtin_expect(n->texts != 0, 0))
		put_some_texts(e);
}

/* Copies input strings to the file before the event ends, after the space of the words that its end
 * will fill. */
static __attribute__((noinline)) void keep_texts(struct bob_ev_event *e, uint32_t out)
{
	const struct bob_ev_nest *n = e->thread->nest;
	uint64_t *word;

	if (e->words + out + n->texts > e->capacity)
		bob_ev_more(e, out + n->texts);
	if (e->lost)
		return;
	word = e->word + e->words;
	memset(word, 0, 8ull * out);
	memcpy(word + out, n->text, 8ull * n->texts);
	bob_event_writer_begun(e->thread->writer, e->words + out + n->texts);
}

/* Zeros the copied strings, since the words of the end go elsewhere: no word after the record may
 * look like a header. */
static void drop_texts(struct bob_ev_event *e, uint32_t out)
{
	bob_event_writer_begun(e->thread->writer, e->words);
	if (!e->lost)
		memset(e->word + e->words, 0, 8ull * (out + e->thread->nest->texts));
}

/* --- begin and end --- */

BOB_EV_HOT void begin(struct bob_ev_thread *t, uint32_t id, const struct bob_user_key *k,
		      const union bob_arg *in, uint32_t count, const void *caller, const void *cfa)
{
	const uint32_t what = bob_ev_user_what(id, BOB_USER_WHOLE);
	struct bob_ev_nest *n = t->nest;
	const uint32_t depth = n->depth;
	struct open *o = &n->open[depth];

	if (depth == NEST_MAX) {
		miss();
		return;
	}
	if (!bob_ev_hot_open(&o->e, t, what, k->flags & BOB_EVENT_NO_SIGNATURE, caller, cfa))
		return;
	o->id = id;
	o->left_out = false;
	o->age = t->sites_age;
	n->texts = 0;
	put_arguments(&o->e, n, k, 0, k->in, in, count);
	bob_ev_hot_begun(&o->e, t);
	if (__builtin_expect(n->texts != 0, 0))
		keep_texts(&o->e, k->out);
	n->pending = depth;
	n->depth = depth + 1;
	t->pending = true;
}

static __attribute__((noinline)) void begin_left_out(struct bob_ev_nest *n, uint32_t id)
{
	if (n->depth < NEST_MAX)
		n->open[n->depth++] = (struct open){ .id = id, .left_out = true };
}

bool bob_ev_settle(struct bob_ev_thread *t)
{
	struct bob_ev_event *e;

	if (!t->pending)
		return true;
	t->pending = false;
	e = &t->nest->open[t->nest->pending].e;
	if (t->nest->texts)
		drop_texts(e, bob_ev_names[t->nest->open[t->nest->pending].id].key.out);
	bob_event_writer_rename(t->writer, e->number + BOB_USER_BEGIN);
	bob_ev_took(e, e->number + BOB_USER_BEGIN, e->begin_ns, e->begin_ns);
	put_texts(e, t->nest);
	return bob_ev_put(e);
}

/* Ends an event in which nothing was recorded. */
BOB_EV_HOT void end_whole(struct bob_ev_thread *t, struct open *o, const union bob_arg *out,
			  uint32_t count)
{
	const struct bob_user_key *k = &bob_ev_names[o->id].key;

	t->pending = false;
	put_arguments(&o->e, t->nest, k, k->in, (uint32_t)k->in + k->out, out, count);
	bob_ev_hot_done(&o->e, t);
	put_texts(&o->e, t->nest);
	bob_ev_hot_put(&o->e, t);
}

/* Records the end as an event of its own, with the place of the begin. */
static __attribute__((noinline)) void end_apart(struct bob_ev_thread *t, struct open *o,
						const union bob_arg *out, uint32_t count)
{
	const struct bob_user_key *k = bob_ev_user(o->e.what);
	struct bob_ev_event e = { .sp = o->e.sp, .frame = o->e.frame };
	uint32_t number = o->e.number;
	uint64_t frame;

	bob_ev_leave_place(&o->e);
	/* definitions were dropped meanwhile, including its place */
	if (o->age != t->sites_age &&
	    bob_ev_site(t, o->e.what, true, t, NULL, &number, &frame) != BOB_OK)
		return;
	if (!bob_ev_open_as(&e, t, bob_ev_user_what(o->id, BOB_USER_END), number + BOB_USER_END))
		return;
	t->nest->texts = 0;
	put_arguments(&e, t->nest, k, k->in, (uint32_t)k->in + k->out, out, count);
	bob_ev_begun(&e);
	bob_ev_took(&e, e.number, o->e.begin_ns, e.begin_ns);
	bob_ev_leave_place(&e);
	put_texts(&e, t->nest);
	bob_ev_put(&e);
}

static void end_innermost(struct bob_ev_thread *t, const union bob_arg *out, uint32_t count)
{
	struct open *o = &t->nest->open[--t->nest->depth];

	if (o->left_out)
		return;
	if (t->pending && t->nest->pending == t->nest->depth)
		end_whole(t, o, out, count);
	else
		end_apart(t, o, out, count);
}

/* Ends an event that contains others, or that others follow. */
static __attribute__((noinline)) void end_some(struct bob_ev_thread *t, uint32_t id,
					       const union bob_arg *out, uint32_t count)
{
	uint32_t at = t->nest->depth;

	while (at && t->nest->open[at - 1].id != id)
		at--;
	if (!at) /* it began where nothing was recorded */
		return;
	while (bob_ev_thread() == t && t->nest->depth > at)
		end_innermost(t, NULL, 0);
	if (bob_ev_thread() == t)
		end_innermost(t, out, count);
}

BOB_EV_HOT void end(struct bob_ev_thread *t, uint32_t id, const union bob_arg *out, uint32_t count)
{
	struct bob_ev_nest *n = t->nest;
	struct open *o = &n->open[n->pending];

	if (t->pending && n->pending + 1 == n->depth && o->id == id) {
		n->depth--;
		end_whole(t, o, out, count);
	} else {
		end_some(t, id, out, count);
	}
}

BOB_EV_HOT void instant(struct bob_ev_thread *t, uint32_t id, const struct bob_user_key *k,
			const union bob_arg *in, uint32_t count, const void *caller,
			const void *cfa)
{
	const uint32_t what = bob_ev_user_what(id, bob_ev_instant_phase(id));
	struct bob_ev_event e;

	if (!bob_ev_hot_open(&e, t, what, k->flags & BOB_EVENT_NO_SIGNATURE, caller, cfa))
		return;
	t->nest->texts = 0;
	put_arguments(&e, t->nest, k, 0, (uint32_t)k->in + k->out, in, count);
	bob_ev_hot_begun(&e, t);
	bob_ev_hot_took(&e, t, e.number, e.begin_ns, e.begin_ns);
	bob_ev_leave_place(&e);
	put_texts(&e, t->nest);
	bob_ev_hot_put(&e, t);
}

/* --- interface for the program --- */

/* Nothing can be recorded in a wrapper, or in a signal handler that interrupted the recorder. */
BOB_EV_HOT struct bob_ev_thread *enter(void)
{
	struct bob_ev_thread *t;

	if (bob_ev_is_within()) {
		miss();
		return NULL;
	}
	t = thread_with_nest();
	bob_ev_depth = t != NULL;
	/* an unrecorded call does not leave */
	bob_ev_entered = t ? __builtin_frame_address(0) : NULL;
	return t;
}

BOB_EV_HOT void leave(void)
{
	bob_ev_entered = NULL;
	bob_ev_depth = 0;
}

/* Calls hooks, whether the event is recorded or not. */
static __attribute__((noinline)) bool ask_hooks(bool wanted, uint32_t id, const union bob_arg *in,
						uint32_t count, const void *caller, const void *cfa)
{
	if (!bob_ev_is_within())
		wanted &= bob_ev_user_hooks_begin(id, in, count, caller, cfa);
	return wanted;
}

BOB_EV_HOT bool is_wanted(uint32_t id, const struct bob_ev_name *n, const union bob_arg *in,
			  uint32_t count, const void *caller, const void *cfa)
{
	bool wanted = !bob_ev_is_off();

	if (wanted && __builtin_expect(n->when != NULL, 0))
		wanted = bob_ev_when_holds(id, in, count);
	if (__builtin_expect(bob_ev_hook_count != 0, 0))
		wanted = ask_hooks(wanted, id, in, count, caller, cfa);
	return wanted;
}

void bob_ev_begin(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		  const void *cfa)
{
	const int saved = errno;
	const struct bob_ev_name *n;
	struct bob_ev_thread *t;
	bool wanted;

	if (!bob_ev_is_registered(id))
		return;
	n = &bob_ev_names[id];
	wanted = is_wanted(id, n, in, count, caller, cfa);
	t = enter();
	if (t) {
		if (__builtin_expect(wanted, 1))
			begin(t, id, &n->key, in, count, caller, cfa);
		else
			begin_left_out(t->nest, id);
		leave();
	}
	errno = saved;
}

void bob_ev_end(uint32_t id, const union bob_arg *out, uint32_t count)
{
	const int saved = errno;
	struct bob_ev_thread *t;

	if (!bob_ev_is_registered(id) || bob_ev_is_within())
		return;
	t = enter();
	if (t) {
		end(t, id, out, count);
		leave();
	}
	if (bob_ev_hook_count)
		bob_ev_user_hooks_end(id, out, count);
	bob_ev_flush_after(bob_ev_user_what(id, BOB_USER_WHOLE));
	errno = saved;
}

void bob_ev_instant(uint32_t id, const union bob_arg *in, uint32_t count, const void *caller,
		    const void *cfa)
{
	const int saved = errno;
	const struct bob_ev_name *n;
	struct bob_ev_thread *t;

	if (!bob_ev_is_registered(id))
		return;
	n = &bob_ev_names[id];
	t = is_wanted(id, n, in, count, caller, cfa) ? enter() : NULL;
	if (t) {
		instant(t, id, &n->key, in, count, caller, cfa);
		leave();
	}
	if (bob_ev_hook_count && !bob_ev_depth)
		bob_ev_user_hooks_end(id, in, count);
	bob_ev_flush_after(bob_ev_user_what(id, BOB_USER_WHOLE));
	errno = saved;
}
