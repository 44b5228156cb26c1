/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes a process inside a trace file as leaves (inner.h): its own file without folded records,
 * and the numbers of its images in the trace. All processes are visited twice. The first pass
 * counts texts. In the second, a text that most processes have is stored literally; in other texts,
 * numbers become words. So ranks, process ids and the like are columns; digits in a common path are
 * not. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "archive/folds.h"
#include "archive/merge/inner.h"
#include "archive/merge/loss.h"
#include "archive/merge/write_once.h"
#include "archive/write/write.h"
#include "base/hash.h"
#include "base/varint.h"

#define FORM_SEED 1u
#define LINE_WORDS (BOB_INNER_LINE_BYTES / 8)
/* below this number of processes, no text counts as unique */
#define FEW 4u

struct walk {
	struct bob_inner_texts *counted; /* first pass; NULL: write leaves */
	const struct bob_inner_texts *texts;
	struct bob_folder *folder;
	const struct bob_file_head *head;
	int is_known;		/* an earlier part has the process */
	bob_status status;
};

/* --- leaves --- */

static void put(struct walk *w, const void *key, size_t len, const uint64_t *word, uint32_t words)
{
	uint32_t shape;

	if (w->status != BOB_OK || w->counted)
		return;
	w->status = bob_folder_shape(w->folder, key, len, BOB_FOLD_NO_PATH, words, &shape);
	if (w->status == BOB_ERR_FULL) {
		bob_folder_again(w->folder);
		w->status = bob_folder_shape(w->folder, key, len, BOB_FOLD_NO_PATH, words, &shape);
	}
	if (w->status == BOB_OK)
		bob_folder_put(w->folder, shape, word);
}

/* A leaf whose key contains a number. */
static void put_numbered(struct walk *w, uint8_t leaf, uint64_t number, const uint64_t *word,
			 uint32_t words)
{
	uint8_t key[1 + BOB_VARINT_MAX] = { leaf };

	put(w, key, 1 + bob_varint_put(key + 1, number), word, words);
}

static void put_line(struct walk *w, const uint8_t *bytes, size_t len)
{
	uint64_t word[BOB_INNER_TEXT_MAX / 8] = { 0 };

	memcpy(word, bytes, len);
	put_numbered(w, BOB_INNER_BYTES, len, word, (uint32_t)(len + 7) / 8);
}

/* Binary data, one line per leaf; consecutive lines of zeros are one leaf. */
static void put_bytes(struct walk *w, const uint8_t *bytes, uint64_t len)
{
	static const uint8_t zero[BOB_INNER_LINE_BYTES];

	for (uint64_t at = 0, n; at < len; at += n) {
		uint64_t zeros = 0;

		while (len - at - zeros >= sizeof(zero) &&
		       !memcmp(bytes + at + zeros, zero, sizeof(zero)))
			zeros += sizeof(zero);
		n = zeros ? zeros : len - at < sizeof(zero) ? len - at : sizeof(zero);
		if (zeros)
			put(w, (const uint8_t[]){ BOB_INNER_ZEROS }, 1, &zeros, 1);
		else
			put_line(w, bytes + at, n);
	}
}

static int has_end(uint8_t leaf)
{
	return leaf == BOB_INNER_ENDED || leaf == BOB_INNER_LINE;
}

/* Literal if most processes have the text, with numbers as words if several have its form, else as
 * bytes. */
static void put_text(struct walk *w, uint8_t leaf, const uint8_t *text, size_t len)
{
	uint64_t hash = bob_hash64(leaf, text, len), form;
	int may_be_bytes = len && (has_end(leaf) || leaf == BOB_INNER_TEXT);
	struct bob_inner_form f;

	bob_inner_form(leaf, text, len, 1, &f);
	form = bob_hash64(FORM_SEED, f.key, f.len);
	if (w->counted) {
		w->status = bob_inner_text_add(w->counted, hash);
		if (w->status == BOB_OK)
			w->status = bob_inner_text_add(w->counted, form);
		return;
	}
	if (2 * bob_inner_text_count(w->texts, hash) > w->texts->processes) {
		bob_inner_form(leaf, text, len, 0, &f);
	} else if (may_be_bytes && w->texts->processes >= FEW &&
		   bob_inner_text_count(w->texts, form) < 2) {
		put_line(w, text, len);
		f.len = has_end(leaf) ? 1 : 0;
		f.words = 0;
	}
	if (f.len)
		put(w, f.key, f.len, f.word, f.words);
}

