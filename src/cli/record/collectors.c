/* SPDX-License-Identifier: BSD-3-Clause */
/* The host of collectors (collector.h). It is the launcher's child, in a session of its own, so
 * that terminal signals for the program do not reach it, and never the program's child. It ends
 * when the launcher has received its answer or has ended, and no process is left whose records are
 * folded. */
#define _GNU_SOURCE
#include "cli/record/collector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESTARTS_MAX 16u	/* of one process's collector */
#define LOOK_MS 20		/* while the launcher waits */
#define END_MS 60000		/* for the launcher's wait */
#define FIRST_FD 3		/* of the descriptors that are kept */

struct child {
	char *name;		/* of the file */
	pid_t pid;		/* 0: it has ended */
	uint32_t restarts;
};

struct host {
	const char *dir;
	uint32_t launcher;
	int ask, answer, notify, signals;
	struct child *child;
	size_t children;
};

static void path_of(const struct host *h, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", h->dir, name);
}

/* --- collectors --- */

static void start(struct host *h, struct child *c)
{
	char path[PATH_MAX];
	sigset_t none;

	path_of(h, c->name, path, sizeof(path));
	c->pid = fork();
	if (c->pid == 0) {
		prctl(PR_SET_NAME, "bobbin-collect");
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		_exit((int)cli_collector(path, h->launcher, c->restarts));
	}
	if (c->pid < 0) {
		c->pid = 0;
		cli_collector_gone(path, 0);
	}
}

static int is_process_file(const char *name)
{
	const size_t n = strlen(name);

	return name[0] == 'p' && n > 4 && n < NAME_MAX && !strcmp(name + n - 4, ".bob");
}

static void add(struct host *h, const char *name)
{
	struct child *grown;

	if (!is_process_file(name))
		return;
	for (size_t i = 0; i < h->children; i++)
		if (!strcmp(h->child[i].name, name))
			return;
	grown = realloc(h->child, (h->children + 1) * sizeof(*grown));
	if (!grown)
		return;
	h->child = grown;
	grown[h->children] = (struct child){ .name = strdup(name) };
	if (grown[h->children].name)
		start(h, &grown[h->children++]);
}

static void add_all(struct host *h)
{
	DIR *d = opendir(h->dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		add(h, e->d_name);
	if (d)
		closedir(d);
}

static void reap(struct host *h)
{
	char path[PATH_MAX];
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < h->children; i++) {
			struct child *c = &h->child[i];

			if (c->pid != pid)
				continue;
			c->pid = 0;
			if (!WIFSIGNALED(status))
				break;
			path_of(h, c->name, path, sizeof(path));
			cli_collector_gone(path, c->restarts < RESTARTS_MAX);
			if (c->restarts++ < RESTARTS_MAX)
				start(h, c);
			break;
		}
}

static int is_busy(const struct host *h, int with_ended_only)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < h->children; i++) {
		if (!h->child[i].pid)
			continue;
		path_of(h, h->child[i].name, path, sizeof(path));
		if (!with_ended_only || cli_collector_is_over(path))
			return 1;
	}
	return 0;
}

/* --- the host --- */

static void read_events(struct host *h)
{
	_Alignas(struct inotify_event) char buffer[16384];
	ssize_t n;

	while ((n = read(h->notify, buffer, sizeof(buffer))) > 0)
		for (char *p = buffer; p < buffer + n;) {
			const struct inotify_event *e = (const void *)p;

			if (e->mask & IN_Q_OVERFLOW)
				add_all(h);
			else if (e->len)
				add(h, e->name);
			p += sizeof(*e) + e->len;
		}
}

static void serve(struct host *h)
{
	struct pollfd p[3] = { { .fd = h->notify, .events = POLLIN },
			       { .fd = h->signals, .events = POLLIN },
			       { .fd = h->ask, .events = POLLIN } };
	struct signalfd_siginfo info;
	int asked = 0, answered = 0;

	while (!answered || is_busy(h, 0)) {
		(void)poll(p, asked ? 2 : 3, asked && !answered ? LOOK_MS : -1);
		while (read(h->signals, &info, sizeof(info)) > 0)
			;
		read_events(h);
		reap(h);
		if (!asked && p[2].revents) {
			asked = 1;
			add_all(h); /* files that no event reported */
		}
		if (asked && !answered && !is_busy(h, 1)) {
			answered = 1;
			if (is_busy(h, 0) && write(h->answer, "", 1) < 1) /* gone */
				close(h->answer);
		}
	}
}

/* Closes inherited descriptors: they would keep other processes' pipes open. */
static void keep_only(struct host *h)
{
	int *fd[] = { &h->ask, &h->answer, &h->notify, &h->signals };
	const int count = (int)(sizeof(fd) / sizeof(fd[0]));

	for (int i = 0; i < count; i++)
		*fd[i] = fcntl(*fd[i], F_DUPFD_CLOEXEC, FIRST_FD + 2 * count);
	for (int i = 0; i < count; i++)
		*fd[i] = dup3(*fd[i], FIRST_FD + i, O_CLOEXEC);
	close_range(FIRST_FD + (unsigned)count, ~0u, 0);
	for (int i = 0; i < FIRST_FD; i++) {
		close(i);
		if (open("/dev/null", O_RDWR) != i)
			_exit(1);
	}
}

static void ignore_signals(void)
{
	static const int theirs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ };

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		signal(theirs[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

static void become_host(struct host *h)
{
	sigset_t chld;

	setsid();
	prctl(PR_SET_NAME, "bobbin-host");
	ignore_signals();
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_SETMASK, &chld, NULL);
	h->signals = signalfd(-1, &chld, SFD_NONBLOCK | SFD_CLOEXEC);
	if (h->signals < 0)
		_exit(1);
	keep_only(h);
	serve(h);
	_exit(0);
}

int cli_collectors_begin(struct cli_collectors *c, const char *dir)
{
	struct host h = { .dir = dir, .launcher = (uint32_t)getpid() };
	int ask[2] = { -1, -1 }, answer[2] = { -1, -1 };
	pid_t pid = -1;

	c->ask = c->answer = -1;
	h.notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (h.notify >= 0 && inotify_add_watch(h.notify, dir, IN_CREATE | IN_MOVED_TO) >= 0 &&
	    !pipe2(ask, O_CLOEXEC) && !pipe2(answer, O_CLOEXEC)) {
		fflush(NULL);
		pid = fork();
	}
	if (pid == 0) {
		h.ask = ask[0];
		h.answer = answer[1];
		become_host(&h);
	}
	if (h.notify >= 0)
		close(h.notify);
	close(ask[0]);
	close(answer[1]);
	if (pid < 0) {
		close(ask[1]);
		close(answer[0]);
		return -1;
	}
	c->ask = ask[1];
	c->answer = answer[0];
	c->host = pid;
	return 0;
}

void cli_collectors_end(struct cli_collectors *c)
{
	struct pollfd p = { .fd = c->answer, .events = POLLIN };
	char byte;

	if (c->ask < 0)
		return;
	close(c->ask);
	while (poll(&p, 1, END_MS) < 0 && errno == EINTR)
		;
	if (p.revents && read(c->answer, &byte, 1) == 0)
		(void)waitpid(c->host, NULL, 0);
	close(c->answer);
	c->ask = c->answer = -1;
}
