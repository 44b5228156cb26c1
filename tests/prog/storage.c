/* SPDX-License-Identifier: BSD-3-Clause */
/* Loses what a recorder might need (argv[1]), then calls leaf argv[2] times, and in a child 1000
 * times; with an argv[3], the child executes that program. Prints the sum. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNPRIVILEGED 65534
#define DESCRIPTORS 64

__attribute__((noinline)) unsigned leaf(unsigned x)
{
	return x * 3 + 1;
}

__attribute__((noinline)) unsigned other(unsigned x)
{
	return x ^ 5;
}

/* A random order, so that the trace grows. */
__attribute__((noinline)) unsigned work(long n)
{
	unsigned q = 1, sum = 0;

	for (long i = 0; i < n; i++) {
		q = q * 1103515245 + 12345;
		sum += q >> 31 ? leaf(q) : other(q);
	}
	return sum;
}

static int limit(int what, rlim_t to)
{
	const struct rlimit r = { to, to };

	return setrlimit(what, &r);
}

/* An address space limited to a little more than is in use. */
static int limit_space(void)
{
	char line[256];
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || !fgets(line, sizeof(line), f) || sscanf(line, "%lu", &pages) != 1)
		return -1;
	fclose(f);
	return limit(RLIMIT_AS, pages * 4096 + (4 << 20));
}

static int use_up(void)
{
	int fd = -1, n = 0;

	if (limit(RLIMIT_NOFILE, DESCRIPTORS))
		return -1;
	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	return n ? 0 : -1;
}

static int forbid(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog p = { sizeof(f) / sizeof(*f), f };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &p);
}

static int lose(const char *what)
{
	if (!strcmp(what, "user"))
		return setgid(UNPRIVILEGED) || setuid(UNPRIVILEGED);
	if (!strcmp(what, "effective user"))
		return setresgid(UNPRIVILEGED, UNPRIVILEGED, -1) ||
		       setresuid(UNPRIVILEGED, UNPRIVILEGED, -1);
	if (!strcmp(what, "root"))
		return chroot("/proc/self/fdinfo") || chdir("/");
	if (!strcmp(what, "mounts"))
		return unshare(CLONE_NEWNS);
	if (!strcmp(what, "descriptors"))
		return use_up();
	if (!strcmp(what, "open files"))
		return limit(RLIMIT_NOFILE, 0);
	if (!strcmp(what, "file size"))
		return signal(SIGXFSZ, SIG_IGN) == SIG_ERR || limit(RLIMIT_FSIZE, 4096);
	if (!strcmp(what, "address space"))
		return limit_space();
	if (!strcmp(what, "system calls"))
		return forbid();
	return strcmp(what, "nothing");
}

int main(int argc, char **argv)
{
	const int is_quiet = argc > 2 && !strcmp(argv[1], "system calls");
	char text[64];
	int n;
	pid_t child;

	if (argc < 3 || lose(argv[1]))
		return 99;
	n = snprintf(text, sizeof(text), "%u\n", work(atol(argv[2])));
	if (write(1, text, (size_t)n) != n)
		return 98;
	if (is_quiet)
		_exit(3);
	child = fork();
	if (!child) {
		unsigned sum = work(1000);

		if (argc > 3)
			execv(argv[3], argv + 3);
		_exit((int)(sum & 63));
	}
	if (child > 0 && waitpid(child, &n, 0) == child && WIFEXITED(n))
		printf("child %d\n", WEXITSTATUS(n));
	return 3;
}
