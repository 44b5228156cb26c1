/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to merging and its readers: the form of processes inside a trace file, as leaves of
 * folded sequences (docs/format.md, "Processes in a TRACE file"). A process is a participant, and
 * its leaves, one after the other, give its file. So what processes have in common -- texts, shapes
 * -- is stored once, and differences are columns, like other values. */
#ifndef BOB_ARCHIVE_INNER_H
#define BOB_ARCHIVE_INNER_H

#include "archive/merge/merging.h"

/* The first byte of a leaf's key. */
enum bob_inner_leaf {
	BOB_INNER_NAME = 'N',	/* form; the file's name, which comes first */
	BOB_INNER_HOST = 'O',	/* form; the head's host */
	BOB_INNER_HEAD = 'H',	/* the head: BOB_INNER_HEAD_WORDS words */
	BOB_INNER_CHUNK = 'C',	/* LEB128 kind; words: stream, aux. What follows is its payload */
	BOB_INNER_RECORD = 'R',	/* LEB128 kind; what follows is its body */
	BOB_INNER_TEXT = 'U',	/* form */
	BOB_INNER_ENDED = 'T',	/* form; and a zero byte */
	BOB_INNER_LINE = 'L',	/* form; and a newline */
	/* LEB128 count; words, little endian, the last one perhaps not whole */
	BOB_INNER_BYTES = 'B',
	BOB_INNER_ZEROS = 'Z',	/* one word: so many zero bytes */
	/* a struct bob_rec_image as 7 words; the bias turned right by 12 bits */
	BOB_INNER_IMAGE = 'I',
	BOB_INNER_STREAM =
		'S' /* bytes 192 to 255 of a stream head as 8 words, some less what the file's head says */
};

#define BOB_INNER_HEAD_WORDS 13u
#define BOB_INNER_BIAS_BITS 12u
#define BOB_INNER_STREAM_AT 192u /* tid, state, times, name */
#define BOB_INNER_LINE_BYTES 64u /* of what is binary, a leaf */
/* In a form: a number is in the place of its digits, decimal or hexadecimal, without leading zeros;
 * the next byte is meant as it is. */
#define BOB_INNER_DECIMAL 0u
#define BOB_INNER_HEX 1u
#define BOB_INNER_AS_IS 2u
#define BOB_INNER_TEXT_MAX 120u	/* bytes of a text that one leaf has */

/* Processes in one chunk: while it is made, 20 kB of memory for each. */
#define BOB_INNER_PROCESSES 2048u
/* The most bytes that the INNER chunks of a file may expand to: a constant, plus a multiple of
 * their size, unused space included. */
#define BOB_INNER_BYTES_ALWAYS (16ull << 20)
#define BOB_INNER_BYTES_TIMES 16384ull

/* inner_leaves.c: a head as words, and back, given its host. */
void bob_inner_head_words(const struct bob_file_head *h, uint64_t *word);
void bob_inner_head_of(const uint64_t *word, struct bob_file_head *h);
void bob_inner_stream_words(const struct bob_file_head *h, const uint8_t *bytes, uint64_t *word);
void bob_inner_stream_of(const struct bob_file_head *h, const uint64_t *word, uint8_t *bytes);

/* A file of a process, as its leaves say. */
struct bob_inner_file {
	struct bob_bytes name, bytes;
};

/* inner_read.c: participant `i` of `f`, in at most `budget` bytes. The caller frees what is in *out,
 * whatever comes back. BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_inner_read(const struct bob_folded *f, uint32_t i, uint64_t budget,
			  struct bob_inner_file *out);

/* inner_texts.c: by how many processes each text is had; a zeroed struct has none. */
struct bob_inner_texts {
	struct bob_inner_text *slot;
	size_t slots, count;
	uint32_t processes;	/* before the one whose texts are added */
};

bob_status bob_inner_text_add(struct bob_inner_texts *t, uint64_t hash);
uint32_t bob_inner_text_count(const struct bob_inner_texts *t, uint64_t hash);
void bob_inner_texts_free(struct bob_inner_texts *t);

/* A text of at most BOB_INNER_TEXT_MAX bytes as key and words of a leaf. */
struct bob_inner_form {
	uint8_t key[1 + 2 * BOB_INNER_TEXT_MAX];
	size_t len;
	uint64_t word[BOB_INNER_TEXT_MAX];
	uint32_t words;
};

/* `numbers`: these are taken out. */
void bob_inner_form(uint8_t leaf, const uint8_t *text, size_t len, int numbers,
		    struct bob_inner_form *f);

/* inner_write.c */
struct bob_inner_member {
	const struct bob_process *process;
	const struct bob_unified_of *of;
	int is_known;		/* an earlier part has what it said when it began */
};

/* The payload of a chunk INNER: these processes, numbered from `first` on. `how`: what was given
 * up. BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_inner_pack(const struct bob_inner_member *m, uint32_t count, uint32_t first,
			  const struct bob_fold_settings *how, struct bob_bytes *out);
/* What reading it takes of what a chunk may say. */
uint64_t bob_inner_budget(const struct bob_process *p);

#endif
