/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool's own communicator (private.h): the agreement of the ranks through the trace's
 * directory, the duplicate of MPI_COMM_WORLD, and messages on it. */
#include "mpi/private.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "events/ranks.h"
#include "mpi/real.h"
#include "mpi/recorder.h"

/* RANKS_FILE has a byte per rank, set by each that takes part. DECISION_FILE is a symbolic link,
 * whose creation is atomic: the first process to create it decides. Both names end with the number
 * of the world, since several jobs may write into one directory. */
#define RANKS_FILE ".ranks"
#define DECISION_FILE ".together"
#define YES "yes"
#define NO "no"
#define AWAIT_NS 1000000000ull	/* ranks return from MPI_Init at different times */
#define DECIDE_NS 10000000000ull /* if no decision can be made */
#define POLL_NS 5000000u
/* Waiting first yields, since the peer may need the processor, then sleeps for longer and longer
 * times. */
#define YIELDS 200u
#define SLEEP_MOST_NS 1000000u
#define CANCEL_NS 100000000u
/* Polls per sleep for an arriving message: MPI makes progress only while it is called. */
#define LOOKS 100u
/* Factor on the timeout for ranks that have not reached MPI_Finalize yet; MPI_Finalize itself waits
 * for them, too. */
#define GATHER_WAITS 10u

static struct {
	bool open, broken, announced;
	MPI_Comm comm;
	uint32_t rank, ranks;
} own;

/* --- agreement on taking part --- */

/* All ranks have the same settings, hence the same answer. */
static bool is_wanted(void)
{
	return bob_mpi_is_recorded && (bob_ev_merge_is_wanted() || bob_ev_time_is_exact() ||
				       bob_ev_agent->setting("BOBBIN_EVENTS"));
}

static bool path_of(const char *name, char *path, size_t size)
{
	const char *dir = bob_ev_agent->setting("BOBBIN_DIR");
	int n = dir ? snprintf(path, size, "%s/%s.%" PRIx64, dir, name, bob_ev_agent->world()) : -1;

	return n > 0 && (size_t)n < size;
}

void bob_mpi_private_announce(void)
{
	char path[4096];
	long rank = bob_ev_launched_rank();
	int fd;

	if (own.announced || !is_wanted() || rank < 0 || !path_of(RANKS_FILE, path, sizeof(path)))
		return;
	own.announced = true;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (pwrite(fd, "\1", 1, rank) != 1)
		own.announced = false; /* no rank finds the announcement then */
	close(fd);
}

static bool have_all_announced(const char *path)
{
	uint8_t bytes[4096];
	uint32_t found = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (found < own.ranks && (n = read(fd, bytes, sizeof(bytes))) > 0) {
		ssize_t i = 0;

		while (i < n && bytes[i])
			i++;
		found += (uint32_t)i;
		if (i < n)
			break;
	}
	close(fd);
	return found >= own.ranks;
}

