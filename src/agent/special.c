/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the C library and the loader at which the agent must act, and the life of a process:
 * fork, exec, end. */
#include "agent/agent.h"

#include <string.h>

#include "agent/thread_area.h"
#include "agent/found.h"
#include "agent/hooks.h"
#include "agent/mem/mem.h"
#include "agent/os.h"
#include "agent/signal.h"

#define SPECIALS_MAX 2048
#define PR_SET_SECCOMP 22
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define NR_PRCTL 157
#define NR_SECCOMP 317
#define CLONE_VM 0x100u
#define CLONE_VFORK 0x4000u
#define CLONE_SETTLS 0x80000u
#define NR_CLONE 56
#define NR_FORK 57
#define NR_CLONE3 435
#define ANY_EXECUTES 0111u	/* of a file's mode */
/* struct ucontext, x86-64: uc_stack. stack_t: ss_sp, ss_flags, ss_size */
#define UC_STACK_SP 16
#define UC_STACK_SIZE 32

/* Hash table by id. Readers hold no lock; an entry is complete once its id is set. */
static struct special {
	uint32_t id;		/* id + 1; 0: free */
	uint32_t what;
	bool traced;
} specials[SPECIALS_MAX];

static struct special *find_special(uint32_t id)
{
	uint32_t at = id % SPECIALS_MAX;

	for (uint32_t i = 0; i < SPECIALS_MAX; i++, at = (at + 1) % SPECIALS_MAX) {
		uint32_t there = __atomic_load_n(&specials[at].id, __ATOMIC_ACQUIRE);

		if (!there || there == id + 1)
			return &specials[at];
	}
	return NULL;
}

void special_add(uint32_t id, uint32_t what, bool traced)
{
	struct special *s = find_special(id);

	if (!s)
		return;
	if (s->id) {
		s->traced |= traced;
		return;
	}
	s->what = what;
	s->traced = traced;
	__atomic_store_n(&s->id, id + 1, __ATOMIC_RELEASE);
}

uint32_t special_what(uint32_t id)
{
	const struct special *s = find_special(id);

	return s && s->id ? s->what : 0;
}

bool special_is_traced(uint32_t id)
{
	const struct special *s = find_special(id);

	return s && s->id && s->traced;
}

bool special_have(uint32_t what)
{
	for (uint32_t i = 0; i < SPECIALS_MAX; i++)
		if (specials[i].id && specials[i].what == what)
			return true;
	return false;
}

/* --- fork --- */

struct beginning {
	struct bob_fork from;
	bool done;
};

static void begin_child(void *beginning)
{
	struct beginning *b = beginning;

	b->done = process_begin(&b->from);
}

/* A fork child may have several threads at its first event: one initialises the process, the others
 * wait. False: that is done, or this thread is doing it. */