/* In pieces, of which the last one has the terminator. */
static void put_long_text(struct walk *w, uint8_t leaf, const uint8_t *text, uint64_t len)
{
	for (; len > BOB_INNER_TEXT_MAX && w->status == BOB_OK; len -= BOB_INNER_TEXT_MAX) {
		put_text(w, has_end(leaf) ? BOB_INNER_TEXT : leaf, text, BOB_INNER_TEXT_MAX);
		text += BOB_INNER_TEXT_MAX;
	}
	if (w->status == BOB_OK)
		put_text(w, leaf, text, len);
}

/* Texts terminated by `end`, each as `leaf`, and the unterminated rest. */
static void put_texts(struct walk *w, uint8_t leaf, int end, const uint8_t *text, uint64_t len)
{
	while (len && w->status == BOB_OK) {
		const uint8_t *found = memchr(text, end, len);
		uint64_t n = found ? (uint64_t)(found - text) : len;

		put_long_text(w, found ? leaf : BOB_INNER_TEXT, text, n);
		n += found != NULL;
		text += n;
		len -= n;
	}
}

/* --- META --- */

static void put_image(struct walk *w, const uint8_t *body, uint32_t len)
{
	uint64_t word[sizeof(struct bob_rec_image) / sizeof(uint64_t)];

	memcpy(word, body, sizeof(word));
	word[2] = word[2] >> BOB_INNER_BIAS_BITS | word[2] << (64 - BOB_INNER_BIAS_BITS);
	put(w, (const uint8_t[]){ BOB_INNER_IMAGE }, 1, word, sizeof(word) / sizeof(*word));
	put_texts(w, BOB_INNER_ENDED, 0, body + sizeof(word), len - sizeof(word));
}

static void put_body(struct walk *w, uint32_t kind, const uint8_t *body, uint32_t len)
{
	switch (kind) {
	case BOB_REC_IMAGE:
		if (len < sizeof(struct bob_rec_image))
			put_bytes(w, body, len);
		else
			put_image(w, body, len);
		break;
	case BOB_REC_COMMAND:
	case BOB_REC_EXE:
	case BOB_REC_CWD:
	case BOB_REC_ENV:
	case BOB_REC_CONFIG:
	case BOB_REC_RUNTIME_LIST:
	case BOB_REC_LOSS:
		put_texts(w, BOB_INNER_ENDED, 0, body, len);
		break;
	case BOB_REC_IMAGE_SKIPPED:
	case BOB_REC_STARTED:
		put_bytes(w, body, len < 8 ? len : 8);
		put_texts(w, BOB_INNER_ENDED, 0, body + (len < 8 ? len : 8), len < 8 ? 0 : len - 8);
		break;
	default:
		put_bytes(w, body, len);
		break;
	}
}

/* Are the records in canonical form, so that they can be restored from their contents? */
static int are_records(const uint8_t *bytes, uint64_t len)
{
	struct bob_record rec;

	while (len >= sizeof(rec)) {
		uint64_t n, pad;

		memcpy(&rec, bytes, sizeof(rec));
		pad = -rec.len & 7;
		n = sizeof(rec) + rec.len;
		if (n > len || pad > len - n ||
		    memcmp(bytes + n, (const uint8_t[8]){ 0 }, pad) != 0)
			return 0;
		bytes += n + pad;
		len -= n + pad;
	}
	return !len;
}

static void put_records(struct walk *w, const uint8_t *bytes, uint64_t len)
{
	struct bob_record rec;

	if (!are_records(bytes, len)) {
		put_bytes(w, bytes, len);
		return;
	}
	while (len && w->status == BOB_OK) {
		uint64_t n;

		memcpy(&rec, bytes, sizeof(rec));
		if (!w->is_known || !bob_is_write_once(rec.kind)) {
			put_numbered(w, BOB_INNER_RECORD, rec.kind, NULL, 0);
			put_body(w, rec.kind, bytes + sizeof(rec), rec.len);
		}
		n = (sizeof(rec) + rec.len + 7ull) & ~7ull;
		bytes += n;
		len -= n;
	}
}

