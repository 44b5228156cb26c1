/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's own header: what lives inside a traced process, and who may touch it.
 *
 *   start.c    constructor: configuration, file, images; undone by nothing, fails open
 *   config.c   BOBBIN_* variables
 *   file.c     the process file: windows, chunks, META records
 *   keeper.c   what the launcher does for a process that cannot reach its file
 *   images.c   which images are loaded, their plans, lookup by address
 *   patch.c    relocate a plan's trampolines into an arena, commit the jumps
 *   rows.c     frame rows of a plan
 *   frames.c   the caller-frame rule: whose frame is the caller's?
 *   sites.c    the process-wide tables that make that rule one look-up
 *   thread.c   thread blocks and their streams
 *   stacks.c   the stacks of a thread and their shadow stacks
 *   enter.c    the whole path of one event in C; arch/x86_64/entry.S is its fast special case
 *   places.c   where in a trampoline, or in overwritten bytes, an address is (places.h)
 *   signal.c   the program's handlers: what they see of the code that they interrupt (signal.h)
 *   special.c  exec, exit, dlopen, makecontext, sigaltstack, seccomp, fork
 *   planner.c  plans from the cache; ask for those that are missing
 *   waits.c    how children ended, as the program's waits return it (waits.h)
 *   redirect.c functions that lead to a wrapper (src/wrap)
 *   streams.c  what other parts of Bobbin inside the process get
 *   hooks.c    functions chosen by name: their entries and returns (hooks.h)
 *   os.c       system calls; string.c the functions a compiler may call
 *   mem/       memory accesses instead of calls
 *
 * Threads: a struct bob_thread belongs to its thread (and to the one that finds it dead). The
 * process state is written under `lock` or before other threads exist. Signals are blocked while it
 * is held, so a handler never meets it on its own thread. */
#ifndef BOB_AGENT_AGENT_H
#define BOB_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/format.h"
#include "archive/write/write.h"
#include "run/symbol.h"
#include "plan/format.h"
#include "run/run.h"

struct bob_mem_plan_head;
struct bob_mem_image;	/* mem/mem.h */
struct bob_mem_thread;

#define BOB_PATH_MAX 1024
#define BOB_PAGE 4096u

/* Accesses stay on their side of it; signal handlers of this thread are who sees that. */
static inline void compiler_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

static inline size_t whole_pages(size_t bytes)
{
	return (bytes + BOB_PAGE - 1) & ~(size_t)(BOB_PAGE - 1);
}

/* Events of signal handlers that interrupted the recording of another event wait here. */
#define BOB_PENDING_MAX 65536u
#define BOB_STACKS_MAX 65536u
/* Live allocations of one encoder. */
#define BOB_OWNED_MAX 48
#define BOB_FIRST_STACKS 8

/* --- one stack of a thread, with the shadow stack of the frames that were entered on it --- */
struct bob_stack {
	uint64_t lo, size;	/* addresses the program's stack occupies */
	/* [0] is a sentinel of ~0; then entry stack pointers, outermost first */
	uint64_t *shadow;
	uint64_t *top;		/* last valid entry */
	uint64_t shadow_bytes;
	uint32_t number;	/* in the trace */
};

struct bob_pending {
	uint64_t rsp;
	uint64_t caller;	/* slot of the caller's return address; 0: not known */
	uint32_t id;
	uint32_t flags;		/* enum bob_caller_flags */
};

/* --- one thread --- *
 * Laid out for entry.S: `gate` is alone on a page that the kernel wipes in a fork child, just
 * before `hot`, which is what the thread pointer points to; the encoder follows `hot` at once. */
struct bob_gate {
	uint64_t lo;
	/* entries with rsp - lo < size take the fast path; 0: all are slow */
	uint64_t size;
};

struct bob_hot {
	uint64_t *top;		/* of the current stack's shadow */
	uint64_t *sites;	/* process-wide call-site table */
	/* what gate.size is when the thread is idle; 0 forces the slow path */
	uint64_t on_size;
	uint64_t busy_rsp;	/* entry rsp of the event being recorded */
	uint64_t pending;	/* how many wait in `pending[]` */
	uint64_t top_mismatch;
	struct bob_walk *walks;	/* BOB_WALKS; sites.c */
	uint64_t reserved;
};

