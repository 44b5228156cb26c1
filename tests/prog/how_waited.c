/* SPDX-License-Identifier: BSD-3-Clause */
/* Children that end in several ways, and are waited for in several ways: how_waited WAY. Prints for
 * each child its pid and what the recording must have: "PID STATUS" with the status of wait4 in
 * hexadecimal, or "PID unknown" if no recorded wait returns it. Lines of one pid are in the order
 * in which the processes began. "skip": this machine cannot do it.
 *
 * Children end by the system call or a signal, so that they do not record their end themselves. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) static void work(int n)
{
	sum += n;
}

/* Not by _exit, which the agent knows. */
static void leave(int status)
{
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
	__builtin_unreachable();
}

/* how >= 0: exit status, else the negative signal. */
static void end(int how)
{
	for (int i = 0; i < 10; i++)
		work(i);
	if (how >= 0)
		leave(how);
	signal(-how, SIG_DFL);
	kill(getpid(), -how);
	leave(99);
}

static void fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	fflush(stdout);
	leave(98);
}

static pid_t child(int how)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid)
		end(how);
	return pid;
}

static int status_of(int how)
{
	return how >= 0 ? how << 8 : -how;
}

static void must(int ok, const char *what)
{
	if (!ok)
		fail(what);
}

/* --- each function that waits --- */

static void say(pid_t pid, int status)
{
	printf("%d %x\n", (int)pid, (unsigned)status);
}

static void functions(void)
{
	static const int how[] = { 0, 7, -9, -11, 255, -15 };
	struct rusage usage;
	siginfo_t info;
	int status = -1;
	pid_t pid;

	for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++) {
		pid = child(how[i]);
		errno = 77;
		must(wait(&status) == pid && status == status_of(how[i]) && errno == 77, "wait");
		say(pid, status);
		pid = child(how[i]);
		must(wait(NULL) == pid && errno == 77, "wait without a place");
		say(pid, status);
		pid = child(how[i]);
		must(waitpid(pid, &status, 0) == pid && status == status_of(how[i]), "waitpid");
		say(pid, status);
		pid = child(how[i]);
		must(wait3(&status, 0, &usage) == pid && status == status_of(how[i]), "wait3");
		say(pid, status);
		pid = child(how[i]);
		must(wait4(pid, &status, 0, &usage) == pid && status == status_of(how[i]), "wait4");
		say(pid, status);
		pid = child(how[i]);
		must(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid &&
			     info.si_status == (how[i] < 0 ? -how[i] : how[i]),
		     "waitid");
		say(pid, status);
		must(waitpid(pid, &status, 0) < 0 && errno == ECHILD, "a second wait");
	}
}

/* Children that no process waits for, or only a process that is not recorded. */
static void unwaited(void)
{
	pid_t pid = child(-9), other;
	siginfo_t info;

	must(waitid(P_PID, (id_t)pid, NULL, WEXITED) == 0, "waitid without a place");
	printf("%d unknown\n", (int)pid);
	pid = child(7);
	must(syscall(SYS_wait4, pid, NULL, 0, NULL) == pid, "the system call");
	printf("%d unknown\n", (int)pid);
	signal(SIGCHLD, SIG_IGN);
	pid = child(-9);
	other = child(7);
	must(waitpid(-1, NULL, 0) < 0 && errno == ECHILD, "children that are ignored");
	printf("%d unknown\n%d unknown\n", (int)pid, (int)other);
	signal(SIGCHLD, SIG_DFL);
	pid = child(5);
	memset(&info, 0, sizeof(info));
	must(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid,
	     "WNOWAIT");
	must(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid,
	     "WNOWAIT");
	say(pid, 5 << 8);
	pid = child(-6);
	must(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid,
	     "WNOWAIT");
	must(waitpid(pid, NULL, WNOHANG) == pid, "WNOHANG");
	say(pid, 6);
	pid = child(3); /* a zombie when this process ends */
	printf("%d unknown\n", (int)pid);
}

/* --- stops are no ends --- */

