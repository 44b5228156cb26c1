/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification: reads every byte, and makes the checks that opening a trace omits. */
#include "archive/reader.h"

#include <string.h>

/* Has opening the trace reported it already? */
static int is_listed(const struct bob_trace *t, const struct bob_file *f, uint64_t offset,
		     const char *text)
{
	for (size_t i = 0; i < t->problem_count; i++)
		if (t->problems[i].file == f->name && t->problems[i].offset == offset &&
		    !strcmp(t->problems[i].text, text))
			return 1;
	return 0;
}

static int is_known(uint32_t kind)
{
	return (kind >= BOB_CHUNK_META && kind <= BOB_CHUNK_EXACT_HEADS) ||
	       (kind >= BOB_CHUNK_FOLD && kind <= BOB_CHUNK_INNER) ||
	       (kind >= BOB_CHUNK_SETS && kind <= BOB_CHUNK_RING) ||
	       kind == BOB_CHUNK_TABLE_TIMES ||
	       (kind >= BOB_CHUNK_TABLE_BEFORE && kind <= BOB_CHUNK_TABLE_SETS) ||
	       kind == BOB_CHUNK_TABLE_INLINED;
}

static void verify_chunks(struct bob_trace *t, const struct bob_file *f)
{
	static const char wrong[] = "the checksum of a chunk does not match";

	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];
		uint32_t kind = c->head.kind;

		if (!is_known(kind))
			bob_problem_add(t, f, c->off, "a chunk of unknown kind", 0);
		/* these were checked when the trace was opened */
		if (f->kind == BOB_FILE_PROCESS &&
		    (kind == BOB_CHUNK_META || kind == BOB_CHUNK_LOG || kind == BOB_CHUNK_STREAM))
			continue;
		if (f->kind == BOB_FILE_MARKS && kind == BOB_CHUNK_MARKS)
			continue;
		if (!bob_chunk_crc_ok(f, c) && !is_listed(t, f, c->off, wrong))
			bob_problem_add(t, f, c->off, wrong, 1);
	}
}

/* Checks that names lie inside their table. */
static void verify_image(struct bob_trace *t, const struct bob_image *im)
{
	struct bob_image_func fn;
	uint64_t last = 0;
	uint32_t before = 0;

	for (uint32_t i = 0; bob_image_function(im, i, &fn) == BOB_OK; i++) {
		if ((fn.name != ~0u && fn.name >= im->head.names_len) ||
		    (fn.file != ~0u && fn.file >= im->head.names_len)) {
			bob_problem_add(t, im->file, im->off + im->head.func_off + i * sizeof(fn),
					"a name is outside its table", 1);
			return;
		}
		if (fn.addr < last) {
			bob_problem_add(t, im->file, im->off + im->head.func_off + i * sizeof(fn),
					"functions are not sorted by address", 0);
			return;
		}
		last = fn.addr;
		if (im->head.left_out && (fn.before < before || fn.before > im->head.left_out)) {
			bob_problem_add(t, im->file, im->off + im->head.func_off + i * sizeof(fn),
					"functions that are left out do not count up", 1);
			return;
		}
		before = fn.before;
	}
}

