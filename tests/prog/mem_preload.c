/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the agent until it can do this: preloaded into a program, puts the memory plan of the main
 * image to work and keeps what the probes record. For tests and measurements only: signals, fork and dlopen
 * are not handled, the records of threads that live at the end are lost from their last full buffer on.
 *   MEM_PLAN   the plan file (bobbin plan --mem)
 *   MEM_OUT    <MEM_OUT>.<n> gets the records of the n-th thread, as they are; without it they are dropped
 * At the end one line goes to stderr: words recorded, buffers, traps.
 * Compile with -mgeneral-regs-only -fPIC -shared: it runs between two instructions of the program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "plan/mem/format.h"

#define BUFFER_WORDS (1u << 14)

static const struct bob_mem_plan_head *plan;
static uint8_t *arena;
static uint64_t bias;
static const char *out_path;
static uint64_t words, buffers, traps, threads;
static pthread_key_t at_end;

static __thread struct bob_mem_slots slots __attribute__((tls_model("initial-exec")));
static __thread uint64_t *buffer __attribute__((tls_model("initial-exec")));
static __thread int out_fd __attribute__((tls_model("initial-exec")));

static const void *section(const struct bob_plan_section *s)
{
	return (const char *)plan + s->off;
}

/* --- full buffers: no libc function that may use vector registers --- */

static long call3(long n, long a, long b, long c)
{
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(n), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return r;
}

static long call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}

static void open_out(void)
{
	static char name[512];
	uint64_t n = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED), k = 0;

	out_fd = -1;
	if (!out_path)
		return;
	for (; out_path[k] && k < 500; k++)
		name[k] = out_path[k];
	name[k++] = '.';
	if (n > 9)
		name[k++] = (char)('0' + n / 10 % 10);
	name[k++] = (char)('0' + n % 10);
	name[k] = 0;
	out_fd = (int)call3(SYS_open, (long)name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

static void flush(void)
{
	const char *p = (const char *)buffer, *end = (const char *)slots.cursor;

	__atomic_fetch_add(&words, (uint64_t)(slots.cursor - buffer), __ATOMIC_RELAXED);
	while (out_fd >= 0 && p < end) {
		long n = call3(SYS_write, out_fd, (long)p, end - p);

		if (n <= 0)
			break;
		p += n;
	}
	slots.cursor = buffer;
}

__attribute__((used)) void mem_preload_make_room(void)
{
	if (!buffer) {
		buffer = (uint64_t *)call6(SYS_mmap, 0, BUFFER_WORDS * 8, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		slots.cursor = buffer;
		open_out();
	}
	flush();
	slots.limit = buffer + BUFFER_WORDS - BOB_MEM_SLACK_WORDS;
	__atomic_fetch_add(&buffers, 1, __ATOMIC_RELAXED);
}

void mem_preload_full(void);
__asm__(".text\n.globl mem_preload_full\n.hidden mem_preload_full\n"
	"mem_preload_full:\n"
	"	push %rbp; mov %rsp, %rbp\n"
	"	push %rax; push %rcx; push %rdx; push %rbx; push %rsi; push %rdi\n"
	"	push %r8; push %r9; push %r10; push %r11; push %r12; push %r13; push %r14; push %r15\n"
	"	and $-16, %rsp\n"
	"	call mem_preload_make_room\n"
	"	lea -112(%rbp), %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %r11; pop %r10; pop %r9; pop %r8\n"
	"	pop %rdi; pop %rsi; pop %rbx; pop %rdx; pop %rcx; pop %rax; pop %rbp\n"
	"	ret\n");

/* --- start --- */

static void die(const char *what)
{
	fprintf(stderr, "mem_preload: %s\n", what);
	_exit(99);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP] - 1 - bias;
	const struct bob_mem_stop *s = section(&plan->stops);
	uint64_t lo = 0, hi = plan->stops.len / sizeof(*s);

	(void)sig;
	(void)info;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (s[mid].orig < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == plan->stops.len / sizeof(*s) || s[lo].orig != at)
		die("trap at an unknown place");
	__atomic_fetch_add(&traps, 1, __ATOMIC_RELAXED);
	uc->uc_mcontext.gregs[REG_RIP] =
		(greg_t)(uintptr_t)(arena + BOB_PLAN_HANDLER_BYTES + s[lo].code);
}

static void add_all(const struct bob_plan_section *fields, uint8_t *in, int64_t delta)
{
	const uint32_t *at = section(fields);

	for (uint64_t i = 0; i < fields->len / 4; i++) {
		int32_t v;

		memcpy(&v, in + at[i], 4);
		if (v + delta != (int32_t)(v + delta))
			die("out of reach");
		v = (int32_t)(v + delta);
		memcpy(in + at[i], &v, 4);
	}
}

static void load_plan(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb) != 0)
		die("no plan");
	plan = mmap(NULL, (size_t)sb.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (plan == MAP_FAILED || bob_mem_plan_check(plan, (uint64_t)sb.st_size, 0) != BOB_OK)
		die("the plan does not hold");
}

