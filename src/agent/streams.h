/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent's interface for Bobbin's other parts inside a traced process (src/mpi): chunks in the
 * process file, whose life cycle (fork, exec, the end) the agent manages. Users look up the table
 * by its name (dlsym), and record nothing if it does not exist.
 *
 * Threads: any. Must not be called in a signal handler, except where noted. Callers free
 * nothing. */
#ifndef BOB_AGENT_STREAMS_H
#define BOB_AGENT_STREAMS_H

#include <stdbool.h>
#include <string.h>

#include "archive/write/fold_write.h"
#include "archive/write/write.h"

#define BOB_AGENT_STREAMS_NAME "bob_agent_streams_1"
#define BOB_AGENT_NO_STREAM 0xffffffffu
#define BOB_AGENT_NO_PLACE (~0ull)
#define BOB_AGENT_EVENTS 1024u
#define BOB_AGENT_USER_EVENT 1023u /* an event that is not an MPI function */

/* A call of a function that is hooked by name (BOBBIN_HOOK_FUNCTIONS); valid while the callback
 * runs. */
struct bob_function_call {
	uint32_t function;	/* the same number for all its calls in the process */
	/* end: it returned; false: it was left (longjmp, an exception), which is detected later */
	bool returned;
	const void *caller, *cfa; /* begin: its return address, and its canonical frame address */
	/* begin: rdi, rsi, rdx, rcx, r8, r9; end: rax, rdx, or NULL if it was left */
	const uint64_t *integer;
	const double (*vector)[2]; /* begin: xmm0 to xmm7; end: xmm0 and xmm1, or NULL */
};

/* Callbacks run on the program's stack; all registers are preserved. They must preserve errno.
 * Hooked functions called by them, or by a signal handler that interrupts them, are not
 * reported. */
struct bob_function_hooks {
	void (*begin)(const struct bob_function_call *c);
	void (*end)(const struct bob_function_call *c);
};

/* An instrumented source as an image: its recorder assigns the addresses of code and variables. */
struct bob_agent_source {
	const char *path;
	uint64_t key;		/* as for other images: names are in i<key>.bob */
	uint64_t build_id;
	uint64_t bias;		/* address minus link address */
	uint32_t functions;
	uint32_t desc_count;
	const uint8_t *descs;	/* encoded by bob_mem_desc_put, of image 0 */
	size_t descs_bytes;
	const uint8_t *meta;	/* META records to be added, each padded to 8 bytes */
	size_t meta_bytes;
};

