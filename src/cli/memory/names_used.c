/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies the functions, source lines and inlined calls of given instructions out of an image's file
 * (names_used.h). */
#include "cli/memory/names_used.h"

#include <stdlib.h>
#include <string.h>

#include "archive/memory/source_info.h"
#include "archive/write/write.h"
#include "base/host/arena.h"
#include "base/search.h"

/* Payload of a chunk IMAGE, with bounds checked. */
struct table {
	const uint8_t *at;
	size_t len;
	struct bob_image_head head;
};

static int read_table(const uint8_t *at, size_t len, struct table *t)
{
	struct bob_image_head *h = &t->head;

	if (len < sizeof(*h))
		return -1;
	memcpy(h, at, sizeof(*h));
	*t = (struct table){ at, len, *h };
	return h->left_out || h->func_off > len ||
			       h->count > (len - h->func_off) / sizeof(struct bob_image_func) ||
			       h->names_off > len || h->names_len > len - h->names_off ||
			       (h->names_len && at[h->names_off + h->names_len - 1]) ?
		       -1 :
		       0;
}

static struct bob_image_func function(const struct table *t, uint32_t i)
{
	struct bob_image_func f;

	memcpy(&f, t->at + t->head.func_off + (size_t)i * sizeof(f), sizeof(f));
	return f;
}

/* Number of functions that begin at or before `pc`. */
static uint32_t up_to(const struct table *t, uint64_t pc)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, t->head.count, mid, function(t, (uint32_t)mid).addr <= pc);
	return (uint32_t)lo;
}

static uint32_t take_text(const struct table *t, uint32_t off, struct cli_buffer *names)
{
	const uint32_t at = (uint32_t)names->len;
	const char *text = (const char *)t->at + t->head.names_off + off;

	if (off >= t->head.names_len)
		return UINT32_MAX;
	cli_buffer_take(names, text, strlen(text) + 1);
	return at;
}

/* Selects the last function that begins at or before each instruction. A function that ends before
 * the instruction is selected, too: it hides earlier ones, as in the complete table. */
static void pick(const struct table *t, const uint64_t *pc, size_t count,
		 struct cli_buffer *functions, struct cli_buffer *names)
{
	uint32_t next = 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const uint32_t n = up_to(t, pc[i]);

		if (n <= next)	/* none, or the previous one again */
			continue;
		next = n;
		struct bob_image_func f = function(t, n - 1);
		f.name = take_text(t, f.name, names);
		f.file = take_text(t, f.file, names);
		f.before = n - 1 - kept++;
		cli_buffer_take(functions, &f, sizeof(f));
	}
}

static int put_image(const uint8_t *at, size_t len, const uint64_t *pc, size_t count,
		     struct cli_buffer *out)
{
	struct cli_buffer functions = { 0 }, names = { 0 }, payload = { 0 };
	struct table t;
	int failed;

	if (read_table(at, len, &t))
		return -1;
	pick(&t, pc, count, &functions, &names);
	struct bob_image_head h = t.head;
	h.count = (uint32_t)(functions.len / sizeof(struct bob_image_func));
	h.left_out = t.head.count - h.count;
	h.func_off = sizeof(h);
	h.names_off = (uint32_t)(sizeof(h) + functions.len);
	h.names_len = (uint32_t)names.len;
	cli_buffer_take(&payload, &h, sizeof(h));
	cli_buffer_take(&payload, functions.at, functions.len);
	cli_buffer_take(&payload, names.at, names.len);
	failed = functions.failed || names.failed || payload.failed;
	if (!failed)
		cli_chunk_add(out, BOB_CHUNK_IMAGE, 0, &payload);
	free(functions.at);
	free(names.at);
	free(payload.at);
	return failed ? -1 : 0;
}

/* Keeps the lines of the instructions, the files of these lines, and inlined calls. */
static int restrict_source(struct bob_source *s, const uint64_t *pc, size_t count,
			   struct bob_arena *arena)
{
	uint32_t *number = bob_arena_alloc(arena, (s->files + 1) * sizeof(*number));
	size_t rows = 0, files = 0, k = 0;