struct bob_thread {
	/* cold part, first page */
	bool in_c;		/* enter.c is at work on this block */
	bool dead_end;		/* recording ended for this thread */
	uint32_t tid;
	uint32_t stream;
	uint32_t stack_count;
	uint32_t stack_capacity;
	uint32_t stack_now;
	/* the newest guard of a split stack, and its segment; size 0: it has none */
	struct {
		uint64_t guard, lo, size;
	} split;
	/* The current stack again: read by tasks that run beside this thread (thread_shared). */
	struct {
		uint64_t lo, size;
	} now;
	uint32_t beside;	/* the newest such task; 0: none */
	uint32_t trigger_stack;	/* where the frame that switched recording on is */
	uint64_t trigger_rsp;	/* 0: off; only used with BOBBIN_TRIGGER */
	struct bob_stack *stacks; /* [stack_count], at first first_stacks */
	struct bob_stream_head *head; /* in the mapped file */
	struct bob_chunk_head *data; /* the newest DATA chunk */
	uint64_t data_off;	/* stream offset at which the next DATA chunk begins */
	uint64_t data_capacity;	/* payload size of the next DATA chunk */
	struct bob_pending *pending; /* BOB_PENDING_MAX, reserved */
	struct bob_thread *next; /* list of all */
	struct bob_mem_thread *mem; /* NULL: calls are recorded */
	void *hooks;		/* hooks.c */
	size_t map_bytes;
	struct {
		void *p;
		size_t size;
	} owned[BOB_OWNED_MAX]; /* the encoder's memory, to be returned at the end */
	/* Memory for the encoder in this mapping: one mapping less for each thread. NULL: taken. */
	void *spare;
	size_t spare_bytes;
	struct bob_stack first_stacks[BOB_FIRST_STACKS];
	uint8_t cold_end[];
};

/* From the start of a thread's mapping: cold page, wiped page, hot page(s) with the encoder. */
#define BOB_THREAD_GATE (2 * BOB_PAGE - sizeof(struct bob_gate))
#define BOB_THREAD_ALIVE (BOB_THREAD_GATE - 8)
#define BOB_THREAD_HOT (2 * BOB_PAGE)
#define BOB_THREAD_ENC (BOB_THREAD_HOT + sizeof(struct bob_hot))
BOB_STATIC_ASSERT(sizeof(struct bob_hot) == 64, "the encoder follows on a cache line");
BOB_STATIC_ASSERT(sizeof(struct bob_thread) <= BOB_PAGE, "cold part is one page");
#define BOB_ALIVE 0x626f6262696e2131ull
#define BOB_TAKEN_IN (1ull << 63) /* by the thread whose number is in the other bits */

static inline struct bob_thread *thread_of_hot(struct bob_hot *hot)
{
	return (struct bob_thread *)(void *)((char *)hot - BOB_THREAD_HOT);
}

static inline struct bob_hot *thread_hot(const struct bob_thread *t)
{
	return (struct bob_hot *)(void *)((char *)(uintptr_t)t + BOB_THREAD_HOT);
}

static inline struct bob_gate *thread_gate(const struct bob_thread *t)
{
	return (struct bob_gate *)(void *)((char *)(uintptr_t)t + BOB_THREAD_GATE);
}

static inline volatile uint64_t *thread_alive(const struct bob_thread *t)
{
	return (volatile uint64_t *)(void *)((char *)(uintptr_t)t + BOB_THREAD_ALIVE);
}

static inline struct bob_run_enc *thread_enc(const struct bob_thread *t)
{
	return (struct bob_run_enc *)(void *)((char *)(uintptr_t)t + BOB_THREAD_ENC);
}

/* An event of this thread is being recorded, by entry.S or in C. */
static inline bool thread_is_busy(const struct bob_thread *t)
{
	return t->in_c || (!thread_gate(t)->size && thread_hot(t)->on_size);
}

