/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's own header: the state of the agent inside a traced process, and its functions by
 * file.
 *
 *   start.c    constructor: configuration, file, images; fails open
 *   config.c   BOBBIN_* variables
 *   file.c     the process file: windows, chunks, META records
 *   keeper.c   services of the launcher for a process that cannot reach its file
 *   images.c   loaded images, their plans, look-up by address
 *   patch.c    relocates a plan's trampolines into an arena, writes the jumps
 *   frame_rows.c     frame rows of a plan
 *   frames.c   the caller-frame rule: finds the caller's frame
 *   call_sites.c    process-wide tables that reduce that rule to one look-up
 *   thread.c   thread blocks and their streams
 *   stacks.c   the stacks of a thread and their shadow stacks
 *   enter.c    the slow path of recording an event; arch/x86_64/entry.S is the fast path
 *   patched_places.c   maps addresses in trampolines and overwritten bytes (patched_places.h)
 *   signal.c   the program's handlers: the context that they see (signal.h)
 *   special.c  exec, exit, dlopen, makecontext, sigaltstack, seccomp, fork
 *   planner.c  plans from the cache; requests missing ones
 *   waits.c    exit status of children, from the program's waits (waits.h)
 *   redirect.c functions that lead to a wrapper (src/wrap)
 *   streams.c  the interface for other parts of Bobbin inside the process
 *   hooks.c    functions selected by name: their entries and returns (hooks.h)
 *   os.c       system calls; string.c: functions that compilers call
 *   mem/       memory accesses instead of calls
 *
 * Threads: a struct bob_thread belongs to its thread, or to the thread that detects that it has
 * ended. The process state is written under `lock`, or before other threads exist. Signals are
 * blocked while the lock is held, so a handler never interrupts its own thread holding it. */
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

/* Capacity for events of signal handlers that interrupted the recording of another event. */
#define BOB_PENDING_MAX 65536u
#define BOB_STACKS_MAX 65536u
/* Maximum number of live allocations of an encoder. */
#define BOB_OWNED_MAX 48
#define BOB_FIRST_STACKS 8

/* --- one stack of a thread, with the shadow stack of the frames entered on it --- */
struct bob_stack {
	uint64_t lo, size;	/* address range of the program's stack */
	/* [0] is a sentinel of ~0, followed by entry stack pointers, outermost first */
	uint64_t *shadow;
	uint64_t *top;		/* last valid entry */
	uint64_t shadow_bytes;
	uint32_t number;	/* in the trace */
};

struct bob_pending {
	uint64_t rsp;
	uint64_t caller;	/* address of the caller's return address; 0: unknown */
	uint32_t id;
	uint32_t flags;		/* enum bob_caller_flags */
};

/* --- one thread --- *
 * The layout serves entry.S: `gate` is at the end of a page that the kernel wipes in a fork child,
 * directly before `hot`, to which the thread pointer variable points; the encoder follows `hot`. */
struct bob_gate {
	uint64_t lo;
	/* entries with rsp - lo < size take the fast path; 0: all take the slow path */
	uint64_t size;
};

struct bob_hot {
	uint64_t *top;		/* of the shadow of the current stack */
	uint64_t *sites;	/* process-wide table of call sites */
	/* value of gate.size while the thread is idle; 0 forces the slow path */
	uint64_t on_size;
	uint64_t busy_rsp;	/* entry rsp of the event being recorded */
	uint64_t pending;	/* number of events in `pending[]` */
	uint64_t top_mismatch;
	struct bob_walk *walks;	/* BOB_WALKS; call_sites.c */
	uint64_t reserved;
};

