/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and their names. An image file is shared by all processes that had the image. It is
 * accessed in place, entry by entry, unless it is compressed. */
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>

#include "archive/merge/merging.h"
#include "base/order.h"
#include "base/plain.h"
#include "base/search.h"
#include "base/sized.h"

/* The valid image payload of one file. */
struct image_file {
	uint64_t key;
	const struct bob_file *file;
	uint64_t off;
	const uint8_t *at;
	struct bob_image_head head;
	struct bob_source *source; /* NULL: none */
	int has_inlined;
};

/* The chunk's uncompressed bytes, which live as long as the trace. NULL: unreadable, which has been
 * reported. */
static const uint8_t *open_chunk(struct bob_trace *t, const struct bob_file *f,
				 const struct bob_chunk_ref *c, uint64_t *len)
{
	struct bob_payload p;
	uint8_t *kept;

	if (bob_payload_open(t, f, c, &p) != BOB_OK)
		return NULL;
	*len = p.len;
	if (!p.owned)
		return p.at;
	kept = bob_arena_alloc(&t->arena, p.len + 1);
	if (kept)
		memcpy(kept, p.at, p.len);
	bob_payload_close(&p);
	return kept;
}

/* Validates the offsets that image_text and bob_image_function use. */
static int head_ok(const uint8_t *at, uint64_t len, const struct bob_image_head *h)
{
	uint64_t funcs = (uint64_t)h->count * sizeof(struct bob_image_func);

	if (h->func_off > len || funcs > len - h->func_off || h->names_off > len ||
	    h->names_len > len - h->names_off || h->build_id_len > sizeof(h->build_id))
		return 0;
	/* the names end with a zero, so any offset is a terminated string */
	return !h->names_len || !at[h->names_off + h->names_len - 1];
}

static void read_source(struct bob_trace *t, const struct bob_file *f,
			const struct bob_chunk_ref *c, struct image_file *out)
{
	struct bob_source *s;
	const uint8_t *at;
	uint64_t len;

	if (out->source)
		return;
	s = bob_arena_alloc(&t->arena, sizeof(*s));
	at = s ? open_chunk(t, f, c, &len) : NULL;
	if (!at)
		return;
	if (bob_source_get(at, len, &t->arena, s) == BOB_OK)
		out->source = s;
	else
		bob_problem_add(t, f, c->off, "unreadable source information", 1);
}

/* The chunk refers to the rows of the SOURCE chunk, which precedes it. */
static void read_inlined(struct bob_trace *t, const struct bob_file *f,
			 const struct bob_chunk_ref *c, struct image_file *out)
{
	const uint8_t *at;
	uint64_t len;

	if (!out->source || out->has_inlined)
		return;
	at = open_chunk(t, f, c, &len);
	if (!at)
		return;
	out->has_inlined = bob_source_get_inlined(at, len, &t->arena, out->source) == BOB_OK;
	if (!out->has_inlined)
		bob_problem_add(t, f, c->off, "unreadable information about inlined calls", 1);
}

/* Replaces control characters in names, which must not reach a terminal. No recorder writes
 * them. */
static const uint8_t *with_plain_names(struct bob_trace *t, const uint8_t *at, uint64_t len,
				       const struct bob_image_head *h)
{
	uint8_t *copy = NULL;

	for (uint64_t i = h->names_off; i < h->names_off + h->names_len; i++) {
		if (!at[i] || !bob_text_is_control((char)at[i]))
			continue;
		if (!copy && !(copy = (uint8_t *)bob_arena_text(&t->arena, at, len)))
			return NULL;
		copy[i] = '?';
	}
	return copy ? copy : at;
}

static void read_functions(struct bob_trace *t, const struct bob_file *f,
			   const struct bob_chunk_ref *c, struct image_file *out)
{
	uint64_t len;
	const uint8_t *at = open_chunk(t, f, c, &len);

	if (!at)
		return;
	if (len < sizeof(out->head)) {
		bob_problem_add(t, f, c->off, "an image is cut off", 1);
		return;
	}
	memcpy(&out->head, at, sizeof(out->head));
	out->head.soname[sizeof(out->head.soname) - 1] = 0;
	if (!head_ok(at, len, &out->head)) {
		bob_problem_add(t, f, c->off, "invalid tables of an image", 1);
		return;
	}
	out->at = with_plain_names(t, at, len, &out->head);
	if (!out->at)
		return;
	out->key = out->head.key;
	out->file = f;
	out->off = c->off;
}

static void find_image(struct bob_trace *t, const struct bob_file *f, struct image_file *out)
{
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (c->head.kind == BOB_CHUNK_SOURCE) {
			t->meta_bytes += sizeof(c->head) + bob_chunk_len(c);
			read_source(t, f, c, out);
		}
		if (c->head.kind == BOB_CHUNK_TABLE_INLINED) {
			t->meta_bytes += sizeof(c->head) + bob_chunk_len(c);
			read_inlined(t, f, c, out);
		}
		if (c->head.kind != BOB_CHUNK_IMAGE)
			continue;
		t->meta_bytes += sizeof(c->head) + bob_chunk_len(c);
		if (!out->file)
			read_functions(t, f, c, out);
	}
	if (!out->file)
		bob_problem_add(t, f, f->size, "no usable image in the file: names are missing", 1);
}

