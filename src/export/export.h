/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports traces to the formats of other tools. Every writer streams to `out`; the caller checks
 * the stream for errors at the end. Threads: one. Errors: those of reading, BOB_ERR_NOMEM. If a
 * thread cannot be read, the others are still written and the first failure is returned. */
#ifndef BOB_EXPORT_EXPORT_H
#define BOB_EXPORT_EXPORT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "archive/events/mpi_functions.h"

#define BOB_EXPORT_SAID 256u

struct bob_export {
	const struct bob_trace *trace;
	const struct bob_functions *functions;
	/* Readable name of a function number, also of BOB_CALLER_*. Borrowed until the next
	 * call. */
	const char *(*name)(void *ctx, uint32_t number);
	void *ctx;
	const uint32_t *threads;	/* indices of the selected threads */
	uint32_t thread_count;
	const struct bob_progress *progress;
	/* For MPI calls: prints a place in the program. */
	void (*place)(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *out);
	FILE *out;		/* not used by otf2 */
	const char *directory;	/* otf2: an existing empty directory */
	/* result of otf2: BOB_EXPORT_SAID bytes for the cause of a failure, set when it occurs */
	char *said;
	uint64_t max_events;		/* chrome: maximal number of entries, 0: no limit */
	uint64_t cut_events;		/* result: entries or MPI calls beyond max_events */
	/* result: messages or requests that could not be matched */
	uint64_t lost_messages;
	uint64_t forced;		/* result: turns taken before their condition */
	struct bob_error *err;
};

/* One line per call path, "a;b;c count": flamegraph.pl, inferno, speedscope. */
bob_status bob_export_folded(struct bob_export *x);
/* Callgrind's profile format; the cost of a function is the number of its calls. */
bob_status bob_export_callgrind(struct bob_export *x);
/* Trace event JSON: Perfetto, chrome://tracing. Times are interpolated between marks; a thread
 * without marks gets 1 us per call. */
bob_status bob_export_chrome(struct bob_export *x);
/* One line per function that was called or could not be traced. */
bob_status bob_export_csv(struct bob_export *x);
/* One line per MPI call. Parameters have their names in functions.txt. */
bob_status bob_export_mpi_csv(struct bob_export *x);
/* Trace Event Format JSON: MPI calls as slices, messages as arrows. Times are exact if the trace
 * has them; otherwise each call takes 1 us. */
bob_status bob_export_mpi_chrome(struct bob_export *x);
/* MPI calls as an OTF2 archive. BOB_ERR_UNSUPPORTED: built without OTF2. BOB_ERR_IO: the cause is
 * in x->said. The OTF2 library may abort the process if it cannot write, so call this in a child
 * process. */
bob_status bob_export_mpi_otf2(struct bob_export *x);
/* Graphviz: the `max_arcs` (0: all) arcs of `g` with the most calls. *left_out: number of other
 * arcs. */
bob_status bob_export_dot(struct bob_export *x, struct bob_callgraph *g, uint64_t max_arcs,
			  uint64_t *left_out);

enum bob_access_format {
	BOB_ACCESSES_TEXT,	/* kind 0xaddress size image+0xpc */
	BOB_ACCESSES_DIN,	/* Dinero: label address; an atomic access is a load and a store */
	BOB_ACCESSES_LACKEY,	/* like `valgrind --tool=lackey --trace-mem=yes`, data only */
	BOB_ACCESSES_BINARY	/* struct bob_access_head, then one struct bob_access_record per
				 * access */
};

enum bob_access_order {
	BOB_ACCESSES_THREADS,	/* thread by thread; in TEXT a line precedes each thread */
	BOB_ACCESSES_TURNS	/* by process, in the order of analysis/interleave; lines of TEXT
				 * begin with the thread */
};

struct bob_access_style {
	enum bob_access_format format;
	enum bob_access_order order;
	uint64_t quantum;	/* order in turns: accesses per turn; 0: BOB_INTERLEAVE_QUANTUM */
	/* TEXT: variable and element after each access, where known */
	int subscripts;
	/* TEXT: lines for synchronisation: Y, operation, object, sometimes a number */
	int syncs;
	/* TEXT: lines for MPI calls: M, function. If the call made accesses, it has a line with
	 * "begins" and a line with "ends". */
	int values;
};

#define BOB_ACCESS_MAGIC 0x31534343412d4f42ull /* "BO-ACCS1" in the file's byte order */

/* Header of the file. All numbers of the file are little-endian. */
struct bob_access_head {
	uint64_t magic;
	uint32_t record_bytes;	/* 32; later versions may have longer records */
	uint32_t reserved[5];
};

struct bob_access_record {
	uint64_t address;
	uint64_t pc;		/* link address in the image */
	uint32_t process, thread; /* as in the titles of text: process.thread */
	uint32_t image;		/* number in the process, as in `bobbin info`; ~0: none */
	uint16_t size;
	uint8_t type;		/* enum bob_access_type */
	uint8_t flags;		/* BOB_ACCESS_LOST */
};

/* Writes all memory accesses. Threads without accesses are skipped. */
bob_status bob_export_accesses(struct bob_export *x, const struct bob_access_style *style);

#endif
