/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs helper programs, invisibly to the traced program. Two generations of children are needed,
 * because exec resets a child's exit signal to SIGCHLD: the child has exit signal 0 and never calls
 * exec, so the program sees no SIGCHLD and its wait() does not return it. */
#include <asm/unistd.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/arch/x86_64/syscall.h"
#include "agent/os.h"

#define NO_FD (-1)
#define UNTRACED 0x00800000 /* CLONE_UNTRACED */

static long clone_flags;

void os_hide_children(bool hide)
{
	clone_flags = hide ? UNTRACED : 0;
}

static void close_from(long first)
{
	if (sys3(__NR_close_range, first, ~0u, 0) < 0)
		for (long fd = first; fd < 1024; fd++)
			sys1(__NR_close, fd);
}

/* In the grandchild: closes every descriptor except `fd`, which becomes standard input and output;
 * missing standard descriptors become /dev/null. */
static void become(const char *const *argv, const char *const *envp, long fd)
{
	long first = 0;

	if (fd != NO_FD) {
		if (fd < 2)
			fd = sys3(__NR_fcntl, fd, F_DUPFD, 2);
		sys3(__NR_dup3, fd, 0, 0);
		sys3(__NR_dup3, fd, 1, 0);
		first = 2;
	}
	close_from(first);
	for (long i = first; i < 3; i++)
		sys4(__NR_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0);
	sys5(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	os_restore_signals(0); /* unblock the signals that the program had blocked */
	sys3(__NR_execve, (long)argv[0], (long)argv, (long)envp);
	sys1(__NR_exit_group, 127);
}

/* In the child: a copy of the memory with all signals blocked, so only system calls are made.
 * Starts the grandchild, waits for it, and exits with its status. */
static void oversee(const char *const *argv, const char *const *envp, long fd, unsigned limit_ms)
{
	uint64_t end = os_time_mono() + (uint64_t)limit_ms * 1000000u;
	struct timespec nap = { 0, 300000 };
	long pid = sys5(__NR_clone, SIGCHLD, 0, 0, 0, 0);
	int status = 0;

	if (pid == 0)
		become(argv, envp, fd);
	close_from(0);
	while (pid > 0) {
		long r = sys4(__NR_wait4, pid, (long)&status, WNOHANG, 0);

		if (r == pid || (r < 0 && r != -OS_EINTR)) /* an error: SIGCHLD is ignored */
			break;
		if (os_time_mono() > end)
			sys2(__NR_kill, pid, SIGKILL);
		sys2(__NR_nanosleep, (long)&nap, 0);
	}
	sys1(__NR_exit_group, pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

static long start(const char *const *argv, const char *const *envp, long fd, unsigned limit_ms)
{
	unsigned long old = os_block_signals();
	long pid = sys5(__NR_clone, clone_flags, 0, 0, 0, 0);

	if (pid == 0)
		oversee(argv, envp, fd, limit_ms);
	os_restore_signals(old);
	return pid;
}

static int await(long pid)
{
	int status = 0;
	long r;

	do
		r = sys4(__NR_wait4, pid, (long)&status, __WCLONE, 0);
	while (r == -OS_EINTR);
	return r == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int os_run(const char *const *argv, const char *const *envp, unsigned limit_ms)
{
	long pid = start(argv, envp, NO_FD, limit_ms);

	return pid < 0 ? -1 : await(pid);
}

long os_helper_begin(const char *const *argv, const char *const *envp, unsigned limit_ms, long *fd)
{
	int pair[2];
	long pid = sys4(__NR_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (long)pair);

	if (pid < 0)
		return pid;
	pid = start(argv, envp, pair[1], limit_ms);
	os_close(pair[1]);
	if (pid < 0)
		os_close(pair[0]);
	else
		*fd = pair[0];
	return pid;
}

void os_helper_end(long pid, bool at_once)
{
	if (at_once) /* the kernel then kills the helper (PR_SET_PDEATHSIG) */
		sys2(__NR_kill, pid, SIGKILL);
	await(pid);
}