BOB_COMPARE(by_key, struct image_file, BOB_UP(key))

/* The first function id after those of all images of the process. */
static uint32_t next_id(const struct bob_process *p)
{
	uint32_t next = 0;

	for (size_t i = 0; i < p->image_count; i++) {
		const struct bob_image_info *im = &p->images[i].info;

		if (im->count && im->count <= UINT32_MAX - im->first_id &&
		    im->first_id + im->count > next)
			next = im->first_id + im->count;
	}
	return next;
}

static void attach(struct bob_trace *t, const struct bob_process *p, struct bob_image *im,
		   const struct image_file *file)
{
	im->file = file->file;
	im->off = file->off;
	im->at = file->at;
	im->head = file->head;
	im->source = file->source;
	if (im->head.soname[0]) {
		const char *name =
			bob_arena_name(&t->arena, im->head.soname, strlen(im->head.soname));

		if (name)
			im->info.soname = name;
	}
	if (!im->info.count && p->common->desc_run_count) { /* memory engines number none */
		im->info.first_id = next_id(p);
		if (im->head.count <= UINT32_MAX - im->info.first_id)
			im->info.count = im->info.patched = im->head.count;
		im->whole = 1;
	}
	if (im->info.count > (uint64_t)im->head.count + im->head.left_out)
		bob_problem_add(t, file->file, file->off,
				"an image has fewer functions than a process says", 1);
}

/* Sorts the id ranges of a process's images. Of overlapping ones the first recorded wins. */
static bob_status index_ids(struct bob_trace *t, struct bob_process *p)
{
	size_t n = 0;

	p->by_id = calloc(p->image_count + 1, sizeof(*p->by_id));
	if (!p->by_id)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < p->image_count; i++) {
		const struct bob_image_info *im = &p->images[i].info;
		size_t lo;

		if (!im->count)
			continue;
		BOB_PARTITION_POINT(lo, n, mid,
				    p->images[p->by_id[mid]].info.first_id < im->first_id);
		if ((lo < n && p->images[p->by_id[lo]].info.first_id - im->first_id < im->count) ||
		    (lo && im->first_id - p->images[p->by_id[lo - 1]].info.first_id <
				   p->images[p->by_id[lo - 1]].info.count)) {
			bob_problem_add(t, p->file, 0, "two images share function ids", 1);
			continue;
		}
		memmove(p->by_id + lo + 1, p->by_id + lo, (n - lo) * sizeof(*p->by_id));
		p->by_id[lo] = (uint32_t)i;
		n++;
	}
	p->by_id_count = n;
	return BOB_OK;
}

static void attach_process(struct bob_trace *t, struct bob_process *p,
			   const struct image_file *files, size_t count)
{
	for (size_t i = 0; i < p->image_count; i++) {
		struct image_file want = { .key = p->images[i].key };
		const struct image_file *found =
			count ? bsearch(&want, files, count, sizeof(*files), by_key) : NULL;

		if (found)
			attach(t, p, &p->images[i], found);
		else if (p->images[i].info.count &&
			 (p->images[i].info.patched || p->images[i].info.chosen))
			bob_problem_list(t, p->file, 0, "the file of an image is missing", 1);
	}
}

bob_status bob_images_attach(struct bob_trace *t)
{
	struct image_file *files = calloc(t->file_count + 1, sizeof(*files));
	size_t count = 0;
	bob_status st = BOB_OK;

	if (!files)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < t->file_count; i++) {
		if (t->files[i].kind != BOB_FILE_IMAGE)
			continue;
		find_image(t, &t->files[i], &files[count]);
		if (files[count].file)
			count++;
	}
	if (count)
		qsort(files, count, sizeof(*files), by_key);
	for (size_t i = 0; i < t->process_count && st == BOB_OK; i++) {
		attach_process(t, t->processes[i], files, count);
		st = index_ids(t, t->processes[i]);
	}
	free(files);
	return st;
}

bob_status bob_image_function(const struct bob_image *im, uint32_t i, struct bob_image_func *out)
{
	if (!im->file || i >= im->head.count)
		return BOB_NONE;
	memcpy(out, im->at + im->head.func_off + (uint64_t)i * sizeof(*out), sizeof(*out));
	return BOB_OK;
}

uint32_t bob_image_place(const struct bob_image *im, uint32_t number)
{
	uint32_t lo = 0, hi = im->head.count;
	struct bob_image_func fn;

	if (!im->head.left_out)
		return number;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (bob_image_function(im, mid, &fn) != BOB_OK)
			return ~0u;
		if ((uint64_t)mid + fn.before == number)
			return mid;
		if ((uint64_t)mid + fn.before < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return ~0u;
}

static const char *image_text(const struct bob_image *im, uint32_t off)
{
	if (off >= im->head.names_len)
		return "";
	return (const char *)im->at + im->head.names_off + off;
}

static const struct bob_image *image_of(const struct bob_process *p, uint32_t id)
{
	const struct bob_image *im;
	size_t after;

	BOB_PARTITION_POINT(after, p->by_id_count, i, p->images[p->by_id[i]].info.first_id <= id);
	if (!after)
		return NULL;
	im = &p->images[p->by_id[after - 1]];
	return id - im->info.first_id < im->info.count ? im : NULL;
}

static uint32_t skip_of(const struct bob_process *p, uint32_t id, uint32_t planned)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, p->skipped_count, mid, p->skipped[mid].id < id);
	return lo < p->skipped_count && p->skipped[lo].id == id ? p->skipped[lo].reason : planned;
}

