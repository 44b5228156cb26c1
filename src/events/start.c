/* SPDX-License-Identifier: BSD-3-Clause */
/* What the recorder needs from the process: the agent, memory, the clock, locks. If something is
 * missing, the program runs on unrecorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "archive/write/write.h"
#include "base/host/clock.h"
#include "events/ranks.h"
#include "events/recorder.h"

const struct bob_agent_streams *bob_ev_agent;
const struct bob_ev_mpi *bob_ev_mpi;
enum bob_ev_level bob_ev_level = BOB_EV_LEVEL_ALL;
uint64_t bob_ev_shift_ns;
uint32_t bob_ev_off;

void *bob_ev_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void bob_ev_unmap(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void bob_ev_zero(void *p, size_t bytes)
{
	const uintptr_t page = 4096, from = (uintptr_t)p, to = from + bytes;
	const uintptr_t first = (from + page - 1) & ~(page - 1), last = to & ~(page - 1);
	const int saved = errno;

	/* locked memory (mlockall) stays resident */
	if (first >= last || !bob_ev_agent->allowed() ||
	    madvise((void *)first, last - first, MADV_DONTNEED) != 0) {
		memset(p, 0, bytes);
	} else {
		memset(p, 0, first - from);
		memset((void *)last, 0, to - last);
	}
	errno = saved;
}

void bob_ev_lock(struct bob_ev_lock *l)
{
	const pid_t self = getpid();
	pid_t of = __atomic_load_n(&l->of, __ATOMIC_ACQUIRE);

	if (of != self && __atomic_compare_exchange_n(&l->of, &of, self, false, __ATOMIC_ACQ_REL,
						      __ATOMIC_ACQUIRE))
		if (of) /* its holder is not in this process */
			l->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&l->mutex);
}

void bob_ev_unlock(struct bob_ev_lock *l)
{
	pthread_mutex_unlock(&l->mutex);
}

uint64_t bob_ev_now_ns(void)
{
	return bob_clock_ns(CLOCK_MONOTONIC) + bob_ev_shift_ns;
}

void bob_ev_put_record(enum bob_record_kind kind, const void *body, uint32_t len)
{
	uint64_t at, bytes[1 + BOB_EV_RECORD_MAX / 8] = { 0 };
	struct bob_chunk_head *c;
	struct bob_meta m;

	bob_meta_init(&m, bytes, sizeof(bytes));
	bob_meta_put(&m, kind, body, len);
	c = bob_ev_agent->chunk(NULL, BOB_CHUNK_META, BOB_STREAM_NONE, m.len, 0, &at);
	if (!c)
		return;
	__builtin_memcpy(bob_chunk_data(c), bytes, m.len);
	bob_chunk_seal(c, m.len);
}

void bob_ev_log(const char *line)
{
	bob_agent_log(bob_ev_agent, line);
}

void bob_ev_switch(bool is_on)
{
	__atomic_store_n(&bob_ev_off, !is_on, __ATOMIC_RELAXED);
}

long bob_ev_launched_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
					     "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);
		char *end;

		if (v && *v) {
			long rank = strtol(v, &end, 10);

			return *end ? -1 : rank;
		}
	}
	return -1;
}

bool bob_ev_rank(uint32_t *rank)
{
	const long launched = bob_ev_launched_rank();

	if (bob_ev_mpi && bob_ev_mpi->rank(rank))
		return true;
	if (bob_ev_ranks_number(rank))
		return true;
	*rank = (uint32_t)launched;
	return launched >= 0 && launched <= UINT32_MAX;
}

const struct bob_agent_streams *bob_ev_ask_agent(void)
{
	const struct bob_agent_streams *a = dlsym(RTLD_DEFAULT, BOB_AGENT_STREAMS_NAME);
	const char *level;

	if (!a || a->size < sizeof(*a))
		return NULL;
	level = a->setting("BOBBIN_MPI_LEVEL");
	if (level && !strcmp(level, "flat"))
		bob_ev_level = BOB_EV_LEVEL_FLAT;
	else if (level && !strcmp(level, "rank"))
		bob_ev_level = BOB_EV_LEVEL_RANK;
	return a;
}
