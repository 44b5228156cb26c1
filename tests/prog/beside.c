/* SPDX-License-Identifier: BSD-3-Clause */
/* beside clone|syscall: a task that shares all memory with its parent, the thread pointer too, and
 * runs at the same time on a stack of its own, as LeakSanitizer's tracer does. Both call functions
 * and access memory all the time, and check what comes of it. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)
#define ROUNDS 300000

static volatile uint64_t done[2];

/* No shared variable is used: the threads differ in their registers and on their stacks. */
__attribute__((noinline)) static uint64_t mix(uint64_t *v, uint64_t n)
{
	v[n & 7] += n * 0x9e3779b97f4a7c15u;
	return v[n & 7] ^ (v[(n + 3) & 7] >> 7);
}

__attribute__((noinline)) static uint64_t work(uint64_t seed)
{
	uint64_t v[8] = { seed }, sum = 0;

	for (uint64_t n = 0; n < ROUNDS; n++)
		sum += mix(v, n ^ seed);
	return sum;
}

static int task(void *argument)
{
	(void)argument;
	done[1] = work(2);
	return 7;
}

/* libc sees nothing of it. */
static pid_t clone_by_syscall(char *stack)
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	long pid;

	__asm__ volatile("syscall\n"
			 "test %%rax, %%rax\n"
			 "jnz 1f\n"
			 "xor %%edi, %%edi\n"
			 "call *%%rbx\n"
			 "mov %%eax, %%edi\n"
			 "mov %5, %%eax\n"
			 "syscall\n"
			 "1:"
			 : "=a"(pid)
			 : "a"(SYS_clone), "D"(CLONE_VM | SIGCHLD), "S"(stack), "d"(0),
			   "i"(SYS_exit), "r"(r10), "r"(r8), "b"(task)
			 : "rcx", "r11", "memory");
	return (pid_t)pid;
}

int main(int argc, char **argv)
{
	char *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	if (argc < 2 || stack == MAP_FAILED)
		return 2;
	printf("before %lx\n", (unsigned long)work(1));
	fflush(stdout);
	if (!strcmp(argv[1], "clone"))
		pid = clone(task, stack + STACK_BYTES, CLONE_VM | SIGCHLD, NULL);
	else
		pid = clone_by_syscall(stack + STACK_BYTES);
	done[0] = work((uint64_t)argc + 2);
	waitpid(pid, &status, 0);
	printf("parent %lx, task %lx, status %d\n", (unsigned long)done[0], (unsigned long)done[1],
	       WEXITSTATUS(status));
	printf("after %lx\n", (unsigned long)work(3));
	return 5;
}
