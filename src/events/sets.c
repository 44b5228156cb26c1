/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks bring: value sets of each thread, by event, hook and phase; united in the process's when the thread ends, and these with other
 * processes' (src/mpi). Memory of sets is their makers'; numbers have sets of ours. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/value_numbers.h"
#include "archive/value_sets.h"
#include "base/varint.h"
#include "events/hooks.h"

#define SETS_MAX 4096u
#define TURNS_MAX 100000u	/* of waiting for who has a thread's sets */
#define TEXT_MAX 4096u		/* bytes of a set's text */
#define NAME_MAX_BYTES (BOB_EVENT_NAME_MAX + 8u)

struct one {
	void *set;
	uint32_t hook, phase;
	char event[NAME_MAX_BYTES];
};

struct bob_ev_sets {
	struct bob_ev_sets *next; /* of another thread */
	uint32_t busy;		/* somebody is at work on them */
	uint32_t count;
	struct one one[SETS_MAX];
};

static struct bob_ev_sets *ours; /* the process's */
static struct bob_ev_sets *threads; /* of threads that live */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t of;		/* whose they are: a fork child has none */
static bool finished;		/* hooks have had their results */
static uint64_t lost;		/* data, or sets, for which there was no room, or that somebody refused */

static void lose(void)
{
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* --- numbers --- */

static void *numbers_create(void *ctx)
{
	(void)ctx;
	return calloc(1, sizeof(struct bob_value_numbers));
}

static int numbers_add(void *ctx, void *set, const union bob_datum *data)
{
	(void)ctx;
	bob_value_add(set, data->d);
	return 1;
}

static int numbers_merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
	bob_value_unite(into, from);
	return 1;
}

static size_t numbers_pack(void *ctx, const void *set, void *to, size_t room)
{
	(void)ctx;
	return bob_value_pack(set, to, room);
}

static void *numbers_unpack(void *ctx, const void *bytes, size_t len)
{
	struct bob_value_numbers *n = numbers_create(ctx);

	if (n && bob_value_unpack(bytes, len, n) == BOB_OK)
		return n;
	free(n);
	return NULL;
}

static void numbers_destroy(void *ctx, void *set)
{
	(void)ctx;
	free(set);
}

static const struct bob_value_set numbers = {
	.size = sizeof(numbers),
	.create = numbers_create,
	.add = numbers_add,
	.merge = numbers_merge,
	.pack = numbers_pack,
	.unpack = numbers_unpack,
	.destroy = numbers_destroy,
};

/* --- of a thread, of the process --- */

static const struct bob_value_set *ops_of(const struct one *o)
{
	const struct bob_hook *h = bob_ev_hook(o->hook);

	return h->set ? h->set : &numbers;
}

static void *ctx_of(const struct one *o)
{
	return bob_ev_hook(o->hook)->ctx;
}

/* It is made if it is not there; NULL: it cannot. */
static struct one *find(struct bob_ev_sets **sets, const char *event, uint32_t hook, uint32_t phase)
{
	struct bob_ev_sets *s = *sets ? *sets : (*sets = bob_ev_map(sizeof(*s)));
	struct one *o;

	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->one[i].hook == hook && s->one[i].phase == phase &&
		    !strcmp(s->one[i].event, event))
			return &s->one[i];
	if (!s || s->count == SETS_MAX || strlen(event) >= NAME_MAX_BYTES)
		return NULL;
	o = &s->one[s->count];
	o->hook = hook;
	o->phase = phase;
	memcpy(o->event, event, strlen(event) + 1);
	o->set = ops_of(o)->create(ctx_of(o));
	if (!o->set)
		return NULL;
	s->count++;
	return o;
}

/* The lock is held. A fork child has nothing. */
static void need_process(void)
{
	if (of == getpid())
		return;
	ours = NULL;
	threads = NULL;
	finished = false;
	of = getpid();
}

