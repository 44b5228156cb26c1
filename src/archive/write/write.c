/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing half of the container: fills headers and records in mapped memory, nothing else. The
 * caller decides when to create a chunk and how large it is. Freestanding, see write.h. */
#include "archive/write/write.h"

#include <string.h>

#include "base/ascii.h"
#include "base/crc.h"
#include "base/plain.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is little endian");

/* --- file head --- */

void bob_file_begin(struct bob_file_head *head, enum bob_file_kind kind, const char *host)
{
	memset(head, 0, sizeof(*head));
	head->magic = BOB_FORMAT_MAGIC;
	head->version = BOB_FORMAT_VERSION;
	head->kind = (uint32_t)kind;
	head->head_bytes = BOB_FILE_HEAD_BYTES;
	head->parent_seq = ~0u;
	head->used = BOB_FILE_HEAD_BYTES;
	for (size_t i = 0; host && host[i] && i < sizeof(head->host) - 1; i++)
		head->host[i] = host[i];
}

void bob_file_seal(struct bob_file_head *head)
{
	head->crc = bob_crc32c(0, head, offsetof(struct bob_file_head, crc));
}

void bob_file_set_used(struct bob_file_head *head, uint64_t used)
{
	__atomic_store_n(&head->used, used, __ATOMIC_RELEASE);
}

void bob_file_end(struct bob_file_head *head, enum bob_file_state state,
		  enum bob_stop_reason reason, uint64_t end_mono_ns)
{
	head->end_mono_ns = end_mono_ns;
	head->stop_reason = (uint32_t)reason;
	__atomic_store_n(&head->state, (uint32_t)state, __ATOMIC_RELEASE);
}

void bob_file_status(struct bob_file_head *head, enum bob_end_source source, uint32_t status)
{
	head->end_status = status;
	__atomic_store_n(&head->end_source, (uint32_t)source, __ATOMIC_RELEASE);
}

/* --- chunks --- */

uint32_t bob_chunk_head_crc(const struct bob_chunk_head *chunk)
{
	uint32_t crc = bob_crc32c(0, &chunk->magic, sizeof(chunk->magic));

	crc = bob_crc32c(crc, &chunk->kind, sizeof(chunk->kind));
	crc = bob_crc32c(crc, &chunk->stream, sizeof(chunk->stream));
	crc = bob_crc32c(crc, &chunk->size, sizeof(chunk->size));
	return bob_crc32c(crc, &chunk->aux, sizeof(chunk->aux));
}

void bob_chunk_begin(struct bob_chunk_head *chunk, enum bob_chunk_kind kind, uint32_t stream,
		     uint64_t size, uint64_t aux)
{
	memset(chunk, 0, sizeof(*chunk));
	chunk->magic = BOB_CHUNK_MAGIC;
	chunk->kind = (uint16_t)kind;
	chunk->stream = stream;
	chunk->size = size;
	chunk->aux = aux;
	chunk->head_crc = bob_chunk_head_crc(chunk);
}

void bob_chunk_seal(struct bob_chunk_head *chunk, uint64_t len)
{
	chunk->len = len;
	chunk->crc = bob_crc32c(0, chunk + 1, len);
	__atomic_store_n(&chunk->flags, (uint16_t)(chunk->flags | BOB_CHUNK_SEALED),
			 __ATOMIC_RELEASE);
}

void bob_chunk_set_len(struct bob_chunk_head *chunk, uint64_t len)
{
	__atomic_store_n(&chunk->len, len, __ATOMIC_RELEASE);
}

/* --- META records --- */

void bob_meta_init(struct bob_meta *m, void *buf, uint64_t cap)
{
	memset(m, 0, sizeof(*m));
	m->buf = buf;
	m->cap = cap;
}

void bob_meta_append(struct bob_meta *m, const void *bytes, uint64_t len)
{
	if (!m->open || m->failed)
		return;
	if (m->cap - m->len - m->open < len || len > UINT32_MAX - m->open) {
		m->failed = 1;
		return;
	}
	if (len)
		memcpy(m->buf + m->len + m->open, bytes, len);
	m->open += len;
}

