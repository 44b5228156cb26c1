/* SPDX-License-Identifier: BSD-3-Clause */
/* Record buffers of threads. A thread's first record finds its slots empty and requests a buffer in
 * the file. A full buffer is folded (archive/write/mem_write.h) or kept raw. Records that are not
 * wanted (before main, after a failure) are written to scratch memory of the thread.
 *
 * All signals are blocked while buffers are changed, because records of a handler would re-enter
 * this code. */
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/thread_area.h"
#include "agent/os.h"

#define RAW_FIRST (64u << 10)
#define RAW_MAX (4u << 20)
#define NEED (2 * BOB_MEM_SLACK_WORDS * sizeof(uint64_t))

__thread struct bob_mem_slots bob_mem_slots;
/* Scratch memory of threads without a per-thread area. */
static uint64_t shared_scratch[BOB_AREA_SCRATCH_WORDS];
static bool begun;
uint64_t bob_mem_real_main;

static void use_scratch(void)
{
	struct bob_thread_area *a = area_get();
	uint64_t *scratch = a ? a->scratch : shared_scratch;

	bob_mem_slots.cursor = scratch;
	bob_mem_slots.limit = scratch + BOB_AREA_SCRATCH_WORDS - BOB_MEM_SLACK_WORDS;
}

static bool lies_in(const uint64_t *at, const uint64_t *scratch)
{
	return at >= scratch && at < scratch + BOB_AREA_SCRATCH_WORDS;
}

static struct bob_thread *this_thread(void)
{
	return bob_thread_hot == bob_no_thread ? NULL : thread_of_hot(bob_thread_hot);
}

static bool is_on(void)
{
	return begun && bob_process.recording && bob_process.config.mem_codec != BOB_MEM_NULL;
}

bool mem_is_recorded(void)
{
	const uint64_t *at = bob_mem_slots.cursor;

	return at && !lies_in(at, shared_scratch) &&
	       !(bob_thread_area && lies_in(at, bob_thread_area->scratch));
}

/* --- folded buffers --- */

static uint64_t *next_folded(struct bob_thread *t, const uint64_t *at, uint64_t **end,
			     bob_status *why)
{
	struct bob_mem_thread *m = t->mem;

	return m->ring.ring ? mem_ring_next(t, at, NEED, end, why) :
			      bob_mem_writer_next(&m->writer, at, NEED, end, why);
}

/* --- raw buffers --- */

static void close_raw(struct bob_mem_thread *m, const uint64_t *at)
{
	uint64_t *begin = m->raw ? bob_chunk_data(m->raw) : NULL;

	if (!begin)
		return;
	m->raw_words += (uint64_t)(at - begin);
	bob_chunk_set_len(m->raw, (uint64_t)(at - begin) * sizeof(*at));
	m->raw = NULL;
}

static uint64_t *next_raw(struct bob_thread *t, const uint64_t *at, uint64_t **end, bob_status *why)
{
	struct bob_mem_thread *m = t->mem;
	uint64_t off;

	close_raw(m, at);
	m->raw = file_chunk_at(NULL, BOB_CHUNK_RAW, t->stream,
			       m->raw_bytes - sizeof(struct bob_chunk_head), m->raw_words, &off);
	*why = m->raw ? BOB_OK : BOB_ERR_FULL;
	if (!m->raw)
		return NULL;
	if (m->raw_bytes < RAW_MAX)
		m->raw_bytes *= 2;
	*end = (uint64_t *)bob_chunk_data(m->raw) + m->raw->size / sizeof(uint64_t);
	return bob_chunk_data(m->raw);
}

uint64_t *mem_buffer_next(struct bob_thread *t, const uint64_t *at, uint64_t **end, bob_status *why)
{
	return t->mem->work || t->mem->ring.ring ? next_folded(t, at, end, why) :
						   next_raw(t, at, end, why);
}

/* --- threads --- */