/* --- chunks --- */

static void begin_chunk(struct walk *w, uint32_t kind, uint32_t stream, uint64_t aux)
{
	put_numbered(w, BOB_INNER_CHUNK, kind, (const uint64_t[]){ stream, aux }, 2);
}

static void put_stream(struct walk *w, const uint8_t *bytes, uint64_t len)
{
	const uint64_t end = BOB_INNER_STREAM_AT + BOB_INNER_LINE_BYTES;
	uint64_t word[LINE_WORDS];

	if (len < end) {
		put_bytes(w, bytes, len);
		return;
	}
	put_bytes(w, bytes, BOB_INNER_STREAM_AT);
	bob_inner_stream_words(w->head, bytes + BOB_INNER_STREAM_AT, word);
	put(w, (const uint8_t[]){ BOB_INNER_STREAM }, 1, word, LINE_WORDS);
	put_bytes(w, bytes + end, len - end);
}

static void put_chunk(struct walk *w, const struct bob_file *f, const struct bob_chunk_ref *c)
{
	const uint8_t *bytes = f->bytes + c->off;
	uint64_t len = bob_chunk_kept_bytes(c);

	if (w->is_known && len && c->head.kind == BOB_CHUNK_META && bob_are_write_once(bytes, len))
		return;
	begin_chunk(w, c->head.kind, c->head.stream, c->head.aux);
	switch (c->head.kind) {
	case BOB_CHUNK_META:
		put_records(w, bytes, len);
		break;
	case BOB_CHUNK_STREAM:
		put_stream(w, bytes, len);
		break;
	case BOB_CHUNK_LOG:
		put_texts(w, BOB_INNER_LINE, '\n', bytes, len);
		break;
	default:
		put_bytes(w, bytes, len);
		break;
	}
}

/* The map of the process's images to numbers of the trace. */
static void put_map(struct walk *w, const struct bob_process *p, const struct bob_unified_of *of)
{
	uint32_t *map = malloc((p->image_count + 1) * sizeof(*map));

	if (!map) {
		w->status = BOB_ERR_NOMEM;
		return;
	}
	for (uint32_t own = 0; own < p->image_count; own++)
		map[own] = bob_unified_image(of, p, own);
	begin_chunk(w, BOB_CHUNK_META, BOB_STREAM_NONE, 0);
	put_numbered(w, BOB_INNER_RECORD, BOB_REC_IMAGE_MAP, NULL, 0);
	put_bytes(w, (const uint8_t *)map, p->image_count * sizeof(*map));
	free(map);
}

/* Writes the settings of lossy folding, if any. */
static void put_loss(struct walk *w, const struct bob_process *p,
		     const struct bob_fold_settings *how)
{
	uint8_t *bytes = NULL;
	size_t len = 0;

	if (w->status != BOB_OK)
		return;
	w->status = bob_loss_record(how, p, &bytes, &len);
	if (w->status == BOB_OK && len) {
		begin_chunk(w, BOB_CHUNK_META, BOB_STREAM_NONE, 0);
		put_records(w, bytes, len);
	}
	free(bytes);
}

/* Records that a trace file writes again after all others: the map of images, loss, events in
 * earlier parts. */
static int is_said_anew(const struct bob_file *f, const struct bob_chunk_ref *c)
{
	struct bob_record rec;

	if (!f->outer || c->head.kind != BOB_CHUNK_META || bob_chunk_kept_bytes(c) < sizeof(rec))
		return 0;
	memcpy(&rec, f->bytes + c->off, sizeof(rec));
	return rec.kind == BOB_REC_IMAGE_MAP || rec.kind == BOB_REC_LOSS ||
	       rec.kind == BOB_REC_AFTER;
}

static void put_head(struct walk *w)
{
	const struct bob_file_head *h = w->head;
	uint64_t word[BOB_INNER_HEAD_WORDS];
	size_t len = sizeof(h->host);

	while (len && !h->host[len - 1])
		len--;
	put_long_text(w, BOB_INNER_HOST, (const uint8_t *)h->host, len);
	bob_inner_head_words(h, word);
	put(w, (const uint8_t[]){ BOB_INNER_HEAD }, 1, word, BOB_INNER_HEAD_WORDS);
}