/* A thread's own, or all threads' by one that gathers. False: who has them does not come to an end. */
static bool enter(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; __atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE); i++) {
		if (i == TURNS_MAX)
			return false;
		sched_yield();
	}
	return true;
}

static void leave(struct bob_ev_sets *s)
{
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

static struct bob_ev_sets *open_sets(void)
{
	struct bob_ev_sets *s = bob_ev_map(sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_lock(&lock);
	need_process();
	s->next = threads;
	threads = s;
	pthread_mutex_unlock(&lock);
	return s;
}

void bob_ev_sets_add(struct bob_ev_thread *t, const char *event, uint32_t hook, uint32_t phase,
		     const union bob_datum *data)
{
	struct one *o;

	t->sets = t->sets ? t->sets : open_sets();
	if (!t->sets || !enter(t->sets)) {
		lose();
		return;
	}
	o = find(&t->sets, event, hook, phase);
	if (!o || !ops_of(o)->add(ctx_of(o), o->set, data))
		lose();
	leave(t->sets);
}

/* The lock is held. `set` stays whose it is. */
static void unite(const char *event, uint32_t hook, uint32_t phase, const void *set)
{
	struct one *o;

	need_process();
	o = find(&ours, event, hook, phase);
	if (!o || !ops_of(o)->merge(ctx_of(o), o->set, set))
		lose();
}

/* The lock is held. */
static void take_all(struct bob_ev_sets *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct one *o = &s->one[i];

		unite(o->event, o->hook, o->phase, o->set);
		ops_of(o)->destroy(ctx_of(o), o->set);
	}
	s->count = 0;
}

void bob_ev_sets_end(struct bob_ev_thread *t)
{
	struct bob_ev_sets *s = t->sets, **at = &threads;

	if (!s)
		return;
	pthread_mutex_lock(&lock);
	need_process();
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	t->sets = NULL;
	take_all(s);
	pthread_mutex_unlock(&lock);
	bob_ev_unmap(s, sizeof(*s));
}

void bob_ev_sets_gather(void)
{
	pthread_mutex_lock(&lock);
	need_process();
	for (struct bob_ev_sets *s = threads; s; s = s->next) {
		if (!enter(s))
			continue;
		take_all(s);
		leave(s);
	}
	pthread_mutex_unlock(&lock);
}

/* --- bytes: value_sets.h --- */

struct bytes {
	uint8_t *at;		/* mapped */
	size_t len, room;
	bool failed;
};

static uint8_t *need(struct bytes *b, size_t n)
{
	if (!b->failed && b->room - b->len < n) {
		const size_t room = 2 * (b->len + n) + 65536;
		uint8_t *more = bob_ev_map(room);

		b->failed = !more;
		if (more && b->at)
			memcpy(more, b->at, b->len);
		if (more) {
			bob_ev_unmap(b->at, b->room);
			b->at = more;
			b->room = room;
		}
	}
	return b->failed ? NULL : b->at + b->len;
}

static void put(struct bytes *b, uint64_t v)
{
	uint8_t *to = need(b, BOB_VARINT_MAX);

	if (to)
		b->len += bob_varint_put(to, v);
}

static void put_text(struct bytes *b, const char *text, size_t n)
{
	uint8_t *to;

	put(b, n);
	to = need(b, n);
	if (to && n)
		memcpy(to, text, n);
	b->len += to ? n : 0;
}

static void put_one(struct bytes *b, const struct one *o)
{
	const struct bob_value_set *ops = ops_of(o);
	const char *hook = bob_ev_hook(o->hook)->name;
	char text[TEXT_MAX];
	size_t n;
	uint8_t *to;

	put_text(b, hook ? hook : "", hook ? strlen(hook) : 0);
	put_text(b, o->event, strlen(o->event));
	put(b, o->phase);
	put(b, ops == &numbers ? BOB_SET_NUMBERS : BOB_SET_OWN);
	n = ops->pack(ctx_of(o), o->set, NULL, 0);
	put(b, n);
	to = need(b, n);
	if (to && ops->pack(ctx_of(o), o->set, to, n) == n)
		b->len += n;
	else
		b->failed = true;
	n = ops->print ? ops->print(ctx_of(o), o->set, text, sizeof(text)) : 0;
	put_text(b, text, n < sizeof(text) ? n : 0);
}

void *bob_ev_sets_pack(size_t *len, size_t *size)
{
	struct bytes b = { 0 };

	*len = 0;
	if (!ours || of != getpid())
		return NULL;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < ours->count; i++)
		put_one(&b, &ours->one[i]);
	pthread_mutex_unlock(&lock);
	if (b.failed) {
		lose();
		bob_ev_unmap(b.at, b.room);
		return NULL;
	}
	*len = b.len;
	*size = b.room;
	return b.at;
}

