/* SPDX-License-Identifier: BSD-3-Clause */
/* State of a thread, from its first event to its end. A fork child starts anew: its page is wiped,
 * and its inherited data belong to its parent's file. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "events/hooks.h"
#include "events/ranks.h"

#define SIGNAL_FRAME 512u

__thread uint32_t bob_ev_depth;
__thread const void *bob_ev_entered;
__thread struct bob_ev_thread *bob_ev_self;
static __thread bool refused;	/* not recorded; asked once */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t threads;

static void free_thread(struct bob_ev_thread *t)
{
	bob_ev_sites_close(t->sites);
	bob_ev_unmap(t->work, bob_event_writer_size());
	bob_ev_unmap(t->times, bob_times_size());
	bob_ev_keep_end(t);
	bob_ev_nest_close(t);
	bob_ev_unmap(t, sizeof(*t));
}

/* Events that have begun and not ended stay open. */
static void end_stream(struct bob_ev_thread *t)
{
	if (bob_ev_settle(t))
		bob_event_writer_end(t->writer);
}

static void thread_ended(void *thread)
{
	struct bob_ev_thread *t = thread;
	/* cancelled asynchronously within the recorder: the state is unknown, and the stream stays
	 * as after a kill */
	const bool is_idle = !bob_ev_depth;

	bob_ev_entered = NULL;
	bob_ev_agent->functions_left(~0ull);
	bob_ev_depth = 1;
	bob_ev_self = NULL;
	bob_ev_so_far_close(); /* of a hook that was left */
	if (t->alive == BOB_EV_ALIVE) {
		bob_ev_sets_end(t);
		if (is_idle)
			end_stream(t);
	}
	free_thread(t);
	bob_ev_depth = 0;
}

/* The process ends in this thread. A call in progress (MPI_Abort) must stay visible, so its log is
 * left unchanged; so are those of other threads, which may be running. */
static void process_ends(void)
{
	const bool is_idle = !bob_ev_is_within();

	bob_ev_depth = 1;
	bob_ev_sets_gather();
	if (bob_ev_thread_now() && is_idle)
		end_stream(bob_ev_self);
	bob_ev_say_missed();
	bob_ev_transport_end();
	bob_ev_filters_say();
	bob_ev_when_say();
	bob_ev_sets_write();
	bob_ev_self = NULL;
	refused = true;
}

void bob_ev_watch_end(void)
{
	bob_ev_agent->at_end(process_ends);
}

static void first_thread(void)
{
	if (bob_ev_mpi)
		bob_ev_mpi->first();
	bob_ev_flush_begin();
	pthread_key_create(&key, thread_ended);
	bob_ev_watch_end();
}

static bool time_is(const char *what)
{
	const char *how = bob_ev_agent->setting("BOBBIN_TIME");

	return how && !strcmp(how, what);
}

bool bob_ev_time_is_exact(void)
{
	return time_is("exact:mpi");
}

static void begin_times(struct bob_ev_thread *t, uint32_t stream)
{
	const uint32_t number = stream | (uint32_t)BOB_CONTENT_MPI << BOB_CONTENT_SHIFT;
	void *mem = bob_ev_map(bob_times_size());

	if (mem)
		t->times = bob_times_begin(mem, bob_ev_agent->chunk, NULL, number);
	t->is_exact = bob_ev_time_is_exact();
	bob_exact_begin(&t->exact, bob_ev_agent->chunk, NULL, number);
}

static struct bob_ev_thread *open_thread(uint32_t stream)
{
	bob_status (*const begin)(void *, bob_fold_chunk_fn, void *, uint32_t,
				  struct bob_event_writer **) =
		bob_ev_level == BOB_EV_LEVEL_FLAT ? bob_event_writer_begin_flat :
						    bob_event_writer_begin;
	struct bob_ev_thread *t = bob_ev_map(sizeof(*t));

	if (!t)
		return NULL;
	t->work = bob_ev_map(bob_event_writer_size());
	t->sites = bob_ev_sites_open();
	if (madvise(t, 4096, MADV_WIPEONFORK) || !t->work || !t->sites ||
	    begin(t->work, bob_ev_agent->chunk, NULL,
		  stream | (uint32_t)BOB_CONTENT_MPI << BOB_CONTENT_SHIFT, &t->writer) != BOB_OK) {
		free_thread(t);
		return NULL;
	}
	bob_event_writer_zero(t->writer, bob_ev_zero);
	bob_event_writer_run(t->writer, bob_ev_agent->run_on_area);
	t->before = BOB_TIME_NONE;
	t->places = bob_ev_agent->has_places();
	if (!time_is("none"))
		begin_times(t, stream);
	t->alive = BOB_EV_ALIVE;
	t->number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	return t;
}

/* Runs on the agent's stack. */
static void begin_thread(void *unused)
{
	uint32_t stream;

	(void)unused;
	if (bob_ev_self) { /* in a fork child */
		free_thread(bob_ev_self);
		bob_ev_self = NULL;
	}
	pthread_once(&once, first_thread);
	stream = bob_ev_agent->stream();
	if (stream != BOB_AGENT_NO_STREAM)
		bob_ev_self = open_thread(stream);
	if (bob_ev_self)
		pthread_setspecific(key, bob_ev_self);
	if (!bob_ev_self && stream != BOB_AGENT_NO_STREAM)
		bob_ev_agent->stop(BOB_ERR_FULL);
}

__attribute__((noinline, cold)) struct bob_ev_thread *bob_ev_thread_begin(void)
{
	const uint32_t depth = bob_ev_depth;

	if (!bob_ev_agent || (refused && !bob_ev_self))
		return NULL;
	bob_ev_depth = 1; /* functions called here may be hooked */
	bob_ev_agent->run_on_area(begin_thread, NULL);
	refused = !bob_ev_self;
	bob_ev_depth = depth;
	return bob_ev_self;
}

struct bob_ev_thread *bob_ev_thread_now(void)
{
	return bob_ev_self && bob_ev_self->alive == BOB_EV_ALIVE ? bob_ev_self : NULL;
}

/* A handler may have an alternate stack anywhere. */
bool bob_ev_is_in_handler(void)
{
	const int saved = errno;
	stack_t s;
	bool is_so;

	if (!bob_ev_agent->allowed())
		return true;
	is_so = sigaltstack(NULL, &s) || s.ss_flags & SS_ONSTACK;
	errno = saved;
	return is_so;
}

/* Between the interrupted frame and a handler's there is at least the kernel's signal frame. */
__attribute__((noinline)) bool bob_ev_thread_left(void)
{
	const uint8_t *here = __builtin_frame_address(0);

	if (!bob_ev_entered || here + SIGNAL_FRAME < (const uint8_t *)bob_ev_entered ||
	    bob_ev_is_in_handler())
		return false;
	bob_ev_entered = NULL;
	bob_ev_log("a signal handler has jumped out of the recorder: "
		   "later events of that thread are not recorded\n");
	pthread_setspecific(key, NULL); /* its memory stays: it may be in use */
	bob_ev_self = NULL;
	refused = true;
	return true;
}

void bob_ev_thread_stop(bob_status why)
{
	bob_ev_agent->stop(why);
	if (bob_ev_self) {
		pthread_setspecific(key, NULL);
		free_thread(bob_ev_self);
	}
	bob_ev_self = NULL;
	refused = true;
}
