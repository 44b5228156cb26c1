/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread blocks and their streams. A block is created at the first hooked entry of a thread. Other
 * threads detect that a thread has ended: each one that creates a block asks the kernel about two
 * older ones (tgkill with signal 0), and at the end of the process all are checked. The stream of
 * an ended thread gets its end symbol and is closed; its memory is freed. */
#include "agent/agent.h"

#include <string.h>

#include "agent/thread_area.h"
#include "agent/hooks.h"
#include "agent/mem/mem.h"
#include "agent/os.h"

/* payload of a stream's first DATA chunk: 1 KB including its header */
#define DATA_FIRST 960u
#define DATA_MAX (256u << 10) /* they double up to this size */
#define ASK_PER_THREAD 2      /* older blocks checked when one is created */

struct bob_process bob_process;

/* Signals are blocked while the lock is held: a handler that left by a jump, or ended the process,
 * would leave it locked forever. */
void lock_process(void)
{
	unsigned long signals = os_allowed() ? os_block_signals() : 0;

	while (__atomic_exchange_n(&bob_process.lock, 1, __ATOMIC_ACQUIRE))
		if (os_allowed())
			os_yield();
	bob_process.lock_signals = signals;
}

void unlock_process(void)
{
	unsigned long signals = bob_process.lock_signals;

	__atomic_store_n(&bob_process.lock, 0, __ATOMIC_RELEASE);
	if (os_allowed())
		os_restore_signals(signals);
}

/* --- the encoder's services; called with the block busy, never with the lock held --- */

static uint8_t *io_grow(void *ctx, size_t *len)
{
	struct bob_thread *t = ctx;
	struct bob_chunk_head *h = t->data;

	/* The encoder was interrupted before it registered the last chunk, and abandoned: return
	 * the same chunk. */
	if (bob_run_granted(thread_enc(t)) < t->data_off) {
		*len = h->size;
		return bob_chunk_data(h);
	}
	lock_process();
	h = file_chunk(BOB_CHUNK_DATA, t->stream, t->data_capacity, t->data_off);
	if (h) {
		t->data = h;
		t->data_off += h->size;
		if (t->data_capacity < DATA_MAX)
			t->data_capacity = 2 * (t->data_capacity + sizeof(*h)) - sizeof(*h);
	}
	unlock_process();
	if (!h)
		return NULL;
	*len = h->size;
	return bob_chunk_data(h);
}

static void *io_alloc(void *ctx, size_t size)
{
	struct bob_thread *t = ctx;
	void *spare = t->spare;

	if (spare && size <= t->spare_bytes) {
		t->spare = NULL;
		return spare;
	}
	for (int i = 0; i < BOB_OWNED_MAX; i++) {
		if (t->owned[i].p)
			continue;
		if (!os_allowed())
			return NULL;
		t->owned[i].p = os_map(size);
		t->owned[i].size = size;
		return t->owned[i].p;
	}
	return NULL;
}

static void io_release(void *ctx, void *p, size_t size)
{
	struct bob_thread *t = ctx;

	for (int i = 0; i < BOB_OWNED_MAX; i++) {
		if (t->owned[i].p != p)
			continue;
		if (os_allowed())
			os_unmap(p, size);
		t->owned[i].p = NULL;
	}
}

/* --- life of a block --- */

static struct bob_thread *map_block(void)
{
	const struct bob_config *c = &bob_process.config;
	size_t enc = whole_pages(bob_run_enc_size());
	size_t walks = BOB_WALKS * sizeof(struct bob_walk);
	size_t pending = BOB_PENDING_MAX * sizeof(struct bob_pending);
	size_t spare = whole_pages(BOB_THREAD_ENC + enc + walks + pending);
	size_t spare_bytes = c->calls ? whole_pages(bob_run_memory(c->codec)) : 0;
	size_t total = spare + spare_bytes;
	struct bob_thread *t = os_map(total);

	if (!t)
		return NULL;
	if (os_wipe_on_fork((char *)t + BOB_PAGE, BOB_PAGE) < 0) {
		os_unmap(t, total);
		return NULL;
	}
	t->map_bytes = total;
	t->spare = (char *)t + spare;
	t->spare_bytes = spare_bytes;
	thread_hot(t)->walks = (struct bob_walk *)(void *)((char *)t + BOB_THREAD_ENC + enc);
	t->pending = (struct bob_pending *)(void *)(thread_hot(t)->walks + BOB_WALKS);
	*thread_alive(t) = BOB_ALIVE;
	thread_hot(t)->sites = bob_process.sites;
	t->data_capacity = DATA_FIRST;
	t->tid = os_tid();
	return t;
}

