/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the memory accesses of threads as text in three formats, or as binary records. Traces have
 * hundreds of millions of accesses, so numbers are formatted by hand and not by printf. */
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "analysis/interleave/turns.h"
#include "archive/events/mpi_functions.h"
#include "base/assert.h"
#include "export/export.h"

BOB_STATIC_ASSERT(sizeof(struct bob_access_head) == 32, "head of binary accesses");
BOB_STATIC_ASSERT(sizeof(struct bob_access_record) == 32, "record of binary accesses");

#define BUFFER_BYTES 65536
#define BATCH 1024
#define LINE_MAX_BYTES (384 + BOB_SUBSCRIPTS_MAX) /* names of images are truncated */
#define NAME_MAX_BYTES 255

struct writer {
	struct bob_export *x;
	uint32_t process, thread;
	const struct bob_access_style *style;
	char name[24];		/* order in turns: thread that starts each line */
	size_t name_len;
	char text[BUFFER_BYTES];
	size_t len;
	const char *image;	/* name of image `image_number` */
	size_t image_len;
	uint32_t image_number;
	int image_known;
};

static void flush(struct writer *w)
{
	fwrite(w->text, 1, w->len, w->x->out);
	w->len = 0;
}

static void put_char(struct writer *w, char c)
{
	w->text[w->len++] = c;
}

static void put_number(struct writer *w, uint64_t v, unsigned base, unsigned least)
{
	char digits[24];
	unsigned n = 0;

	do
		digits[n++] = "0123456789abcdef"[v % base];
	while ((v /= base) || n < least);
	while (n)
		put_char(w, digits[--n]);
}

static void put_text(struct writer *w, const char *text, size_t len)
{
	memcpy(w->text + w->len, text, len);
	w->len += len;
}

/* image+0xpc, or only the address if it is in no image. */
static void put_place(struct writer *w, const struct bob_access *a)
{
	const struct bob_image_info *im;

	if (!w->image_known || w->image_number != a->image) {
		im = bob_trace_image(w->x->trace, w->process, a->image);
		w->image = im ? im->soname : "";
		w->image_len = strnlen(w->image, NAME_MAX_BYTES);
		w->image_number = a->image;
		w->image_known = 1;
	}
	put_text(w, w->image, w->image_len);
	if (w->image_len)
		put_char(w, '+');
	put_text(w, "0x", 2);
	put_number(w, a->pc, 16, 1);
}

static void put_plain(struct writer *w, const struct bob_access *a)
{
	char subscripts[BOB_SUBSCRIPTS_MAX];

	if (a->flags & BOB_ACCESS_LOST)
		put_text(w, "# accesses are missing here\n", 28);
	put_text(w, w->name, w->name_len);
	put_char(w, a->type <= BOB_ACCESS_ATOMIC ? "LSA"[a->type] : '?');
	put_text(w, " 0x", 3);
	put_number(w, a->address, 16, 1);
	put_char(w, ' ');
	put_number(w, a->size, 10, 1);
	put_char(w, ' ');
	put_place(w, a);
	if (w->style->subscripts &&
	    bob_subscripts_text(w->x->trace, w->process, a->address, subscripts)) {
		put_char(w, ' ');
		put_text(w, subscripts, strlen(subscripts));
	}
	put_char(w, '\n');
}

static void put_din(struct writer *w, const struct bob_access *a)
{
	for (int store = 0; store < 2; store++) {
		if (store ? a->type == BOB_ACCESS_LOAD : a->type == BOB_ACCESS_STORE)
			continue;
		put_char(w, store ? '1' : '0');
		put_char(w, ' ');
		put_number(w, a->address, 16, 1);
		put_char(w, '\n');
	}
}

static void put_lackey(struct writer *w, const struct bob_access *a)
{
	put_char(w, ' ');
	put_char(w, a->type <= BOB_ACCESS_ATOMIC ? "LSM"[a->type] : '?');
	put_char(w, ' ');
	put_number(w, a->address, 16, 8);
	put_char(w, ',');
	put_number(w, a->size, 10, 1);
	put_char(w, '\n');
}