struct bob_agent_streams {
	uint32_t size;		/* of this struct; later versions append */
	uint32_t reserved;
	/* The number of the calling thread's stream; the thread gets one if it has none, and a fork
	 * child gets its own file. BOB_AGENT_NO_STREAM: nothing is recorded (any more). */
	uint32_t (*stream)(void);
	/* A chunk in the file (bob_fold_chunk_fn; ctx is not used). */
	bob_fold_chunk_fn chunk;
	/* The place of an instruction, image << 48 | link address; BOB_AGENT_NO_PLACE: it is in no
	 * selected image (--images). */
	uint64_t (*place)(uint64_t address);
	/* The initial value of a BOBBIN_* variable; NULL: not set. */
	const char *(*setting)(const char *name);
	/* A thread cannot be recorded any more: recording ends for the whole process, and the trace
	 * has the reason (BOB_ERR_FULL: no space for the trace; BOB_ERR_NOMEM; otherwise an
	 * internal error). */
	void (*stop)(bob_status why);
	/* Register a function to be called once when the process ends, by the thread that ends it.
	 * At most 4 functions, each registered once. */
	void (*at_end)(void (*fn)(void));
	/* The path of the process file; NULL: nothing is recorded. */
	const char *(*path)(void);
	/* Complete what the calling thread has recorded as a separate part in the file (streams
	 * that are not folded are unchanged). */
	void (*cut)(void);
	/* Run `bobbin` with these arguments (NULL-terminated, at most 8) concurrently with the
	 * process; it is killed after `limit_ms`. Its standard input and output are a socket; *fd
	 * is our end, which the caller closes. Returns a number for helper_end; negative on
	 * failure. */
	long (*helper_begin)(const char *const *args, unsigned limit_ms, long *fd);
	/* Wait until it has ended by itself, or kill it (`at_once`). */
	void (*helper_end)(long number, bool at_once);
	/* Whether calls or memory accesses are recorded as well. Then events get a place among
	 * those of their thread. */
	bool (*has_places)(void);
	/* An event begins: its kind `what` (below BOB_AGENT_EVENTS), the stack pointer at the entry
	 * of its function, and the address of the return address of that function's caller (0:
	 * unknown). *mark is for event_ends. False: nothing is recorded at present; then
	 * events_missing must precede the next event that is recorded. */
	bool (*event_begins)(uint32_t what, uint64_t sp, uint64_t frame, uint64_t **mark);
	void (*event_ends)(uint32_t what, uint64_t *mark);
	/* This number of events of the thread have no place. False: that could not be recorded,
	 * either. */
	bool (*events_missing)(uint64_t count);
	/* Report functions that are hooked by name from now on. False: none are hooked. *h must
	 * stay valid. */
	bool (*hook_functions)(const struct bob_function_hooks *h);
	/* The name in the source, without parameters. Valid forever. */
	const char *(*function_name)(uint32_t function);
	/* Hooked functions of the calling thread whose frames are below `sp` have been left: report
	 * their ends now. ~0: all, because the thread ends. */
	void (*functions_left)(uint64_t sp);
	/* With BOBBIN_MEM=source: add a source. Returns the number of its first descriptor; ~0: no
	 * space. The arguments are copied. */
	uint32_t (*source_add)(const struct bob_agent_source *s);
	/* Further META records, as in struct bob_agent_source. They are also written to the files
	 * of fork children. False: nothing is recorded (any more). */
	bool (*source_report)(const void *meta, size_t bytes);
	/* Put a record of the calling thread (mem/record.h); false: nothing is recorded (any more).
	 * May be called in signal handlers. Budget: 3 ns, up to two words. */
	bool (*source_record)(uint32_t number, const uint64_t *word, uint32_t words);
	/* The same with a single word. */
	bool (*source_access)(uint32_t number, uint64_t word);
	/* Whether system calls may be made: not after the program has installed a seccomp
	 * filter. */
	bool (*allowed)(void);
	/* The key of an image whose number is in the result of place(): equal in all processes, and
	 * in the trace (BOB_REC_IMAGE); 0: unknown (any more). */
	uint64_t (*image_key)(uint32_t number);
	/* hooked_return replaces the return addresses of hooked functions. The true one is at the
	 * same address with the bit hooked_far flipped. */
	uint64_t hooked_return, hooked_far;
	/* Call fn(arg), which is rare and needs a deep stack: on the stack of the per-thread area
	 * (64 KB), unless the thread's own stack is known to be large. Signals are blocked
	 * meanwhile, and calls of fn are not recorded. Unwinders can pass through. fn must not call
	 * code of the user. Without memory, or if system calls are forbidden, fn runs on the
	 * caller's stack. */
	void (*run_on_area)(void (*fn)(void *arg), void *arg);
	/* The number of the process's MPI_COMM_WORLD (BOB_REC_WORLD); 0: unknown from its initial
	 * environment. */
	uint64_t (*world)(void);
	/* The environment to pass instead of `env` to a program executed from `path`, so that it is
	 * recorded; `env` itself if it must not be recorded, or already has the variables. Valid
	 * until the thread's next call. */
	char **(*environment)(const char *path, char **env);
};

/* A line, with its newline, for the log (bobbin info); it is lost where there is no space. */
static inline void bob_agent_log(const struct bob_agent_streams *a, const char *line)
{
	const uint64_t n = strlen(line);
	uint64_t at;
	struct bob_chunk_head *c = a->chunk(NULL, BOB_CHUNK_LOG, BOB_STREAM_NONE, n, 0, &at);

	if (!c)
		return;
	memcpy(bob_chunk_data(c), line, n);
	bob_chunk_seal(c, n);
}

#endif