struct bob_thread {
	/* cold part, first page */
	bool in_c;		/* enter.c is working on this block */
	bool dead_end;		/* recording ended for this thread */
	uint32_t tid;
	uint32_t stream;
	uint32_t stack_count;
	uint32_t stack_capacity;
	uint32_t stack_now;
	/* the most recent guard of a split stack, and its segment; size 0: none */
	struct {
		uint64_t guard, lo, size;
	} split;
	/* Copy of the bounds of the current stack, for tasks that share the block
	 * (thread_shared). */
	struct {
		uint64_t lo, size;
	} now;
	uint32_t beside;	/* the most recent such task; 0: none */
	uint32_t trigger_stack;	/* stack of the frame that switched recording on */
	uint64_t trigger_rsp;	/* its stack pointer; 0: off. Only used with BOBBIN_TRIGGER */
	struct bob_stack *stacks; /* [stack_count], initially first_stacks */
	struct bob_stream_head *head; /* in the mapped file */
	struct bob_chunk_head *data; /* the most recent DATA chunk */
	uint64_t data_off;	/* stream offset of the next DATA chunk */
	uint64_t data_capacity;	/* payload size of the next DATA chunk */
	struct bob_pending *pending; /* BOB_PENDING_MAX elements of reserved memory */
	struct bob_thread *next; /* list of all */
	struct bob_mem_thread *mem; /* NULL: calls are recorded */
	void *hooks;		/* hooks.c */
	size_t map_bytes;
	struct {
		void *p;
		size_t size;
	} owned[BOB_OWNED_MAX]; /* the encoder's memory, freed at the end */
	/* Memory for the encoder in this mapping, which saves a mapping per thread. NULL: in
	 * use. */
	void *spare;
	size_t spare_bytes;
	struct bob_stack first_stacks[BOB_FIRST_STACKS];
	uint8_t cold_end[];
};

/* Offsets in a thread's mapping: cold page, wiped page, hot page(s) with the encoder. */
#define BOB_THREAD_GATE (2 * BOB_PAGE - sizeof(struct bob_gate))
#define BOB_THREAD_ALIVE (BOB_THREAD_GATE - 8)
#define BOB_THREAD_HOT (2 * BOB_PAGE)
#define BOB_THREAD_ENC (BOB_THREAD_HOT + sizeof(struct bob_hot))
BOB_STATIC_ASSERT(sizeof(struct bob_hot) == 64, "the encoder follows on a cache line");
BOB_STATIC_ASSERT(sizeof(struct bob_thread) <= BOB_PAGE, "cold part is one page");
#define BOB_ALIVE 0x626f6262696e2131ull
#define BOB_TAKEN_IN (1ull << 63) /* claimed by the thread whose number is in the other bits */

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

/* Whether an event of this thread is being recorded, by entry.S or in C. */
static inline bool thread_is_busy(const struct bob_thread *t)
{
	return t->in_c || (!thread_gate(t)->size && thread_hot(t)->on_size);
}

/* --- images --- */
#define BOB_TEXT_SEGMENTS 4
struct bob_image {
	uint64_t lo, hi;	/* bounds of its executable segments */
	struct {
		uint64_t lo, hi; /* whole pages */
		int prot;	/* from the program headers; os_protect's bits */
	} text[BOB_TEXT_SEGMENTS];
	uint32_t text_count;
	uint64_t bias;
	const struct bob_plan_head *plan; /* never unmapped */
	/* its program headers, if its plan has not been looked up yet; else NULL */
	const void *phdr;
	uint32_t phnum;
	uint64_t arena;		/* BOB_PLAN_HANDLER_BYTES of handler, then trampolines; 0: none */
	uint64_t arena_bytes;
	uint64_t *hooked;	/* bitmap by function index: entries that are recorded */
	uint64_t *trigger;	/* the same for BOBBIN_TRIGGER; NULL: not used */
	uint32_t first_id;
	uint32_t number;
	uint32_t patched;
	struct bob_image *next;	/* list of retired images */
	bool described;		/* it has a number, and its description is in the file */
	bool chosen;		/* selected by --images, or searched for the interface */
	bool interface;		/* all its exports are the interface */
	struct bob_mem_image *mem; /* its code is translated; NULL: unchanged */
	uint8_t sync_caller;	/* enum bob_sync_caller: how its calls count */
	/* link address of _Unwind_GetIP, if backtraces skip the agent's frames; 0: they do not */
	uint64_t unwind_ip;
	const char *path;	/* copy of the loader's string */
};

