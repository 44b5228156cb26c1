/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging in MPI_Finalize: over a binomial tree of ranks, each takes what those below it have, and gives the whole to the one above. The work is
 * done by a program of ours beside the process (cli/running.h); here are only bytes that come and go. Nobody waits for all: each for those
 * below it, and for each so long. What does not come is merged when the launchers end, as without this. */
#include "mpi/merge.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "archive/write.h"
#include "mpi/private.h"
#include "mpi/recorder.h"

#define WAIT_S 30u		/* for a rank below; BOBBIN_MERGE_WAIT */
#define WAIT_MOST_S 3600u
#define WAIT_MORE                                                                                  \
	8u /* one that has others below it may have waited: an eighth more for each level */
#define MESSAGE_MAX (1ull << 28)
#define FAILED (~0ull)
#define REASON_MAX 120u

struct merge {
	uint32_t rank, ranks;
	uint64_t wait_ns;
	long helper;
	int fd;			/* to it and from it; -1: it is of no use any more */
	char reason[REASON_MAX];	/* why something was not merged; the first one */
};

/* --- whether --- */

uint64_t bob_mpi_merge_wait_ns(void)
{
	const char *v = bob_ev_agent->setting("BOBBIN_MERGE_WAIT");
	unsigned long s = v ? strtoul(v, NULL, 10) : WAIT_S;

	return (s < 1 ? 1 : s > WAIT_MOST_S ? WAIT_MOST_S : s) * 1000000000ull;
}

bool bob_mpi_merge_is_wanted(void)
{
	const char *calls, *how;

	if (!bob_mpi_is_recorded || bob_ev_level != BOB_EV_LEVEL_ALL)
		return false;
	calls = bob_ev_agent->setting("BOBBIN_CALLS");
	how = bob_ev_agent->setting("BOBBIN_MERGE");
	return calls && !strcmp(calls, "0") && !(how && !strcmp(how, "0"));
}

/* --- what the trace is told --- */

static void put_reason(const struct merge *m)
{
	char line[REASON_MAX + 64];
	int n = snprintf(line, sizeof(line), "merging in MPI_Finalize: %s\n", m->reason);

	if (m->reason[0] && n > 0)
		bob_ev_log(line);
}

__attribute__((format(printf, 2, 3))) static void fail(struct merge *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!m->reason[0])
		vsnprintf(m->reason, sizeof(m->reason), format, args);
	va_end(args);
}

/* --- the helper --- */

static void begin_helper(struct merge *m)
{
	const char *path = bob_ev_agent->path(), *name = path ? strrchr(path, '/') : NULL;
	char option[512], dir[4096];
	const char *args[] = { "merge", option, dir, m->rank ? NULL : "--last", NULL };
	unsigned limit_ms = (unsigned)(m->wait_ns / 1000000u) * 8;
	long fd = -1;
	int n;

	m->fd = -1;
	if (!name)
		return fail(m, "nothing is recorded on rank %u any more", m->rank);
	n = snprintf(option, sizeof(option), "--running=%s", name + 1);
	if (n < 0 || (size_t)n >= sizeof(option) || (size_t)(name - path) >= sizeof(dir))
		return fail(m, "rank %u: the name of the trace is too long", m->rank);
	memcpy(dir, path, (size_t)(name - path));
	dir[name - path] = 0;
	m->helper = bob_ev_agent->helper_begin(args, limit_ms, &fd);
	if (m->helper < 0)
		return fail(m, "rank %u: no process can be started", m->rank);
	m->fd = (int)fd;
}

static void end_helper(struct merge *m, bool at_once)
{
	if (m->fd < 0)
		return;
	close(m->fd);
	m->fd = -1;
	bob_ev_agent->helper_end(m->helper, at_once);
}