	if (!number)
		return -1;
	for (size_t i = 0; i < s->rows; i++) {
		struct bob_source_row r = s->row[i];

		while (k < count && pc[k] < r.pc)
			k++;
		if (k == count || pc[k] != r.pc)
			continue;
		if (r.file != ~0u && !number[r.file])
			number[r.file] = (uint32_t)++files;
		r.load = r.store = 0;
		s->row[rows++] = r;
	}
	const char **name = bob_arena_alloc(arena, (files + 1) * sizeof(*name));
	if (!name)
		return -1;
	for (size_t i = 0; i < s->files; i++)
		if (number[i])
			name[number[i] - 1] = s->file[i];
	for (size_t i = 0; i < rows; i++)
		if (s->row[i].file != ~0u)
			s->row[i].file = number[s->row[i].file] - 1;
	*s = (struct bob_source){ .file = name, .files = files, .row = s->row, .rows = rows,
				  .inlined = s->inlined, .inlined_count = s->inlined_count,
				  .text = s->text, .texts = s->texts };
	return bob_source_drop_inlined(s) == BOB_OK ? 0 : -1;
}

/* Reads the payloads of SOURCE and, if it follows, of INLINED. */
static int read_source(const struct cli_buffer *whole, size_t off, const struct bob_chunk_head *c,
		       struct bob_arena *arena, struct bob_source *s)
{
	const uint8_t *at = whole->at + off + sizeof(*c);
	const size_t after = off + (size_t)bob_chunk_bytes(c->size);
	struct bob_chunk_head inlined;

	if (bob_source_get(at, c->len, arena, s) != BOB_OK)
		return -1;
	if (cli_chunk_at(whole, after, &inlined) && inlined.kind == BOB_CHUNK_TABLE_INLINED)
		(void)bob_source_get_inlined(whole->at + after + sizeof(inlined), inlined.len,
					     arena, s);
	return 0;
}

static int put_source(const struct cli_buffer *whole, size_t off, const struct bob_chunk_head *c,
		      const uint64_t *pc, size_t count, uint64_t made, struct cli_buffer *out)
{
	struct cli_buffer source = { 0 }, inlined = { 0 };
	struct bob_arena arena = { 0 };
	struct bob_source s;
	int bad = read_source(whole, off, c, &arena, &s) || restrict_source(&s, pc, count, &arena);

	if (!bad) {
		bob_source_put(&s, cli_buffer_take, &source);
		bad = bob_source_put_inlined(&s, cli_buffer_take, &inlined) != BOB_OK ||
		      source.failed || inlined.failed;
	}
	if (!bad)
		cli_chunk_add(out, BOB_CHUNK_SOURCE, made, &source);
	if (!bad && inlined.len)
		cli_chunk_add(out, BOB_CHUNK_TABLE_INLINED, made, &inlined);
	free(source.at);
	free(inlined.at);
	bob_arena_free(&arena);
	return bad ? -1 : 0;
}

/* Copies chunk by chunk; chunks of unknown kinds are dropped. */
static int put_chunks(const struct cli_buffer *whole, const uint64_t *pc, size_t count,
		      uint64_t made, struct cli_buffer *out)
{
	struct bob_chunk_head c;
	int images = 0;

	for (size_t off = BOB_FILE_HEAD_BYTES; cli_chunk_at(whole, off, &c);
	     off += (size_t)bob_chunk_bytes(c.size)) {
		const uint8_t *at = whole->at + off + sizeof(c);

		if (c.kind == BOB_CHUNK_IMAGE && images++)
			return -1;
		if ((c.kind == BOB_CHUNK_IMAGE && put_image(at, c.len, pc, count, out)) ||
		    (c.kind == BOB_CHUNK_SOURCE &&
		     put_source(whole, off, &c, pc, count, made, out)))
			return -1;
	}
	return images ? 0 : -1;
}

int cli_names_used(const struct cli_buffer *whole, const uint64_t *pc, size_t count, uint64_t made,
		   struct cli_buffer *out)
{
	struct bob_chunk_head image;
	uint64_t used;

	*out = (struct cli_buffer){ 0 };
	if (!cli_chunk_at(whole, BOB_FILE_HEAD_BYTES, &image) || image.kind != BOB_CHUNK_IMAGE)
		return -1;
	cli_buffer_take(out, whole->at, BOB_FILE_HEAD_BYTES);
	/* readers detect by a size below that of the plan's table that functions were omitted */
	if (put_chunks(whole, pc, count, made, out) || out->failed ||
	    out->len >= BOB_FILE_HEAD_BYTES + sizeof(image) + image.len) {
		free(out->at);
		*out = (struct cli_buffer){ 0 };
		return -1;
	}
	used = out->len;
	memcpy(out->at + offsetof(struct bob_file_head, used), &used, sizeof(used));
	return 0;
}
