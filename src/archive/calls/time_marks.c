/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns the time marks of all marks files to their threads. */
#include "archive/keyed.h"
#include "archive/reader.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* `name`: pid << 32 | seq of the process. */
static struct bob_process *find_process(const struct bob_trace *t, const struct bob_keyed *pids,
					const struct bob_file *f, uint64_t name)
{
	uint64_t key = bob_key_of_pid((uint32_t)(name >> 32), f->head.host);
	const struct bob_keyed_entry *e = bob_keyed_first(pids, key);

	for (; bob_keyed_is(pids, e, key); e++) {
		struct bob_process *p = t->processes[e->number];

		if (p->info.pid == name >> 32 && p->info.seq == (uint32_t)name &&
		    !strcmp(p->info.host, f->head.host))
			return p;
	}
	return NULL;
}

static struct bob_stream *find_stream(const struct bob_process *p, uint32_t number)
{
	for (size_t i = 0; i < p->stream_count; i++)
		if (p->streams[i]->number == number)
			return p->streams[i];
	return NULL;
}

static bob_status read_chunk(struct bob_trace *t, const struct bob_keyed *pids,
			     const struct bob_file *f, const struct bob_chunk_ref *c)
{
	struct bob_process *p = find_process(t, pids, f, c->head.aux);
	struct bob_stream *s = NULL;
	uint32_t last = 0;
	int has_unknown = 0;

	t->mark_bytes += sizeof(c->head) + bob_chunk_len(c);
	if (!bob_chunk_crc_ok(f, c))
		bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
	for (uint64_t at = 0; bob_chunk_len(c) - at >= sizeof(struct bob_mark);
	     at += sizeof(struct bob_mark)) {
		struct bob_mark m;

		memcpy(&m, f->bytes + c->off + at, sizeof(m));
		if (p && (!s || m.stream != last))
			s = find_stream(p, m.stream);
		last = m.stream;
		if (!s) {
			has_unknown = 1;
			continue;
		}
		if (bob_array_reserve(&s->marks, s->mark_count, &s->mark_cap, sizeof(*s->marks)))
			return BOB_ERR_NOMEM;
		s->marks[s->mark_count].pos = m.pos;
		s->marks[s->mark_count++].mono_ns = m.mono_ns;
	}
	if (has_unknown)
		bob_problem_add(t, f, c->off, "marks of a thread that is not in the trace", 0);
	return BOB_OK;
}

BOB_COMPARE(by_pos, struct bob_mark_info, BOB_UP(pos) BOB_UP(mono_ns))

static bob_status read_all(struct bob_trace *t)
{
	struct bob_keyed pids;
	bob_status st = bob_keyed_pids(&pids, t) ? BOB_OK : BOB_ERR_NOMEM;

	for (size_t i = 0; i < t->file_count; i++) {
		const struct bob_file *f = &t->files[i];

		for (size_t k = 0; f->kind == BOB_FILE_MARKS && k < f->chunk_count && st == BOB_OK;
		     k++)
			if (f->chunks[k].head.kind == BOB_CHUNK_MARKS)
				st = read_chunk(t, &pids, f, &f->chunks[k]);
	}
	bob_keyed_free(&pids);
	return st;
}

bob_status bob_marks_attach(struct bob_trace *t)
{
	if (read_all(t) != BOB_OK)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < t->process_count; i++) {
		struct bob_process *p = t->processes[i];

		for (size_t k = 0; k < p->stream_count; k++)
			if (p->streams[k]->mark_count)
				qsort(p->streams[k]->marks, p->streams[k]->mark_count,
				      sizeof(struct bob_mark_info), by_pos);
	}
	return BOB_OK;
}