/* --- images --- */
#define BOB_TEXT_SEGMENTS 4
struct bob_image {
	uint64_t lo, hi;	/* addresses of its executable segments */
	struct {
		uint64_t lo, hi; /* whole pages */
		int prot;	/* as the program headers have it; os_protect's bits */
	} text[BOB_TEXT_SEGMENTS];
	uint32_t text_count;
	uint64_t bias;
	const struct bob_plan_head *plan; /* mapped for ever */
	const void
		*phdr; /* its program headers: its plan has not been looked for yet; NULL: it has */
	uint32_t phnum;
	uint64_t arena;		/* BOB_PLAN_HANDLER_BYTES of handler, then trampolines; 0 none */
	uint64_t arena_bytes;
	uint64_t *hooked;	/* bitmap by function index: its entries are recorded */
	uint64_t *trigger;	/* likewise: BOBBIN_TRIGGER; NULL without */
	uint32_t first_id;
	uint32_t number;
	uint32_t patched;
	struct bob_image *next;	/* on the list of retired ones */
	bool described;		/* it has a number, and the file says what it is */
	bool chosen;		/* by --images, or as a place to look for the interface */
	bool interface;		/* all it exports is the interface */
	struct bob_mem_image *mem; /* runs translated; NULL: as it is */
	uint8_t sync_caller;	/* enum bob_sync_caller: what its calls are */
	/* link address of _Unwind_GetIP, where backtraces leave our frames out; 0: they do not */
	uint64_t unwind_ip;
	const char *path;	/* copy of the loader's */
};

/* Sorted by lo; replaced as a whole when an image comes or goes (images.c; readers hold no
 * lock). */
struct bob_image_set {
	uint32_t count;
	struct bob_image *image[];
};

enum bob_mem_codec { BOB_MEM_FOLDED, BOB_MEM_RAW, BOB_MEM_NULL };
enum bob_images_mode { BOB_IMAGES_MAIN, BOB_IMAGES_APP, BOB_IMAGES_ALL };

struct bob_config {
	char dir[BOB_PATH_MAX];
	char cache[BOB_PATH_MAX];
	char planner[BOB_PATH_MAX];
	char agent[BOB_PATH_MAX]; /* as LD_PRELOAD has it */
	const char *only;	/* BOBBIN_FILTER: patterns separated by ':' */
	const char *never;	/* BOBBIN_NOTRACE */
	const char *trigger;	/* BOBBIN_TRIGGER */
	const char *hooks;	/* BOBBIN_HOOK_FUNCTIONS; NULL: none */
	/* BOBBIN_INTERFACE: names of the functions that are the interface */
	const char *interface;
	const char *interface_image; /* BOBBIN_INTERFACE_IMAGE: or all that these images export */
	enum bob_images_mode images;
	enum bob_codec codec;
	uint32_t max_depth;	/* 0: no limit */
	bool follow;
	bool slow;		/* BOBBIN_CHECK has "slow": never use the fast path of entry.S */
	bool calls;		/* they are recorded: neither BOBBIN_MEM nor BOBBIN_CALLS=0 */
	bool mem;		/* BOBBIN_MEM: memory accesses are recorded */
	/* BOBBIN_MEM=source: those that instrumented sources report; no code is translated */
	bool source;
	bool from_start;	/* BOBBIN_FROM_START: not from main on */
	enum bob_mem_codec mem_codec;
	/* BOBBIN_MEM_BOXES: addresses that are recorded (mem/select.c); NULL: all */
	const char *mem_boxes;
	/* BOBBIN_LAUNCHER: the launcher that starts one; 0: the process folds for itself */
	uint32_t collector;
	/* BOBBIN_CHECK has "flat": no call paths, to measure what they cost */
	bool flat;
	const char *keeper;	/* BOBBIN_KEEPER: where the keeper listens; NULL: there is none */
};

/* --- the process --- */
struct bob_process {
	uint64_t *alive;	/* page wiped on fork: zero in a child */
	bool recording;
	uint32_t pid;
	uint32_t lock;
	unsigned long lock_signals; /* mask of the lock's holder before it took it */
	struct bob_config config;
	/* our own copy of BOBBIN_* and LD_LIBRARY_PATH: programs write over theirs */
	char **env;
	char **start_env;	/* the program's, as it was passed to us */
	const uint64_t *auxv;
	char **argv;

	uint64_t world;		/* world_of the environment at the start */