/* Sorted by lo. Replaced as a whole when an image is loaded or unloaded, because readers hold no
 * lock (images.c). */
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
	char agent[BOB_PATH_MAX]; /* as in LD_PRELOAD */
	const char *only;	/* BOBBIN_FILTER: patterns separated by ':' */
	const char *never;	/* BOBBIN_NOTRACE */
	const char *trigger;	/* BOBBIN_TRIGGER */
	const char *hooks;	/* BOBBIN_HOOK_FUNCTIONS; NULL: none */
	/* BOBBIN_INTERFACE: names of the functions that form the interface */
	const char *interface;
	const char *interface_image; /* BOBBIN_INTERFACE_IMAGE: or all exports of these images */
	enum bob_images_mode images;
	enum bob_codec codec;
	uint32_t max_depth;	/* 0: no limit */
	bool follow;
	bool slow;		/* BOBBIN_CHECK contains "slow": never use the fast path of
				 * entry.S */
	bool calls;		/* calls are recorded: neither BOBBIN_MEM nor BOBBIN_CALLS=0 */
	bool mem;		/* BOBBIN_MEM: memory accesses are recorded */
	/* BOBBIN_MEM=source: accesses reported by instrumented sources; no code is translated */
	bool source;
	bool from_start;	/* BOBBIN_FROM_START: record from the start, not from main on */
	enum bob_mem_codec mem_codec;
	/* BOBBIN_MEM_BOXES: recorded addresses (mem/select_addresses.c); NULL: all */
	const char *mem_boxes;
	/* BOBBIN_LAUNCHER: pid of the launcher that starts a collector; 0: the process folds
	 * itself */
	uint32_t collector;
	/* BOBBIN_CHECK contains "flat": no call paths, to measure their cost */
	bool flat;
	const char *keeper;	/* BOBBIN_KEEPER: address of the keeper; NULL: there is none */
};

/* --- the process --- */
struct bob_process {
	uint64_t *alive;	/* page wiped on fork: zero in a child */
	bool recording;
	uint32_t pid;
	uint32_t lock;
	unsigned long lock_signals; /* signal mask of the lock's holder before it acquired the
				     * lock */
	struct bob_config config;
	/* our own copy of BOBBIN_* and LD_LIBRARY_PATH, because programs overwrite theirs */
	char **env;
	char **start_env;	/* the program's initial environment */
	const uint64_t *auxv;
	char **argv;

	uint64_t world;		/* world_of the initial environment */

	/* the file */
	char path[BOB_PATH_MAX];
	struct bob_file_head *file; /* first window, never unmapped */
	uint8_t *window;	/* current window, from which chunks are allocated */
	uint64_t window_off;	/* its file offset */
	uint64_t window_size;
	uint64_t window_used;
	uint64_t window_grown;	/* most recently requested size */
	/* mapping of the file from quiet_off on, for windows under a seccomp filter */
	uint8_t *quiet;
	uint64_t quiet_off;
	enum bob_stop_reason no_space; /* why the last window was refused */
	uint32_t streams;
	/* shared with it (archive/write/ring.h); NULL: none is expected */
	struct bob_collector *collector;

	struct bob_image_set *images;
	struct bob_image *retired; /* unloaded images; reused if the same image returns */
	uint32_t image_count;	/* numbers assigned so far */
	uint32_t next_id;
	uint64_t *sites;	/* BOB_SITES words */
	uint64_t *steps;	/* BOB_STEPS words */
	bool debugged;		/* a debugger traced the process when images were last updated */
	uint64_t generation;	/* generation of the set of images; cached walks of older ones are
				 * invalid */
	struct bob_thread *threads;
	struct bob_thread *scan; /* the next one to be checked for being alive */
};
extern struct bob_process bob_process;