static bool take_in(volatile uint64_t *alive)
{
	const uint64_t me = BOB_TAKEN_IN | (os_allowed() ? os_tid() : 0);
	uint64_t seen = 0;

	if (__atomic_compare_exchange_n(alive, &seen, me, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return true;
	while (seen != BOB_ALIVE && seen != me) {
		if (os_allowed())
			os_yield();
		seen = __atomic_load_n(alive, __ATOMIC_ACQUIRE);
	}
	return false;
}

/* The parent's file must not be touched, because it is mapped shared. The child creates its own at
 * its first event. */
void process_after_fork(struct bob_thread *t)
{
	struct bob_process *p = &bob_process;
	struct beginning b = { .from = { .pid = p->pid, .seq = ~0u, .stream = ~0u } };

	unsigned long signals = os_allowed() ? os_block_signals() : 0;

	if (!take_in(p->alive)) {
		if (os_allowed())
			os_restore_signals(signals);
		return;
	}
	p->lock = 0;
	p->threads = p->scan = NULL;
	if (p->file) {
		b.from.seq = p->file->seq;
		b.from.debugged = p->file->debugged_mono_ns;
	}
	p->file = NULL;
	p->quiet = NULL;
	p->pid = os_allowed() ? os_pid() : 0;
	bob_thread_hot = bob_no_thread;
	area_after_fork();
	p->recording = p->recording && p->config.follow && os_allowed();
	if (p->recording) {
		if (t && t->head && !t->mem) {
			b.from.stream = t->stream;
			b.from.pos = bob_run_position(thread_enc(t));
		}
		area_run(begin_child, &b);
		p->recording = b.done;
	}
	__atomic_store_n(p->alive, BOB_ALIVE, __ATOMIC_RELEASE);
	if (p->recording)
		thread_create(t);
	if (os_allowed())
		os_restore_signals(signals);
}

/* --- the end --- */

bool process_has_file(void)
{
	const struct bob_process *p = &bob_process;

	return p->file && !process_is_child() && os_pid() == p->pid;
}

static void say_status(uint64_t code)
{
	if (process_has_file())
		bob_file_status(bob_process.file, BOB_END_SELF, bob_exit_status(code));
}

void process_leave(enum bob_file_state state)
{
	if (!process_has_file())
		return;
	if (state != BOB_FILE_EXEC)
		streams_end();
	thread_close_all(state != BOB_FILE_EXEC);
	lock_process();
	hooks_end();
	patch_list_restored();
	file_close(state);
	unlock_process();
}

/* A child in its parent's memory (vfork, posix_spawn) executes a program: note that in the parent's
 * file, in case the program leaves no trace. */
static void note_started(const char *path)
{
	const uint32_t child[2] = { os_pid(), 0 };
	uint32_t uid, mode = 0;
	struct bob_meta meta;
	long fd = os_open(path, OS_READ);

	if (fd < 0)
		return;
	(void)os_file_owner(fd, &uid, &mode);
	os_close(fd);
	if (!(mode & ANY_EXECUTES) || !meta_open(&meta, 2 * BOB_PAGE))
		return;
	bob_meta_begin(&meta, BOB_REC_STARTED);
	bob_meta_append(&meta, child, sizeof(child));
	bob_meta_append(&meta, path, text_len(path));
	bob_meta_end(&meta);
	lock_process();
	meta_flush(&meta);
	unlock_process();
}

/* If the executed program leaves no trace of its own, the executing process must record that. */
static void before_exec(const char *path)
{
	struct bob_process *p = &bob_process;

	if (!process_has_file() && (!p->config.follow || !p->recording || exec_leaves_trace(path)))
		return;
	if (process_is_child()) /* no event so far */
		process_after_fork(bob_thread_hot == bob_no_thread ? NULL :
								     thread_of_hot(bob_thread_hot));
	if (process_has_file())
		process_leave(BOB_FILE_EXEC);
	else if (p->file)
		note_started(path);
}

/* Detect a seccomp filter, or syscall user dispatch, which turns the thread's system calls outside
 * a range of code into SIGSYS. */
static void seen_seccomp(const struct bob_regs *r, bool by_number)
{
	const bool prctl = !by_number || r->rdi == NR_PRCTL;
	uint64_t a = by_number ? r->rsi : r->rdi, b = by_number ? r->rdx : r->rsi;

	if (!((prctl && (a == PR_SET_SECCOMP || (a == PR_SET_SYSCALL_USER_DISPATCH && b))) ||
	      (by_number && r->rdi == NR_SECCOMP && a <= 1)))
		return;
	if (bob_thread_hot != bob_no_thread && thread_of_hot(bob_thread_hot)->mem)
		mem_flush(thread_of_hot(bob_thread_hot));
	lock_process();
	keeper_go_ahead();
	unlock_process();
	os_forbid();
}

static bool is_fork(uint64_t number)
{
	return number == NR_CLONE || number == NR_FORK || number == NR_CLONE3;
}

/* A task that runs concurrently with its parent and shares its thread-local storage would use the
 * same slots of probes. */
static void before_clone(uint64_t flags)
{
	if (!bob_process.config.mem)
		return;
	mem_before_fork();
	if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == CLONE_VM)
		mem_end_shared();
}

/* syscall(number, ...): the flags of clone are an argument, those of clone3 are in memory. */
static uint64_t clone_flags(const struct bob_regs *r)
{
	const uint64_t *args = (const uint64_t *)(uintptr_t)r->rsi;

	if (r->rdi == NR_CLONE)
		return r->rsi;
	if (r->rdi == NR_CLONE3 && os_readable((const void *const *)&args, 1))
		return *args;
	return 0;
}

static void images_changed(void)
{
	const struct r_debug *loader = found_loader();
	unsigned long signals;

	if (!loader || loader->r_state != RT_CONSISTENT || !bob_process.recording)
		return;
	if (process_is_child())
		process_after_fork(bob_thread_hot == bob_no_thread ? NULL :
								     thread_of_hot(bob_thread_hot));
	signals = os_block_signals();
	lock_process();
	if (bob_process.recording)
		images_update();
	unlock_process();
	os_restore_signals(signals);
}

int bob_special(uint32_t id, struct bob_regs *r)
{
	const struct special *s = find_special(id);

	if (!s || !s->id)
		return 0;
	if (s->what == BOB_SPECIAL_SIGACTION || s->what == BOB_SPECIAL_LIBC_SIGACTION) {
		signal_set(r, s->what == BOB_SPECIAL_LIBC_SIGACTION);
		return s->traced;
	}
	if (!os_allowed()) {
		if (s->what == BOB_SPECIAL_EXECVE)
			r->rdx = (uint64_t)(uintptr_t)exec_environment_quietly(
				(char **)(uintptr_t)r->rdx);
		return s->traced;
	}
	switch (s->what) {
	case BOB_SPECIAL_DL_STATE:
		images_changed();
		break;
	case BOB_SPECIAL_EXECVE:
		r->rdx = (uint64_t)(uintptr_t)exec_environment((const char *)(uintptr_t)r->rdi,
							       (char **)(uintptr_t)r->rdx);
		before_exec((const char *)(uintptr_t)r->rdi);
		break;
	case BOB_SPECIAL_EXECVEAT:
		r->r10 = (uint64_t)(uintptr_t)exec_environment("", (char **)(uintptr_t)r->rcx);
		r->rcx = r->r10;
		before_exec("");
		break;
	case BOB_SPECIAL_EXIT:
		say_status(r->rdi);
		process_leave(BOB_FILE_CLOSED);
		break;
	case BOB_SPECIAL_MAKECONTEXT: {
		const char *uc = (const char *)(uintptr_t)r->rdi;
		uint64_t lo, size;

		memcpy(&lo, uc + UC_STACK_SP, sizeof(lo));
		memcpy(&size, uc + UC_STACK_SIZE, sizeof(size));
		stacks_note(lo, size);
		break;
	}
	case BOB_SPECIAL_SIGALTSTACK: {
		const uint64_t *ss = (const uint64_t *)(uintptr_t)r->rdi;

		if (ss && os_readable((const void *const *)&ss, 1) &&
		    os_readable((const void *const[]){ ss + 2 }, 1))
			stacks_note(ss[0], ss[2]);
		break;
	}
	case BOB_SPECIAL_THREAD_END:
		thread_ending();
		break;
	case BOB_SPECIAL_MAIN:
		mem_main(r);
		break;
	case BOB_SPECIAL_FORK:
		mem_before_fork();
		break;
	case BOB_SPECIAL_CLONE:
		before_clone(r->rdx);
		break;
	case BOB_SPECIAL_SIGMASK:
		mem_sigmask(r);
		break;
	case BOB_SPECIAL_PRCTL:
		seen_seccomp(r, false);
		break;
	case BOB_SPECIAL_SYSCALL:
		seen_seccomp(r, true);
		if (is_fork(r->rdi))
			before_clone(clone_flags(r));
		break;
	}
	return s->traced;
}
