/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects debuggers of recorded processes, by inotify on /proc/PID/mem and the status files of
 * /proc, and has entries restored while all threads are stopped (debugger.h). */
#define _GNU_SOURCE
#include "cli/record/debugger.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/tracer_list.h"
#include "cli/record/restore_code.h"
#include "cli/record/watching.h"

#define LOOK_MS 100u		/* without an inotify event */
#define TRIES_MAX 1000u		/* a debugger may leave threads running for ever */

/* --- tracer and state of the threads --- */

/* The text after `key` in a status file of /proc, or NULL. */
static const char *read_status(const char *path, const char *key, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	const char *found;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	found = strstr(text, key);
	return found ? found + strlen(key) : NULL;
}

static int is_debugger(uint32_t pid)
{
	char list[] = BOB_NO_DEBUGGERS, path[64], name[64] = "", *rest = list;
	const char *pattern;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, name, sizeof(name) - 1);

		name[n > 0 ? n : 0] = '\0';
		name[strcspn(name, "\n")] = '\0';
		close(fd);
	}
	while ((pattern = strsep(&rest, ":")))
		if (!fnmatch(pattern, name, 0))
			return 0;
	return 1;
}

static uint32_t find_debugger(struct cli_watched *f)
{
	char path[64], text[2048];
	const char *tracer;
	uint32_t pid;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", f->pid);
	tracer = read_status(path, "\nTracerPid:\t", text, sizeof(text));
	f->debugged.gone = !tracer;
	pid = tracer ? (uint32_t)strtoul(tracer, NULL, 10) : 0;
	return pid && is_debugger(pid) ? pid : 0;
}

static int all_stopped(uint32_t pid)
{
	char path[64 + NAME_MAX], text[512];
	int stopped = 1;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	d = opendir(path);
	while (d && stopped && (e = readdir(d))) {
		const char *state;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%s/status", pid, e->d_name);
		state = read_status(path, "\nState:\t", text, sizeof(text));
		stopped = !state || strchr("tZX", state[0]);
	}
	if (d)
		closedir(d);
	return d && stopped;
}

/* --- interface --- */

int cli_debugger_notify(void)
{
	return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void cli_debugger_watch(int notify, struct cli_watched *f)
{
	char path[2][64];

	snprintf(path[0], sizeof(path[0]), "/proc/%" PRIu32 "/mem", f->pid);
	snprintf(path[1], sizeof(path[1]), "/proc/%" PRIu32 "/task/%" PRIu32 "/mem", f->pid,
		 f->pid);
	for (int i = 0; i < 2; i++)
		f->debugged.watch[i] = notify < 0 ? -1 :
						    inotify_add_watch(notify, path[i], IN_OPEN);
}

void cli_debugger_unwatch(int notify, struct cli_watched *f)
{
	for (int i = 0; i < 2; i++) {
		if (f->debugged.watch[i] >= 0)
			(void)inotify_rm_watch(notify, f->debugged.watch[i]);
		f->debugged.watch[i] = -1;
	}
}

/* 1: look again soon. */
static int look(const struct cli_watching *w, struct cli_watched *f)
{
	uint32_t tracer = find_debugger(f);

	if (tracer == f->debugged.tracer)
		return 0;
	if (tracer && !all_stopped(f->pid) && f->debugged.tries++ < TRIES_MAX)
		return 1;
	if (tracer && f->debugged.tries <= TRIES_MAX)
		cli_restore_code(w->dir, f->name, f->pid, w->cache, w->translates);
	f->debugged.tracer = tracer;
	f->debugged.tries = 0;
	return 0;
}

int cli_debuggers_look(struct cli_watching *w, uint64_t now_ms)
{
	char events[4096];
	int due = now_ms >= w->debuggers_ms, soon = 0;

	while (w->notify >= 0 && read(w->notify, events, sizeof(events)) > 0)
		due = 1;
	for (uint32_t i = 0; due && i < w->count; i++)
		if (!w->file[i].debugged.gone)
			soon |= look(w, &w->file[i]);
	if (due)
		w->debuggers_ms = soon ? now_ms : now_ms + LOOK_MS;
	return soon;
}