/* entry.S finds the thread block through this. Without a block it points to a closed gate. */
extern __thread struct bob_hot *bob_thread_hot;
extern struct bob_hot *const bob_no_thread; /* its gate is closed */

/* The kernel wiped our page: this is a fork child that has not been initialised yet. */
static inline bool process_is_child(void)
{
	return bob_process.alive && *bob_process.alive != BOB_ALIVE;
}

void lock_process(void);
void unlock_process(void);

/* --- exec.c --- */
/* The environment to pass to execve instead of `env`. Valid until the thread's next exec. */
char **exec_environment(const char *path, char **env);
/* Whether this program will be recorded if it is executed. False if it is static, set-user-ID, or
 * cannot reach the agent. */
bool exec_leaves_trace(const char *path);
/* Under a seccomp filter: without the agent, and without system calls. */
char **exec_environment_quietly(char **env);

/* --- loader.c: runs before other constructors --- */
void loader_list_hide(void);

/* --- start.c --- */
/* Position of the parent when it forked this process. */
struct bob_fork {
	uint32_t pid, seq, stream;
	uint64_t pos;
	/* debugged_mono_ns of its file: entries are restored in this process, too */
	uint64_t debugged;
};
/* End the recording of the whole process; the program continues. May be called anywhere. */
void agent_stop(enum bob_stop_reason why);
/* Create the file of this process with its description; `from`: it is a fork child. */
bool process_begin(const struct bob_fork *from);
/* Add a LOG chunk "line: what". Lock held, or single-threaded. */
void agent_log(const char *line, const char *what);

/* --- config.c --- */
bool config_read(struct bob_config *c, char **env);
const char *config_env(char **env, const char *name); /* value or NULL */
uint64_t world_of(char **env);	/* world.c: BOB_REC_WORLD; 0: unknown */
/* Match a name against shell patterns (* ? []) separated by ':'. */
bool config_match(const char *patterns, const char *name);
size_t text_len(const char *s);
bool text_equal(const char *a, const char *b);
bool text_starts(const char *s, const char *prefix);
const char *text_base(const char *path);	/* after the last slash */
/* Lists of paths as in LD_PRELOAD, separated by colons or blanks. _item: length of the first path.
 * _has: whether one of them is the `n` bytes at `path`. */
size_t text_list_item(const char *list);
bool text_list_has(const char *list, const char *path, size_t n);
/* Append to a bounded buffer, which is always zero-terminated. */
size_t text_add(char *buf, size_t size, size_t at, const char *s);
size_t text_add_u64(char *buf, size_t size, size_t at, uint64_t v, unsigned base);

/* --- file.c --- lock held by the caller, or single-threaded */
bob_status file_create(const struct bob_fork *parent); /* NULL: not a fork child */
/* Allocate a chunk with `size` bytes of zeroed payload (rounded up to 64). NULL: the file has no
 * space, so recording must end for the caller. */
struct bob_chunk_head *file_chunk(enum bob_chunk_kind kind, uint32_t stream, uint64_t size,
				  uint64_t aux);
/* The same without the lock; also returns its offset in the file. `ctx` is not used. */
struct bob_chunk_head *file_chunk_at(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				     uint64_t size, uint64_t aux, uint64_t *off);
void file_close(enum bob_file_state state); /* lock held */
/* The collector has ended: further chunks follow all chunks that it created. False: the file has no
 * space. No lock. */
bool file_after_collector(void);
/* Map the file up to *len, permanently. NULL: not possible. No lock. */
uint8_t *file_map_all(uint64_t *len);
/* META records (archive/write/write.h) are collected in separate memory and become one sealed
 * chunk. */
bool meta_open(struct bob_meta *m, size_t size);
void meta_flush(struct bob_meta *m);

/* --- keeper.c --- lock held */
struct bob_keeper {
	long fd;
	uint64_t secret;
};
/* Get an open, unnamed new file and its sequence number; -1: there is no keeper. keeper_name_file
 * must follow when the file has a head (it gets its name), or cannot have one. */
