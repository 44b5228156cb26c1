/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs do with processes, descriptors and limits, one mode per run (argv[1]); each checks
 * itself and prints what a tracer must not change. `process list` names the modes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *self;
static volatile int sum;

__attribute__((noinline)) int leaf(int n)
{
	sum += n;
	return n;
}

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		leaf(i);
}

static int status_of(pid_t pid)
{
	int st = -1;

	while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return st;
}

/* Every descriptor that is open, as the program sees it. */
static int mode_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	}
	printf("\n");
	return 0;
}

static int mode_close_all(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	syscall(SYS_close_range, 3u, ~0u, 0u);
	calls(100000);
	int fd = open("/dev/null", O_RDONLY);
	printf("next descriptor is %d\n", fd);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		close(i);
	calls(100000);
	return fd == 3 ? 5 : 6;
}

static int mode_wait_any(void)
{
	int st, seen = 0;

	if (waitpid(-1, &st, WNOHANG) != -1 || errno != ECHILD)
		printf("an unexpected child\n");
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			calls(10);
			_exit(i);
		}
	}
	while (wait(&st) > 0)
		seen += 1 + WEXITSTATUS(st);
	printf("%d %s\n", seen, strerrorname_np(errno));
	if (waitpid(-1, &st, __WALL) != -1 || errno != ECHILD)
		printf("a child left over\n");
	return 0;
}

static volatile sig_atomic_t chld;

static void on_chld(int sig)
{
	(void)sig;
	chld++;
}

static int mode_sigchld(void)
{
	struct timespec t = { 0, 30000000 };

	signal(SIGCHLD, on_chld);
	calls(1000);
	nanosleep(&t, NULL);
	printf("%d ", (int)chld);
	pid_t pid = fork();
	if (pid == 0)
		_exit(3);
	int st = status_of(pid);
	printf("%d %d\n", (int)chld, WEXITSTATUS(st));
	return 0;
}

static int mode_vfork(void)
{
	char *argv[] = { self, "exit", "7", NULL };
	int total = 0;

	for (int i = 0; i < 10; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			leaf(1);
			if (i % 2)
				execv(self, argv);
			_exit(i);
		}
		calls(10);
		total += WEXITSTATUS(status_of(pid));
	}
	printf("%d\n", total);
	return total != 0 + 2 + 4 + 6 + 8 + 5 * 7;
}

static int mode_spawn(void)
{
	char *argv[] = { self, "exit", "9", NULL };
	char line[64] = "";
	pid_t pid;
	FILE *f;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
		return 1;
	printf("%d ", WEXITSTATUS(status_of(pid)));
	if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ))
		return 1;
	printf("%d ", WEXITSTATUS(status_of(pid)));
	fflush(stdout);
	printf("%d ", WEXITSTATUS(system("echo from system; exit 4")));
	f = popen("echo from popen; cat /dev/null", "r");
	if (!f || !fgets(line, sizeof(line), f))
		return 1;
	printf("%d %s", pclose(f), line);
	printf("%d\n", posix_spawn(&pid, "/nonexistent", NULL, NULL, argv, environ) == ENOENT);
	return 0;
}

static int mode_exec_empty(void)
{
	char *argv[] = { self, "environment", NULL }, *none[] = { NULL };

	calls(100);
	execve("/proc/self/exe", argv, none);
	return 1;
}

/* What the tracer may add is left out. */
static int mode_environment(void)
{
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "BOBBIN_", 7) && strncmp(*e, "LD_PRELOAD=", 11))
			puts(*e);
	printf("end of the environment\n");
	return 0;
}

static int mode_exec_fails(void)
{
	char *argv[] = { "x", NULL };

	for (int i = 0; i < 100; i++) {
		if (execv("/nonexistent", argv) != -1 || errno != ENOENT)
			return 1;
		if (execv("/etc/passwd", argv) != -1 || errno != EACCES)
			return 2;
		calls(100);
	}
	printf("still here\n");
	return 0;
}