static void stops(void)
{
	pid_t pid = child(-SIGSTOP);
	siginfo_t info;
	int status;

	must(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "WUNTRACED");
	kill(pid, SIGCONT);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	say(pid, status);
	must(status == 99 << 8, "status");
	pid = child(-SIGSTOP);
	must(waitid(P_PID, (id_t)pid, &info, WSTOPPED) == 0 && info.si_code == CLD_STOPPED,
	     "WSTOPPED");
	kill(pid, SIGCONT);
	must(waitid(P_PID, (id_t)pid, &info, WCONTINUED | WEXITED) == 0, "WCONTINUED");
	if (info.si_code == CLD_CONTINUED)
		must(waitpid(pid, &status, 0) == pid, "waitpid");
	say(pid, 99 << 8);
}

/* --- in a handler of SIGCHLD, which interrupts everything, waits included --- */

#define MANY 60
static volatile pid_t reaped[MANY];
static volatile int statuses[MANY];
static volatile int reaped_count;

__attribute__((noinline)) static void on_child(int sig)
{
	const int was = errno;
	int status;
	pid_t pid;

	(void)sig;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		work(pid);
		reaped[reaped_count] = pid;
		statuses[reaped_count++] = status;
	}
	errno = was;
}

static void handler(void)
{
	struct sigaction act = { .sa_handler = on_child };

	sigaction(SIGCHLD, &act, NULL);
	for (int i = 0; i < MANY; i++)
		child(i % 3 ? i : -9);
	while (reaped_count < MANY) {
		int status;
		pid_t pid = waitpid(-1, &status, 0); /* some come here */

		must(pid > 0 || errno == EINTR || errno == ECHILD, "waitpid");
		if (pid > 0) {
			sigset_t all, before;

			sigfillset(&all);
			sigprocmask(SIG_SETMASK, &all, &before);
			reaped[reaped_count] = pid;
			statuses[reaped_count++] = status;
			sigprocmask(SIG_SETMASK, &before, NULL);
		}
	}
	for (int i = 0; i < MANY; i++)
		say(reaped[i], statuses[i]);
}

/* --- forks that a signal's handler interrupts: the kernel begins them anew --- */

static void on_alarm(int sig)
{
	work(sig);
}

static void interrupted(void)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &act, NULL);
	for (int i = 0; i < 4 * MANY; i++) {
		const struct itimerval once = { { 0, 0 }, { 0, 1 + i } };
		int status;
		pid_t pid;

		setitimer(ITIMER_REAL, &once, NULL);
		pid = child(i % MANY);
		must(waitpid(pid, &status, 0) == pid, "waitpid");
		say(pid, status);
	}
}

/* --- threads that wait and are cancelled, or jump away --- */

static volatile int cleaned;

static void clean(void *arg)
{
	cleaned += *(int *)arg;
}

static void *waiting(void *arg)
{
	int one = 1, status;

	pthread_cleanup_push(clean, &one);
	for (;;)
		if (arg)
			waitpid(*(pid_t *)arg, &status, 0);
		else
			waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(void)
{
	int gate[2], status;
	pthread_t thread;
	void *result;
	pid_t pid;
	char c = 0;

	must(pipe(gate) == 0, "pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(gate[1]);
		work((int)read(gate[0], &c, 1));
		leave(7);
	}
	for (int i = 0; i < 20; i++) {
		must(!pthread_create(&thread, NULL, waiting, i % 2 ? &pid : NULL),
		     "pthread_create");
		usleep(i % 4 ? 2000 : 0);
		must(!pthread_cancel(thread), "pthread_cancel");
		must(!pthread_join(thread, &result) && result == PTHREAD_CANCELED, "pthread_join");
	}
	must(cleaned > 0 && cleaned <= 20, "cleaned up");
	close(gate[1]);
	must(waitpid(pid, &status, 0) == pid && status == 7 << 8, "waitpid");
	say(pid, status);
}

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static void jumps(void)
{
	volatile int count = 0;
	int gate[2], status;
	char c = 0;
	pid_t pid;

	signal(SIGALRM, jump);
	must(pipe(gate) == 0, "pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(gate[1]);
		work((int)read(gate[0], &c, 1));
		leave(8);
	}
	sigsetjmp(back, 1);
	if (count++ < 10) {
		ualarm(3000, 0);
		waitpid(pid, &status, 0);
		fail("no jump");
	}
	close(gate[1]);
	must(waitpid(pid, &status, 0) == pid && status == 8 << 8, "waitpid");
	say(pid, status);
}

/* --- whose child is it? --- */

static void orphans(void)
{
	int gone[2], status, count = 0;
	pid_t pid, grandchild;
	char c;

	must(pipe(gone) == 0 && !prctl(PR_SET_CHILD_SUBREAPER, 1), "subreaper");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		work(1);
		grandchild = fork();
		if (!grandchild) {
			close(gone[1]);
			work((int)read(gone[0], &c, 1)); /* until the parent has gone */
			end(-9);
		}
		dprintf(1, "%d %x\n", (int)grandchild, 9);
		leave(4);
	}
	must(waitpid(pid, &status, 0) == pid && status == 4 << 8, "waitpid");
	say(pid, status);
	close(gone[1]);
	close(gone[0]);
	while (wait(&status) > 0)
		count += status == 9;
	must(count == 1, "the orphan");
}