	/* the file */
	char path[BOB_PATH_MAX];
	struct bob_file_head *file; /* first window, mapped for ever */
	uint8_t *window;	/* where chunks come from now */
	uint64_t window_off;	/* its file offset */
	uint64_t window_size;
	uint64_t window_used;
	uint64_t window_grown;	/* size asked for last */
	/* of the file, from quiet_off on, for windows under a seccomp filter */
	uint8_t *quiet;
	uint64_t quiet_off;
	enum bob_stop_reason no_space; /* why there was no other window */
	uint32_t streams;
	struct bob_collector
		*collector; /* shared with it (archive/write/ring.h); NULL: none is expected */

	struct bob_image_set *images;
	struct bob_image
		*retired; /* unloaded; taken up again if the same image returns to its place */
	uint32_t image_count;	/* numbers given so far */
	uint32_t next_id;
	uint64_t *sites;	/* BOB_SITES words */
	uint64_t *steps;	/* BOB_STEPS words */
	bool debugged;		/* by a debugger, when images came last */
	uint64_t generation;	/* of what is loaded where; the walks of older ones do not hold */
	struct bob_thread *threads;
	struct bob_thread *scan; /* next to be asked whether it still lives */
};
extern struct bob_process bob_process;

/* entry.S finds the thread block through this; without one it points to a closed gate. */
extern __thread struct bob_hot *bob_thread_hot;
extern struct bob_hot *const bob_no_thread; /* its gate is closed */

/* The kernel wiped our page: this is a fork child that has not been taken in yet. */
static inline bool process_is_child(void)
{
	return bob_process.alive && *bob_process.alive != BOB_ALIVE;
}

void lock_process(void);
void unlock_process(void);

/* --- exec.c --- */
/* What execve is to be given for `env`. It belongs to the thread until its next exec. */
char **exec_environment(const char *path, char **env);
/* Will this program be recorded, if it can be executed? Not static, set-user-id, out of the agent's
 * reach. */
bool exec_leaves_trace(const char *path);
/* Under a seccomp filter: without the agent, and without a system call. */
char **exec_environment_quietly(char **env);

/* --- loader.c: before other constructors run --- */
void loader_list_hide(void);

/* --- start.c --- */
struct bob_fork { /* the parent's position when this process was forked */
	uint32_t pid, seq, stream;
	uint64_t pos;
	/* debugged_mono_ns of its file: the entries are restored in this one, too */
	uint64_t debugged;
};
/* Recording ends for the whole process; the program goes on. Safe anywhere. */
void agent_stop(enum bob_stop_reason why);
/* A file for this process and its description in it; `from`: it is a fork child. */
bool process_begin(const struct bob_fork *from);
void agent_log(const char *line,
	       const char *what); /* a LOG chunk "line: what"; lock held or single thread */

/* --- config.c --- */
bool config_read(struct bob_config *c, char **env);
const char *config_env(char **env, const char *name); /* value or NULL */
uint64_t world_of(char **env);	/* world.c: BOB_REC_WORLD; 0: it does not say */
/* Shell pattern (* ? []) list separated by ':' against a name. */
bool config_match(const char *patterns, const char *name);
size_t text_len(const char *s);
bool text_equal(const char *a, const char *b);
bool text_starts(const char *s, const char *prefix);
const char *text_base(const char *path);	/* after the last slash */
/* Lists of paths as in LD_PRELOAD, separated by colons or blanks: bytes of the first; is one of
 * them the `n` bytes at `path`? */
size_t text_list_item(const char *list);
bool text_list_has(const char *list, const char *path, size_t n);
/* Append to a bounded buffer; always zero terminated. */
size_t text_add(char *buf, size_t size, size_t at, const char *s);
size_t text_add_u64(char *buf, size_t size, size_t at, uint64_t v, unsigned base);

/* --- file.c --- lock held by the caller, or single thread */
bob_status file_create(const struct bob_fork *parent); /* NULL: not a fork child */
/* A chunk with `size` bytes of zeroed payload (rounded up to 64). NULL: the file has no space;
 * recording must end for the caller. */
struct bob_chunk_head *file_chunk(enum bob_chunk_kind kind, uint32_t stream, uint64_t size,
				  uint64_t aux);