static bob_status function(const struct bob_trace *t, uint32_t process, uint32_t id,
			   struct bob_function_info *out)
{
	const struct bob_image *im;
	struct bob_image_func fn;

	memset(out, 0, sizeof(*out));
	out->id = id;
	out->image = ~0u;
	out->name = "";
	out->file = "";
	if (process >= t->process_count)
		return BOB_NONE;
	im = image_of(t->processes[process], id);
	if (!im)
		return BOB_NONE;
	out->image = (uint32_t)(im - t->processes[process]->images);
	if (bob_image_function(im, bob_image_place(im, id - im->info.first_id), &fn) == BOB_OK) {
		out->name = image_text(im, fn.name);
		out->addr = fn.addr;
		out->size = fn.size;
		out->skip = im->whole ? (uint32_t)BOB_SKIP_NONE : fn.skip;
		out->flags = fn.flags;
		out->file = image_text(im, fn.file);
		out->line = fn.line;
	}
	out->skip = skip_of(t->processes[process], id, out->skip);
	return BOB_OK;
}

bob_status bob_trace_function_sized(const struct bob_trace *t, uint32_t process, uint32_t id,
				    struct bob_function_info *out, size_t out_size)
{
	struct bob_function_info f;
	const bob_status st = function(t, process, id, &f);

	bob_sized_copy(out, out_size, &f, sizeof(f));
	return st;
}

bob_status bob_trace_function_at_sized(const struct bob_trace *t, uint32_t process, uint32_t image,
				       uint64_t pc, struct bob_function_info *out, size_t out_size)
{
	const struct bob_image *im;
	struct bob_image_func fn;
	uint32_t count = 0;
	size_t lo;

	if (process >= t->process_count || image >= t->processes[process]->image_count)
		return BOB_NONE;
	im = &t->processes[process]->images[image];
	if (im->file && im->info.count <= (uint64_t)im->head.count + im->head.left_out)
		count = im->info.count < im->head.count ? im->info.count : im->head.count;
	/* the last one that begins at or before it; sorted by address */
	BOB_PARTITION_POINT(lo, count, i,
			    bob_image_function(im, (uint32_t)i, &fn) == BOB_OK && fn.addr <= pc);
	if (!lo || bob_image_function(im, (uint32_t)lo - 1, &fn) != BOB_OK ||
	    pc - fn.addr >= fn.size)
		return BOB_NONE;
	return bob_trace_function_sized(t, process,
					im->info.first_id + (uint32_t)lo - 1 +
						(im->head.left_out ? fn.before : 0),
					out, out_size);
}

const char *bob_skip_text(uint32_t skip)
{
	static const char *const text[] = {
		[BOB_SKIP_NONE] = "traced",
		[BOB_SKIP_SHORT] = "too short for a jump",
		[BOB_SKIP_BRANCH] = "a branch leads into its first bytes",
		[BOB_SKIP_DECODE] = "unknown instruction",
		[BOB_SKIP_RELOCATE] = "an instruction cannot be moved",
		[BOB_SKIP_NO_FRAME_INFO] = "no call frame information",
		[BOB_SKIP_FILTER] = "excluded by a filter",
		[BOB_SKIP_BYTES] = "memory differs from the file",
		[BOB_SKIP_PROTECT] = "the system refused to make it writable",
		[BOB_SKIP_REACH] = "no memory within reach of a jump",
		[BOB_SKIP_NO_PLAN] = "no plan for the image",
		[BOB_SKIP_IMAGES] = "excluded by --images",
		[BOB_SKIP_SPECIAL] =
			"never patched: start-up code, signal returns, split-off parts",
		[BOB_SKIP_LIMIT] = "too many functions",
		[BOB_SKIP_UNWIND] = "its exception landing pads are unknown",
		[BOB_SKIP_SITE] = "a run time may write or compare its first bytes",
		[BOB_SKIP_GO] = "Go",
		[BOB_SKIP_SANITIZER] = "run time of a sanitizer",
		[BOB_SKIP_BREAKPOINT] = "a debugger has set a breakpoint there",
		[BOB_SKIP_DEBUGGER] = "a debugger could set a breakpoint inside the jump",
		[BOB_SKIP_ATTACHED] = ("not recorded since a debugger attached, "
				       "which could set a breakpoint inside the jump"),
		[BOB_SKIP_OTHER_MPI] =
			"an MPI library other than that of --mpi: its calls are not recorded",
	};

	return skip < sizeof(text) / sizeof(*text) ? text[skip] : "unknown reason";
}
