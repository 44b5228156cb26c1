/* SPDX-License-Identifier: BSD-3-Clause */
/* Record buffers that a collector process folds (docs/collector.md). A thread hands over a full
 * buffer and takes a free one; if there is none it waits (back-pressure). If the collector has
 * died, the thread folds its records itself and continues at the collector's position.
 *
 * A collector that does not appear within AWAIT_MS after a thread needed it counts as missing. A
 * collector that has appeared is waited for as long as it lives. */
#include "agent/mem/mem.h"

#include "agent/os.h"

#define AWAIT_MS 2000u
#define LOOK_MS 20u		/* polling interval */
#define ALIVE_MS 500u		/* a collector that died may be replaced within this time */
#define CUT_MS 10000u
/* then recording ends, because the collector lives but makes no progress */
#define STUCK_MS 60000u

static uint32_t state_of(const struct bob_collector *c)
{
	return __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
}

/* Change the state, unless another thread or process was first. */
static void change(struct bob_collector *c, uint32_t was, enum bob_collector_state now)
{
	(void)__atomic_compare_exchange_n(&c->state, &was, now, false, __ATOMIC_ACQ_REL,
					  __ATOMIC_ACQUIRE);
}

static void ring_bell(struct bob_collector *c)
{
	__atomic_fetch_add(&c->bell, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->asleep, __ATOMIC_SEQ_CST) && os_allowed())
		os_wake_word(&c->bell);
}

bool mem_ring_begin(struct bob_thread *t)
{
	struct bob_collector *c = bob_process.collector;
	struct bob_ring_writer *w = &t->mem->ring;
	struct bob_chunk_head *head;
	struct bob_ring *r;
	uint64_t off;

	if (state_of(c) == BOB_COLLECTOR_NONE)
		return false;
	head = file_chunk_at(NULL, BOB_CHUNK_RING, t->stream, sizeof(*r), 0, &off);
	if (!head ||
	    !file_chunk_at(NULL, BOB_CHUNK_FOLD, t->stream, sizeof(struct bob_fold_head), 0, &off))
		return false;
	r = bob_chunk_data(head);
	r->limit = BOB_RING_LIMIT;
	w->now = BOB_RECORD_BUFFERS_MAX;
	w->ring = r;
	__atomic_fetch_add(&c->rings, 1, __ATOMIC_RELEASE);
	return true;
}

/* --- without a collector --- */

/* Fold the buffers that were handed over but not folded yet, in the order of the ring. */
static bob_status fold_buffers(struct bob_mem_thread *m)
{
	struct bob_ring_writer *w = &m->ring;
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->ring->buffers && st == BOB_OK; i++) {
		const uint64_t *word = bob_chunk_data(w->buffer[i]);
		size_t used;

		if (w->ring->slot[i].state != BOB_SLOT_HANDED ||
		    word[0] != m->writer.buffers.position)
			continue;
		st = bob_mem_writer_fold(&m->writer, word + 1, w->ring->slot[i].words, 0, &used);
		i = ~0u; /* restart the search: the next one may be in any slot */
	}
	return st == BOB_OK ? bob_mem_writer_commit(&m->writer, 0) : st;
}

/* Logged once per process, by the first thread that detects that there is no collector. */
static void say_why(void)
{
	static const struct bob_collector *said; /* by this process, not by its parent */
	const struct bob_collector *c = bob_process.collector;

	lock_process();
	if (said != c)
		agent_log(c->pid ? "the collector died" : "the collector did not start",
			  "the process folds for itself; no data is lost");
	said = c;
	unlock_process();
}

static bob_status take_over(struct bob_thread *t)
{
	struct bob_mem_thread *m = t->mem;
	uint8_t *file;
	uint64_t len;
	int ended = 0;
	bob_status st;

	if (!file_after_collector())
		return BOB_ERR_FULL;
	file = file_map_all(&len);
	if (!m->work)
		m->work = os_map(bob_mem_writer_size());
	if (!file || !m->work)
		return BOB_ERR_NOMEM;
	st = bob_mem_writer_resume(&m->writer, m->work, file_chunk_at, NULL, t->stream, mem_desc,
				   NULL, file, len, &ended);
	if (st == BOB_OK && ended)
		st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		st = fold_buffers(m);
	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < m->ring.ring->buffers; i++)
		if (m->ring.ring->slot[i].state == BOB_SLOT_HANDED)
			*(uint64_t *)bob_chunk_data(m->ring.buffer[i]) = UINT64_MAX;
	m->ring.ring = NULL;
	say_why();
	return BOB_OK;
}

