/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent offers to Bobbin's other parts inside a traced process (src/mpi): places in the
 * file of the process, whose life -- fork, exec, the end -- is the agent's business. They look the
 * table up by its name (dlsym), and record nothing if it is not there.
 *
 * Threads: any. None of these calls may be made in a signal handler. Nothing here is freed by the
 * caller. */
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
#define BOB_AGENT_USER_EVENT 1023u /* what is no function of MPI */

/* A call of a function that is hooked by name (BOBBIN_HOOK_FUNCTIONS); valid as long as the
 * callback runs. */
struct bob_function_call {
	uint32_t function;	/* the same number for all its calls in the process */
	/* end: it did; false: it was left (longjmp, an exception), which shows later */
	bool returned;
	const void *caller,
		*cfa; /* begin: its return address, and what unwinders call its canonical frame address */
	/* begin: rdi, rsi, rdx, rcx, r8, r9; end: rax, rdx, or NULL if it was left */
	const uint64_t *integer;
	const double (*vector)[2]; /* begin: xmm0 to xmm7; end: xmm0 and 1, or NULL */
};

/* On the program's stack, at the moment; all registers are kept. They keep errno. What is hooked
 * and called by them, or by a signal handler that interrupts them, is not reported. */
struct bob_function_hooks {
	void (*begin)(const struct bob_function_call *c);
	void (*end)(const struct bob_function_call *c);
};

/* An image that is a source: code and variables have the addresses that its recorder gives them. */
struct bob_agent_source {
	const char *path;
	uint64_t key;		/* as of other images: names are in i<key>.bob */
	uint64_t build_id;
	uint64_t bias;		/* addresses less link addresses */
	uint32_t functions;
	uint32_t desc_count;
	const uint8_t *descs;	/* as bob_mem_desc_put writes them, of image 0 */
	size_t descs_bytes;
	const uint8_t *meta;	/* records for META that go with it, each padded to 8 bytes */
	size_t meta_bytes;
};

struct bob_agent_streams {
	uint32_t size;		/* of this struct: later versions append */
	uint32_t reserved;
	/* The number of the calling thread's stream; it gets one if it has none, and a fork child a
	 * file of its own. BOB_AGENT_NO_STREAM: nothing is recorded (any more). */
	uint32_t (*stream)(void);
	/* A chunk in the file (bob_fold_chunk_fn; ctx is not used). */
	bob_fold_chunk_fn chunk;
	/* The place of an instruction, image << 48 | link address; BOB_AGENT_NO_PLACE: in no image
	 * that was chosen (--images). */
	uint64_t (*place)(uint64_t address);
	/* BOBBIN_* as the process was started with it, NULL: not set. */
	const char *(*setting)(const char *name);
	/* Nothing more can be recorded of a thread: recording ends for the whole process, and the
	 * trace says why (BOB_ERR_FULL: no space for the trace; BOB_ERR_NOMEM; else an error of our
	 * own). */
	void (*stop)(bob_status why);
	/* To be called once more when the process ends for good, by whichever thread ends it; 4
	 * functions at most, each once. */
	void (*at_end)(void (*fn)(void));
	/* The process's file; NULL: nothing is recorded. */
	const char *(*path)(void);
	/* What the calling thread has recorded so far is a part of its own, and complete in the
	 * file (streams that are not folded are as they are). */
	void (*cut)(void);
	/* `bobbin` with these arguments (NULL-terminated, at most 8) beside the process, killed
	 * after `limit_ms`: its standard input and output are a socket, *fd our end of it, to be
	 * closed. Returns a number for helper_end, negative: it cannot be. */
	long (*helper_begin)(const char *const *args, unsigned limit_ms, long *fd);
	/* When it has ended by itself, or at once. */
	void (*helper_end)(long number, bool at_once);
	/* Are calls or memory accesses recorded as well? Then events get a place among those of
	 * their thread. */
	bool (*has_places)(void);
	/* An event begins: `what` it is (below BOB_AGENT_EVENTS), the stack pointer at the entry of
	 * its function, and where the return address of that function's caller lies (0: not known).
	 * *mark is for event_ends. False: nothing is recorded at the moment. Then the next one that
	 * is has to be preceded by events_missing. */
	bool (*event_begins)(uint32_t what, uint64_t sp, uint64_t frame, uint64_t **mark);
	void (*event_ends)(uint32_t what, uint64_t *mark);
	/* So many events of the thread have no place. False: it could not be said, either. */
	bool (*events_missing)(uint64_t count);
	/* From now on functions that are hooked by name are reported. False: none are. *h stays
	 * there. */
	bool (*hook_functions)(const struct bob_function_hooks *h);
	/* As in the source, without parameters. Valid for ever. */
	const char *(*function_name)(uint32_t function);
	/* Hooked functions of the calling thread whose frames lie below `sp` have been left: their
	 * ends are reported now. ~0: all, the thread ends. */
	void (*functions_left)(uint64_t sp);
	/* With BOBBIN_MEM=source. The number of its first descriptor, ~0: no space. What is passed
	 * is copied. */
	uint32_t (*source_add)(const struct bob_agent_source *s);
	/* Records for META, as in struct bob_agent_source, that come later. What fork children
	 * write begins with them, too. False: nothing is recorded (any more). */
	bool (*source_report)(const void *meta, size_t bytes);
	/* A record of the calling thread (mem/record.h); false: nothing is recorded (any more). In
	 * signal handlers, too. Budget: 3 ns, up to two words. */
	bool (*source_record)(uint32_t number, const uint64_t *word, uint32_t words);
	/* One of one word. */
	bool (*source_access)(uint32_t number, uint64_t word);
	/* May system calls be made? No longer once the program has a seccomp filter. */
	bool (*allowed)(void);
	/* Which file an image of place()'s numbers is: the same in all processes, and in the trace
	 * (BOB_REC_IMAGE); 0: it is not known (any more). */
	uint64_t (*image_key)(uint32_t number);
	/* This lies in the place of a hooked function's return address; the true one is where one
	 * bit of the place's address is turned. */
	uint64_t hooked_return, hooked_far;
	/* fn(arg), for what is rare and needs a deep stack: on a stack of 64 KB beside the thread's
	 * own unless that is known to be large. Signals are blocked meanwhile, and what fn calls is
	 * not recorded. Unwinders go through. fn may call no code of the user's. Without memory,
	 * and once no system calls may be made, fn runs on the caller's stack. */
	void (*run_on_area)(void (*fn)(void *arg), void *arg);
	/* The number of the MPI_COMM_WORLD that the process is in (BOB_REC_WORLD); 0: its
	 * environment did not say when it began. */
	uint64_t (*world)(void);
	/* What a program that is executed from `path` gets instead of `env`, so that it is
	 * recorded; `env` itself if it is not to be, or has it already. Valid up to the thread's
	 * next call. */
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
