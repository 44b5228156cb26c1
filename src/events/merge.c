/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges traces while the program runs: over the tree of ranks, each rank receives the traces of
 * its children, merges, and sends the result to its parent. A separate helper process merges
 * (cli/record/running.h); this file moves the bytes. A rank waits only for its children, for each
 * with a timeout. What does not arrive is merged when the launchers end. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "archive/write/write.h"
#include "events/ranks.h"

#define WAIT_S 30u		/* timeout for a child; BOBBIN_MERGE_WAIT */
#define WAIT_MOST_S 3600u
#define MESSAGE_MAX (1ull << 28)
#define FAILED (~0ull)
#define REASON_MAX 120u

struct merge {
	const struct bob_transport *ranks;
	bool is_broken;		/* a message was not sent: the transport is unusable */
	uint64_t wait_ns;
	long helper;
	int fd;			/* connection to the helper; -1: failed */
	char reason[REASON_MAX];	/* why something was not merged; the first reason */
};

/* What this process has sent already: later merges carry only newer data. The bytes are the
 * helper's (cli/record/running.h). */
static struct {
	pid_t of;		/* a fork child has sent nothing */
	bool is_said;		/* the file records that another process has it */
	void *row;
	uint64_t len;		/* bytes */
} given;

/* The running helper, in case a jump leaves the merge. */
static struct {
	long helper;
	int fd;
	pid_t of;		/* process that started it; 0: none */
} at_work;

/* --- conditions --- */

uint64_t bob_ev_merge_wait_ns(void)
{
	const char *v = bob_ev_agent->setting("BOBBIN_MERGE_WAIT");
	unsigned long s = v ? strtoul(v, NULL, 10) : WAIT_S;

	return (s < 1 ? 1 : s > WAIT_MOST_S ? WAIT_MOST_S : s) * 1000000000ull;
}

bool bob_ev_merge_is_wanted(void)
{
	const char *calls, *how;

	if (bob_ev_level != BOB_EV_LEVEL_ALL)
		return false;
	calls = bob_ev_agent->setting("BOBBIN_CALLS");
	how = bob_ev_agent->setting("BOBBIN_MERGE");
	return calls && !strcmp(calls, "0") && !(how && !strcmp(how, "0"));
}

/* --- records in the trace --- */

static void put_reason(const struct merge *m)
{
	char line[REASON_MAX + 64];
	int n = snprintf(line, sizeof(line), "merging while the ranks run: %s\n", m->reason);

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
	const char *args[] = { "merge", option, dir, m->ranks->rank ? NULL : "--last", NULL };
	unsigned limit_ms = (unsigned)(m->wait_ns / 1000000u) * 8;
	long fd = -1;
	int n;

	m->fd = -1;
	if (!name)
		return fail(m, "nothing is recorded on rank %u any more", m->ranks->rank);
	n = snprintf(option, sizeof(option), "--running=%s", name + 1);
	if (n < 0 || (size_t)n >= sizeof(option) || (size_t)(name - path) >= sizeof(dir))
		return fail(m, "rank %u: the name of the trace is too long", m->ranks->rank);
	memcpy(dir, path, (size_t)(name - path));
	dir[name - path] = 0;
	m->helper = bob_ev_agent->helper_begin(args, limit_ms, &fd);
	if (m->helper < 0)
		return fail(m, "rank %u: no process can be started", m->ranks->rank);
	m->fd = (int)fd;
	at_work.helper = m->helper;
	at_work.fd = m->fd;
	at_work.of = getpid();
}

static void end_helper(struct merge *m, bool at_once)
{
	if (m->fd < 0)
		return;
	close(m->fd);
	m->fd = -1;
	at_work.of = 0;
	bob_ev_agent->helper_end(m->helper, at_once);
}

