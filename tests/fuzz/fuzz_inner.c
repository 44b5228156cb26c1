/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes in a trace file. Packed leaves, the first byte being 0: read or refused, within the
 * budget. Else the input is chunks of a process file, kind, count of bytes, bytes each: packed as
 * two processes and read again, they are what they were. */
#include <stdlib.h>
#include <string.h>

#include "archive/folds.h"
#include "archive/merge/inner.h"
#include "archive/write/write.h"

#define BUDGET (1u << 20)
#define FILE_BYTES (1u << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void free_file(struct bob_inner_file *f)
{
	free(f->name.at);
	free(f->bytes.at);
}

static void read_packed(const uint8_t *data, size_t size)
{
	struct bob_folded *f;

	if (bob_folded_unpack(data, size, &bob_alloc_malloc, &f) != BOB_OK)
		return;
	for (uint32_t i = 0; i < bob_folded_count(f) && i < 8; i++) {
		struct bob_inner_file out = { 0 };

		if (bob_inner_read(f, i, BUDGET, &out) == BOB_OK)
			must(out.bytes.len <= BUDGET && out.bytes.len >= BOB_FILE_HEAD_SHORT);
		free_file(&out);
	}
	bob_folded_close(f);
}

/* Chunks as any writer makes them, whatever they hold. */
static uint64_t build(uint8_t *file, const uint8_t *data, size_t size)
{
	static const uint32_t kind[] = { BOB_CHUNK_META, BOB_CHUNK_STREAM, BOB_CHUNK_LOG,
					 BOB_CHUNK_META };
	struct bob_file_head *h = (struct bob_file_head *)(void *)file;
	uint64_t at = BOB_FILE_HEAD_BYTES;

	bob_file_begin(h, BOB_FILE_PROCESS, "fuzz07");
	if (size >= 16)
		memcpy(&h->pid, data, 16);
	h->host[8] = size ? (char)data[0] : 0;
	bob_file_seal(h);
	while (size > 2) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(file + at);
		uint64_t len = data[1] * 4u < size - 2 ? data[1] * 4u : size - 2;

		if (FILE_BYTES - at < bob_chunk_bytes(len))
			break;
		bob_chunk_begin(c, kind[data[0] & 3], data[0] >> 2, len, data[0]);
		memcpy(c + 1, data + 2, len);
		bob_chunk_seal(c, len);
		at += bob_chunk_bytes(len);
		data += 2 + len;
		size -= 2 + len;
	}
	h->state = BOB_FILE_CLOSED;
	h->used = at;
	return at;
}

/* All but `used`; after the old contents, the new ones. */
static void compare(const struct bob_inner_file *f, const uint8_t *file, uint64_t len)
{
	const size_t used = offsetof(struct bob_file_head, used), end = used + sizeof(uint64_t);

	must(f->bytes.len > len && !memcmp(f->bytes.at, file, used));
	must(!memcmp(f->bytes.at + end, file + end, len - end));
}

static void round_trip(const uint8_t *data, size_t size)
{
	uint8_t *file = aligned_alloc(64, FILE_BYTES);
	struct bob_memory_file m[2] = { { "pfuzz07.1.0.bob", file, 0 },
					{ "pfuzz07.2.0.bob", file, 0 } };
	struct bob_inner_member member[2];
	struct bob_unified u = { 0 };
	struct bob_bytes packed = { 0 };
	struct bob_folded *f;
	struct bob_trace *t;

	must(file != NULL);
	memset(file, 0, FILE_BYTES);
	m[0].len = m[1].len = build(file, data, size);
	if (bob_archive_open_memory(m, 2, &t, NULL) != BOB_OK) {
		free(file);
		return;
	}
	must(t->process_count == 2);
	u.of = calloc(1, sizeof(*u.of));
	must(u.of != NULL);
	for (int i = 0; i < 2; i++)
		member[i] = (struct bob_inner_member){ .process = t->processes[i], .of = u.of };
	must(bob_inner_pack(member, 2, 7, NULL, &packed) == BOB_OK);
	must(bob_folded_unpack(packed.at, packed.len, &bob_alloc_malloc, &f) == BOB_OK);
	must(bob_folded_count(f) == 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct bob_inner_file out = { 0 };

		must(bob_folded_id(f, i) == (uint64_t)(7 + i) << 32);
		must(bob_inner_read(f, i, bob_inner_budget(t->processes[i]), &out) == BOB_OK);
		must(!memcmp(out.name.at, t->processes[i]->file->name, out.name.len));
		compare(&out, file, m[0].len);
		free_file(&out);
	}
	bob_folded_close(f);
	free(packed.at);
	free(u.of);
	bob_trace_close(t);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1 && !data[0])
		read_packed(data + 1, size - 1);
	else
		round_trip(data, size);
	return 0;
}
