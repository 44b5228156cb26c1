/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of threads as lines of text, in three dialects. Hundreds of millions of lines are ordinary, so they are
 * put together by hand. */
#include <string.h>

#include "export/export.h"

#define ROOM 65536
#define BATCH 1024
#define LINE_MAX_BYTES 384	/* an image's name is cut */
#define NAME_MAX_BYTES 255

struct writer {
	struct bob_export *x;
	uint32_t process;
	enum bob_access_format format;
	char text[ROOM];
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

/* image+0xpc; in no image only the address. */
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
	if (a->flags & BOB_ACCESS_LOST)
		put_text(w, "# accesses are missing here\n", 28);
	put_char(w, a->type <= BOB_ACCESS_ATOMIC ? "LSA"[a->type] : '?');
	put_text(w, " 0x", 3);
	put_number(w, a->address, 16, 1);
	put_char(w, ' ');
	put_number(w, a->size, 10, 1);
	put_char(w, ' ');
	put_place(w, a);
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

static void put_access(struct writer *w, const struct bob_access *a)
{
	if (ROOM - w->len < LINE_MAX_BYTES)
		flush(w);
	switch (w->format) {
	case BOB_ACCESSES_TEXT:
		put_plain(w, a);
		break;
	case BOB_ACCESSES_DIN:
		put_din(w, a);
		break;
	case BOB_ACCESSES_LACKEY:
		put_lackey(w, a);
		break;
	}
}

static bob_status write_thread(struct writer *w, uint32_t thread)
{
	struct bob_access batch[BATCH];
	struct bob_access_cursor *c;
	bob_status st = bob_access_cursor_open(w->x->trace, thread, &c, w->x->err), first = BOB_OK;
	const struct bob_thread_info *th = bob_trace_thread(w->x->trace, thread);
	size_t n;

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	w->process = th->process;
	w->image_known = 0;
	if (w->format == BOB_ACCESSES_TEXT)
		fprintf(w->x->out, "# thread %u.%u\n", th->process, th->number);
	for (;;) {
		st = bob_access_cursor_read(c, batch, BATCH, &n,
					    first == BOB_OK ? w->x->err : NULL);
		if (st == BOB_ERR_CORRUPT && first == BOB_OK)
			first = st;
		if (st != BOB_OK && st != BOB_ERR_CORRUPT)
			break;
		for (size_t i = 0; st == BOB_OK && i < n; i++)
			put_access(w, &batch[i]);
		if (ferror(w->x->out))
			break;
	}
	flush(w);
	bob_access_cursor_close(c);
	return first == BOB_OK && st < BOB_OK ? st : first;
}

bob_status bob_export_accesses(struct bob_export *x, enum bob_access_format format)
{
	struct writer w = { .x = x, .format = format };
	bob_status st, first = BOB_OK;

	for (uint32_t i = 0; i < x->thread_count && !ferror(x->out); i++) {
		st = write_thread(&w, x->threads[i]);
		if (st != BOB_OK && first == BOB_OK)
			first = st;
	}
	return first;
}
