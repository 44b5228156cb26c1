/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of file heads and stream heads to words. Times are stored as differences, so that
 * ranks differ little; redundant fields are omitted. */
#include <string.h>

#include "archive/merge/inner.h"
#include "archive/write/write.h"
#include "base/crc.h"

/* In the word whose lowest bit says that the process has ended: source and exit status. */
#define SOURCE_BIT 1
#define SOURCE_MASK 0x7fffffffu
#define STATUS_BIT 32

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static uint32_t crc_of(const struct bob_file_head *h)
{
	return bob_crc32c(0, h, offsetof(struct bob_file_head, crc));
}

void bob_inner_head_words(const struct bob_file_head *h, uint64_t *word)
{
	const uint64_t w[BOB_INNER_HEAD_WORDS] = {
		pair(h->version, h->kind),
		pair(h->head_bytes, h->seq),
		h->pid,
		(uint64_t)h->ppid - h->pid,
		h->start_real_ns,
		h->start_mono_ns - h->start_real_ns,
		h->parent_pos,
		pair(h->parent_pid, h->parent_seq),
		h->parent_stream,
		h->crc ^ crc_of(h),
		pair(h->state, h->stop_reason),
		(h->end_mono_ns != 0) | (uint64_t)h->end_source << SOURCE_BIT |
			(uint64_t)h->end_status << STATUS_BIT,
		h->end_mono_ns ? h->end_mono_ns - h->start_mono_ns : 0,
	};

	memcpy(word, w, sizeof(w));
}

void bob_inner_head_of(const uint64_t *word, struct bob_file_head *h)
{
	h->magic = BOB_FORMAT_MAGIC;
	h->version = (uint32_t)word[0];
	h->kind = (uint32_t)(word[0] >> 32);
	h->head_bytes = (uint32_t)word[1];
	h->seq = (uint32_t)(word[1] >> 32);
	h->pid = (uint32_t)word[2];
	h->ppid = (uint32_t)(word[2] + word[3]);
	h->start_real_ns = word[4];
	h->start_mono_ns = word[4] + word[5];
	h->parent_pos = word[6];
	h->parent_pid = (uint32_t)word[7];
	h->parent_seq = (uint32_t)(word[7] >> 32);
	h->parent_stream = (uint32_t)word[8];
	h->crc = crc_of(h) ^ (uint32_t)word[9];
	h->state = (uint32_t)word[10];
	h->stop_reason = (uint32_t)(word[10] >> 32);
	h->end_mono_ns = word[11] & 1 ? h->start_mono_ns + word[12] : 0;
	h->end_source = (uint32_t)(word[11] >> SOURCE_BIT) & SOURCE_MASK;
	h->end_status = (uint32_t)(word[11] >> STATUS_BIT);
}

/* Tid and state; start; end. */
void bob_inner_stream_words(const struct bob_file_head *h, const uint8_t *bytes, uint64_t *word)
{
	memcpy(word, bytes, BOB_INNER_LINE_BYTES);
	word[0] -= h->pid;
	word[1] -= h->start_mono_ns;
	word[2] -= h->end_mono_ns;
}

void bob_inner_stream_of(const struct bob_file_head *h, const uint64_t *word, uint8_t *bytes)
{
	uint64_t w[BOB_INNER_LINE_BYTES / sizeof(uint64_t)];

	memcpy(w, word, sizeof(w));
	w[0] += h->pid;
	w[1] += h->start_mono_ns;
	w[2] += h->end_mono_ns;
	memcpy(bytes, w, sizeof(w));
}