static bool open_stream(struct bob_thread *t)
{
	const struct bob_run_io io = {
		.ctx = t, .grow = io_grow, .alloc = io_alloc, .release = io_release
	};
	struct bob_process *p = &bob_process;

	lock_process();
	t->stream = p->config.mem ? mem_thread_number() : p->streams++;
	struct bob_chunk_head *h =
		file_chunk(BOB_CHUNK_STREAM, t->stream, sizeof(struct bob_stream_head), 0);
	unlock_process();
	if (!h)
		return false;
	t->head = bob_chunk_data(h);
	t->head->tid = t->tid;
	t->head->start_mono_ns = os_time_mono();
	os_thread_name(t->head->name);
	if (p->config.mem)
		return mem_thread_begin(t);
	if (!p->config.calls) {
		t->head->run.codec = BOB_CODEC_NULL;
		t->dead_end = true;
		return true;
	}
	return bob_run_open(thread_enc(t), p->config.codec, &t->head->run, &io) == BOB_OK;
}

static void free_block(struct bob_thread *t)
{
	for (int i = 0; i < BOB_OWNED_MAX; i++)
		if (t->owned[i].p)
			os_unmap(t->owned[i].p, t->owned[i].size);
	mem_thread_free(t);
	hooks_thread_free(t);
	stacks_free(t);
	os_unmap(t, t->map_bytes);
}

static void count_out(struct bob_thread *t)
{
	t->head->count.top_mismatch = thread_hot(t)->top_mismatch;
}

/* The thread has ended, so its block is ours. If it ended within a recording (asynchronous
 * cancellation), the encoder stays as it is: its state in the file is consistent. */
static void finish_dead(struct bob_thread *t)
{
	if (t->mem)
		mem_thread_end(t, false);
	else if (!t->dead_end && !thread_is_busy(t) &&
		 bob_run_put(thread_enc(t), bob_sym_make_ext(BOB_SYM_END, 0)) == BOB_OK)
		bob_run_close(thread_enc(t));
	count_out(t);
	if (!t->head->end_mono_ns)
		t->head->end_mono_ns = os_time_mono();
	t->head->state = BOB_THREAD_ENDED;
}

/* Except in the main thread, where exit also comes here and more may follow. */
void thread_ending(void)
{
	struct bob_thread *t = bob_thread_hot == bob_no_thread ? NULL :
								 thread_of_hot(bob_thread_hot);

	if (t && process_has_file() && t->tid != bob_process.pid && t->tid == os_tid())
		t->head->end_mono_ns = os_time_mono();
}

/* Remove `t` from the list. Lock held. */
static void unlink_block(struct bob_thread *t)
{
	struct bob_process *p = &bob_process;
	struct bob_thread **at = &p->threads;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	if (p->scan == t)
		p->scan = t->next;
}

static struct bob_thread *next_dead(void)
{
	struct bob_process *p = &bob_process;
	struct bob_thread *dead = NULL;

	lock_process();
	for (int i = 0; i < ASK_PER_THREAD && !dead; i++) {
		struct bob_thread *t = p->scan ? p->scan : p->threads;

		if (!t)
			break;
		p->scan = t->next;
		if (!os_thread_alive(p->pid, t->tid)) {
			unlink_block(t);
			dead = t;
		}
	}
	unlock_process();
	return dead;
}

static void inherit(struct bob_thread *t, const struct bob_thread *old)
{
	t->stacks = old->stacks;
	if (old->stacks == old->first_stacks)
		t->stacks = memcpy(t->first_stacks, old->stacks, sizeof(t->first_stacks));
	t->stack_count = old->stack_count;
	t->stack_capacity = old->stack_capacity;
	t->stack_now = old->stack_now;
	t->now = old->now;
	t->trigger_rsp = old->trigger_rsp;
	t->trigger_stack = old->trigger_stack;
	struct bob_hot *hot = thread_hot(t);
	hot->top = thread_hot(old)->top;
	hot->on_size = thread_hot(old)->on_size;
	thread_gate(t)->lo = stack_now(t)->lo;
	thread_gate(t)->size = hot->on_size;
	t->head->start_depth = (uint64_t)(hot->top - stack_now(t)->shadow);
}

struct creation {
	const struct bob_thread *old;
	struct bob_thread *made;
};

static void create(void *creation)
{
	struct creation *c = creation;
	struct bob_process *p = &bob_process;
	struct bob_thread *t, *dead;

	while ((dead = next_dead())) {
		finish_dead(dead);
		free_block(dead);
	}
	t = map_block();
	if (t && !open_stream(t)) {
		free_block(t);
		t = NULL;
	}
	if (t) {
		if (c->old && c->old->stack_count)
			inherit(t, c->old);
		lock_process();
		t->next = p->threads;
		p->threads = t;
		unlock_process();
		bob_thread_hot = thread_hot(t);
	} else
		agent_stop(BOB_STOP_DISK); /* otherwise every entry of the thread would try again */
	c->made = t;
}

struct bob_thread *thread_create(const struct bob_thread *old)
{
	struct creation c = { .old = old };
	unsigned long signals;

	if (!bob_process.recording || !os_allowed())
		return NULL;
	/* entries of a handler would re-enter this code, so signals are blocked, only here */
	signals = os_block_signals();
	area_run(create, &c);
	os_restore_signals(signals);
	return c.made;
}

