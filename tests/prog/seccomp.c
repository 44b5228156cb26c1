/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that forbid system calls: argv[1] strict (read, write, _exit, sigreturn only), filter
 * (everything but these kills the process) or errno (others fail with EPERM). Each then makes many
 * calls, enough to fill any buffer, and says so. A system call of a tracer is death here. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned sum;
static unsigned seed = 1;

#define F(n)                                                                                       \
	__attribute__((noinline)) void f_##n(void)                                                 \
	{                                                                                          \
		sum += n;                                                                          \
	}
F(0)
F(1)
F(2)
F(3)
F(4)
F(5)
F(6)
F(7)

static void (*const f[8])(void) = { f_0, f_1, f_2, f_3, f_4, f_5, f_6, f_7 };

static void calls(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		f[seed >> 29]();
	}
}

#define ALLOW(nr)                                                                                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int install(unsigned otherwise)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int main(int argc, char **argv)
{
	static const char good[] = "alive\n", wrong[] = "wrong\n";
	const char *mode = argc > 1 ? argv[1] : "filter";
	int r;

	calls(1000);
	if (!strcmp(mode, "strict"))
		r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (!strcmp(mode, "errno"))
		r = install(SECCOMP_RET_ERRNO | EPERM);
	else
		r = install(SECCOMP_RET_KILL_PROCESS);
	if (r) {
		perror("seccomp");
		return 97;
	}
	calls(20 * 1000 * 1000);
	r = write(1, good, sizeof(good) - 1) != (ssize_t)sizeof(good) - 1;
	if (!strcmp(mode, "errno") && (syscall(SYS_getppid) != -1 || errno != EPERM))
		r |= write(1, wrong, sizeof(wrong) - 1) > 0;
	syscall(SYS_exit, r);
}