static bob_status put_file(struct walk *w, const struct bob_inner_member *m,
			   const struct bob_fold_settings *how)
{
	const struct bob_file *f = m->process->file;

	w->head = &f->head;
	w->is_known = m->is_known;
	put_long_text(w, BOB_INNER_NAME, (const uint8_t *)f->name, strlen(f->name));
	put_head(w);
	for (size_t i = 0; i < f->chunk_count && w->status == BOB_OK; i++)
		if (bob_chunk_is_kept(f->chunks[i].head.kind) && !is_said_anew(f, &f->chunks[i]))
			put_chunk(w, f, &f->chunks[i]);
	if (w->status == BOB_OK)
		put_map(w, m->process, m->of);
	put_loss(w, m->process, how);
	return w->status;
}

/* --- all processes --- */

static bob_status fold(const struct bob_inner_texts *t, const struct bob_inner_member *m,
		       uint32_t number, const struct bob_fold_settings *how, void *mem,
		       struct bob_folded **out)
{
	struct bob_bytes entries = { 0 };
	struct walk w = { .texts = t };
	bob_status st;

	if (madvise(mem, bob_folder_size(), MADV_DONTNEED)) /* pages read as zero again */
		return BOB_ERR_IO;
	w.folder = bob_folder_begin(mem, bob_bytes_take, &entries);
	st = put_file(&w, m, how);
	if (st == BOB_OK)
		bob_folder_end(w.folder);
	if (st == BOB_OK)
		st = entries.failed ?
			     BOB_ERR_NOMEM :
			     bob_folded_open(entries.at, entries.len, (uint64_t)number << 32,
					     &bob_alloc_malloc, out);
	free(entries.at);
	return st;
}

static bob_status fold_all(const struct bob_inner_texts *t, const struct bob_inner_member *m,
			   uint32_t count, uint32_t first, const struct bob_fold_settings *how,
			   struct bob_fold_source *from, struct bob_bytes *out)
{
	struct bob_folded *all = NULL;
	void *mem = bob_folder_map(bob_folder_size()); /* reused for all processes */
	bob_status st = mem ? BOB_OK : BOB_ERR_NOMEM;

	for (uint32_t i = 0; i < count && st == BOB_OK; i++) {
		struct bob_folded *one = NULL;

		st = fold(t, &m[i], first + i, how, mem, &one);
		from[i].folded = one;
	}
	bob_folder_unmap(mem, bob_folder_size());
	if (st == BOB_OK)
		st = bob_folded_merge_all(from, count, &bob_alloc_malloc, &all);
	if (st == BOB_OK)
		st = bob_folded_pack(all, bob_bytes_take, out);
	bob_folded_close(all);
	for (uint32_t i = 0; i < count; i++)
		bob_folded_close((struct bob_folded *)(uintptr_t)from[i].folded);
	return st == BOB_OK && out->failed ? BOB_ERR_NOMEM : st;
}

bob_status bob_inner_pack(const struct bob_inner_member *m, uint32_t count, uint32_t first,
			  const struct bob_fold_settings *how, struct bob_bytes *out)
{
	struct bob_fold_source *from = calloc(count + 1, sizeof(*from));
	struct bob_inner_texts t = { 0 };
	bob_status st = from ? BOB_OK : BOB_ERR_NOMEM;

	for (; t.processes < count && st == BOB_OK; t.processes++) {
		struct walk w = { .counted = &t };

		st = put_file(&w, &m[t.processes], how);
	}
	if (st == BOB_OK)
		st = fold_all(&t, m, count, first, how, from, out);
	bob_inner_texts_free(&t);
	free(from);
	return st;
}

uint64_t bob_inner_budget(const struct bob_process *p)
{
	const struct bob_file *f = p->file;
	/* a map of images and a loss record may be added */
	uint64_t n = 2 * BOB_FILE_HEAD_BYTES + p->image_count * 8;

	for (size_t i = 0; i < f->chunk_count; i++)
		if (bob_chunk_is_kept(f->chunks[i].head.kind))
			n += 2 * bob_chunk_bytes(bob_chunk_kept_bytes(&f->chunks[i]));
	return 2 * n; /* a leaf has at least one byte and also costs one */
}
