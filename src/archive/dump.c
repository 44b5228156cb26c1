/* SPDX-License-Identifier: BSD-3-Clause */
/* The textual form of a trace (docs/format.md, "Dump"). The output of the C reader and that of the
 * independent decoder must be identical. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/dump.h"
#include "archive/reader.h"
#include "base/host/vec.h"

void bob_dump_safe(const char *text, FILE *to)
{
	for (; *text; text++) {
		unsigned char b = (unsigned char)*text;

		if (b < 0x20 || b == 0x7f || b == '\\')
			fprintf(to, "\\x%02x", b);
		else
			putc(b, to);
	}
}

void bob_archive_print_name(const struct bob_trace *t, uint32_t process, uint32_t id, FILE *to)
{
	struct bob_function_info fn;
	const struct bob_image *im;

	if (bob_trace_function(t, process, id, &fn) != BOB_OK) {
		fprintf(to, "?%" PRIu32, id);
		return;
	}
	im = &t->processes[process]->images[fn.image];
	if (!im->file || bob_image_place(im, id - im->info.first_id) >= im->head.count) {
		fprintf(to, "?%" PRIu32, id);
		return;
	}
	bob_dump_safe(im->info.soname, to);
	if (fn.name[0]) {
		putc('!', to);
		bob_dump_safe(fn.name, to);
	} else {
		fprintf(to, "+0x%" PRIx64, fn.addr);
	}
}

/* `*stack`: stack of the previous line. */
static void print_event(const struct bob_trace *t, uint32_t process, const struct bob_event *ev,
			uint32_t *stack, FILE *to)
{
	if (ev->kind == BOB_EVENT_VALUES || ev->kind == BOB_EVENT_NO_PLACE) {
		fprintf(to, "E %d %" PRIu32 "\n",
			ev->kind == BOB_EVENT_VALUES ? BOB_VALUE_BEGIN : BOB_VALUE_NO_MARK, ev->id);
		return;
	}
	fprintf(to, "%" PRIu64 " %c %" PRIu32 " ", ev->index,
		ev->kind == BOB_EVENT_ENTRY ? '>' : '<', ev->depth);
	bob_archive_print_name(t, process, ev->id, to);
	if (ev->notes & BOB_NOTE_SIGNAL)
		fputs(" !signal", to);
	if (ev->notes & BOB_NOTE_ORPHAN)
		fputs(" !orphan", to);
	if (ev->stack != *stack)
		fprintf(to, " !stack %" PRIu32, ev->stack);
	if (ev->notes & BOB_NOTE_PAUSED)
		fputs(" !gap", to);
	if (ev->notes & BOB_NOTE_LOST)
		fputs(" !lost", to);
	putc('\n', to);
	*stack = ev->stack;
}

void bob_dump_address(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		      FILE *to)
{
	const struct bob_image_info *im = bob_trace_image(t, process, image);

	if (im)
		bob_dump_safe(im->soname, to);
	else if (image != BOB_MEM_NO_IMAGE)
		fprintf(to, "?%" PRIu32, image);
	fprintf(to, "%s0x%" PRIx64, image == BOB_MEM_NO_IMAGE ? "" : "+", pc);
}

static void print_access(const struct bob_trace *t, uint32_t process, uint64_t index,
			 const struct bob_access *a, FILE *to)
{
	fprintf(to, "%" PRIu64 " %c 0x%" PRIx64 " %u ", index, "LSA"[a->type], a -> address,
		a -> size);
	bob_dump_address(t, process, a->image, a->pc, to);
	fputs(a->flags & BOB_ACCESS_LOST ? " !lost\n" : "\n", to);
}

static void print_sync(const struct bob_access_cursor *c, FILE *to)
{
	struct bob_sync_event s;

	bob_access_cursor_sync(c, &s);
	fprintf(to, "Y %" PRIu32 " 0x%" PRIx64 " %" PRIu64 "\n", s.kind, s.object, s.number);
}

static void print_value(const struct bob_value_place *v, FILE *to)
{
	fprintf(to, "E %" PRIu32 " %" PRIu64 "\n", v->kind, v->what + v->count);
}

