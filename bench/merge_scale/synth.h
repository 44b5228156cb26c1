/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic MPI calls of one rank, folded by the real folder: what the shim would have recorded. */
#ifndef BENCH_MERGE_SYNTH_H
#define BENCH_MERGE_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#define PROC_NULL ((uint64_t)-2)

struct rank {
	uint64_t rank, ranks;
	uint64_t random;	/* state of rank_random */
	struct recording *to;
};

/* A packed trace of one or more participants, with statistics of times: the message between
 * ranks. */
struct message {
	uint8_t *folded, *times;
	size_t folded_len, times_len;
};

/* The rank's message; malloc'ed parts (message_free). Aborts if there is no memory. */
void synth_rank(void (*run)(struct rank *r), uint64_t rank, uint64_t ranks, struct message *out);
void message_free(struct message *m);

/* Calls at place `site` of the program, each place with its own call path. Values are as in
 * functions.txt: handles by number, requests by their distance to the newest. */
void rank_call(struct rank *r, uint32_t site, uint32_t function, const uint64_t *word,
	       uint32_t words);
void rank_send(struct rank *r, uint32_t site, uint64_t count, uint64_t dest, uint64_t tag);
/* `source` as given and as matched. */
void rank_recv(struct rank *r, uint32_t site, uint64_t count, uint64_t source, uint64_t from,
	       uint64_t tag);
void rank_isend(struct rank *r, uint32_t site, uint64_t count, uint64_t dest, uint64_t tag);
void rank_irecv(struct rank *r, uint32_t site, uint64_t count, uint64_t source, uint64_t tag);
/* For the newest `n` requests. */
void rank_waitall(struct rank *r, uint32_t site, uint64_t n);
void rank_allreduce(struct rank *r, uint32_t site, uint64_t count);
void rank_alltoall(struct rank *r, uint32_t site, uint64_t count);
/* counts[0] is the rank's own. */
void rank_alltoallv(struct rank *r, uint32_t site, const uint64_t *counts);
/* The same numbers for the same rank in each run. */
uint64_t rank_random(struct rank *r, uint64_t below);

#endif
