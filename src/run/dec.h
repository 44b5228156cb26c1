/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the decoders of RUN and of the 16-bit-word codecs, and their interface to decode.c. */
#ifndef BOB_RUN_DEC_H
#define BOB_RUN_DEC_H

#include "run/model.h"
#include "run/parlot.h"
#include "run/run.h"

enum phase {
	PHASE_FRESH,		/* the previous event was coded: read whether an escape follows */
	PHASE_RUN,		/* hits up to the next open point */
	PHASE_ESCAPE		/* `left` hits, then a miss */
};

struct run_dec {
	struct model model;
	struct coder coder;
	uint64_t left;
	enum phase phase;
};

struct word_dec {
	struct lz lz;
	const uint8_t *in, *end;
	uint32_t left;		/* words of the match */
	uint32_t ended;		/* the input is exhausted */
};

struct bob_run_dec {
	struct bob_run_input in;
	struct bob_run_io io;
	uint8_t *mem;
	size_t mem_bytes;
	uint64_t done;
	int32_t failed;
	union {
		struct run_dec run;
		struct word_dec word;
	} u;
};

/* The decoders proper. They decode exactly `want` symbols; on BOB_ERR_CORRUPT *n is the number of
 * complete ones. */
void bob_run_dec_init_run(struct bob_run_dec *dec);
bob_status bob_run_dec_run(struct bob_run_dec *dec, uint32_t *syms, size_t want, size_t *n);
void bob_run_dec_init_words(struct bob_run_dec *dec);
bob_status bob_run_dec_words(struct bob_run_dec *dec, uint32_t *syms, size_t want, size_t *n);

#endif