/* The same for who does not hold the lock; with its place in the file. `ctx` is not used. */
struct bob_chunk_head *file_chunk_at(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				     uint64_t size, uint64_t aux, uint64_t *off);
void file_close(enum bob_file_state state); /* lock held */
/* There is no collector any more: from now on chunks follow all that it has made. False: the file
 * has no space. No lock. */
bool file_after_collector(void);
/* All of the file up to *len, for ever; NULL: not possible. No lock. */
uint8_t *file_map_all(uint64_t *len);
/* META records (archive/write/write.h) are collected in memory of their own and become one sealed
 * chunk. */
bool meta_open(struct bob_meta *m, size_t size);
void meta_flush(struct bob_meta *m);

/* --- keeper.c --- lock held */
struct bob_keeper {
	long fd;
	uint64_t secret;
};
/* A new file without a name, open, and what its seq is to be; -1: there is no keeper. Then, when
 * the file has a head, or cannot have one: its name. */
long keeper_new_file(struct bob_keeper *k, uint32_t *seq);
bool keeper_name_file(struct bob_keeper *k, bool has_head);
/* The file reaches up to `to`, and will soon reach `ahead` bytes further. False: there is no
 * keeper, it does not answer, or it refuses. */
bool keeper_allocate(uint64_t to, uint64_t ahead);
/* A seccomp filter will be installed: the keeper has to map file space in advance. */
void keeper_go_ahead(void);
/* Under the filter: these bytes of the file, mapped. NULL: they are not there. */
uint8_t *keeper_window(uint64_t off, uint64_t size);

/* --- tracer.c --- */
/* A debugger traces the process: it may set breakpoints at any instruction. */
bool tracer_is_debugger(void);

/* --- images.c --- */
/* Bring the set in line with the loader's list; lock held. */
void images_update(void);
struct bob_image *image_at(uint64_t addr);
const struct bob_image *image_of(uint32_t id); /* of a function */
const struct bob_image *image_numbered(uint32_t number); /* NULL: none that is loaded */
const struct bob_image *image_reported(uint32_t number); /* or was; lock held, or alone */
void image_describe(const struct bob_image *im, struct bob_meta *meta); /* its META record */
/* Its plan, if that could wait. False: it has none. Lock held. */
bool image_need_plan(struct bob_image *im);
/* The file says what this image is from now on, if it did not. False: it has no plan, or there are
 * too many. No lock held. */
bool image_use(struct bob_image *im);
/* The running text of the agent itself, for frames.c. */
bool image_is_agent(uint64_t addr);

/* --- patch.c --- */
/* Fill `im->arena`, write the jumps, set the hooked bits; `chosen`: by --images. */
enum bob_skip patch_image(struct bob_image *im, struct bob_meta *skipped);
/* Write the jumps again: the image was unloaded and has come back; `moved`: to another place. */
enum bob_skip patch_again(struct bob_image *im, bool moved, struct bob_meta *skipped);
/* The process ends: says which entries a debugger's coming has cost (src/cli/record/debugger.h).
 * Lock held. */
void patch_list_restored(void);
/* From now on the function's trampoline leads to `to` instead of the recorder and the function
 * there; *original continues in the function as if it were not patched. For the start: no thread
 * executes code of the image. */
enum bob_skip patch_redirect(struct bob_image *im, uint32_t index, uint64_t to, uint64_t *original);
/* For other code that is brought in beside an image: a place its jumps can reach (0: none), whether
 * they still reach it, and the code writable or with its own protection again. */
uint64_t patch_find_arena(const struct bob_image *im, uint64_t size);
bool patch_reaches(const struct bob_image *im, uint64_t arena, uint64_t size);
bool patch_protect(const struct bob_image *im, bool writable);
bool patch_add32(uint8_t *field, int64_t delta); /* false: it does not fit */
/* Is one of the function's names, mangled or not, among these patterns? */
bool patch_matches(const struct bob_plan_head *plan, const struct bob_plan_func *f,
		   const char *patterns);