/* Whether the collector is missing; records that for all. */
static bool give_up(struct bob_collector *c, uint64_t waited_ms)
{
	const uint32_t state = state_of(c);
	bool gone = state == BOB_COLLECTOR_AWAITED && waited_ms >= AWAIT_MS;

	gone |= state == BOB_COLLECTOR_THERE && waited_ms >= ALIVE_MS && !os_process_alive(c->pid);
	if (gone)
		change(c, state, BOB_COLLECTOR_NONE);
	return state_of(c) == BOB_COLLECTOR_NONE;
}

/* --- with one --- */

enum outcome { GO_ON, ALONE, FULL, STUCK };

/* Wait until *freed differs from `was`. */
static enum outcome await(struct bob_ring *r, uint32_t was, uint64_t limit_ms)
{
	struct bob_collector *c = bob_process.collector;
	const uint64_t begin = os_time_mono();

	ring_bell(c);
	while (__atomic_load_n(&r->freed, __ATOMIC_ACQUIRE) == was) {
		const uint64_t waited_ms = (os_time_mono() - begin) / 1000000u;

		if (state_of(c) == BOB_COLLECTOR_FULL)
			return FULL;
		if (give_up(c, waited_ms))
			return ALONE;
		if (waited_ms >= limit_ms)
			return STUCK;
		os_wait_word(&r->freed, was, LOOK_MS);
	}
	return GO_ON;
}

static uint64_t *alone(struct bob_thread *t, size_t need, uint64_t **end, bob_status *why)
{
	*why = take_over(t);
	return *why == BOB_OK ? bob_mem_writer_next(&t->mem->writer, NULL, need, end, why) : NULL;
}

uint64_t *mem_ring_next(struct bob_thread *t, const uint64_t *at, size_t need, uint64_t **end,
			bob_status *why)
{
	struct bob_ring_writer *w = &t->mem->ring;
	struct bob_ring *r = w->ring;

	if (at) {
		bob_ring_hand_over(w, at);
		ring_bell(bob_process.collector);
	}
	for (;;) {
		const uint32_t freed = __atomic_load_n(&r->freed, __ATOMIC_ACQUIRE);
		enum outcome o = GO_ON;
		uint64_t *buffer;

		if (state_of(bob_process.collector) == BOB_COLLECTOR_NONE)
			return alone(t, need, end, why);
		buffer = bob_ring_buffer(w, file_chunk_at, NULL, t->stream, end, why);
		if (buffer || *why != BOB_OK)
			return buffer;
		__atomic_store_n(&r->waits, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&r->freed, __ATOMIC_SEQ_CST) == freed)
			o = await(r, freed, STUCK_MS);
		__atomic_store_n(&r->waits, 0, __ATOMIC_RELEASE);
		if (o == FULL || o == STUCK) {
			*why = o == FULL ? BOB_ERR_FULL : BOB_ERR_INVAL;
			return NULL;
		}
	}
}

/* The collector cuts after it has folded everything that was handed over. */
uint64_t *mem_ring_cut(struct bob_thread *t, const uint64_t *at, size_t need, uint64_t **end,
		       bob_status *why)
{
	struct bob_ring *r = t->mem->ring.ring;
	const uint64_t begin = os_time_mono();
	const uint32_t wanted = r->cut_wanted + 1;

	bob_ring_hand_over(&t->mem->ring, at);
	__atomic_store_n(&r->cut_wanted, wanted, __ATOMIC_RELEASE);
	while (__atomic_load_n(&r->cut_done, __ATOMIC_ACQUIRE) != wanted &&
	       (os_time_mono() - begin) / 1000000u < CUT_MS) {
		enum outcome o = await(r, __atomic_load_n(&r->freed, __ATOMIC_ACQUIRE), LOOK_MS);

		if (o == ALONE)
			break;
		if (o == FULL) {
			*why = BOB_ERR_FULL;
			return NULL;
		}
	}
	if (state_of(bob_process.collector) != BOB_COLLECTOR_NONE)
		return mem_ring_next(t, NULL, need, end, why);
	*why = take_over(t);
	return *why == BOB_OK ? bob_mem_writer_cut(&t->mem->writer, NULL, need, end, why) : NULL;
}

void mem_ring_end(struct bob_thread *t, const uint64_t *at)
{
	struct bob_ring_writer *w = &t->mem->ring;

	if (at && t->mem->limit)
		bob_ring_hand_over(w, at);
	if (state_of(bob_process.collector) != BOB_COLLECTOR_NONE) {
		__atomic_store_n(&w->ring->ended, 1, __ATOMIC_RELEASE);
		ring_bell(bob_process.collector);
	} else if (at && take_over(t) == BOB_OK) /* else the log has all records */
		bob_mem_writer_end(&t->mem->writer, NULL);
}