/* The same pid again and again: the trace has the end of each process that is waited for, and of no
 * other. */
static pid_t with_pid(pid_t pid, int how)
{
	/* struct clone_args: exit_signal, set_tid and set_tid_size */
	uint64_t args[11] = { [4] = SIGCHLD, [8] = pid ? (uintptr_t)&pid : 0, [9] = pid != 0 };
	long got;

	fflush(stdout);
	got = syscall(SYS_clone3, args, sizeof(args));
	if (!got)
		end(how);
	return (pid_t)got;
}

static void reused(void)
{
	static const int how[] = { 7, -9, 3, -11, 2, -9 };
	pid_t pid = with_pid(0, 1), got;
	int status;

	must(pid > 0 && waitpid(pid, &status, 0) == pid, "clone3");
	say(pid, status);
	for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++) {
		got = with_pid(pid, how[i]);
		if (got < 0 && (errno == EPERM || errno == ENOSYS || errno == EINVAL)) {
			printf("skip\n");
			return;
		}
		must(got == pid, "the same pid");
		if (i % 3 == 1) {
			must(syscall(SYS_wait4, pid, &status, 0, NULL) == pid, "the system call");
			printf("%d unknown\n", (int)pid);
		} else {
			must(waitpid(pid, &status, 0) == pid && status == status_of(how[i]),
			     "waitpid");
			say(pid, status);
		}
	}
}

/* system and pclose wait inside of the C library. */
static void library(void)
{
	FILE *f;
	int status;

	status = system("kill -9 $$");
	must(status == 9, "system");
	printf("- %x\n", (unsigned)status);
	f = popen("kill -11 $$", "r");
	must(f != NULL, "popen");
	status = pclose(f);
	must(status == 11, "pclose");
	printf("- %x\n", (unsigned)status);
}

/* A core is dumped if the kernel writes one where we are. */
static void core(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	siginfo_t info;
	int status;
	pid_t pid;

	setrlimit(RLIMIT_CORE, &all);
	pid = child(-SIGQUIT);
	must(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGQUIT, "waitpid");
	say(pid, status);
	pid = child(-SIGQUIT);
	must(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0, "waitid");
	say(pid, SIGQUIT | (info.si_code == CLD_DUMPED ? 0x80 : 0));
	if (!WCOREDUMP(status))
		printf("skip\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} ways[] = {
		{ "functions", functions }, { "unwaited", unwaited },	    { "stops", stops },
		{ "handler", handler },	    { "cancelled", cancelled },	    { "jumps", jumps },
		{ "orphans", orphans },	    { "reused", reused },	    { "library", library },
		{ "core", core },	    { "interrupted", interrupted },
	};
	const struct rlimit none = { 0, 0 };

	if (argc > 1 && strcmp(argv[1], "core"))
		setrlimit(RLIMIT_CORE, &none);
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].fn();
			return 0;
		}
	return 97;
}