void bob_ev_merge_left(void)
{
	struct merge m = { .helper = at_work.helper, .fd = at_work.fd };

	if (at_work.of == getpid())
		end_helper(&m, true);
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

/* All of `from` to the helper, or, if that is NULL, all of `to` from it. */
static bool pass(struct merge *m, const uint8_t *from, uint8_t *to, uint64_t len)
{
	uint64_t deadline = bob_ev_now_ns() + m->wait_ns, done = 0;

	while (done < len && m->fd >= 0) {
		ssize_t n = -1;

		if (await(m, from ? POLLOUT : POLLIN, deadline))
			n = from ? send(m->fd, from + done, len - done,
					MSG_NOSIGNAL | MSG_DONTWAIT) :
				   recv(m->fd, to + done, len - done, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN) && bob_ev_now_ns() < deadline)
			continue;
		if (n <= 0) {
			fail(m,
			     from ? "rank %u: the helper has ended" :
				    "rank %u: the helper has not answered",
			     m->ranks->rank);
			end_helper(m, true);
			break;
		}
		done += (uint64_t)n;
	}
	return m->fd >= 0;
}

static bool give(struct merge *m, const void *bytes, uint64_t len)
{
	return pass(m, bytes, NULL, len);
}

static bool take(struct merge *m, void *bytes, uint64_t len)
{
	return pass(m, NULL, bytes, len);
}

/* --- messages --- */

/* Child: u64 size, 0: nothing. Then the parent, if the size is not 0 and the transport does not
 * store messages: u64, 1: send; 0: too late. Then the child: the bytes. Static, since a transport
 * may keep message buffers for ever. */
static uint64_t size, answer;

static bool stores(const struct merge *m)
{
	return m->ranks->flags & BOB_TRANSPORT_STORES;
}

static bool send_to(struct merge *m, uint32_t to, const void *bytes, uint64_t len,
		    uint64_t deadline_ns)
{
	m->is_broken = m->is_broken ||
		       !bob_ev_send(m->ranks, to, BOB_EV_TAG_MERGE, bytes, len, deadline_ns);
	return !m->is_broken;
}

static bool receive(struct merge *m, uint32_t from, void *bytes, uint64_t capacity, uint64_t *got,
		    uint64_t deadline_ns)
{
	return !m->is_broken &&
	       bob_ev_receive(m->ranks, from, BOB_EV_TAG_MERGE, bytes, capacity, got, deadline_ns);
}

static void *space_for(struct merge *m, uint64_t len)
{
	void *bytes = len && len <= MESSAGE_MAX ? bob_ev_map(len) : NULL;

	if (len && !bytes)
		fail(m, "rank %u: too much for its memory", m->ranks->rank);
	return bytes;
}

static bool reply(struct merge *m, uint32_t to, bool go_on, uint64_t deadline_ns)
{
	answer = go_on;
	return stores(m) || send_to(m, to, &answer, sizeof(answer), deadline_ns);
}

static void give_given(struct merge *m)
{
	if (given.of != getpid())
		memset(&given, 0, sizeof(given));
	given.of = getpid();
	if (give(m, &given.len, sizeof(given.len)) && given.len)
		give(m, given.row, given.len);
}

/* The helper's last message. NULL: none. */
static void *take_given(struct merge *m, uint64_t *len)
{
	void *row;

	*len = 0;
	if (m->fd < 0 || !take(m, len, sizeof(*len)) || !*len || *len > MESSAGE_MAX)
		return NULL;
	row = bob_ev_map(*len);
	if (row && take(m, row, *len))
		return row;
	bob_ev_unmap(row, *len);
	return NULL;
}

/* The data have arrived at the parent. */
static void have_given(void *row, uint64_t len)
{
	if (row) {
		bob_ev_unmap(given.row, given.len);
		given.row = row;
		given.len = len;
	}
	if (!given.is_said) /* the launcher then leaves the file unchanged */
		bob_ev_put_record(BOB_REC_IN_HEAD, NULL, 0);
	given.is_said = true;
}