static int mode_exec_chain(void)
{
	const char *left = getenv("PROCESS_LEFT");
	int n = left ? atoi(left) : 20;
	char text[16];
	char *argv[] = { self, "exec_chain", NULL };

	calls(100);
	if (n == 0) {
		printf("end of the chain, pid kept %d\n", atoi(getenv("PROCESS_PID")) == getpid());
		return 0;
	}
	snprintf(text, sizeof(text), "%d", (int)getpid());
	setenv("PROCESS_PID", text, 1);
	snprintf(text, sizeof(text), "%d", n - 1);
	setenv("PROCESS_LEFT", text, 1);
	execv("/proc/self/exe", argv);
	return 1;
}

static void *exec_thread(void *arg)
{
	char *argv[] = { self, "exit", "11", NULL };

	(void)arg;
	calls(1000);
	execv(self, argv);
	return NULL;
}

static int mode_exec_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, exec_thread, NULL);
	for (;;)
		calls(1000);
}

static int mode_fork200(void)
{
	int total = 0;
	pid_t pid[200];

	for (int i = 0; i < 200; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			calls(50);
			if (i % 10 == 0 && fork() == 0) {
				calls(5);
				_exit(0);
			}
			_exit(i % 100);
		}
		if (pid[i] < 0)
			return 97;
	}
	for (int i = 0; i < 200; i++)
		total += WEXITSTATUS(status_of(pid[i]));
	printf("%d\n", total);
	return total != 9900;
}

static int mode_rlimit_nofile(void)
{
	struct rlimit r = { 3, 3 };

	setrlimit(RLIMIT_NOFILE, &r);
	calls(200000);
	printf("%d ", open("/dev/null", O_RDONLY));
	printf("%s\n", strerrorname_np(errno));
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		calls(1000);
		_exit(21);
	}
	printf("%d\n", WEXITSTATUS(status_of(pid)));
	return 0;
}

static void *small_thread(void *arg)
{
	calls(10000);
	return arg;
}

static int mode_rlimit_as(void)
{
	struct rlimit r = { 1u << 20, RLIM_INFINITY };
	pthread_t id;
	int st;

	if (pthread_create(&id, NULL, small_thread, NULL) == 0)
		pthread_join(id, NULL);
	setrlimit(RLIMIT_AS, &r);
	calls(200000);
	st = pthread_create(&id, NULL, small_thread, NULL);
	printf("%s ", strerrorname_np(st));
	printf("%d\n", malloc(8u << 20) == NULL);
	pid_t pid = fork();
	if (pid == 0) {
		calls(200000);
		_exit(22);
	}
	printf("%d\n", WEXITSTATUS(status_of(pid)));
	return 0;
}

static int mode_rlimit_fsize(void)
{
	struct rlimit r = { 4096, 4096 };

	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_FSIZE, &r);
	for (int i = 0; i < 400000; i++)
		leaf(i % 9973 * 7919 % 101) % 3 ? leaf(1) : calls(i % 5);
	printf("alive\n");
	return 0;
}

static int mode_chroot(void)
{
	char dir[] = "/tmp/processXXXXXX";

	if (!mkdtemp(dir))
		return 97;
	if (chdir(dir) || (chroot(dir) && errno != EPERM))
		return 96;
	calls(1000000);
	pid_t pid = fork();
	if (pid == 0) {
		calls(1000);
		_exit(23);
	}
	printf("%d\n", WEXITSTATUS(status_of(pid)));
	rmdir(".");
	return 0;
}

static int mode_deleted_cwd(void)
{
	char dir[] = "/tmp/processXXXXXX";
	char *argv[] = { self, "exit", "24", NULL };

	if (!mkdtemp(dir) || chdir(dir) || rmdir(dir))
		return 97;
	calls(1000);
	execv("/proc/self/exe", argv);
	return 1;
}