bob_status bob_meta_begin(struct bob_meta *m, enum bob_record_kind kind)
{
	struct bob_record rec = { .kind = (uint32_t)kind, .len = 0 };

	if (m->open)
		return BOB_ERR_INVAL;
	m->failed = m->cap - m->len < sizeof(rec);
	m->open = sizeof(rec);
	if (!m->failed)
		memcpy(m->buf + m->len, &rec, sizeof(rec));
	return BOB_OK;
}

bob_status bob_meta_end(struct bob_meta *m)
{
	uint64_t open = m->open, pad = -open & 7;
	uint32_t len = (uint32_t)(open - sizeof(struct bob_record));

	if (!open)
		return BOB_ERR_INVAL;
	m->open = 0;
	if (m->failed || m->cap - m->len - open < pad)
		return BOB_ERR_FULL;
	memset(m->buf + m->len + open, 0, pad);
	memcpy(m->buf + m->len + offsetof(struct bob_record, len), &len, sizeof(len));
	m->len += open + pad;
	return BOB_OK;
}

bob_status bob_meta_put(struct bob_meta *m, enum bob_record_kind kind, const void *bytes,
			uint64_t len)
{
	bob_status st = bob_meta_begin(m, kind);

	if (st != BOB_OK)
		return st;
	bob_meta_append(m, bytes, len);
	return bob_meta_end(m);
}

/* --- file names --- */

static size_t put_char(char *buf, size_t cap, size_t at, char c)
{
	if (at < cap)
		buf[at] = c;
	return at + 1;
}

static size_t put_text(char *buf, size_t cap, size_t at, const char *text)
{
	while (*text)
		at = put_char(buf, cap, at, *text++);
	return at;
}

static size_t put_decimal(char *buf, size_t cap, size_t at, uint32_t v)
{
	uint32_t unit = 1;

	while (v / unit >= 10)
		unit *= 10;
	for (; unit; unit /= 10)
		at = put_char(buf, cap, at, (char)('0' + v / unit % 10));
	return at;
}

static char host_char(char c)
{
	return bob_is_word(c) || c == '-' || c == '.' ? c : '_';
}

/* Zero-terminates a name of `len` bytes; returns 0 if it did not fit. */
static size_t finish(char *buf, size_t cap, size_t len)
{
	if (len < cap) {
		buf[len] = 0;
		return len;
	}
	if (cap)
		buf[0] = 0;
	return 0;
}

size_t bob_name_process(char *buf, size_t cap, const char *host, uint32_t pid, uint32_t seq)
{
	size_t at = put_char(buf, cap, 0, 'p');

	if (!host || !host[0])
		host = "host";
	for (size_t i = 0; host[i] && i < sizeof(((struct bob_file_head *)0)->host) - 1; i++)
		at = put_char(buf, cap, at, host_char(host[i]));
	at = put_char(buf, cap, at, '.');
	at = put_decimal(buf, cap, at, pid);
	at = put_char(buf, cap, at, '.');
	at = put_decimal(buf, cap, at, seq);
	at = put_text(buf, cap, at, ".bob");
	return finish(buf, cap, at);
}

size_t bob_name_image(char *buf, size_t cap, uint64_t key)
{
	size_t at = put_char(buf, cap, 0, 'i');

	for (unsigned shift = 64; shift; shift -= 4) {
		unsigned digit = (unsigned)(key >> (shift - 4)) & 15;

		at = put_char(buf, cap, at, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
	}
	at = put_text(buf, cap, at, ".bob");
	return finish(buf, cap, at);
}

int bob_name_is_of_file(const char *name, size_t len)
{
	if (len < 5 || len > BOB_FILE_NAME_MAX || name[len - 4] != '.' || name[len - 3] != 'b' ||
	    name[len - 2] != 'o' || name[len - 1] != 'b')
		return 0;
	for (size_t i = 0; i < len; i++)
		if (name[i] == '/' || bob_text_is_control(name[i]))
			return 0;
	return (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z');
}