static void take_from(struct merge *m, uint32_t from, uint64_t deadline_ns)
{
	uint64_t got = 0;
	void *bytes;

	if (!receive(m, from, &size, sizeof(size), &got, deadline_ns)) {
		fail(m, "nothing came from rank %u in time", from);
		/* its message may still arrive; it need not wait for an answer */
		reply(m, from, false, bob_ev_now_ns() + m->wait_ns);
		return;
	}
	if (got != sizeof(size))
		return fail(m, "rank %u speaks another language", from);
	if (!size)
		return;
	bytes = space_for(m, size);
	if (!reply(m, from, bytes != NULL, deadline_ns)) {
		fail(m, "rank %u cannot be answered", from);
		return bob_ev_unmap(bytes, size);
	}
	if (!bytes)
		return;
	if (!receive(m, from, bytes, size, &got, deadline_ns) || got != size)
		return fail(m, "what rank %u has did not come in time",
			    from); /* the transport keeps it */
	if (give(m, &size, sizeof(size)))
		give(m, bytes, size);
	bob_ev_unmap(bytes, size);
}

/* Size of the helper's result in bytes; FAILED. */
static uint64_t result_length(struct merge *m)
{
	uint64_t len = 0;

	if (m->fd < 0 || !give(m, &len, sizeof(len)) || !take(m, &len, sizeof(len)))
		return FAILED;
	if (len == FAILED)
		fail(m, "rank %u: it was not possible", m->ranks->rank);
	return len;
}

/* NULL: none. */
static void *take_result(struct merge *m, uint64_t *len)
{
	void *bytes;

	*len = result_length(m);
	if (*len == FAILED)
		*len = 0;
	bytes = space_for(m, *len);
	if (bytes && !take(m, bytes, *len)) {
		bob_ev_unmap(bytes, *len);
		bytes = NULL;
	}
	if (!bytes)
		*len = 0;
	return bytes;
}

static bool may_send(struct merge *m, uint32_t to, uint64_t deadline_ns)
{
	uint64_t got = 0;

	return send_to(m, to, &size, sizeof(size), deadline_ns) && size &&
	       (stores(m) || (receive(m, to, &answer, sizeof(answer), &got, deadline_ns) &&
			      got == sizeof(answer) && answer));
}

static bool send_up(struct merge *m)
{
	const uint32_t to = bob_ev_parent(m->ranks);
	uint64_t deadline, len = 0;
	void *bytes = take_result(m, &size), *row = bytes ? take_given(m, &len) : NULL;
	bool sent = false;

	deadline = bob_ev_now_ns() + 2 * m->wait_ns;
	if (may_send(m, to, deadline))
		sent = send_to(m, to, bytes, size, deadline);
	if (size && !sent)
		fail(m, "rank %u does not take it", to);
	if (bytes && !m->is_broken)
		bob_ev_unmap(bytes, size);
	if (sent)
		have_given(row, len);
	else if (row)
		bob_ev_unmap(row, len);
	return sent;
}

static bool write_down(struct merge *m)
{
	void *row;
	uint64_t len;

	if (result_length(m) != 0)
		return false;
	row = take_given(m, &len);
	have_given(row, len);
	return true;
}

/* --- the tree --- */

static bool merge_all(struct merge *m)
{
	const uint64_t begin = bob_ev_now_ns();
	uint32_t child;

	for (uint32_t i = 0; (child = bob_ev_child(m->ranks, i)); i++)
		take_from(m, child, bob_ev_child_deadline(m->ranks, i, begin, m->wait_ns));
	return m->ranks->rank ? send_up(m) : write_down(m);
}

bool bob_ev_merge(const struct bob_transport *t, void (*part)(void *ctx), void *ctx)
{
	struct merge m = { .ranks = t, .wait_ns = bob_ev_merge_wait_ns(), .fd = -1 };
	const int saved = errno;
	bool is_merged;

	if (!bob_ev_merge_is_wanted() || t->ranks < 2)
		return true;
	part(ctx);
	begin_helper(&m);
	give_given(&m);
	is_merged = merge_all(&m);
	end_helper(&m, !is_merged);
	put_reason(&m);
	errno = saved;
	return is_merged && !m.reason[0];
}
