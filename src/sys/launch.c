/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the program and is transparent for signals and job control. The program stays in the
 * launcher's process group, so signals of the terminal and of the program to its group reach both
 * directly. Signals that other processes sent to the launcher are forwarded, unless the witness
 * (witness.h) detects that they were sent to the whole group. */
#define _GNU_SOURCE
#include "sys/sys.h"
#include "sys/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* bound of the walk from a signal's sender to us; /proc may change meanwhile */
#define MAX_ANCESTORS 4096

/* The disposition of SIGXFSZ before bob_launch_survive_limits. */
static struct sigaction xfsz_before;
static int xfsz_changed;

void bob_launch_survive_limits(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (!xfsz_changed && !sigaction(SIGXFSZ, &ignore, &xfsz_before))
		xfsz_changed = 1;
}

/* Runs in the child. It first waits until the witness exists: signals that the group gets while the
 * program runs must reach the witness, too. If exec fails, it reports the error through the socket;
 * if exec succeeds, the socket closes by itself. */
static void become(const struct bob_launch *l, const sigset_t *mask, int report)
{
	char byte;

	while (read(report, &byte, 1) < 0 && errno == EINTR)
		;
	if (xfsz_changed)
		sigaction(SIGXFSZ, &xfsz_before, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execve(l->path, l->argv, l->env);
	if (errno == ENOEXEC) { /* a script without #!: run it with the shell, as execvp does */
		size_t n = 0;

		while (l->argv[n])
			n++;
		char **argv = calloc(n + 2, sizeof(*argv));
		if (argv) {
			argv[0] = (char *)(uintptr_t) "/bin/sh";
			argv[1] = (char *)(uintptr_t)l->path;
			for (size_t i = 1; i < n; i++)
				argv[i + 1] = l->argv[i];
			execve(argv[0], argv, l->env);
		}
	}
	int why = errno;
	ssize_t ignored = write(report, &why, sizeof(why));
	(void)ignored;
	_exit(127);
}

static bob_status started(int report, const char *path, struct bob_error *err)
{
	int why = 0;
	ssize_t n;

	shutdown(report, SHUT_WR);
	do
		n = read(report, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	close(report);
	if (n <= 0)
		return BOB_OK;
	if (err) {
		err->code = BOB_ERR_IO;
		err->offset = 0;
		err->text = why == ENOENT ? "its interpreter does not exist" :
			    why == EACCES ? "permission denied" :
			    why == E2BIG  ? "its arguments and environment are too long" :
					    "the system refused to execute it";
		snprintf(err->path, sizeof(err->path), "%s", path);
	}
	return BOB_ERR_IO;
}

/* Returns 0 if the process does not exist any more. */
static pid_t parent_of(pid_t pid)
{
	char path[32], line[512];
	const char *p;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	p = strrchr(line, ')'); /* the name in parentheses may contain anything */
	if (!p || sscanf(p, ") %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Whether `pid` is the program or one of its descendants. Orphans have another parent, and an ended
 * process has none: both count as other processes. */
static int is_below(pid_t pid, pid_t child)
{
	pid_t self = getpid();

	for (int i = 0; i < MAX_ANCESTORS && pid > 1 && pid != self; i++) {
		if (pid == child)
			return 1;
		pid = parent_of(pid);
	}
	return 0;
}

/* Whether the program got this signal by itself already, or it is not meant for the program. */
static int not_ours(pid_t child, const siginfo_t *info)
{
	if (info->si_code == SI_USER && info->si_pid == getpid())
		return 1; /* sent by the kernel, because we wrote beyond RLIMIT_FSIZE */
	if (info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL)
		return is_below(info->si_pid, child);
	/* Sent by the kernel. SIGALRM comes from a timer that was set before our exec and that the
	 * program would own. The terminal signals its whole group, with an exception: on hangup
	 * only the session leader gets SIGHUP and SIGCONT. */
	return info->si_signo != SIGALRM &&
	       !((info->si_signo == SIGHUP || info->si_signo == SIGCONT) && getsid(0) == getpid());
}

/* The program stopped: stop as well. After we are continued, continue the program, unless it was
 * continued together with us. */
static void stop_too(pid_t child)
{
	siginfo_t info = { 0 };
	sigset_t cont;

	raise(SIGSTOP);
	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	struct timespec none = { 0, 0 };
	sigtimedwait(&cont, NULL, &none);
	if (waitid(P_PID, (id_t)child, &info, WCONTINUED | WNOHANG) || !info.si_pid)
		kill(child, SIGCONT);
}

static void pass_on(pid_t child, struct bob_witness *w, const siginfo_t *info)
{
	int to_group = bob_witness_saw(w, info->si_signo);

	if (!to_group && !not_ours(child, info))
		kill(child, info->si_signo);
}

/* Wait until a signal is pending, the tick is due or `wake` is readable. */
static void await(const struct bob_launch *l, int signals, unsigned ms)
{
	struct pollfd p[2] = { { .fd = signals, .events = POLLIN },
			       { .fd = l->wake, .events = POLLIN } };

	(void)poll(p, l->tick ? 2 : 1, l->tick || signals < 0 ? (int)ms : -1);
}

static void supervise(const struct bob_launch *l, pid_t child, struct bob_witness *w,
		      const sigset_t *all, int *status)
{
	const struct timespec none = { 0, 0 };
	int signals = signalfd(-1, all, SFD_CLOEXEC);
	unsigned ms = 1;

	for (;;) {
		pid_t got = waitpid(child, status, WNOHANG | WUNTRACED);

		if (got == child && !WIFSTOPPED(*status))
			break;
		if (got == child) {
			stop_too(child);
			continue;
		}
		siginfo_t info;
		int sig;
		await(l, signals, ms);
		while ((sig = sigtimedwait(all, &info, &none)) > 0)
			if (sig != SIGCHLD)
				pass_on(child, w, &info);
		if (l->tick)
			ms = l->tick(l->ctx, child);
	}
	if (signals >= 0)
		close(signals);
}

bob_status bob_launch_run(const struct bob_launch *l, int *child_pid, int *status,
			  struct bob_error *err)
{
	sigset_t all, before;
	int report[2];

	/* If SIGCHLD is ignored (an inherited disposition), children cannot be waited for. */
	struct sigaction ours = { .sa_handler = SIG_DFL }, theirs;
	sigaction(SIGCHLD, &ours, &theirs);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, report))
		report[0] = report[1] = -1;
	pid_t child = fork();
	if (child == 0) {
		sigaction(SIGCHLD, &theirs, NULL);
		close(report[0]);
		become(l, &before, report[1]);
	}
	close(report[1]);
	bob_status st = BOB_ERR_IO;
	*child_pid = child;
	if (child > 0) {
		struct bob_witness witness;

		bob_witness_open(&witness);
		st = started(report[0], l->path, err);
		supervise(l, child, &witness, &all, status);
		bob_witness_close(&witness);
	} else if (err) {
		close(report[0]);
		err->code = st;
		err->text = "cannot create a process";
		snprintf(err->path, sizeof(err->path), "%s", l->path);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return st;
}

void bob_launch_end(int status)
{
	if (WIFSIGNALED(status)) {
		struct rlimit none = { 0, 0 };
		sigset_t one;

		setrlimit(RLIMIT_CORE, &none); /* no core of ours: the program dumped its own */
		signal(WTERMSIG(status), SIG_DFL);
		sigemptyset(&one);
		sigaddset(&one, WTERMSIG(status));
		fflush(NULL);
		raise(WTERMSIG(status));
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		_exit(128 + WTERMSIG(status));
	}
	fflush(NULL);
	_exit(WEXITSTATUS(status));
}
