/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches recorded processes by polling (watching.h): each task has a next time, and epoll shortens
 * the wait when a process needs the keeper or a debugger attaches. */
#define _GNU_SOURCE
#include "cli/record/watching.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "archive/format.h"
#include "base/host/clock.h"
#include "cli/record/keeper.h"

/* Interval between polls: 1/256 of the time so far. A poll costs about 40 us of the launcher and,
 * if all processors are busy, of the program; once a millisecond would cost 4 %. */
#define LOOKS_SHARE 256
#define LOOK_MIN_MS 1u
#define LOOK_MAX_MS 100u
#define KEEP_MS 4u		/* while a process depends on the keeper */
#define SCAN_MS 16u	/* shortest interval between searches for new files */
/* Marks take at most 1/32 of the time, however many threads there are. */
#define MARKS_COST 32u
#define FILES_MAX 4096
#define DEBUGGERS_MS 200u

static void wake_by(const struct cli_watching *w, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (fd >= 0 && w->wake >= 0)
		(void)epoll_ctl(w->wake, EPOLL_CTL_ADD, fd, &e);
}

/* By its descriptor, if /proc is mounted. */
static char *directory(const char *dir, int fd)
{
	char *open_as;

	if (fd < 0 || asprintf(&open_as, "/proc/self/fd/%d", fd) < 0)
		return strdup(dir);
	if (!access(open_as, X_OK))
		return open_as;
	free(open_as);
	return strdup(dir);
}

int cli_watching_begin(struct cli_watching *w, const char *dir, const char *cache, char *keeper)
{
	*w = (struct cli_watching){ .cache = cache };
	w->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->dir = directory(dir, w->dir_fd);
	w->begin_ns = bob_clock_ns(CLOCK_MONOTONIC);
	keeper[0] = '\0';
	w->notify = w->keeper = w->wake = -1;
	if (!w->dir) {
		if (w->dir_fd >= 0)
			close(w->dir_fd);
		return -1;
	}
	(void)gethostname(w->host, sizeof(w->host) - 1);
	(void)cli_keeper_listen(w, keeper);
	w->wake = epoll_create1(EPOLL_CLOEXEC);
	wake_by(w, w->keeper);
	return 0;
}

static int is_known(const struct cli_watching *w, const char *name)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (!strcmp(w->file[i].name, name))
			return 1;
	return 0;
}

/* Whether it is the program itself, or a child of a process that is watched. */
static int is_ours(const struct cli_watching *w, const struct bob_file_head *h, pid_t child)
{
	if (h->pid == (uint32_t)child)
		return 1;
	for (uint32_t i = 0; i < w->count; i++)
		if (w->file[i].pid == h->ppid)
			return 1;
	return 0;
}

static void add_file(struct cli_watching *w, int dir, const char *name, pid_t child)
{
	struct bob_file_head h;
	struct cli_watched *grown;
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || h.magic != BOB_FORMAT_MAGIC ||
	    h.kind != BOB_FILE_PROCESS || !is_ours(w, &h, child))
		goto close;
	grown = realloc(w->file, (w->count + 1) * sizeof(*grown));
	if (!grown)
		goto close;
	w->file = grown;
	struct cli_watched *f = &w->file[w->count++];
	*f = (struct cli_watched){ .fd = fd, .pid = h.pid, .seq = h.seq,
				   .sampled.scanned = BOB_FILE_HEAD_BYTES };
	snprintf(f->name, sizeof(f->name), "%s", name);
	cli_debugger_watch(w->notify, f);
	w->debuggers_ms = 0; /* a debugger may already be attached */
	return;
close:
	close(fd);
}

static void find_files(struct cli_watching *w, pid_t child)
{
	DIR *d = opendir(w->dir);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)) && w->count < FILES_MAX) {
		size_t n = strlen(e->d_name);

		if (e->d_name[0] == 'p' && n > 4 && n < sizeof(w->file->name) &&
		    !strcmp(e->d_name + n - 4, ".bob") && !is_known(w, e->d_name))
			add_file(w, dirfd(d), e->d_name, child);
	}
	closedir(d);
}

static int has_ended(int fd)
{
	struct bob_file_head h;

	return pread(fd, &h, sizeof(h), 0) != sizeof(h) || h.state != BOB_FILE_OPEN;
}