static bool await(const struct merge *m, short what, uint64_t deadline_ns)
{
	for (;;) {
		uint64_t now = bob_ev_now_ns();
		struct pollfd p = { m->fd, what, 0 };
		int n;

		if (now >= deadline_ns)
			return false;
		n = poll(&p, 1, (int)((deadline_ns - now) / 1000000u) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static bool give(struct merge *m, const void *bytes, uint64_t len)
{
	uint64_t deadline = bob_ev_now_ns() + m->wait_ns;
	const uint8_t *at = bytes;

	while (len && m->fd >= 0) {
		ssize_t n = await(m, POLLOUT, deadline) ?
				    send(m->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT) :
				    -1;

		if (n < 0 && (errno == EINTR || errno == EAGAIN) && bob_ev_now_ns() < deadline)
			continue;
		if (n <= 0) {
			fail(m, "rank %u: the helper has ended", m->rank);
			end_helper(m, true);
			break;
		}
		at += n;
		len -= (uint64_t)n;
	}
	return m->fd >= 0;
}

static bool take(struct merge *m, void *bytes, uint64_t len)
{
	uint64_t deadline = bob_ev_now_ns() + m->wait_ns;
	uint8_t *at = bytes;

	while (len && m->fd >= 0) {
		ssize_t n = await(m, POLLIN, deadline) ? recv(m->fd, at, len, MSG_DONTWAIT) : -1;

		if (n < 0 && (errno == EINTR || errno == EAGAIN) && bob_ev_now_ns() < deadline)
			continue;
		if (n <= 0) {
			fail(m, "rank %u: the helper has not answered", m->rank);
			end_helper(m, true);
			break;
		}
		at += n;
		len -= (uint64_t)n;
	}
	return m->fd >= 0;
}

/* --- messages --- */

/* Up: u64, how many bytes there are, 0: nothing. Then down, if there are any: u64, 1: let them come; 0: too late. Then up: the bytes.
 * Static, since MPI may have them for ever. */
static uint64_t size, answer;

static void *room_for(struct merge *m, uint64_t len)
{
	void *bytes = len && len <= MESSAGE_MAX ? bob_ev_map(len) : NULL;

	if (len && !bytes)
		fail(m, "rank %u: too much for its memory", m->rank);
	return bytes;
}

static bool tell(uint32_t to, bool go_on, uint64_t deadline_ns)
{
	answer = go_on;
	return bob_mpi_private_send(&answer, sizeof(answer), to, BOB_MPI_TAG_MERGE, deadline_ns);
}

static void take_from(struct merge *m, uint32_t from, uint64_t deadline_ns)
{
	uint64_t got = 0;
	void *bytes;

	if (!bob_mpi_private_receive(&size, sizeof(size), &got, from, BOB_MPI_TAG_MERGE,
				     deadline_ns)) {
		fail(m, "nothing came from rank %u in time", from);
		if (bob_mpi_private_is_open()) /* it may still come, and then it need not wait */
			tell(from, false, bob_ev_now_ns() + m->wait_ns);
		return;
	}
	if (got != sizeof(size) || !size)
		return;
	bytes = room_for(m, size);
	if (!tell(from, bytes != NULL, deadline_ns) || !bytes)
		return bob_ev_unmap(bytes, size);
	if (!bob_mpi_private_receive(bytes, size, &got, from, BOB_MPI_TAG_MERGE, deadline_ns) ||
	    got != size)
		return fail(m, "what rank %u has did not come in time", from); /* MPI has it */
	if (give(m, &size, sizeof(size)))
		give(m, bytes, size);
	bob_ev_unmap(bytes, size);
}

/* The helper makes what it will of it all: so many bytes; FAILED. */
static uint64_t result_length(struct merge *m)
{
	uint64_t len = 0;

	if (m->fd < 0 || !give(m, &len, sizeof(len)) || !take(m, &len, sizeof(len)))
		return FAILED;
	if (len == FAILED)
		fail(m, "rank %u: it was not possible", m->rank);
	return len;
}

/* NULL: there is none. */
static void *take_result(struct merge *m, uint64_t *len)
{
	void *bytes;

	*len = result_length(m);
	if (*len == FAILED)
		*len = 0;
	bytes = room_for(m, *len);
	if (bytes && !take(m, bytes, *len)) {
		bob_ev_unmap(bytes, *len);
		bytes = NULL;
	}
	if (!bytes)
		*len = 0;
	return bytes;
}

static bool may_send(uint32_t to, uint64_t deadline_ns)
{
	uint64_t got = 0;

	return bob_mpi_private_send(&size, sizeof(size), to, BOB_MPI_TAG_MERGE, deadline_ns) &&
	       size &&
	       bob_mpi_private_receive(&answer, sizeof(answer), &got, to, BOB_MPI_TAG_MERGE,
				       deadline_ns) &&
	       got == sizeof(answer) && answer;
}

static bool send_up(struct merge *m, uint32_t to)
{
	uint64_t deadline;
	void *bytes = take_result(m, &size);
	bool sent = false;

	deadline = bob_ev_now_ns() + 2 * m->wait_ns;
	if (may_send(to, deadline))
		sent = bob_mpi_private_send(bytes, size, to, BOB_MPI_TAG_MERGE, deadline);
	if (size && !sent)
		fail(m, "rank %u does not take it", to);
	if (bytes && (sent || bob_mpi_private_is_open()))
		bob_ev_unmap(bytes, size);
	return sent;
}

/* --- the tree --- */

static bool merge_all(struct merge *m)
{
	uint64_t begin = bob_ev_now_ns();
	uint32_t level = 0;

	for (uint64_t step = 1; step < m->ranks; step *= 2, level++) {
		uint64_t limit = m->wait_ns + level * (m->wait_ns / WAIT_MORE);

		if (m->rank & step)
			return send_up(m, m->rank - (uint32_t)step);
		if (m->rank + step < m->ranks)
			take_from(m, m->rank + (uint32_t)step, begin + limit);
	}
	return result_length(m) == 0; /* it is in a file */
}

void bob_mpi_merge(struct bob_mpi_call *c)
{
	struct merge m = { .wait_ns = bob_mpi_merge_wait_ns(), .fd = -1 };
	int saved = errno;
	bool is_merged;

	if (!bob_mpi_merge_is_wanted() || !bob_mpi_private_is_open() || bob_mpi_private_ranks() < 2)
		return;
	m.rank = bob_mpi_private_rank();
	m.ranks = bob_mpi_private_ranks();
	bob_mpi_part(c);
	begin_helper(&m);
	is_merged = merge_all(&m);
	if (is_merged) /* then the launcher leaves the file as it is */
		bob_ev_put_record(BOB_REC_IN_HEAD, NULL, 0);
	end_helper(&m, !is_merged);
	put_reason(&m);
	errno = saved;
}
