/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in transport: processes meet in a directory, the trace's or a named one (--ranks), which
 * need not be on a disk. A rank is a file with the identity of its process. A message is a file; it
 * is complete once it has its final name, and its receiver removes it. So a send never waits,
 * messages can be read after their sender has ended, and processes may be forked, executed, or
 * started anywhere.
 *
 *     rank.R             "host pid-namespace pid start-time", created by link(2): by one process
 *     m.FROM.TO.TAG.N    message N with this sender, receiver and tag
 *
 * The rank comes from --rank=R/N, or from the launcher's environment; then ranks form a tree.
 * Otherwise processes are numbered as they arrive, and all send to rank 0: processes that come and
 * go need not wait for each other.
 *
 * Threads: one at a time (ranks.c). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/host/io.h"
#include "events/ranks.h"

#define TAGS 16u
#define SLEEP_FIRST_NS 50000
#define SLEEP_MOST_NS 5000000
#define LOOK_NS 50000000u	/* interval of checks whether the sender is alive */
#define LINE_MAX_BYTES 256u

static struct place {
	char dir[3800];
	char line[LINE_MAX_BYTES];	/* of this process */
	uint32_t rank, known;		/* ranks seen so far */
	uint32_t *sent, *received;	/* [rank * TAGS + tag], mapped */
	uint32_t nonce;
} place;

#define COUNTS_BYTES (BOB_EV_RANKS_MAX * TAGS * sizeof(uint32_t))

__attribute__((format(printf, 2, 3))) static bool name(char path[4096], const char *format, ...)
{
	char file[128];
	va_list args;
	int n;

	va_start(args, format);
	vsnprintf(file, sizeof(file), format, args);
	va_end(args);
	n = snprintf(path, 4096, "%s/%s", place.dir, file);
	return n > 0 && n < 4096;
}

/* --- identity of a process --- */

/* Start time: field 22 of /proc/PID/stat; 0: it has ended. */
static unsigned long long start_time(long pid)
{
	char path[64], text[1024];
	unsigned long long start = 0;
	char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	p = strrchr(text, ')'); /* the name may contain anything */
	if (!p || !p[1] || p[2] == 'Z' || p[2] == 'X')
		return 0;
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		start = strtoull(p + 1, NULL, 10);
	return start;
}

static void describe(char line[LINE_MAX_BYTES])
{
	char host[100] = "", space[64] = "";
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);

	gethostname(host, sizeof(host) - 1);
	space[n > 0 ? n : 0] = 0;
	snprintf(line, LINE_MAX_BYTES, "%s %s %ld %llu\n", host, space, (long)getpid(),
		 start_time(getpid()));
}

/* Whether it is a process of this host that has ended. Other hosts' processes are never known to
 * have. */
static bool has_ended(uint32_t rank)
{
	char path[4096], line[LINE_MAX_BYTES], host[100], space[64], own_host[100], own_space[64];
	unsigned long long start;
	long pid;
	ssize_t n;
	int fd = name(path, "rank.%" PRIu32, rank) ?
			 open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) :
			 -1;

	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	line[n] = 0;
	if (sscanf(line, "%99s %63s %ld %llu", host, space, &pid, &start) != 4 ||
	    sscanf(place.line, "%99s %63s", own_host, own_space) != 2 || strcmp(host, own_host) ||
	    strcmp(space, own_space))
		return false;
	return start_time(pid) != start;
}

/* --- files --- */

/* Writes a complete file, under a name that no other process uses. */
static bool write_beside(char beside[4096], const void *bytes, uint64_t len)
{
	bool is_written;
	int fd = name(beside, "new.%" PRIx64 ".%" PRIu32,
		      bob_hash64(0, place.line, strlen(place.line)), place.nonce++) ?
			 open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) :
			 -1;

	if (fd < 0)
		return false;
	is_written = !bob_write_all(fd, bytes, len);
	if (close(fd) || !is_written) {
		unlink(beside);
		return false;
	}
	return true;
}

static bool is_there(uint32_t rank)
{
	char path[4096];

	return name(path, "rank.%" PRIu32, rank) && !access(path, F_OK);
}

static uint32_t count(void *ctx)
{
	(void)ctx;
	while (place.known < BOB_EV_RANKS_MAX && is_there(place.known))
		place.known++;
	return place.known;
}

/* 1: this process has the rank now; 0: another process has it. */
static int claim(uint32_t rank)
{
	char path[4096], beside[4096];
	int ok;

	if (!name(path, "rank.%" PRIu32, rank) ||
	    !write_beside(beside, place.line, strlen(place.line)))
		return -1;
	ok = link(beside, path) ? (errno == EEXIST ? 0 : -1) : 1;
	unlink(beside);
	return ok;
}

/* Claims the first free number: numbers are consecutive. */
static int claim_next(void)
{
	uint32_t most = 1, least = 0;
	int ok = 0;

	while (most < BOB_EV_RANKS_MAX && is_there(most - 1))
		most *= 2;
	while (least < most) {
		const uint32_t middle = least + (most - least) / 2;

		if (is_there(middle))
			least = middle + 1;
		else
			most = middle;
	}
	for (; least < BOB_EV_RANKS_MAX && !ok; least += !ok)
		ok = claim(least);
	place.rank = least;
	return ok;
}

/* --- messages --- */

