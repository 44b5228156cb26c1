/* SPDX-License-Identifier: BSD-3-Clause */
/* One collector. It maps the process's file up to its maximum size, looks for rings and descriptors
 * among its chunks, folds record buffers as they are handed over, and sleeps when there are none.
 * After the process has ended it folds the rest and ends the streams. Another process writes what
 * it reads, so offsets and counts are checked before use. */
#define _GNU_SOURCE
#include "cli/record/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/collector_file.h"

#define BEGIN_MS 5000	/* for the process to describe itself */
#define SLEEP_MS 50
#define NO_PROCESS (-1) /* pidfd: the process has ended */
#define NO_PIDFD (-2)	/* pidfd: not supported, or not permitted */
#define END_MS 2	/* polling interval while a process ends */
#define WORDS_PER_COLUMN 256u	/* as in archive/write/record_buffers.c */

/* --- folding --- */

/* Once the process folds for itself, the collector must not write any more. */
static int is_ours(const struct cli_cfile *c)
{
	return __atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE) == BOB_COLLECTOR_THERE &&
	       c->shared->pid == (uint32_t)getpid();
}

static void wake(struct bob_ring *r)
{
	__atomic_fetch_add(&r->freed, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->freed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void drop_work(struct cli_cstream *s)
{
	if (s->work)
		munmap(s->work, bob_mem_writer_size());
	s->work = NULL;
}

static void give_up(struct cli_cfile *c, struct cli_cstream *s, bob_status why)
{
	uint32_t there = BOB_COLLECTOR_THERE;

	s->over = 1;
	drop_work(s);
	if (why == BOB_ERR_FULL)
		(void)__atomic_compare_exchange_n(&c->shared->state, &there, BOB_COLLECTOR_FULL, 0,
						  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	else if (why != BOB_OK) /* another thread may succeed */
		(void)__atomic_compare_exchange_n(&c->shared->state, &there, BOB_COLLECTOR_NONE, 0,
						  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	wake(s->ring);
}

static int begin_stream(struct cli_cfile *c, struct cli_cstream *s)
{
	int ended = 0;
	bob_status st = BOB_ERR_NOMEM;

	if (s->work)
		return 1;
	/* pages are allocated on first use, and most are never used */
	s->work = mmap(NULL, bob_mem_writer_size(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->work == MAP_FAILED)
		s->work = NULL;
	else
		st = bob_mem_writer_resume(&s->writer, s->work, cli_cfile_chunk, c, s->number,
					   cli_cfile_desc, c, c->file, cli_cfile_len(c), &ended);
	if (st == BOB_OK && !ended) {
		s->committed = s->writer.buffers.position;
		return 1;
	}
	give_up(c, s, st);
	return 0;
}

static int commit(struct cli_cfile *c, struct cli_cstream *s, int part)
{
	bob_status st = is_ours(c) ? bob_mem_writer_commit(&s->writer, part) : BOB_ERR_INVAL;

	if (st != BOB_OK) {
		give_up(c, s, st);
		return 0;
	}
	s->committed = s->writer.buffers.position;
	bob_ring_free(s->ring, c->file, cli_cfile_len(c), s->committed);
	wake(s->ring);
	return 1;
}

/* Whether to commit now. A commit costs 0.3 us per column. If that is a large part of the cost of
 * folding and the program waits, the ring gets another record buffer instead, up to the limit. */
static int is_due(struct cli_cstream *s)
{
	struct bob_ring *r = s->ring;
	const uint64_t words = s->writer.buffers.position - s->committed;

	if (!words)
		return 0;
	if (words >= (uint64_t)WORDS_PER_COLUMN * bob_folder_columns(s->writer.folder))
		return 1;
	if (!__atomic_load_n(&r->waits, __ATOMIC_SEQ_CST))
		return 0;
	if (r->limit >= BOB_RECORD_BUFFERS_MAX)
		return 1;
	__atomic_store_n(&r->limit, r->limit + 1, __ATOMIC_RELEASE);
	wake(r);
	return 0;
}

/* Folds the next record buffer, if it was handed over. 1: there was one. */
static int fold_next(struct cli_cfile *c, struct cli_cstream *s, int last)
{
	const uint64_t len = cli_cfile_len(c);
	uint64_t capacity, *word;
	size_t used;
	bob_status st;
	const uint32_t i = bob_ring_find(s->ring, c->file, len, s->writer.buffers.position);
	const int handed = i < BOB_RECORD_BUFFERS_MAX &&
			   __atomic_load_n(&s->ring->slot[i].state, __ATOMIC_ACQUIRE) ==
				   BOB_SLOT_HANDED;

	if (i == BOB_RECORD_BUFFERS_MAX || (!handed && !last))
		return 0;
	word = bob_ring_words(s->ring, i, c->file, len, &capacity);
	if (handed) {
		const uint64_t words = __atomic_load_n(&s->ring->slot[i].words, __ATOMIC_RELAXED);

		word = words <= capacity ? word : NULL;
		capacity = words;
	}
	if (!word) {
		give_up(c, s, BOB_ERR_CORRUPT);
		return 0;
	}
	st = bob_mem_writer_fold(&s->writer, word, capacity, !handed, &used);
	if (st != BOB_OK) {
		give_up(c, s, st);
		return 0;
	}
	return handed && used;
}

/* 1: made progress. */
static int serve(struct cli_cfile *c, struct cli_cstream *s)
{
	struct bob_ring *r = s->ring;
	uint32_t wanted = __atomic_load_n(&r->cut_wanted, __ATOMIC_ACQUIRE);
	int done = 0;

	if (s->over || !is_ours(c)) /* failure of one stream, or of all */
		return 0;
	if (!s->work && !wanted &&
	    bob_ring_find(r, c->file, cli_cfile_len(c), 0) == BOB_RECORD_BUFFERS_MAX &&
	    !c->shared->restarts)
		return 0; /* nothing yet */
	if (!begin_stream(c, s))
		return 1;
	while (!s->over && fold_next(c, s, 0)) {
		done = 1;
		if (is_due(s) && !commit(c, s, 0))
			return 1;
	}
	if (!s->over && is_due(s))
		done |= commit(c, s, 0);
	if (!s->over && wanted != r->cut_done && commit(c, s, 1)) {
		__atomic_store_n(&r->cut_done, wanted, __ATOMIC_RELEASE);
		wake(r);
		done = 1;
	}
	return done;
}

/* Folds the remaining records and ends the stream. */
static void end_stream(struct cli_cfile *c, struct cli_cstream *s)
{
	if (s->over || !is_ours(c) || !begin_stream(c, s))
		return;
	while (!s->over && fold_next(c, s, 0))
		;
	if (!s->over)
		(void)fold_next(c, s, 1);
	if (s->over || !is_ours(c))
		return;
	if (bob_mem_writer_end(&s->writer, NULL) == BOB_OK)
		s->over = 1;
	drop_work(s);
}

/* --- the process --- */

static void nap(unsigned ms)
{
	const struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* Whether the process maps this file. -1: unknown. */
static int has_file(const struct cli_cfile *c, uint32_t pid)
{
	char name[64], line[8192];
	struct stat st;
	FILE *f;
	int found = 0;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	if (fstat(c->fd, &st))
		st.st_ino = 0;
	while (!found && fgets(line, sizeof(line), f)) {
		unsigned long long inode = 0;

		/* layered file systems report other inode numbers here */
		found = strstr(line, c->name) != NULL;
		if (sscanf(line, "%*s %*s %*s %*s %llu", &inode) == 1)
			found |= inode == st.st_ino && st.st_ino;
	}
	if (ferror(f))
		found = -1;
	fclose(f);
	return found;
}

static int is_gone(struct cli_cfile *c)
{
	const struct bob_file_head *h = cli_cfile_head(c);
	struct pollfd p = { .fd = c->process, .events = POLLIN };

	if (c->process == NO_PROCESS || (c->process >= 0 && poll(&p, 1, 0) > 0))
		return 1;
	if (c->process == NO_PIDFD && kill((pid_t)h->pid, 0) && errno == ESRCH)
		return 1;
	/* it has announced an exec: the process may have ended, or be another program */
	return __atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == BOB_FILE_EXEC &&
	       !has_file(c, h->pid);
}

static void find_process(struct cli_cfile *c)
{
	c->process = (int)syscall(SYS_pidfd_open, cli_cfile_head(c)->pid, 0);
	if (c->process < 0)
		c->process = errno == ESRCH ? NO_PROCESS : NO_PIDFD;
	if (has_file(c, cli_cfile_head(c)->pid))
		return;
	if (c->process >= 0) /* another process has its number */
		close(c->process);
	c->process = NO_PROCESS;
}

static void sleep_until_called(struct cli_cfile *c)
{
	struct bob_collector *s = c->shared;
	const uint32_t bell = __atomic_load_n(&s->bell, __ATOMIC_SEQ_CST);
	const int ending = cli_cfile_head(c)->state != BOB_FILE_OPEN;
	const unsigned ms = ending ? END_MS : SLEEP_MS;
	const struct timespec t = { 0, (long)ms * 1000000 };

	__atomic_store_n(&s->asleep, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &s->bell, FUTEX_WAIT, bell, &t, NULL, 0);
	__atomic_store_n(&s->asleep, 0, __ATOMIC_SEQ_CST);
}

static enum cli_collected collect(struct cli_cfile *c)
{
	find_process(c);
	cli_cfile_scan(c);
	if (c->shared->restarts)
		cli_cfile_note(
			c, "a collector was killed; another one continued at the same place, and "
			   "nothing is lost\n");
	for (;;) {
		const int gone = is_gone(c);
		int done = 0;

		if (c->rings_seen != __atomic_load_n(&c->shared->rings, __ATOMIC_ACQUIRE) || gone) {
			c->rings_seen = __atomic_load_n(&c->shared->rings, __ATOMIC_ACQUIRE);
			cli_cfile_scan(c);
		}
		const uint32_t bell = c->shared->bell;

		for (uint32_t i = 0; i < c->streams; i++)
			done |= serve(c, c->stream[i]);
		if (!is_ours(c))
			return CLI_COLLECTED_FAILED;
		if (gone)
			break;
		if (!done && bell == __atomic_load_n(&c->shared->bell, __ATOMIC_ACQUIRE))
			sleep_until_called(c);
	}
	for (uint32_t i = 0; i < c->streams; i++)
		end_stream(c, c->stream[i]);
	cli_cfile_trim(c);
	return CLI_COLLECTED;
}

/* --- start --- */

static uint64_t own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/* Whether this is the file of a process of this launcher that expects a collector: 1, 0, or -1: not
 * known yet. */
static int expects_us(struct cli_cfile *c, uint32_t launcher)
{
	struct bob_file_head h;
	char host[sizeof(h.host)] = "";

	if (pread(c->fd, &h, sizeof(h), 0) != sizeof(h) || h.magic != BOB_FORMAT_MAGIC || !h.used)
		return -1;
	gethostname(host, sizeof(host) - 1);
	if (h.kind != BOB_FILE_PROCESS || strncmp(h.host, host, sizeof(host)))
		return 0;
	cli_cfile_scan(c);
	if (!c->shared)
		return h.used > BOB_FILE_HEAD_BYTES ? 0 : -1;
	const uint32_t expected = __atomic_load_n(&c->shared->launcher, __ATOMIC_ACQUIRE);
	return !expected ? -1 : expected == launcher;
}

static int attach(struct cli_cfile *c, uint32_t restarts)
{
	uint32_t state = BOB_COLLECTOR_AWAITED;

	if (c->shared->namespace != own_namespace())
		return 0; /* another PID namespace */
	c->shared->pid = (uint32_t)getpid();
	c->shared->restarts = restarts;
	return __atomic_compare_exchange_n(&c->shared->state, &state, BOB_COLLECTOR_THERE, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static struct cli_cfile *open_file(const char *path)
{
	struct cli_cfile *c = calloc(1, sizeof(*c));

	if (c && cli_cfile_open(c, path)) {
		free(c);
		c = NULL;
	}
	if (c)
		c->process = NO_PROCESS;
	return c;
}

static void close_file(struct cli_cfile *c)
{
	for (uint32_t i = 0; i < c->streams; i++)
		drop_work(c->stream[i]);
	if (c->process >= 0)
		close(c->process);
	cli_cfile_close(c);
	free(c);
}

enum cli_collected cli_collector(const char *path, uint32_t launcher, uint32_t restarts)
{
	struct cli_cfile *c = open_file(path);
	enum cli_collected how = CLI_COLLECTED_NONE;
	int ours = -1;

	if (!c)
		return how;
	for (int ms = 0; ms < BEGIN_MS && (ours = expects_us(c, launcher)) < 0; ms++)
		nap(1);
	if (ours > 0 && attach(c, restarts))
		how = collect(c);
	close_file(c);
	return how;
}

void cli_collector_gone(const char *path, int another)
{
	struct cli_cfile *c = open_file(path);
	uint32_t there = BOB_COLLECTOR_THERE;

	if (!c)
		return;
	if (cli_cfile_len(c) > BOB_FILE_HEAD_BYTES)
		cli_cfile_scan(c);
	if (c->shared)
		(void)__atomic_compare_exchange_n(&c->shared->state, &there,
						  another ? BOB_COLLECTOR_AWAITED :
							    BOB_COLLECTOR_NONE,
						  0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	close_file(c);
}

int cli_collector_is_over(const char *path)
{
	struct bob_file_head h;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof(h), 0);

	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(h))
		return 1;
	return h.state == BOB_FILE_CLOSED || (kill((pid_t)h.pid, 0) && errno == ESRCH);
}