static void put_record(struct writer *w, const struct bob_access *a)
{
	const struct bob_access_record r = { .address = a->address, .pc = a->pc,
					     .process = w->process, .thread = w->thread,
					     .image = a->image,	    .size = a->size,
					     .type = a->type,	    .flags = a->flags };

	put_text(w, (const char *)&r, sizeof(r));
}

static void put_access(struct writer *w, const struct bob_access *a)
{
	if (BUFFER_BYTES - w->len < LINE_MAX_BYTES)
		flush(w);
	switch (w->style->format) {
	case BOB_ACCESSES_TEXT:
		put_plain(w, a);
		break;
	case BOB_ACCESSES_DIN:
		put_din(w, a);
		break;
	case BOB_ACCESSES_LACKEY:
		put_lackey(w, a);
		break;
	case BOB_ACCESSES_BINARY:
		put_record(w, a);
		break;
	}
}

/* A line of synchronisation: Y, the operation, the object, and a number if the operation has one.
 * Objects below 4096 are numbers, others are addresses. */
static void put_sync(struct writer *w, const struct bob_sync_event *s)
{
	int is_address = s->object >> 12 != 0;

	if (BUFFER_BYTES - w->len < LINE_MAX_BYTES)
		flush(w);
	put_text(w, w->name, w->name_len);
	put_text(w, "Y ", 2);
	for (const char *name = bob_sync_name(s->kind); *name; name++)
		put_char(w, *name == ' ' ? '-' : *name);
	put_text(w, " 0x", is_address ? 3 : 1);
	put_number(w, s->object, is_address ? 16 : 10, 1);
	if (s->rule == BOB_SYNC_ORDER_TURN || s->rule == BOB_SYNC_ORDER_AWAIT) {
		put_char(w, ' ');
		put_number(w, s->number, 10, 1);
	}
	put_char(w, '\n');
}

static void put_string(struct writer *w, const char *text)
{
	put_text(w, text, strlen(text));
}

/* A line of an MPI call: M and the function. A call in which accesses were recorded has one line
 * for its beginning and one for its end. */
static void put_value(struct writer *w, const struct bob_value_place *v)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(v->what);

	if (BUFFER_BYTES - w->len < LINE_MAX_BYTES)
		flush(w);
	put_text(w, w->name, w->name_len);
	put_string(w, "M ");
	if (v->kind == BOB_VALUE_NO_MARK) {
		put_number(w, v->count, 10, 1);
		put_string(w, " before");
	} else if (v->kind != BOB_VALUE_END) {
		put_string(w, f ? "MPI_" : "?");
		put_string(w, f ? f->name : "");
	}
	put_string(w, v->kind == BOB_VALUE_BEGIN ? " begins" :
		      v->kind == BOB_VALUE_END	 ? "ends" :
						   "");
	put_char(w, '\n');
}

static int wants_values(const struct writer *w)
{
	return w->style->values && w->style->format == BOB_ACCESSES_TEXT;
}

static int wants_syncs(const struct writer *w)
{
	return w->style->syncs && w->style->format == BOB_ACCESSES_TEXT;
}

/* Starts the output of another thread. */
static void turn_to(struct writer *w, uint32_t thread)
{
	const struct bob_thread_info *th = bob_trace_thread(w->x->trace, thread);

	if (w->process != th->process)
		w->image_known = 0;
	w->process = th->process;
	w->thread = th->number;
	if (w->style->order == BOB_ACCESSES_TURNS)
		w->name_len = (size_t)snprintf(w->name, sizeof(w->name), "%u.%u ", th->process,
					       th->number);
}

/* Status after a failure: damage is skipped, and the first failure becomes the result. */
static bob_status damaged(bob_status first, bob_status st)
{
	return first == BOB_OK && st < BOB_OK ? st : first;
}

/* True if reading continues. BOB_NONE: a mark instead of an access. */
static int goes_on(const struct writer *w, bob_status st)
{
	return (st == BOB_OK || st == BOB_NONE || st == BOB_ERR_CORRUPT) && !ferror(w->x->out);
}