bool mem_thread_begin(struct bob_thread *t)
{
	struct bob_mem_thread *m = os_map(sizeof(*m));

	t->mem = m;
	mem_sync_begin(t->stream);
	/* the stream has no calls: use the codec that stores nothing */
	t->head->run.codec = BOB_CODEC_NULL;
	if (!m || !mem_select_thread(t))
		return false;
	m->raw_bytes = RAW_FIRST;
	if (bob_process.config.mem_codec == BOB_MEM_RAW)
		return true;
	if (bob_process.collector && mem_ring_begin(t))
		return true;
	m->work = os_map(bob_mem_writer_size());
	return m->work && bob_mem_writer_begin(&m->writer, m->work, file_chunk_at, NULL, t->stream,
					       mem_desc, NULL) == BOB_OK;
}

void mem_thread_end(struct bob_thread *t, bool own)
{
	struct bob_mem_thread *m = t->mem;
	/* a dead thread's slots no longer exist: search its last record */
	const uint64_t *at = own && mem_is_recorded() ? bob_mem_slots.cursor : NULL;
	const bool is_mine = !m->select || !m->limit || mem_select_end(t, own, &at);

	if (is_mine && m->ring.ring)
		mem_ring_end(t, at);
	else if (is_mine && m->work && m->limit)
		bob_mem_writer_end(&m->writer, at);
	else if (is_mine && at && m->limit)
		close_raw(m, at);
	m->limit = NULL;
	if (own) {
		t->dead_end = true;
		use_scratch();
	}
}

/* Unmap the pages of buffers, whose contents stay in the file, so that memory does not grow with
 * the number of ended threads. */
static void drop_buffers(struct bob_chunk_head *const *buffer, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t lo = (uint64_t)(uintptr_t)bob_chunk_data(buffer[i]);
		uint64_t hi = (lo + buffer[i]->size) & ~(uint64_t)(BOB_PAGE - 1);

		lo = (lo + BOB_PAGE - 1) & ~(uint64_t)(BOB_PAGE - 1);
		if (lo < hi)
			os_drop_pages((void *)(uintptr_t)lo, hi - lo);
	}
}

void mem_thread_free(struct bob_thread *t)
{
	if (!t->mem)
		return;
	drop_buffers(t->mem->writer.buffers.buffer, t->mem->writer.buffers.count);
	if (t->mem->ring.ring)
		drop_buffers(t->mem->ring.buffer, t->mem->ring.ring->buffers);
	if (t->mem->work)
		os_unmap(t->mem->work, bob_mem_writer_size());
	mem_select_free(t);
	os_unmap(t->mem, sizeof(*t->mem));
}

/* --- the next buffer --- */

/* Use the buffer that ends at `end`; `st`: whether there is one. */
static void enter_buffer(struct bob_thread *t, uint64_t *end, bob_status st)
{
	struct bob_mem_thread *m = t->mem;

	if (st != BOB_OK) {
		m->limit = NULL;
		thread_dead_end(t, st);
		use_scratch();
		return;
	}
	m->limit = end - BOB_MEM_SLACK_WORDS;
	bob_mem_slots.limit = m->limit;
}

static void next_buffer(struct bob_thread *t)
{
	struct bob_mem_thread *m = t->mem;
	const uint64_t *at = m->limit ? bob_mem_slots.cursor : NULL;
	uint64_t *end = NULL;
	bob_status st = BOB_OK;

	if (m->select)
		st = mem_select_next(t, at, &end);
	else
		bob_mem_slots.cursor = mem_buffer_next(t, at, &end, &st);
	if (st == BOB_NONE)
		use_scratch();
	else
		enter_buffer(t, end, st);
}