/* Its name for people: that of the source without parameters, where there is one. */
const char *patch_plain_name(const struct bob_plan_head *plan, uint32_t func);
/* Is it of enum bob_special, and needed in this process? */
bool patch_is_special(const struct bob_plan_head *plan, uint32_t func);
/* Link addresses of the bytes that hooks of enum bob_special take, one range after the other (it
 * may be empty); false: no more. */
bool patch_hooked_bytes(const struct bob_image *im, uint32_t index, uint64_t *lo, uint64_t *hi);

/* --- planner.c --- */
/* The plan for `key` from the cache, checked; NULL if there is none. `special`: that of special
 * functions alone. */
const struct bob_plan_head *plan_load(uint64_t key, bool special);
const struct bob_mem_plan_head *plan_load_mem(uint64_t key);
/* Ask a planner to make the plans of these files (`option`: of bobbin plan, or NULL); returns false
 * if that is not possible now. */
bool plan_request(const char *const *paths, size_t n, const char *option);
/* Our own program with these arguments (NULL-terminated, at most 8) beside the process:
 * os_helper_begin. */
long helper_begin(const char *const *args, unsigned limit_ms, long *fd);

/* --- frames.c --- */
enum bob_caller_flags {
	BOB_CALLER_FOUND = 1,	/* `slot` is exact: pop everything below it */
	BOB_CALLER_BOTTOM = 2,	/* outermost: nothing of this stack is alive */
	BOB_CALLER_UNKNOWN = 4,	/* no plan or no frame information: stack pointer rule */
	BOB_CALLER_SIGNAL = 8,	/* reached through a signal frame */
	BOB_CALLER_UNHOOKED = 16 /* frames that are not recorded lie between */
};
struct bob_caller {
	uint64_t slot;		/* address of the caller's own return address */
	uint64_t site;		/* call-site word to cache, 0: not cacheable */
	uint32_t flags;
};
/* `busy`: this entry interrupted the recording of another (hot.busy_rsp). `hi`: end of the
 * stack. */
struct bob_entry { /* registers at the entry */
	uint64_t rsp, rbp, rbx;
};
void frames_caller(const struct bob_thread *t, bool busy, const struct bob_entry *e, uint64_t hi,
		   struct bob_caller *out);

/* --- rows.c --- */
/* Link addresses; NULL: there is none. */
const struct bob_plan_fde *rows_fde(const struct bob_plan_head *plan, uint64_t addr);
const struct bob_plan_row *rows_row(const struct bob_plan_head *plan, const struct bob_plan_fde *f,
				    uint64_t addr);

/* --- sites.c --- */
#define BOB_SITES (1u << 18)
#define BOB_STEPS (1u << 14)
#define BOB_SITE_RBP 0x8000u
#define BOB_SITE_WALK 0xffffu	/* the rule of a site whose caller is not recorded */
bool sites_create(void);
void sites_forget(void);

/* A walk over unrecorded frames from the entry at `rsp`, and all it depended on: while that holds,
 * so does its result. One writer and reader, the thread; invalid (rsp 0) while it is written. */
#define BOB_WALKS 64u
#define BOB_WALK_WORDS 28u	/* the last one's address is always 0 */
struct bob_walk {
	uint64_t rsp;
	uint64_t generation;	/* bob_process.generation */
	uint64_t lo, size;	/* the stack */
	uint64_t rbp, rbp_mask;	/* at the entry; mask 0: was not needed */
	uint64_t slot;		/* the result; ~0: no recorded frame is open */
	uint64_t count;		/* of words, while it is written */
	struct {
		uint64_t addr, value;
	} word[BOB_WALK_WORDS];
};
/* Overwrites the walk that lies in its place of the table. */
struct bob_walk *walk_begin(const struct bob_thread *t, uint64_t rsp, uint64_t ret, uint64_t rbp);
/* The result depends on this word. False: too many, give up. */
bool walk_add(struct bob_walk *k, uint64_t addr, uint64_t value);
void walk_end(struct bob_walk *k, uint64_t rsp, uint64_t slot);

/* --- thread.c --- */
/* A block and a stream for the calling thread; NULL: it will not be recorded. With `old`, the block
 * of the same thread before a fork, its stacks are inherited. */
struct bob_thread *thread_create(const struct bob_thread *old);
/* The calling thread's block; a new one if it has none, or the one of its parent. NULL: not
 * recorded. */