static void pause_ns(long ns)
{
	const struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* All ranks return the same decision, because duplicating a communicator waits for all of them. It
 * is that of the first rank to know that all have announced themselves, or to time out. */
static bool all_take_part(void)
{
	const uint64_t begin = bob_ev_now_ns();
	char ranks[4096], decision[4096], said[8];

	if (own.ranks == 1)
		return true;
	if (!path_of(RANKS_FILE, ranks, sizeof(ranks)) ||
	    !path_of(DECISION_FILE, decision, sizeof(decision)))
		return false;
	while (bob_ev_now_ns() - begin < DECIDE_NS) {
		ssize_t n = readlink(decision, said, sizeof(said));
		int made = -1;

		if (n >= 0)
			return n == sizeof(YES) - 1 && !memcmp(said, YES, sizeof(YES) - 1);
		if (have_all_announced(ranks))
			made = symlink(YES, decision);
		else if (bob_ev_now_ns() - begin > AWAIT_NS)
			made = symlink(NO, decision);
		if (made)
			pause_ns(POLL_NS);
	}
	return false;
}

/* Ranks of another world have the same numbers: a spawned process takes part only if its world has
 * a number. */
static bool is_nameless(void)
{
	MPI_Comm parent;

	return !bob_ev_agent->world() &&
	       (BOB_MPI_REAL(Comm_get_parent)(&parent) != MPI_SUCCESS || bob_mpi_comm(parent));
}

/* --- open and close --- */

void bob_mpi_private_open(void)
{
	char path[4096];

	if (own.open || own.broken || !is_wanted())
		return;
	own.rank = (uint32_t)bob_mpi_me(bob_mpi_world());
	own.ranks = (uint32_t)bob_mpi_ranks(bob_mpi_world());
	if (is_nameless() || !all_take_part())
		return;
	own.broken = BOB_MPI_REAL(Comm_dup)(bob_mpi_world(), &own.comm) != MPI_SUCCESS;
	if (own.broken)
		return;
	own.open = true;
	/* All ranks are here, so all have read the file. */
	if (!own.rank && path_of(RANKS_FILE, path, sizeof(path)))
		unlink(path);
	if (!own.rank && path_of(DECISION_FILE, path, sizeof(path)))
		unlink(path);
	own.broken = BOB_MPI_REAL(Comm_set_errhandler)(
			     own.comm, (MPI_Errhandler)bob_mpi_predefined_handle(
					       BOB_MPI_KIND_ERRH, BOB_MPI_ERRORS_RETURN)) !=
		     MPI_SUCCESS;
}

bool bob_mpi_private_is_open(void)
{
	return own.open && !own.broken;
}

uint32_t bob_mpi_private_rank(void)
{
	return own.rank;
}

uint32_t bob_mpi_private_ranks(void)
{
	return own.ranks;
}

/* --- messages --- */

static MPI_Datatype byte(void)
{
	return (MPI_Datatype)bob_mpi_predefined_handle(BOB_MPI_KIND_TYPE, BOB_MPI_BYTE);
}

static bool is_done(MPI_Request *r, MPI_Status *s, uint64_t deadline_ns)
{
	uint32_t turns = 0;
	long sleep_ns = 10000;
	int done = 0;

	for (;; turns++) {
		if (BOB_MPI_REAL(Test)(r, &done, s) != MPI_SUCCESS)
			return false;
		if (done)
			return true;
		if (turns < YIELDS) {
			sched_yield();
			continue;
		}
		if (bob_ev_now_ns() > deadline_ns)
			return false;
		pause_ns(sleep_ns);
		sleep_ns = 2 * sleep_ns < SLEEP_MOST_NS ? 2 * sleep_ns : SLEEP_MOST_NS;
	}
}

bool bob_mpi_private_send(const void *bytes, uint64_t len, uint32_t to, int tag,
			  uint64_t deadline_ns)
{
	MPI_Request r;
	MPI_Status s;

	if (!bob_mpi_private_is_open() || len > BOB_MPI_PRIVATE_BYTES_MAX)
		return false;
	if (BOB_MPI_REAL(Isend)(bytes, (int)len, byte(), (int)to, tag, own.comm, &r) !=
		    MPI_SUCCESS ||
	    !is_done(&r, &s, deadline_ns))
		own.broken = true; /* the message cannot be withdrawn */
	return !own.broken;
}

/* Returns false if the request is receiving a message, or if that is unknown. */
static bool cancel(MPI_Request *r)
{
	MPI_Status s;
	int is_cancelled = 0;

	return BOB_MPI_REAL(Cancel)(r) == MPI_SUCCESS &&
	       is_done(r, &s, bob_ev_now_ns() + CANCEL_NS) &&
	       BOB_MPI_REAL(Test_cancelled)(&s, &is_cancelled) == MPI_SUCCESS && is_cancelled;
}

bool bob_mpi_private_receive(void *bytes, uint64_t capacity, uint64_t *len, uint32_t from, int tag,
			     uint64_t deadline_ns)
{
	MPI_Request r;
	MPI_Status s;

	if (!bob_mpi_private_is_open())
		return false;
	if (capacity > BOB_MPI_PRIVATE_BYTES_MAX)
		capacity = BOB_MPI_PRIVATE_BYTES_MAX;
	if (BOB_MPI_REAL(Irecv)(bytes, (int)capacity, byte(), (int)from, tag, own.comm, &r) !=
	    MPI_SUCCESS) {
		own.broken = true;
	} else if (!is_done(&r, &s, deadline_ns)) {
		own.broken = !cancel(&r);
		return false;
	}
	if (!own.broken)
		*len = bob_mpi_status_bytes(&s);
	return !own.broken;
}

/* Waits until all ranks are here and have sent all their messages, or until the timeout. */
static void gather(void)
{
	MPI_Request r;
	MPI_Status s;

	if (own.ranks > 1 && BOB_MPI_REAL(Ibarrier) &&
	    BOB_MPI_REAL(Ibarrier)(own.comm, &r) == MPI_SUCCESS)
		is_done(&r, &s, bob_ev_now_ns() + GATHER_WAITS * bob_ev_merge_wait_ns());
}

static bool is_there(MPI_Status *s)
{
	int found = 0;

	for (uint32_t i = 0; i < LOOKS && !found; i++)
		if (BOB_MPI_REAL(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, own.comm, &found, s) !=
		    MPI_SUCCESS)
			return false;
	return found;
}

/* Receives messages that arrived after their receiver's timeout. Otherwise MPICH over UCX prints a
 * line for each in MPI_Finalize. */
static void drop_unread(void)
{
	MPI_Status s;

	for (uint32_t i = 0; i < own.ranks && bob_mpi_private_is_open() && is_there(&s); i++) {
		uint64_t len, size = bob_mpi_status_bytes(&s);
		void *bytes = bob_ev_map(size + 1);

		if (!bytes || !bob_mpi_private_receive(bytes, size, &len, (uint32_t)s.MPI_SOURCE,
						       s.MPI_TAG, bob_ev_now_ns() + CANCEL_NS))
			return;
		bob_ev_unmap(bytes, size + 1);
	}
}

/* The communicator is not freed, since that may wait for all ranks. MPI_Finalize frees it, and
 * drops messages in transit. */
void bob_mpi_private_close(void)
{
	if (own.open) {
		gather();
		drop_unread();
	}
	own.open = false;
}