/* Our own hook of that name; they may have been added in another order. */
static bool hook_named(const struct bob_set *s, uint32_t *number)
{
	for (*number = 0; *number < bob_ev_hook_count; ++*number) {
		const struct bob_hook *h = bob_ev_hook(*number);
		const char *name = h->name ? h->name : "";

		if ((s->kind == BOB_SET_OWN) == (h->set != NULL) && strlen(name) == s->hook_len &&
		    !memcmp(name, s->hook, s->hook_len))
			return true;
	}
	return false;
}

static bool take(const struct bob_set *s)
{
	struct one like = { .phase = s->phase };
	void *set;

	if (s->event_len >= sizeof(like.event) || !hook_named(s, &like.hook)) {
		lose();
		return false;
	}
	memcpy(like.event, s->event, s->event_len);
	set = ops_of(&like)->unpack(ctx_of(&like), s->bytes, s->len);
	if (!set) {
		lose();
		return false;
	}
	pthread_mutex_lock(&lock);
	unite(like.event, like.hook, like.phase, set);
	pthread_mutex_unlock(&lock);
	ops_of(&like)->destroy(ctx_of(&like), set);
	return true;
}

bool bob_ev_sets_unite(const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = at + len;
	struct bob_set s;
	bool all = true;
	bob_status st;

	while ((st = bob_set_next(&at, end, &s)) == BOB_OK)
		all &= take(&s);
	if (st != BOB_END)
		lose();
	return all && st == BOB_END;
}

/* --- the end --- */

/* What comes behind that is of this process alone. */
static void drop(void)
{
	struct bob_ev_sets *s = ours;

	ours = NULL;
	for (uint32_t i = 0; i < s->count; i++)
		ops_of(&s->one[i])->destroy(ctx_of(&s->one[i]), s->one[i].set);
	bob_ev_unmap(s, sizeof(*s));
}

void bob_ev_sets_given(bool are_there)
{
	finished = true;
	if (!are_there)
		bob_ev_sets_write();
	else if (ours)
		drop();
}

static void say_lost(void)
{
	if (lost)
		bob_ev_log(
			"data of hooks were lost: there was no room, or their set refused them\n");
}

static void write_ours(bool go_on)
{
	size_t len, size;
	uint8_t *bytes;

	if (!ours || of != getpid())
		return;
	bytes = bob_ev_sets_pack(&len, &size);
	if (!go_on)
		drop();
	if (!bytes)
		return;
	bob_ev_sets_put(bytes, len);
	bob_ev_unmap(bytes, size);
}

void bob_ev_sets_write(void)
{
	if (ours && of == getpid())
		say_lost();
	write_ours(false);
}

void bob_ev_sets_save(void)
{
	write_ours(true);
}

void bob_ev_sets_finish(void)
{
	if (!ours || of != getpid())
		return;
	for (uint32_t i = 0; i < ours->count && !finished; i++) {
		const struct one *o = &ours->one[i];

		if (ops_of(o)->result)
			ops_of(o)->result(ctx_of(o), o->event, o->phase, o->set);
	}
	finished = true;
	bob_ev_sets_write();
}