struct bob_thread *thread_here(void)
{
	struct bob_thread *t = NULL;

	for (int i = 0; i < 2; i++) {
		if (bob_thread_hot != bob_no_thread)
			t = thread_of_hot(bob_thread_hot);
		if (i == 0 && process_is_child())
			process_after_fork(t);
	}
	if (t && *thread_alive(t) == BOB_ALIVE)
		return t;
	/* the kernel wiped it: another thread of this child has initialised the process */
	bob_thread_hot = bob_no_thread;
	return thread_create(t);
}

void thread_dead_end(struct bob_thread *t, bob_status why)
{
	t->dead_end = true;
	thread_hot(t)->on_size = 0;
	thread_hot(t)->pending = 0;
	count_out(t);
	agent_stop(!os_allowed()	  ? BOB_STOP_SECCOMP :
		   why == BOB_ERR_NOMEM	  ? BOB_STOP_MEMORY :
		   why == BOB_ERR_CORRUPT ? BOB_STOP_INTERNAL :
		   bob_process.no_space	  ? bob_process.no_space :
					    BOB_STOP_DISK);
}

/* /proc/PID/task/TID/stat; `pid` 0: self. */
static void stat_path(char path[64], uint32_t pid, uint32_t tid)
{
	size_t n = text_add(path, 64, 0, pid ? "/proc/" : "/proc/self");

	if (pid)
		n = text_add_u64(path, 64, n, pid, 10);
	n = text_add(path, 64, n, "/task/");
	n = text_add_u64(path, 64, n, tid, 10);
	text_add(path, 64, n, "/stat");
}

/* A joined thread can receive signals for some time; the kernel's flags show that it is ending. */
static bool has_ended(const struct bob_thread *t)
{
	char path[64];

	stat_path(path, 0, t->tid);
	return !os_thread_alive(bob_process.pid, t->tid) || os_exiting(path);
}

/* When a vfork child begins, its parent is about to sleep: check a few times. */
#define LOOKS 8
static bool waits_for_child(const struct bob_thread *t)
{
	char path[64];

	stat_path(path, bob_process.pid, t->tid);
	for (int i = 0; i < LOOKS; i++) {
		if (os_sleeps_deeply(path))
			return true;
		os_yield();
	}
	return false;
}

bool thread_shared(struct bob_thread *t, uint64_t rsp)
{
	uint32_t tid;

	if (rsp - t->now.lo < t->now.size || !os_allowed())
		return false;
	tid = os_tid();
	if (tid == t->tid)
		return false;
	if (__atomic_load_n(&t->beside, __ATOMIC_RELAXED) != tid) {
		if (waits_for_child(t))
			return false;
		__atomic_store_n(&t->beside, tid, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&t->head->count.beside, 1, __ATOMIC_RELAXED);
	return true;
}

/* Remove the blocks of ended threads from the list, and link them by `next`. */
static struct bob_thread *take_dead(uint32_t self)
{
	struct bob_process *p = &bob_process;
	struct bob_thread *dead = NULL, **at = &p->threads;

	while (*at) {
		struct bob_thread *t = *at;

		if (t->tid == self || !has_ended(t)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		t->next = dead;
		dead = t;
	}
	p->scan = NULL;
	return dead;
}

/* Whether it has a selection buffer whose records are not all in the trace
 * (mem/select_addresses.c). */
static bool is_selecting(const struct bob_thread *t)
{
	return t->mem && t->mem->select && t->mem->limit;
}

/* Remove threads that are still running and have records that are not in the file from the list, so
 * that no thread frees them, and link them by `next`. Lock held. */
static struct bob_thread *take_selecting(const struct bob_thread *own)
{
	struct bob_process *p = &bob_process;
	struct bob_thread *taken = NULL, **at = &p->threads;

	while (*at) {
		struct bob_thread *t = *at;

		if (t == own || !is_selecting(t)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		t->next = taken;
		taken = t;
	}
	return taken;
}

void thread_close_all(bool for_good)
{
	struct bob_thread *dead, *own = NULL, *others = NULL;
	const uint64_t *unused;

	lock_process();
	dead = take_dead(os_tid());
	for (struct bob_thread *t = bob_process.threads; t; t = t->next) {
		const bool is_own = bob_thread_hot == thread_hot(t);

		count_out(t);
		if (!for_good && !is_own && is_selecting(t))
			continue; /* the records in its buffer are lost: it has no end */
		t->head->end_mono_ns = os_time_mono();
		t->head->state = BOB_THREAD_AT_EXIT;
		if (t->mem && is_own)
			own = t;
	}
	if (for_good)
		others = take_selecting(own);
	unlock_process();
	if (own && for_good)
		mem_thread_end(own, true);
	else if (own)
		mem_flush(own);
	for (; others; others = others->next)
		(void)mem_select_end(others, false, &unused);
	while (dead) { /* without the lock, because finishing may need space in the file */
		struct bob_thread *next = dead->next;

		finish_dead(dead);
		free_block(dead);
		dead = next;
	}
}
