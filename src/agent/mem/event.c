/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that another recorder in the process (MPI) records in this thread, as marks among the
 * accesses (mem/record.h). At first a mark means that the event has begun, which is correct if the
 * process is killed. If nothing was recorded up to its end, one store changes it to the mark of a
 * whole event; otherwise a second mark is its end. */
#include "agent/mem/mem.h"
#include "agent/os.h"

static uint64_t header_of(uint32_t number)
{
	return BOB_MEM_HEADER | number;
}

/* Ensures that the thread has a buffer. */
static bool is_ready(void)
{
	if (!os_allowed())
		return false;
	if (bob_mem_slots.cursor >= bob_mem_slots.limit)
		bob_mem_full();
	return mem_is_recorded();
}

static bool put(uint64_t header, uint64_t word, uint64_t words)
{
	while (!bob_mem_mark(header, word, 0, words)) {
		bob_mem_full();
		if (!mem_is_recorded())
			return false;
	}
	return true;
}

/* A handler in between may record something: then the most recent record is not this mark. */
uint64_t *mem_event_begins(uint32_t what)
{
	if (!is_ready() || !mem_event_known(what) ||
	    !put(header_of(mem_event_desc(what, true)), 0, 0))
		return NULL;
	return bob_mem_slots.cursor;
}

void mem_event_ends(uint32_t what, uint64_t *mark)
{
	if (!mem_is_recorded() || bob_mem_whole(mark, header_of(mem_event_desc(what, true)),
						header_of(mem_event_desc(what, false))))
		return;
	if (is_ready())
		put(header_of(BOB_MEM_EVENT_END), 0, 0);
}

bool mem_events_missing(uint64_t count)
{
	return is_ready() && put(header_of(BOB_MEM_EVENTS), count, 1);
}