long keeper_new_file(struct bob_keeper *k, uint32_t *seq);
bool keeper_name_file(struct bob_keeper *k, bool has_head);
/* Allocate the file up to `to`; `ahead` bytes more will be needed soon. False: there is no keeper,
 * it does not answer, or it refuses. */
bool keeper_allocate(uint64_t to, uint64_t ahead);
/* A seccomp filter is about to be installed: the keeper must allocate file space in advance. */
void keeper_go_ahead(void);
/* Under the filter: the mapping of these bytes of the file. NULL: not available. */
uint8_t *keeper_window(uint64_t off, uint64_t size);

/* --- tracer.c --- */
/* Whether a debugger traces the process: it may set breakpoints at any instruction. */
bool tracer_is_debugger(void);

/* --- images.c --- */
/* Update the set from the loader's list. Lock held. */
void images_update(void);
struct bob_image *image_at(uint64_t addr);
const struct bob_image *image_of(uint32_t id); /* the image of a function */
const struct bob_image *image_numbered(uint32_t number); /* NULL: none of the loaded ones */
const struct bob_image *image_reported(uint32_t number); /* also unloaded ones; lock held, or
							  * single-threaded */
void image_describe(const struct bob_image *im, struct bob_meta *meta); /* add its META record */
/* Load the plan if that was deferred. False: there is none. Lock held. */
bool image_need_plan(struct bob_image *im);
/* Ensure that the file describes this image. False: it has no plan, or there are too many. No lock
 * held. */
bool image_use(struct bob_image *im);
/* Whether `addr` is in the agent's own text, for frames.c. */
bool image_is_agent(uint64_t addr);

/* --- patch.c --- */
/* Fill `im->arena`, write the jumps, set the hooked bits. */
enum bob_skip patch_image(struct bob_image *im, struct bob_meta *skipped);
/* Write the jumps again after the image was unloaded and loaded again; `moved`: at another
 * address. */
enum bob_skip patch_again(struct bob_image *im, bool moved, struct bob_meta *skipped);
/* At the end of the process: list the entries that were restored because of a debugger
 * (src/cli/record/debugger.h). Lock held. */
void patch_list_restored(void);
/* Make the function's trampoline lead to `to` instead of the recorder and the function; *original
 * continues in the function as if it were not patched. Only at the start, while no thread executes
 * code of the image. */
enum bob_skip patch_redirect(struct bob_image *im, uint32_t index, uint64_t to, uint64_t *original);
/* For other code that is added to an image: find an address within reach of its jumps (0: none);
 * check that they still reach it; make the code writable, or restore its protection. */
uint64_t patch_find_arena(const struct bob_image *im, uint64_t size);
bool patch_reaches(const struct bob_image *im, uint64_t arena, uint64_t size);
bool patch_protect(const struct bob_image *im, bool writable);
bool patch_add32(uint8_t *field, int64_t delta); /* false: overflow */
/* Whether one of the function's names, mangled or not, matches the patterns. */
bool patch_matches(const struct bob_plan_head *plan, const struct bob_plan_func *f,
		   const char *patterns);
/* Its name for display: that of the source without parameters, if known. */
const char *patch_plain_name(const struct bob_plan_head *plan, uint32_t func);
/* Whether it is a function of enum bob_special that this process needs. */
bool patch_is_special(const struct bob_plan_head *plan, uint32_t func);
/* Link addresses of the bytes used by hooks of enum bob_special, one range per call (it may be
 * empty). False: there are no more. */
bool patch_hooked_bytes(const struct bob_image *im, uint32_t index, uint64_t *lo, uint64_t *hi);

/* --- planner.c --- */
/* The validated plan for `key` from the cache; NULL: none. `special`: the plan of special functions
 * alone. */
const struct bob_plan_head *plan_load(uint64_t key, bool special);
const struct bob_mem_plan_head *plan_load_mem(uint64_t key);
/* Request the plans of these files from a planner (`option`: of bobbin plan, or NULL). False: not
 * possible now. */