static int find_main(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	bias = info->dlpi_addr;
	return 1;
}

static void make_arena(void)
{
	size_t bytes = BOB_PLAN_HANDLER_BYTES + plan->blob.len;
	uint64_t at = bias + plan->text_lo, self;
	uint64_t full = (uint64_t)(uintptr_t)mem_preload_full;
	uint8_t *blob;

	/* a program at a fixed place has no room below, and its heap grows above */
	at = (at & ~0xfffull) + (at < 1ull << 30 ? 1ull << 30 : -(256ull << 20));
	for (; !arena; at += at < 1ull << 31 ? 1ull << 20 : -(1ull << 20)) {
		void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p != MAP_FAILED)
			arena = p;
	}
	memcpy(arena, "\xff\x25\0\0\0\0", 6);
	memcpy(arena + 6, &full, 8);
	blob = arena + BOB_PLAN_HANDLER_BYTES;
	memcpy(blob, section(&plan->blob), plan->blob.len);
	__asm__("mov %%fs:0, %0" : "=r"(self));
	add_all(&plan->relocs, blob, (int64_t)(bias - (uint64_t)(uintptr_t)arena));
	add_all(&plan->tls, blob, (int64_t)((uint64_t)(uintptr_t)&slots - self));
	add_all(&plan->fixes, (uint8_t *)(uintptr_t)section(&plan->text),
		(int64_t)((uint64_t)(uintptr_t)arena - bias));
}

static void patch(void)
{
	const struct bob_mem_patch *p = section(&plan->patches);
	uint8_t *lo = (uint8_t *)((bias + plan->text_lo) & ~0xfffull);
	size_t len = ((bias + plan->text_hi + 0xfff) & ~0xfffull) - (uint64_t)(uintptr_t)lo;

	if (mprotect(lo, len, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		die("mprotect");
	for (uint64_t i = 0; i < plan->patches.len / sizeof(*p); i++)
		memcpy((void *)(bias + p[i].addr),
		       (const uint8_t *)section(&plan->text) + p[i].text, p[i].len);
}

static void thread_ends(void *unused)
{
	(void)unused;
	if (buffer)
		flush();
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("MEM_PLAN");
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	if (!path)
		return;
	out_path = getenv("MEM_OUT");
	unsetenv("LD_PRELOAD");
	unsetenv("MEM_PLAN");
	load_plan(path);
	dl_iterate_phdr(find_main, NULL);
	make_arena();
	sigaction(SIGTRAP, &sa, NULL);
	pthread_key_create(&at_end, thread_ends);
	patch();
}

__attribute__((destructor)) static void finish(void)
{
	if (!plan)
		return;
	if (buffer)
		flush();
	fprintf(stderr, "mem_preload: %lu words, %lu buffers, %lu traps\n", words, buffers, traps);
}