static bob_status dump_accesses(const struct bob_trace *t, uint32_t thread, FILE *to)
{
	struct bob_access_cursor *c;
	struct bob_value_place value;
	struct bob_access batch[256];
	uint64_t index = 0;
	size_t n;
	bob_status st = bob_access_cursor_open(t, thread, &c, NULL);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	fputs("accesses\n", to);
	bob_access_cursor_stop_at_syncs(c, 0);
	bob_access_cursor_stop_at_values(c);
	while ((st = bob_access_cursor_read(c, batch, 256, &n, NULL)) == BOB_OK || st == BOB_NONE ||
	       st == BOB_ERR_CORRUPT) {
		if (st == BOB_ERR_CORRUPT)
			fputs("damaged\n", to);
		else if (st == BOB_NONE && bob_access_cursor_value(c, &value))
			print_value(&value, to);
		else if (st == BOB_NONE)
			print_sync(c, to);
		for (size_t i = 0; st == BOB_OK && i < n; i++)
			print_access(t, t->threads[thread]->info.process, index++, &batch[i], to);
	}
	bob_access_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

static bob_status dump_events(const struct bob_trace *t, uint32_t thread, FILE *to)
{
	struct bob_cursor *c;
	struct bob_event ev;
	struct bob_error err;
	uint32_t stack = 0;
	bob_status st;

	if (thread < t->thread_count && t->threads[thread]->info.codec == BOB_CODEC_NULL)
		return BOB_OK;
	st = bob_cursor_open(t, thread, &c, &err);
	if (st != BOB_OK)
		return st;
	bob_cursor_enable_values(c);
	while ((st = bob_cursor_next(c, &ev, &err)) != BOB_END) {
		if (st == BOB_OK)
			print_event(t, t->threads[thread]->info.process, &ev, &stack, to);
		else if (st == BOB_ERR_CORRUPT)
			fputs("damaged\n", to);
		else
			break;
	}
	bob_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

bob_status bob_archive_dump_thread(const struct bob_trace *t, uint32_t thread, FILE *to)
{
	bob_status st = dump_events(t, thread, to);

	if (st == BOB_OK)
		st = dump_accesses(t, thread, to);
	if (st == BOB_OK)
		st = bob_dump_values(t, thread, to);
	if (st == BOB_OK)
		st = bob_dump_spans(t, thread, to);
	return st == BOB_OK && ferror(to) ? BOB_ERR_IO : st;
}

static void print_shape(size_t process, const struct bob_recorded_shape *s, FILE *to)
{
	fprintf(to, "shape %zu 0x%" PRIx64 " %" PRIu32 " %s", process, s->rec.address,
		s->rec.element, s->rec.flags & BOB_SHAPE_ROWS_FIRST ? "last" : "first");
	for (uint32_t d = 0; d < s->rec.rank; d++)
		fprintf(to, " %" PRId64 ":%" PRId64, s->bounds[d][0], s->bounds[d][1]);
	putc('\n', to);
}

bob_status bob_archive_dump_shapes(const struct bob_trace *t, FILE *to)
{
	for (size_t i = 0; i < t->process_count; i++)
		for (size_t k = 0; k < t->processes[i]->shape_count; k++)
			print_shape(i, &t->processes[i]->shapes[k], to);
	return ferror(to) ? BOB_ERR_IO : BOB_OK;
}

/* --- lines and variables --- */

static void print_objects(const char *what, const struct bob_source_object *o, size_t count,
			  FILE *to)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(to, "%s 0x%" PRIx64 " %" PRIu64 " ", what, o[i].addr, o[i].size);
		bob_dump_safe(o[i].name, to);
		putc('\n', to);
	}
}

static void print_inlined(const struct bob_source *s, FILE *to)
{
	for (size_t i = 0; i < s->texts; i++) {
		fputs("text ", to);
		bob_dump_safe(s->text[i], to);
		putc('\n', to);
	}
	for (size_t i = 0; i < s->inlined_count; i++) {
		const struct bob_source_inlined *c = &s->inlined[i];

		fprintf(to, "inlined %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
			c->parent + 1, c->function + 1, c->file + 1, c->line);
	}
	for (size_t i = 0; i < s->rows; i++)
		if (s->row[i].inlined)
			fprintf(to, "in 0x%" PRIx64 " %" PRIu32 "\n", s->row[i].pc,
				s->row[i].inlined);
}

static void print_source(const struct bob_image *im, FILE *to)
{
	const struct bob_source *s = im->source;

	fputs("source ", to);
	bob_dump_safe(im->info.soname, to);
	putc('\n', to);
	for (size_t i = 0; i < s->files; i++) {
		fputs("file ", to);
		bob_dump_safe(s->file[i], to);
		putc('\n', to);
	}
	for (size_t i = 0; i < s->places; i++) {
		fprintf(to, "place %" PRIu32 " %" PRId64 " %" PRIu64 " ", s->place[i].kind,
			s->place[i].frame, s->place[i].size);
		bob_dump_safe(s->place[i].name, to);
		putc('\n', to);
	}
	print_objects("section", s->section, s->sections, to);
	print_objects("object", s->object, s->objects, to);
	for (size_t i = 0; i < s->rows; i++) {
		const struct bob_source_row *r = &s->row[i];

		fprintf(to, "row 0x%" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
			r->pc, r->file + 1, r->line, r->load, r->store);
	}
	print_inlined(s, to);
}

/* Images are shared by processes; each is printed once. */
bob_status bob_archive_dump_sources(const struct bob_trace *t, FILE *to)
{
	BOB_VEC(const struct bob_source *) done = { 0 };

	for (size_t i = 0; i < t->process_count; i++)
		for (size_t k = 0; k < t->processes[i]->image_count; k++) {
			const struct bob_image *im = &t->processes[i]->images[k];
			size_t n = 0;

			while (n < done.count && done.at[n] != im->source)
				n++;
			if (!im->source || n < done.count)
				continue;
			if (BOB_VEC_ADD(&done, im->source)) {
				BOB_VEC_FREE(&done);
				return BOB_ERR_NOMEM;
			}
			print_source(im, to);
		}
	BOB_VEC_FREE(&done);
	return ferror(to) ? BOB_ERR_IO : BOB_OK;
}

bob_status bob_archive_dump(const struct bob_trace *t, FILE *to)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < t->thread_count && st == BOB_OK; i++) {
		fprintf(to, "thread %" PRIu32 ".%" PRIu32 "\n", t->threads[i]->info.process,
			t->threads[i]->info.number);
		st = bob_archive_dump_thread(t, i, to);
	}
	if (st == BOB_OK)
		st = bob_archive_dump_shapes(t, to);
	if (st == BOB_OK)
		st = bob_archive_dump_times(t, to);
	if (st == BOB_OK)
		st = bob_archive_dump_sets(t, to);
	return st == BOB_OK ? bob_archive_dump_sources(t, to) : st;
}
