/* SPDX-License-Identifier: BSD-3-Clause */
/* Syscall user dispatch: while the selector says so, every system call becomes a SIGSYS, also where
 * the handler begins. The handler answers what the program asks, and lets it return. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char selector; /* 0: allow, 1: block */
static volatile int answered;

static __attribute__((noinline)) long answer(long number)
{
	answered++;
	return number * 2 + 1;
}

static void on_sigsys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	uc->uc_mcontext.gregs[REG_RAX] = answer(info->si_syscall);
	selector = 0;
}

static __attribute__((noinline)) long ask(long number)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
	return result;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO };
	long sum = 0;

	sigaction(SIGSYS, &act, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector)) {
		puts("no syscall user dispatch");
		return 0;
	}
	for (long i = 0; i < 30; i++) {
		selector = 1;
		sum += ask(500 + i);
	}
	prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
	printf("%d answered, %ld\n", answered, sum);
	return 0;
}