struct bob_thread *thread_here(void);
/* The thread will run its last destructors and end: others notice that later, or never if the
 * process is killed. */
void thread_ending(void);
/* The process or the thread goes away; what can be completed is. `state` for threads still
 * alive. */
void thread_close_all(bool for_good); /* false: the process may go on after all */
/* Is the caller, whose stack pointer is `rsp`, another task that found the block of `t` by sharing
 * its thread pointer: clone with CLONE_VM alone, as LeakSanitizer's tracer? It runs beside the
 * thread, which may hold our lock and be stopped, so nothing is recorded of it, only counted. A
 * vfork child has the block to itself: its parent sleeps. */
bool thread_shared(struct bob_thread *t, uint64_t rsp);
/* No more of this thread can be recorded. */
void thread_dead_end(struct bob_thread *t, bob_status why);

/* --- stacks.c --- */
/* Make the stack that contains rsp the current one. False: no memory. */
bool stacks_switch(struct bob_thread *t, uint64_t rsp);
/* The stack that contains rsp. False: not known. */
bool stacks_bounds(uint64_t rsp, uint64_t *lo, uint64_t *size);
/* Does rsp lie in a stack that was named (makecontext, sigaltstack) and does not begin at lo? */
bool stacks_named_other(uint64_t rsp, uint64_t lo);
/* arch: what code with split stacks compares its stack pointer with; 0: this thread has none. */
uint64_t split_guard(void);
uint64_t thread_pointer(void); /* arch: the address of the thread control block */
uint64_t shadow_stack(void); /* arch: 0: the processor does not check return addresses */
void stacks_free(struct bob_thread *t);
void stacks_note(uint64_t lo, uint64_t size); /* makecontext named a stack */
static inline struct bob_stack *stack_now(const struct bob_thread *t)
{
	return &t->stacks[t->stack_now];
}

/* --- enter.c --- called by entry.S on the program's stack; no vector registers --- */
void bob_enter(struct bob_hot *hot, uint32_t id, uint64_t rsp, uint64_t rbp, uint64_t rbx);
void bob_enter_put(struct bob_hot *hot, uint32_t sym);
void bob_enter_drain(struct bob_hot *hot);
/* As of struct bob_agent_streams, of a thread whose calls are recorded; not called by entry.S. */
bool enter_event(uint32_t what, uint64_t rsp, uint64_t frame);
bool enter_events_missing(uint64_t count);

/* --- special.c --- */
/* First call of the agent in a fork child: a process of its own from now on. `t` may be NULL. */
void process_after_fork(struct bob_thread *t);
struct bob_regs { /* pushed by entry.S; what C changes here the function gets */
	uint64_t rdi, rsi, rdx, rcx, r8, r9, r10, r11, rax;
};
/* Before one of the functions of enum bob_special. Returns whether its entry is recorded too. */
int bob_special(uint32_t id, struct bob_regs *regs);
void special_add(uint32_t id, uint32_t what, bool traced);
bool special_have(uint32_t what);
uint32_t special_what(uint32_t id); /* 0: not a special function */
bool special_is_traced(uint32_t id); /* its entry is recorded, too */
/* The file is the process's own: it is no fork child without events, and no vfork child in its
 * parent's memory. */
bool process_has_file(void);
/* Complete the file as far as possible: the process ends or replaces itself. */
void process_leave(enum bob_file_state state);

/* --- streams.c --- */
void streams_end(void); /* the process ends: all writers of its file complete it */

/* --- arch/x86_64/entry.c --- */
/* Where in the entry code a trampoline has to call: by default at 0. */
uint32_t entry_special_offset(void); /* functions of enum bob_special */
uint32_t entry_sync_offset(void); /* of them, those that synchronise threads */
uint32_t entry_wide_offset(void); /* ids beyond BOB_SYM_ID_MASK */
uint32_t entry_hook_offset(void); /* functions hooked by name (hooks.h) */
uint32_t entry_backtrace_offset(void); /* _Unwind_Backtrace, where there are such */
/* Copy the entry code to `to` (BOB_PLAN_HANDLER_BYTES), with its immediates filled in. */
void entry_copy(uint8_t *to, bool null_codec);

#endif