/* Whether a later program of the same process is watched, which needs the same watches. */
static int has_successor(const struct cli_watching *w, const struct cli_watched *f)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->file[i].pid == f->pid && w->file[i].seq > f->seq)
			return 1;
	return 0;
}

static void close_file(const struct cli_watching *w, struct cli_watched *f)
{
	if (!has_successor(w, f))
		cli_debugger_unwatch(w->notify, f);
	close(f->fd);
	f->fd = -1;
}

/* Does everything that is due at `now`, ms since the start. */
static void look_around(struct cli_watching *w, pid_t child, uint64_t now, uint32_t interval_ms)
{
	const int scan = now >= w->scan_ms, marks = now >= w->marks_ms;
	uint64_t took = 0;

	if (scan) {
		find_files(w, child);
		w->scan_ms = now + SCAN_MS;
	}
	for (uint32_t i = 0; i < w->count; i++) {
		struct cli_watched *f = &w->file[i];

		if (f->fd < 0 || f->ended)
			continue;
		if (scan)
			f->ended = w->takes_marks ? cli_marks_scan(&f->sampled, f->fd) :
						    has_ended(f->fd);
		if (marks || f->ended) {
			const uint64_t begin = bob_clock_ns(CLOCK_MONOTONIC);

			cli_marks_look(&f->sampled, f->fd, now, interval_ms, f->ended);
			took += bob_clock_ns(CLOCK_MONOTONIC) - begin;
		}
		if (cli_keeper_look(f)) /* space after its end is freed later */
			w->depend |= !f->ended;
		else if (f->ended)
			close_file(w, f);
	}
	if (marks)
		w->marks_ms = now + took * MARKS_COST / 1000000u;
}

/* Debuggers do not attach to short runs, and closing inotify takes the system some ms. */
static void watch_debuggers(struct cli_watching *w)
{
	w->notify = cli_debugger_notify();
	wake_by(w, w->notify);
	for (uint32_t i = 0; w->notify >= 0 && i < w->count; i++)
		if (w->file[i].fd >= 0)
			cli_debugger_watch(w->notify, &w->file[i]);
}

unsigned cli_watching_tick(void *ctx, int child)
{
	struct cli_watching *w = ctx;
	uint64_t now = (bob_clock_ns(CLOCK_MONOTONIC) - w->begin_ns) / 1000000u;
	uint64_t interval = now / LOOKS_SHARE;

	if (interval < LOOK_MIN_MS)
		interval = LOOK_MIN_MS;
	if (interval > LOOK_MAX_MS)
		interval = LOOK_MAX_MS;
	const int files = cli_keeper_serve(w);

	w->made += (uint32_t)files;
	if (files)
		w->scan_ms = 0;
	w->depend = 0;
	look_around(w, child, now, (unsigned)interval);
	if (w->depend && interval > KEEP_MS)
		interval = KEEP_MS;
	if (w->notify < 0 && now >= DEBUGGERS_MS)
		watch_debuggers(w);
	if (cli_debuggers_look(w, now))
		interval = LOOK_MIN_MS;
	return (unsigned)interval;
}

uint32_t cli_watching_end(struct cli_watching *w, pid_t child)
{
	const uint32_t made = w->made;

	if (!w->dir)
		return 0;
	look_around(w, child, UINT64_MAX / 2, LOOK_MIN_MS); /* everything is due */
	cli_marks_write(w);
	for (uint32_t i = 0; i < w->count; i++) {
		struct cli_watched *f = &w->file[i];

		cli_marks_free(&f->sampled);
		if (f->fd < 0)
			continue;
		if (kill((pid_t)f->pid, 0) < 0 && errno == ESRCH)
			cli_keeper_end(f);
		close_file(w, f);
	}
	for (int i = 0; i < 4; i++) {
		const int fd[] = { w->notify, w->keeper, w->wake, w->dir_fd };

		if (fd[i] >= 0)
			close(fd[i]);
	}
	free(w->file);
	free(w->dir);
	*w = (struct cli_watching){ .dir_fd = -1, .notify = -1, .keeper = -1, .wake = -1 };
	return made;
}