static int mode_signals(void)
{
	static const int sigs[] = { SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGUSR1, SIGPIPE, SIGBUS };
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	for (unsigned i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		pid_t pid = fork();

		if (pid == 0) {
			calls(100);
			if (sigs[i] == SIGABRT)
				abort();
			if (sigs[i] == SIGSEGV)
				*(volatile int *)(uintptr_t)(8 + (unsigned)leaf(0)) = 1;
			raise(sigs[i]);
			_exit(0);
		}
		int st = status_of(pid);
		printf("%d ", WIFSIGNALED(st) ? WTERMSIG(st) : -1);
	}
	printf("\n");
	return 0;
}

/* Which signals are blocked, ignored or handled when a program starts. */
static int mode_dispositions(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Sig", 3) || !strncmp(line, "Shd", 3))
			if (strncmp(line, "SigQ", 4))
				fputs(line, stdout);
	return f ? 0 : 1;
}

static int mode_clone(void)
{
	int total = 0;

	for (int i = 0; i < 5; i++) {
		long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (pid == 0) {
			calls(100);
			syscall(SYS_exit_group, i);
		}
		total += WEXITSTATUS(status_of((pid_t)pid));
	}
	printf("%d\n", total);
	return total != 10;
}

static void *exit_thread(void *arg)
{
	calls(1000);
	if (arg)
		exit(31);
	pthread_exit(NULL);
}

static int mode_thread_exit(void)
{
	pthread_t id;

	pthread_create(&id, NULL, exit_thread, NULL);
	pthread_join(id, NULL);
	pthread_create(&id, NULL, exit_thread, &id);
	for (;;)
		calls(1000);
}

static void *cancelled(void *arg)
{
	(void)arg;
	for (;;) {
		calls(100);
		pthread_testcancel();
		usleep(100);
	}
}

static int mode_cancel(void)
{
	int done = 0;

	for (int i = 0; i < 20; i++) {
		pthread_t id;
		void *r;

		pthread_create(&id, NULL, cancelled, NULL);
		usleep(500);
		pthread_cancel(id);
		pthread_join(id, &r);
		done += r == PTHREAD_CANCELED;
	}
	printf("%d\n", done);
	return done != 20;
}

static int mode_main_thread_leaves(void)
{
	pthread_t id;

	pthread_create(&id, NULL, exit_thread, &id);
	pthread_exit(NULL);
}

static int mode_daemon(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		if (fork())
			_exit(0);
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		calls(100);
		_exit(0);
	}
	printf("%d\n", WEXITSTATUS(status_of(pid)));
	return 0;
}

static int mode_exit(void);
static int mode_list(void);

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "descriptors", mode_descriptors },
	{ "close_all", mode_close_all },
	{ "wait_any", mode_wait_any },
	{ "sigchld", mode_sigchld },
	{ "vfork", mode_vfork },
	{ "spawn", mode_spawn },
	{ "exec_empty", mode_exec_empty },
	{ "exec_fails", mode_exec_fails },
	{ "environment", mode_environment },
	{ "exec_chain", mode_exec_chain },
	{ "exec_thread", mode_exec_thread },
	{ "fork200", mode_fork200 },
	{ "rlimit_nofile", mode_rlimit_nofile },
	{ "rlimit_as", mode_rlimit_as },
	{ "rlimit_fsize", mode_rlimit_fsize },
	{ "chroot", mode_chroot },
	{ "deleted_cwd", mode_deleted_cwd },
	{ "signals", mode_signals },
	{ "dispositions", mode_dispositions },
	{ "clone", mode_clone },
	{ "thread_exit", mode_thread_exit },
	{ "cancel", mode_cancel },
	{ "main_thread_leaves", mode_main_thread_leaves },
	{ "daemon", mode_daemon },
	{ "exit", mode_exit },
	{ "list", mode_list },
};

static int exit_code;

static int mode_exit(void)
{
	calls(10);
	return exit_code;
}

static int mode_list(void)
{
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].run != mode_exit && modes[i].run != mode_list)
			printf("%s\n", modes[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	self = argv[0];
	exit_code = argc > 2 ? atoi(argv[2]) : 0;
	for (unsigned i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	fprintf(stderr, "modes: process list\n");
	return 2;
}