bool plan_request(const char *const *paths, size_t n, const char *option);
/* Run bobbin with these arguments (NULL-terminated, at most 8) concurrently with the process:
 * os_helper_begin. */
long helper_begin(const char *const *args, unsigned limit_ms, long *fd);

/* --- frames.c --- */
enum bob_caller_flags {
	BOB_CALLER_FOUND = 1,	/* `slot` is exact: pop all frames below it */
	BOB_CALLER_BOTTOM = 2,	/* outermost: no frame of this stack is open */
	BOB_CALLER_UNKNOWN = 4,	/* no plan or no frame information: fall back to the stack pointer
				 * rule */
	BOB_CALLER_SIGNAL = 8,	/* reached through a signal frame */
	BOB_CALLER_UNHOOKED = 16 /* unrecorded frames are in between */
};
struct bob_caller {
	uint64_t slot;		/* address of the caller's own return address */
	uint64_t site;		/* call-site word to cache; 0: not cacheable */
	uint32_t flags;
};
/* `busy`: this entry interrupted the recording of another (hot.busy_rsp). `hi`: end of the
 * stack. */
struct bob_entry { /* registers at the entry */
	uint64_t rsp, rbp, rbx;
};
void frames_caller(const struct bob_thread *t, bool busy, const struct bob_entry *e, uint64_t hi,
		   struct bob_caller *out);

/* --- frame_rows.c --- */
/* Addresses are link addresses. NULL: there is none. */
const struct bob_plan_fde *rows_fde(const struct bob_plan_head *plan, uint64_t addr);
const struct bob_plan_row *rows_row(const struct bob_plan_head *plan, const struct bob_plan_fde *f,
				    uint64_t addr);

/* --- call_sites.c --- */
#define BOB_SITES (1u << 18)
#define BOB_STEPS (1u << 14)
#define BOB_SITE_RBP 0x8000u
#define BOB_SITE_WALK 0xffffu	/* rule of a site whose caller is not recorded */
bool sites_create(void);
void sites_forget(void);

/* A cached walk over unrecorded frames from the entry at `rsp`, with all its inputs: while these
 * are unchanged, its result is valid. Read and written only by its thread; invalid (rsp 0) while it
 * is written. */
#define BOB_WALKS 64u
#define BOB_WALK_WORDS 28u	/* the last one's address is always 0 */
struct bob_walk {
	uint64_t rsp;
	uint64_t generation;	/* bob_process.generation */
	uint64_t lo, size;	/* the stack */
	uint64_t rbp, rbp_mask;	/* at the entry; mask 0: rbp was not used */
	uint64_t slot;		/* the result; ~0: no recorded frame is open */
	uint64_t count;		/* number of words, while it is written */
	struct {
		uint64_t addr, value;
	} word[BOB_WALK_WORDS];
};
/* Reuses the entry of the table. */
struct bob_walk *walk_begin(const struct bob_thread *t, uint64_t rsp, uint64_t ret, uint64_t rbp);
/* Add a word on which the result depends. False: there are too many, give up. */
bool walk_add(struct bob_walk *k, uint64_t addr, uint64_t value);
void walk_end(struct bob_walk *k, uint64_t rsp, uint64_t slot);

/* --- thread.c --- */
/* Create a block and a stream for the calling thread; NULL: it will not be recorded. `old` is the
 * block of the same thread before a fork, whose stacks are inherited. */
struct bob_thread *thread_create(const struct bob_thread *old);
/* The calling thread's block; a new one if it has none, or if it has its parent's. NULL: it is not
 * recorded. */
struct bob_thread *thread_here(void);
/* The thread is about to run its last destructors and end: other threads detect that only later, or
 * never if the process is killed. */
