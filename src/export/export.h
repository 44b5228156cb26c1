/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports traces to the formats of other tools. Every writer streams to `out`; its caller checks
 * the stream for errors at the end. Threads: one. Errors: those of reading, BOB_ERR_NOMEM; after a
 * failure of one thread the rest is written all the same and the first failure is returned. */
#ifndef BOB_EXPORT_EXPORT_H
#define BOB_EXPORT_EXPORT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "archive/events/mpi_functions.h"

#define BOB_EXPORT_SAID 256u

struct bob_export {
	const struct bob_trace *trace;
	const struct bob_functions *functions;
	/* Name of a function number for people, also of BOB_CALLER_*; borrowed until the next. */
	const char *(*name)(void *ctx, uint32_t number);
	void *ctx;
	const uint32_t *threads;	/* chosen ones */
	uint32_t thread_count;
	const struct bob_progress *progress;
	/* Of MPI calls: a place in the program. */
	void (*place)(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *out);
	FILE *out;		/* otf2: none */
	const char *directory;	/* otf2: an empty one, to be filled */
	/* otf2, result: BOB_EXPORT_SAID bytes; why it could not be written, as soon as that is
	 * known */
	char *said;
	uint64_t max_events;		/* chrome: entries at most, 0: no limit */
	uint64_t cut_events;		/* result: entries or MPI calls left out because of it */
	/* result: messages or requests of which nothing more is known */
	uint64_t lost_messages;
	uint64_t forced;		/* result: turns that came before what they waited for */
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
/* MPI calls: one line each, as functions.txt names their parameters. */
bob_status bob_export_mpi_csv(struct bob_export *x);
/* MPI calls as slices and messages as arrows, trace event JSON. Times are exact where the trace has
 * them, else each call takes 1 us. */
bob_status bob_export_mpi_chrome(struct bob_export *x);
/* MPI calls as an OTF2 archive. BOB_ERR_UNSUPPORTED: this build has no OTF2. BOB_ERR_IO: x->said
 * says why. OTF2's library may abort the process when it cannot write: call this in a process of
 * its own. */
bob_status bob_export_mpi_otf2(struct bob_export *x);
/* Graphviz: the `max_arcs` (0: all) arcs of `g` with most calls; *left_out counts the others. */
bob_status bob_export_dot(struct bob_export *x, struct bob_callgraph *g, uint64_t max_arcs,
			  uint64_t *left_out);

enum bob_access_format {
	BOB_ACCESSES_TEXT,	/* kind 0xaddress size image+0xpc */
	BOB_ACCESSES_DIN,	/* Dinero: label address; an atomic access is a load and a store */
	BOB_ACCESSES_LACKEY,	/* as `valgrind --tool=lackey --trace-mem=yes`, data only */
	BOB_ACCESSES_BINARY	/* struct bob_access_head, then struct bob_access_record each */
};

enum bob_access_order {
	BOB_ACCESSES_THREADS,	/* thread after thread; TEXT has a line before each */
	BOB_ACCESSES_TURNS	/* of each process as analysis/interleave has them; lines of TEXT begin with the
				 * thread */
};

struct bob_access_style {
	enum bob_access_format format;
	enum bob_access_order order;
	uint64_t quantum;	/* of turns; 0: BOB_INTERLEAVE_QUANTUM */
	/* TEXT: after each access the variable and element, where they are known */
	int subscripts;
	/* TEXT: also where threads synchronise: Y, what, object, perhaps a number */
	int syncs;
	/* TEXT: also where MPI is called: M, the function; where accesses were made in it "begins"
	 * and a line "ends" */
	int values;
};

#define BOB_ACCESS_MAGIC 0x31534343412d4f42ull /* "BO-ACCS1" as it lies in the file */

/* Little-endian, as is all that follows. */
struct bob_access_head {
	uint64_t magic;
	uint32_t record_bytes;	/* 32; later versions may append to a record */
	uint32_t reserved[5];
};

struct bob_access_record {
	uint64_t address;
	uint64_t pc;		/* link address in the image */
	uint32_t process, thread; /* as titles name them: process.thread */
	uint32_t image;		/* number in the process, as `bobbin info` lists them; ~0: none */
	uint16_t size;
	uint8_t type;		/* enum bob_access_type */
	uint8_t flags;		/* BOB_ACCESS_LOST */
};

/* All memory accesses. Threads without any are skipped. */
bob_status bob_export_accesses(struct bob_export *x, const struct bob_access_style *style);

#endif