static bob_status verify_thread(struct bob_trace *t, uint32_t thread)
{
	const struct bob_stream *s = t->threads[thread];
	struct bob_cursor_faults faults;
	struct bob_cursor *c;
	struct bob_event ev;
	struct bob_error err;
	uint64_t entries = 0;
	const uint64_t limited = bob_trace_limited(t);
	bob_status st = bob_cursor_open(t, thread, &c, &err);

	if (st != BOB_OK)
		return st;
	for (;;) {
		st = bob_cursor_next(c, &ev, &err);
		if (st == BOB_OK) {
			entries += ev.kind == BOB_EVENT_ENTRY;
			continue;
		}
		if (st == BOB_END || st == BOB_ERR_NOMEM)
			break;
		bob_problem_add(t, s->file, err.offset, err.text, 1);
		if (st != BOB_ERR_CORRUPT)
			break;
	}
	bob_cursor_faults(c, &faults);
	bob_cursor_close(c);
	if (faults.clamped)
		bob_problem_add(t, s->file, s->head_off, "more exits than open frames", 1);
	if (faults.unknown)
		bob_problem_add(t, s->file, s->head_off, "symbols of unknown meaning", 1);
	if (st == BOB_END && bob_trace_limited(t) == limited &&
	    entries < bob_trace_thread(t, thread)->events)
		bob_problem_add(t, s->file, s->head_off, "some of the stream's entries are lost",
				1);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* Checks all memory records. Loops are not expanded, because a damaged counter may have any
 * value. */
static bob_status verify_records(struct bob_trace *t, uint32_t thread)
{
	const struct bob_stream *s = t->threads[thread];
	const struct bob_process *p = t->processes[s->info.process];
	struct bob_mem_record rec;
	struct bob_mem_walk w;
	struct bob_records r;
	struct bob_error err;
	struct bob_allowance allowed = bob_allowance_of(t);
	size_t unknown = 0;
	bob_status st;

	bob_records_open(&r, p, s);
	while ((st = bob_records_next(&r, &rec, &err)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		if (!bob_allowance_take(&allowed)) {
			st = BOB_END;
			break;
		}
		if (st == BOB_ERR_CORRUPT) {
			bob_problem_add(t, s->file, err.offset, err.text, 1);
			continue;
		}
		if (bob_mem_walk_begin(&w, rec.desc, rec.word, rec.count, 0) != BOB_OK)
			bob_problem_add(t, s->file, bob_records_where(&r),
					"a memory record is not what its descriptor says", 1);
		unknown += rec.desc->image != BOB_MEM_NO_IMAGE &&
			   bob_desc_image(p, rec.desc) >= p->image_count;
	}
	bob_records_close(&r);
	if (unknown)
		bob_problem_add(t, s->file, s->head_off, "accesses of an unknown image", 1);
	return st == BOB_END ? BOB_OK : st;
}

/* Checks that each event has its times; in a killed process the newest event may lack some. */
static bob_status verify_moments(struct bob_trace *t, const struct bob_stream *s, uint64_t complete,
				 int has_open)
{
	struct bob_exact_reader r;
	struct bob_error err;
	uint64_t value;
	bob_status st;

	if (!s->mpi.exact_count)
		return BOB_OK;
	bob_exact_open(&r, &s->mpi);
	while ((st = bob_exact_next(&r, &value, &err)) == BOB_OK)
		;
	bob_exact_close(&r);
	if (st == BOB_ERR_CORRUPT)
		bob_problem_add(t, s->file, err.offset, err.text, 1);
	else if (st == BOB_END && (r.index < 2 * complete || r.index > 2 * complete + 2 ||
				   (r.index > 2 * complete && !has_open &&
				    t->processes[s->info.process]->info.state == BOB_FILE_CLOSED)))
		bob_problem_add(
			t, s->file, s->head_off,
			"events and the moments when they began and ended do not go together", 1);
	return st == BOB_ERR_NOMEM ? st : BOB_OK;
}

/* Checks all events with values. */
static bob_status verify_events(struct bob_trace *t, uint32_t thread)
{
	uint64_t complete = 0;
	int damaged = 0, open = 0;
	const struct bob_stream *s = t->threads[thread];
	struct bob_value_cursor *c;
	struct bob_value_event e;
	struct bob_error err;
	const uint64_t limited = bob_trace_limited(t);
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, &err);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	while ((st = bob_value_cursor_next(c, &e, &err)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		if (st == BOB_ERR_CORRUPT)
			bob_problem_add(t, s->file, err.offset, err.text, 1);
		else if (e.lost)
			bob_problem_add(t, s->file, s->head_off, "events are missing", 1);
		damaged |= st != BOB_OK || e.lost;
		complete += st == BOB_OK && !e.open;
		open |= e.open;
	}
	bob_value_cursor_close(c);
	if (st != BOB_END)
		return st;
	if (damaged || bob_trace_limited(t) != limited)
		return BOB_OK;
	return verify_moments(t, s, complete, open);
}

bob_status bob_trace_verify(struct bob_trace *t)
{
	bob_status st = BOB_OK;

	if (t->verified)
		return BOB_OK;
	for (size_t i = 0; i < t->file_count; i++)
		if (t->files[i].kind)
			verify_chunks(t, &t->files[i]);
	for (size_t i = 0; i < t->process_count; i++)
		for (size_t k = 0; k < t->processes[i]->image_count; k++)
			verify_image(t, &t->processes[i]->images[k]);
	for (uint32_t i = 0; i < t->thread_count && st == BOB_OK; i++)
		if (t->threads[i]->info.codec != BOB_CODEC_NULL)
			st = verify_thread(t, i);
	for (uint32_t i = 0; i < t->thread_count && st == BOB_OK; i++)
		st = verify_records(t, i);
	for (uint32_t i = 0; i < t->thread_count && st == BOB_OK; i++)
		st = verify_events(t, i);
	t->verified = st == BOB_OK;
	return st;
}