void thread_ending(void);
/* The process or thread ends: complete what can be completed. */
void thread_close_all(bool for_good); /* false: the process may continue after all */
/* Whether the caller (stack pointer `rsp`) is another task that shares the thread pointer and so
 * the block of `t`: clone with CLONE_VM alone, such as LeakSanitizer's tracer. It runs concurrently
 * with the thread, which may hold our lock and be stopped, so its entries are only counted. A vfork
 * child may use the block: its parent sleeps. */
bool thread_shared(struct bob_thread *t, uint64_t rsp);
/* The recording of this thread has ended. */
void thread_dead_end(struct bob_thread *t, bob_status why);

/* --- stacks.c --- */
/* Make the stack that contains rsp the current one. False: no memory. */
bool stacks_switch(struct bob_thread *t, uint64_t rsp);
/* Bounds of the stack that contains rsp. False: unknown. */
bool stacks_bounds(uint64_t rsp, uint64_t *lo, uint64_t *size);
/* Whether rsp is in a registered stack (makecontext, sigaltstack) that does not begin at lo. */
bool stacks_named_other(uint64_t rsp, uint64_t lo);
/* arch: the limit that code with split stacks compares its stack pointer with; 0: none. */
uint64_t split_guard(void);
uint64_t thread_pointer(void); /* arch: the address of the thread control block */
uint64_t shadow_stack(void); /* arch: 0: no shadow stack checks return addresses */
void stacks_free(struct bob_thread *t);
void stacks_note(uint64_t lo, uint64_t size); /* register a stack named by makecontext */
static inline struct bob_stack *stack_now(const struct bob_thread *t)
{
	return &t->stacks[t->stack_now];
}

/* --- enter.c --- called by entry.S on the program's stack; no vector registers --- */
void bob_enter(struct bob_hot *hot, uint32_t id, uint64_t rsp, uint64_t rbp, uint64_t rbx);
void bob_enter_put(struct bob_hot *hot, uint32_t sym);
void bob_enter_drain(struct bob_hot *hot);
/* As in struct bob_agent_streams, for a thread whose calls are recorded; not called by entry.S. */
bool enter_event(uint32_t what, uint64_t rsp, uint64_t frame);
bool enter_events_missing(uint64_t count);

/* --- special.c --- */
/* First call of the agent in a fork child: initialise it as a process of its own. `t` may be
 * NULL. */
void process_after_fork(struct bob_thread *t);
/* Pushed by entry.S. The function gets the values as changed by C. */
struct bob_regs {
	uint64_t rdi, rsi, rdx, rcx, r8, r9, r10, r11, rax;
};
/* Called before a function of enum bob_special. Returns whether its entry is also recorded. */
int bob_special(uint32_t id, struct bob_regs *regs);
void special_add(uint32_t id, uint32_t what, bool traced);
bool special_have(uint32_t what);
uint32_t special_what(uint32_t id); /* 0: not a special function */
bool special_is_traced(uint32_t id); /* whether its entry is also recorded */
/* Whether the file belongs to this process: false in a fork child without events so far, and in a
 * vfork child, which uses its parent's memory. */
bool process_has_file(void);
/* Complete the file as far as possible, before the process ends or is replaced. */
void process_leave(enum bob_file_state state);

/* --- streams.c --- */
void streams_end(void); /* the process ends: all writers complete their part of the file */

/* --- arch/x86_64/entry.c --- */
/* Offsets in the entry code that trampolines call; the default is 0. */
uint32_t entry_special_offset(void); /* functions of enum bob_special */
uint32_t entry_sync_offset(void); /* functions that synchronise threads or wait for children */
uint32_t entry_wide_offset(void); /* ids beyond BOB_SYM_ID_MASK */
uint32_t entry_hook_offset(void); /* functions hooked by name (hooks.h) */
uint32_t entry_backtrace_offset(void); /* _Unwind_Backtrace, if functions are hooked by name */
/* Copy the entry code to `to` (BOB_PLAN_HANDLER_BYTES), with its variable fields filled in. */
void entry_copy(uint8_t *to, bool null_codec);

#endif
