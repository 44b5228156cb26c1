/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to merging and its readers: process files inside a trace file, as leaves of folded
 * sequences (docs/format.md, "Processes in a TRACE file"). A process is a participant; its leaves,
 * in order, generate its file. So what processes have in common (texts, shapes) is stored once, and
 * differences are columns, like other values. */
#ifndef BOB_ARCHIVE_INNER_H
#define BOB_ARCHIVE_INNER_H

#include "archive/merge/merging.h"

/* Kind of a leaf: the first byte of its key. */
enum bob_inner_leaf {
	BOB_INNER_NAME = 'N',	/* form; part of the file's name, which comes first */
	BOB_INNER_HOST = 'O',	/* form; host of the head */
	BOB_INNER_HEAD = 'H',	/* file head: BOB_INNER_HEAD_WORDS words */
	BOB_INNER_CHUNK = 'C',	/* LEB128 kind; words: stream, aux. Begins a chunk */
	BOB_INNER_RECORD = 'R',	/* LEB128 kind. Begins a META record */
	BOB_INNER_TEXT = 'U',	/* form; text */
	BOB_INNER_ENDED = 'T',	/* form; text and a zero byte */
	BOB_INNER_LINE = 'L',	/* form; text and a newline */
	/* LEB128 count of bytes; words, little endian, the last one possibly partial */
	BOB_INNER_BYTES = 'B',
	BOB_INNER_ZEROS = 'Z',	/* one word: number of zero bytes */
	/* a struct bob_rec_image as 7 words; the bias rotated right by 12 bits */
	BOB_INNER_IMAGE = 'I',
	BOB_INNER_STREAM =
		'S' /* bytes 192 to 255 of a stream head as 8 words, some relative to the file
		     * head */
};

#define BOB_INNER_HEAD_WORDS 13u
#define BOB_INNER_BIAS_BITS 12u
#define BOB_INNER_STREAM_AT 192u /* of tid, state, times and name */
#define BOB_INNER_LINE_BYTES 64u /* maximal bytes of a BYTES leaf */
/* Escapes in a form: the digits of a number, which is a word of the leaf (decimal or hexadecimal,
 * without leading zeros); a literal byte. */
#define BOB_INNER_DECIMAL 0u
#define BOB_INNER_HEX 1u
#define BOB_INNER_AS_IS 2u
#define BOB_INNER_TEXT_MAX 120u	/* maximal bytes of text per leaf */

/* Processes per chunk; writing takes 20 kB of memory for each. */
#define BOB_INNER_PROCESSES 2048u
/* Maximal expansion of the INNER chunks of a file: a constant, plus a multiple of their size
 * including unused space. */
#define BOB_INNER_BYTES_ALWAYS (16ull << 20)
#define BOB_INNER_BYTES_TIMES 16384ull

/* inner_leaves.c: conversion of heads to words and back; the host is separate. */
void bob_inner_head_words(const struct bob_file_head *h, uint64_t *word);
void bob_inner_head_of(const uint64_t *word, struct bob_file_head *h);
void bob_inner_stream_words(const struct bob_file_head *h, const uint8_t *bytes, uint64_t *word);
void bob_inner_stream_of(const struct bob_file_head *h, const uint64_t *word, uint8_t *bytes);

/* A decoded process file. */
struct bob_inner_file {
	struct bob_bytes name, bytes;
};

/* inner_read.c: decodes participant `i` of `f` to at most `budget` bytes. The caller frees the
 * members of *out in any case. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
bob_status bob_inner_read(const struct bob_folded *f, uint32_t i, uint64_t budget,
			  struct bob_inner_file *out);

/* inner_texts.c: number of processes by text, as a hash table. Empty if zeroed. */
struct bob_inner_texts {
	struct bob_inner_text *slot;
	size_t slots, count;
	uint32_t processes;	/* number of processes before the current one */
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

/* `numbers`: numbers in the text become words. */
void bob_inner_form(uint8_t leaf, const uint8_t *text, size_t len, int numbers,
		    struct bob_inner_form *f);

/* inner_write.c */
struct bob_inner_member {
	const struct bob_process *process;
	const struct bob_unified_of *of;
	int is_known;		/* an earlier part has its write-once records */
};

/* Makes the payload of an INNER chunk from these processes, numbered from `first`. `how`: settings
 * of lossy folding. Errors: BOB_ERR_NOMEM, BOB_ERR_CORRUPT. */
bob_status bob_inner_pack(const struct bob_inner_member *m, uint32_t count, uint32_t first,
			  const struct bob_fold_settings *how, struct bob_bytes *out);
/* Budget that a reader needs for the process. */
uint64_t bob_inner_budget(const struct bob_process *p);

#endif
