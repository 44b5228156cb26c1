/* SPDX-License-Identifier: BSD-3-Clause */
/* Init and Finalize of ranks outside MPI. The program calls them (bobbin/ranks.h), or functions of
 * the program act as them (--init, --finalize: function.c). */
#include "events/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "archive/format.h"
#include "events/hooks.h"

static struct bob_ev_lock lock;
static struct bob_transport own;
static pid_t of;		/* its process; 0: none: a fork child has no transport */
static pid_t done;		/* process that has finalized */
static pid_t lost;		/* process whose transport has failed */
static __thread bool has_lock;

static void enter(void)
{
	bob_ev_lock(&lock);
	has_lock = true;
}

static void leave(void)
{
	has_lock = false;
	bob_ev_unlock(&lock);
}

void bob_ev_ranks_left(void)
{
	if (has_lock)
		leave();
	bob_ev_merge_left();
}

static bool refuse(const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), "this process is no rank: %.200s\n", why);
	bob_ev_log(line);
	return false;
}

/* Records the rank; readers use the last such record. */
static void put_rank(void)
{
	const uint32_t r[2] = { own.rank, own.ranks };

	bob_ev_put_record(BOB_REC_RANK, r, sizeof(r));
}

static bool choose(const struct bob_transport *t)
{
	const char *why = NULL;

	if (!t) {
		if (!bob_ev_place_open(&own, &why))
			return refuse(why);
		return true;
	}
	if (t->size < sizeof(*t))
		return refuse("its transport is of another version of bobbin/ranks.h");
	if (!t->send || !t->receive)
		return refuse("its transport cannot send and receive");
	if (t->rank >= t->ranks || t->ranks > BOB_EV_RANKS_MAX)
		return refuse("its number is not below that of the ranks");
	bob_ev_transport_guarded(&own, t);
	return true;
}

static bool init(const struct bob_transport *t)
{
	if (of == getpid() || done == getpid())
		return refuse("it is, or was, one already");
	if (bob_ev_mpi)
		return refuse("MPI is recorded, and ranks are MPI's");
	if (!bob_ev_thread()) /* creates a fork child's file */
		return false;
	if (!choose(t))
		return false;
	of = getpid();
	put_rank();
	return true;
}

static void count_ranks(void)
{
	const uint32_t n = own.count ? own.count(own.ctx) : own.ranks;

	if (n <= own.ranks)
		return;
	own.ranks = n < BOB_EV_RANKS_MAX ? n : BOB_EV_RANKS_MAX;
	put_rank();
}

const struct bob_transport *bob_ev_transport_now(bool in_mpi_call)
{
	if (bob_ev_mpi)
		return bob_ev_mpi->transport(in_mpi_call);
	if (of != getpid() || lost == of)
		return NULL;
	count_ranks();
	return &own;
}

bool bob_ev_is_rank(void)
{
	return bob_ev_mpi || of == getpid();
}

bool bob_ev_ranks_number(uint32_t *rank)
{
	*rank = own.rank;
	return of == getpid();
}

void bob_ev_ranks_lose(void)
{
	lost = getpid(); /* MPI's transport knows it itself */
}

static bool finalize(void)
{
	bool all;

	if (of != getpid())
		return false;
	of = 0;
	done = getpid();
	if (lost == done)
		return false;
	count_ranks();
	bob_ev_exchange_end(&own);
	if (lost == done)
		return false;
	all = !own.barrier || own.barrier(own.ctx, bob_ev_merge_wait_ns()) == 1;
	all &= bob_ev_unite(&own);
	return bob_ev_merge(&own, bob_ev_part_all, NULL) && all;
}

bool bob_ev_ranks_init(const struct bob_transport *t)
{
	const int saved = errno;
	const uint32_t depth = bob_ev_depth;
	bool ok;

	bob_ev_depth = 1; /* functions called here may be hooked */
	enter();
	ok = bob_ev_agent && init(t);
	leave();
	bob_ev_depth = depth;
	errno = saved;
	return ok;
}

bool bob_ev_ranks_finalize(void)
{
	const int saved = errno;
	const uint32_t depth = bob_ev_depth;
	bool ok;

	bob_ev_depth = 1;
	enter();
	ok = bob_ev_agent && finalize();
	leave();
	bob_ev_depth = depth;
	errno = saved;
	return ok;
}