/* --- order: thread by thread --- */

static bob_status write_thread(struct writer *w, uint32_t thread)
{
	struct bob_access batch[BATCH];
	struct bob_access_cursor *c;
	bob_status st = bob_access_cursor_open(w->x->trace, thread, &c, w->x->err), first = BOB_OK;
	struct bob_value_place value;
	struct bob_sync_event sync;
	size_t n;

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	turn_to(w, thread);
	if (wants_syncs(w))
		bob_access_cursor_stop_at_syncs(c, 0);
	if (wants_values(w))
		bob_access_cursor_stop_at_values(c);
	if (w->style->format == BOB_ACCESSES_TEXT)
		fprintf(w->x->out, "# thread %u.%u\n", w->process, w->thread);
	do {
		st = bob_access_cursor_read(c, batch, BATCH, &n,
					    first == BOB_OK ? w->x->err : NULL);
		first = damaged(first, st);
		for (size_t i = 0; st == BOB_OK && i < n; i++)
			put_access(w, &batch[i]);
		if (st == BOB_NONE && bob_access_cursor_value(c, &value)) {
			put_value(w, &value);
		} else if (st == BOB_NONE) {
			bob_access_cursor_sync(c, &sync);
			put_sync(w, &sync);
		}
	} while (goes_on(w, st));
	flush(w);
	bob_access_cursor_close(c);
	return first;
}

/* --- order: in turns --- */

/* `threads` belong to one process. */
static bob_status write_turns(struct writer *w, const uint32_t *threads, uint32_t count)
{
	const struct bob_access *batch;
	bob_status st, first = BOB_OK;
	struct bob_turns *v;
	uint32_t index;
	size_t n;

	st = bob_turns_open(w->x->trace, threads, count, w->style->quantum, &v, w->x->err);
	if (st != BOB_OK)
		return st;
	if (wants_syncs(w))
		bob_turns_report_syncs(v);
	if (wants_values(w))
		bob_turns_report_values(v);
	do {
		st = bob_turns_next(v, &index, &batch, &n, first == BOB_OK ? w->x->err : NULL);
		first = damaged(first, st);
		if (st != BOB_OK && st != BOB_NONE)
			continue;
		turn_to(w, threads[index]);
		for (size_t i = 0; st == BOB_OK && i < n; i++)
			put_access(w, &batch[i]);
		if (st == BOB_NONE && bob_turns_value(v)->kind)
			put_value(w, bob_turns_value(v));
		else if (st == BOB_NONE)
			put_sync(w, bob_turns_sync(v));
	} while (goes_on(w, st));
	flush(w);
	w->x->forced += bob_turns_forced(v);
	bob_turns_close(v);
	return first;
}

/* Number of consecutive threads, from `i`, of the same process. */
static uint32_t group_of(const struct bob_export *x, uint32_t i)
{
	uint32_t process = bob_trace_thread(x->trace, x->threads[i])->process, n = 1;

	while (i + n < x->thread_count &&
	       bob_trace_thread(x->trace, x->threads[i + n])->process == process)
		n++;
	return n;
}

bob_status bob_export_accesses(struct bob_export *x, const struct bob_access_style *style)
{
	const struct bob_access_head head = { BOB_ACCESS_MAGIC,
					      sizeof(struct bob_access_record),
					      { 0 } };
	struct writer w = { .x = x, .style = style };
	bob_status first = BOB_OK;
	uint32_t n;

	if (style->format == BOB_ACCESSES_BINARY)
		fwrite(&head, sizeof(head), 1, x->out);
	for (uint32_t i = 0; i < x->thread_count && !ferror(x->out); i += n) {
		n = style->order == BOB_ACCESSES_TURNS ? group_of(x, i) : 1;
		first = damaged(first, style->order == BOB_ACCESSES_TURNS ?
					       write_turns(&w, x->threads + i, n) :
					       write_thread(&w, x->threads[i]));
	}
	return first;
}
