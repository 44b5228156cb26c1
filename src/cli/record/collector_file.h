/* SPDX-License-Identifier: BSD-3-Clause */
/* A process's file, as its collector reads and writes it: mapped up to its maximum size, with the
 * rings and descriptors among its chunks, and windows of chunks that the collector allocates. Data
 * of the process are checked before use.
 *
 * One thread. The struct is the caller's, zeroed; close frees what it refers to. */
#ifndef BOB_CLI_COLLECTOR_FILE_H
#define BOB_CLI_COLLECTOR_FILE_H

#include "archive/write/ring.h"

#define CLI_CFILE_BLOCKS 65536u

struct cli_cstream {		/* one per ring */
	struct bob_ring *ring;
	uint32_t number;
	int over;		/* finished, or failed */
	void *work;		/* memory of the writer; NULL: not yet, or no longer */
	uint64_t committed;	/* in words */
	struct bob_mem_writer writer;
};

struct cli_cfile {
	int fd;
	uint8_t *file;
	uint64_t map_len;
	struct bob_collector *shared; /* NULL: not found */
	struct cli_cstream **stream;
	uint32_t streams;
	uint32_t rings_seen;	/* of shared->rings */
	int process;		/* a pidfd, or a constant of collector.c */
	const char *name;	/* of the file, without folders */
	/* space allocated in the file */
	uint8_t *window;
	uint64_t window_size, window_used, window_next;
	/* descriptors, in blocks; and scratch to decode one */
	struct bob_mem_desc *block[CLI_CFILE_BLOCKS];
	struct bob_mem_access accesses[BOB_MEM_ACCESSES_MAX];
	struct bob_mem_step steps[BOB_MEM_WORDS_MAX];
};

/* 0, or -1. */
int cli_cfile_open(struct cli_cfile *c, const char *path);
void cli_cfile_close(struct cli_cfile *c);
struct bob_file_head *cli_cfile_head(const struct cli_cfile *c);
/* Length of the file's used part. */
uint64_t cli_cfile_len(const struct cli_cfile *c);
/* Scans all chunks for new ones; they are few, and scans are rare. */
void cli_cfile_scan(struct cli_cfile *c);
/* Callbacks for the folding library; `ctx` is the struct. */
const struct bob_mem_desc *cli_cfile_desc(void *ctx, uint32_t number);
struct bob_chunk_head *cli_cfile_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				       uint64_t size, uint64_t aux, uint64_t *off);
/* Logs a line, with its newline, in the trace (bobbin info). */
void cli_cfile_note(struct cli_cfile *c, const char *line);
/* After the process has ended: frees the unused end of the file, which no other process writes any
 * more. */
void cli_cfile_trim(struct cli_cfile *c);

#endif