static void cut_buffer(void *thread)
{
	struct bob_thread *t = thread;
	struct bob_mem_thread *m = t->mem;
	uint64_t *end = NULL;
	bob_status st;

	if (m->select) {
		struct bob_mem_select *s = m->select;

		st = mem_select_next(t, bob_mem_slots.cursor, &end);
		if (st == BOB_OK)
			s->at = bob_mem_writer_cut(&m->writer, s->at, NEED, &s->end, &st);
	} else {
		bob_mem_slots.cursor =
			m->ring.ring ? mem_ring_cut(t, bob_mem_slots.cursor, NEED, &end, &st) :
				       bob_mem_writer_cut(&m->writer, bob_mem_slots.cursor, NEED,
							  &end, &st);
	}
	if (st == BOB_NONE)
		use_scratch();
	else
		enter_buffer(t, end, st);
}

static void flush_buffer(void *thread)
{
	next_buffer(thread);
}

void mem_flush(struct bob_thread *t)
{
	unsigned long signals;

	if (!t->mem->select || !t->mem->limit || !mem_is_recorded())
		return;
	signals = os_block_signals();
	area_run(flush_buffer, t);
	os_restore_signals(signals);
}

void mem_part(void)
{
	struct bob_thread *t = this_thread();
	unsigned long signals;

	if (!t || !t->mem || !(t->mem->work || t->mem->ring.ring) || !t->mem->limit ||
	    !mem_is_recorded())
		return;
	signals = os_block_signals();
	area_run(cut_buffer, t);
	os_restore_signals(signals);
}

/* A fork child starts without buffers: they belong to its parent. */
static void begin_child(void)
{
	bob_mem_slots.cursor = bob_mem_slots.limit = NULL;
	mem_sync_after_fork();
	process_after_fork(this_thread());
}

static void make_space(void *unused)
{
	struct bob_thread *t;

	(void)unused;
	if (process_is_child())
		begin_child();
	t = this_thread();
	if (t && *thread_alive(t) != BOB_ALIVE) /* of the parent */
		t = NULL;
	if (!t && is_on())
		t = thread_create(NULL);
	if (!t || t->dead_end || !is_on())
		use_scratch();
	else if (t->mem->limit && bob_mem_slots.cursor < t->mem->limit)
		bob_mem_slots.limit = t->mem->limit; /* was closed before a fork */
	else
		next_buffer(t);
}

void mem_make_space(void)
{
	area_run(make_space, NULL);
}

void bob_mem_full(void)
{
	unsigned long signals;

	if (!os_allowed())
		agent_stop(BOB_STOP_SECCOMP);
	if (!os_allowed() || (!process_is_child() && !is_on())) {
		use_scratch();
		return;
	}
	signals = os_block_signals();
	mem_make_space();
	os_restore_signals(signals);
}

/* --- begin and fork --- */

void mem_begin(void)
{
	begun = true;
	if (!mem_is_recorded())
		bob_mem_slots.cursor = bob_mem_slots.limit = NULL;
}

/* Entry of __libc_start_main: replaces its first argument, main, with ours. */
void mem_main(struct bob_regs *r)
{
	if (begun)
		return;
	bob_mem_real_main = r->rdi;
	r->rdi = (uint64_t)(uintptr_t)bob_mem_main_entry;
}

void mem_end_shared(void)
{
	const struct bob_image_set *set = bob_process.images;
	unsigned long signals;

	if (process_is_child() || !begun)
		return;
	signals = os_block_signals();
	if (bob_thread_hot != bob_no_thread && thread_of_hot(bob_thread_hot)->mem)
		mem_flush(thread_of_hot(bob_thread_hot));
	lock_process();
	for (uint32_t i = 0; set && i < set->count; i++)
		mem_restore_all(set->image[i]);
	agent_stop(BOB_STOP_SHARED);
	unlock_process();
	os_restore_signals(signals);
	bob_mem_slots.cursor = bob_mem_slots.limit = NULL;
}

/* Both processes request a buffer afterwards: the parent gets its own again, the child a new
 * one. */
void mem_before_fork(void)
{
	if (mem_is_recorded())
		bob_mem_slots.limit = NULL;
}