static int send_to(void *ctx, uint32_t to, uint32_t tag, const void *bytes, uint64_t len,
		   uint64_t wait_ns)
{
	char path[4096], beside[4096];
	uint32_t *n;

	(void)ctx, (void)wait_ns;
	if (tag >= TAGS || to >= BOB_EV_RANKS_MAX || !write_beside(beside, bytes, len))
		return 0;
	n = &place.sent[to * TAGS + tag];
	if (!name(path, "m.%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, place.rank, to, tag,
		  *n) ||
	    rename(beside, path)) {
		unlink(beside);
		return 0;
	}
	++*n;
	return 1;
}

static bool read_message(int fd, void *bytes, uint64_t capacity, uint64_t *len)
{
	struct stat sb;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode) || (uint64_t)sb.st_size > capacity)
		return false;
	*len = (uint64_t)sb.st_size;
	return !bob_read_all(fd, bytes, *len);
}

/* Waits until the file exists; -1: timeout, or its sender has ended. */
static int await(const char *path, uint32_t from, uint64_t deadline_ns)
{
	uint64_t look_ns = 0;
	long sleep_ns = SLEEP_FIRST_NS;
	bool over = false;

	for (;;) {
		const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		const uint64_t now = bob_ev_now_ns();

		if (fd >= 0 || over)
			return fd;
		over = now >= deadline_ns;
		if (now >= look_ns) { /* it may have arrived meanwhile */
			over |= has_ended(from);
			look_ns = now + LOOK_NS;
		}
		if (!over)
			nanosleep(&(struct timespec){ 0, sleep_ns }, NULL);
		sleep_ns = 2 * sleep_ns < SLEEP_MOST_NS ? 2 * sleep_ns : SLEEP_MOST_NS;
	}
}

static int receive_from(void *ctx, uint32_t from, uint32_t tag, void *bytes, uint64_t capacity,
			uint64_t *len, uint64_t wait_ns)
{
	char path[4096];
	uint32_t *n;
	bool ok;
	int fd;

	(void)ctx;
	if (tag >= TAGS || from >= BOB_EV_RANKS_MAX)
		return 0;
	n = &place.received[from * TAGS + tag];
	if (!name(path, "m.%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, from, place.rank, tag,
		  *n))
		return 0;
	fd = await(path, from, bob_ev_now_ns() + wait_ns);
	if (fd < 0)
		return 0;
	ok = read_message(fd, bytes, capacity, len);
	close(fd);
	unlink(path);
	++*n;
	return ok;
}

/* --- opening --- */

static bool number(const char *text, char end, uint32_t most, uint32_t *out)
{
	char *stop;
	unsigned long v;

	if (!text || *text < '0' || *text > '9')
		return false;
	v = strtoul(text, &stop, 10);
	*out = (uint32_t)v;
	return *stop == end && v <= most;
}

/* False: no variable has it. */
static bool rank_of_variables(uint32_t *rank, uint32_t *ranks)
{
	static const char *const names[][2] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
	};
	const char *said = bob_ev_agent->setting("BOBBIN_RANK"),
		   *slash = said ? strchr(said, '/') : NULL;

	if (slash)
		return number(said, '/', BOB_EV_RANKS_MAX - 1, rank) &&
		       number(slash + 1, 0, BOB_EV_RANKS_MAX, ranks) && *rank < *ranks;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (number(getenv(names[i][0]), 0, BOB_EV_RANKS_MAX - 1, rank) &&
		    number(getenv(names[i][1]), 0, BOB_EV_RANKS_MAX, ranks) && *rank < *ranks)
			return true;
	return false;
}

static bool find_dir(void)
{
	const char *named = bob_ev_agent->setting("BOBBIN_RANKS"),
		   *trace = bob_ev_agent->setting("BOBBIN_DIR");
	int n = named ? snprintf(place.dir, sizeof(place.dir), "%s", named) :
		trace ? snprintf(place.dir, sizeof(place.dir), "%s/ranks", trace) :
			-1;

	return n > 0 && (size_t)n < sizeof(place.dir) &&
	       (!mkdir(place.dir, 0700) || errno == EEXIST);
}

bool bob_ev_place_open(struct bob_transport *t, const char **why)
{
	uint32_t rank = 0, ranks = 1;
	int ok;

	bob_ev_unmap(place.sent, COUNTS_BYTES); /* inherited from a parent */
	bob_ev_unmap(place.received, COUNTS_BYTES);
	memset(&place, 0, sizeof(place));
	*why = "there is no directory to meet others in";
	if (!find_dir())
		return false;
	place.sent = bob_ev_map(COUNTS_BYTES);
	place.received = bob_ev_map(COUNTS_BYTES);
	*why = "out of memory";
	if (!place.sent || !place.received)
		return false;
	describe(place.line);
	*t = (struct bob_transport){ .size = sizeof(*t), .flags = BOB_TRANSPORT_STORES,
				     .send = send_to, .receive = receive_from };
	if (rank_of_variables(&rank, &ranks)) {
		ok = claim(rank);
		place.rank = rank;
	} else {
		ok = claim_next();
		t->flags |= BOB_TRANSPORT_STAR;
		t->count = count;
		ranks = ok == 1 ? place.rank + 1 : 1;
	}
	t->rank = place.rank;
	t->ranks = ranks;
	*why = ok ? "the directory for ranks cannot be written" : "another process has its number";
	return ok == 1;
}
