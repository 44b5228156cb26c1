/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a process from its file: head, META records, log lines. Invalid records are skipped and
 * reported as a problem. Of repeated facts (rank, command) the last one wins. */
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/plain.h"

/* The body of a record. */
struct body {
	const uint8_t *p;
	uint32_t len;
	uint64_t off;	/* in the file */
};

/* Splits a list of zero-terminated strings; the last may lack its zero. NULL: no memory. */
static char **read_list(struct bob_trace *t, const struct body *b)
{
	char *text = bob_arena_text(&t->arena, b->p, b->len);
	size_t count = 0, at = 0;
	char **list;

	if (!text)
		return NULL;
	for (at = 0; at < b->len; at += strlen(text + at) + 1)
		count++;
	list = bob_arena_alloc(&t->arena, (count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	count = 0;
	for (at = 0; at < b->len; at += strlen(text + at) + 1)
		list[count++] = text + at;
	return list;
}

/* `names`: shown to users, so control characters are replaced, as in set_text. */
static bob_status set_list(struct bob_trace *t, const struct body *b, int names,
			   const char *const **to)
{
	char **list = read_list(t, b);

	if (!list)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; names && list[i]; i++)
		bob_text_make_plain(list[i], strlen(list[i]));
	*to = (const char *const *)list;
	return BOB_OK;
}

static bob_status set_text(struct bob_trace *t, const uint8_t *p, size_t len, const char **to)
{
	const char *text = bob_arena_name(&t->arena, p, len);

	if (!text)
		return BOB_ERR_NOMEM;
	*to = text;
	return BOB_OK;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bob_status read_image(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	struct bob_rec_image rec;
	struct bob_image *im;

	if (b->len < sizeof(rec)) {
		bob_problem_add(t, p->file, b->off, "an image record is too short", 1);
		return BOB_OK;
	}
	memcpy(&rec, b->p, sizeof(rec));
	if (rec.count > UINT32_MAX - rec.first_id || rec.build_id_len > sizeof(rec.build_id)) {
		bob_problem_add(t, p->file, b->off, "an image record is impossible", 1);
		return BOB_OK;
	}
	if (p->image_count == BOB_IMAGES_MAX) {
		bob_problem_add(t, p->file, b->off, "too many images in one process", 1);
		return BOB_OK;
	}
	if (bob_array_reserve(&p->images, p->image_count, &p->image_cap, sizeof(*p->images)))
		return BOB_ERR_NOMEM;
	im = &p->images[p->image_count];
	memset(im, 0, sizeof(*im));
	if (set_text(t, b->p + sizeof(rec), b->len - sizeof(rec), &im->info.path) != BOB_OK)
		return BOB_ERR_NOMEM;
	im->info.soname = base_name(im->info.path);
	im->info.bias = rec.bias;
	im->info.first_id = rec.first_id;
	im->info.count = rec.count;
	im->info.patched = rec.patched;
	im->info.chosen = rec.chosen;
	im->info.build_id_len = rec.build_id_len;
	memcpy(im->info.build_id, rec.build_id, sizeof(rec.build_id));
	im->key = im->info.key = rec.key;
	p->image_count++;
	return BOB_OK;
}

static bob_status read_skipped(struct bob_process *p, const struct body *b)
{
	for (uint32_t at = 0; b->len - at >= sizeof(struct bob_rec_skipped);
	     at += (uint32_t)sizeof(struct bob_rec_skipped)) {
		if (bob_array_reserve(&p->skipped, p->skipped_count, &p->skipped_cap,
				      sizeof(*p->skipped)))
			return BOB_ERR_NOMEM;
		memcpy(&p->skipped[p->skipped_count++], b->p + at, sizeof(*p->skipped));
	}
	return BOB_OK;
}

/* A number and a path; `what` if they are not complete. */
static bob_status read_path(struct bob_trace *t, struct bob_process *p, const struct body *b,
			    struct bob_noted_paths *to, const char *what)
{
	struct bob_noted_path n;

	if (b->len < 8) {
		bob_problem_add(t, p->file, b->off, what, 1);
		return BOB_OK;
	}
	memcpy(&n.number, b->p, sizeof(n.number));
	if (set_text(t, b->p + 8, b->len - 8, &n.path) != BOB_OK)
		return BOB_ERR_NOMEM;
	return BOB_VEC_ADD(to, n);
}

static bob_status read_mem_image(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	struct bob_rec_mem_image rec;
	struct bob_rec_mem_skipped s;
	uint32_t at = (uint32_t)sizeof(rec);

	if (b->len < sizeof(rec)) {
		bob_problem_add(t, p->file, b->off, "a memory image record is too short", 1);
		return BOB_OK;
	}
	memcpy(&rec, b->p, sizeof(rec));
	p->coverage.functions += rec.functions;
	p->coverage.bytes += rec.bytes;
	for (; b->len - at >= sizeof(s); at += (uint32_t)sizeof(s)) {
		if (bob_array_reserve(&p->unrecorded, p->unrecorded_count, &p->unrecorded_cap,
				      sizeof(*p->unrecorded)))
			return BOB_ERR_NOMEM;
		memcpy(&s, b->p + at, sizeof(s));
		p->unrecorded[p->unrecorded_count++] =
			(struct bob_unrecorded){ rec.image, s.reason, s.addr, s.bytes };
	}
	return BOB_OK;
}

/* Inverts the map from the process's images to numbers of the trace. */
static bob_status read_image_map(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	uint32_t count = b->len / (uint32_t)sizeof(uint32_t), number;

	p->image_of_count = 0; /* the last one wins */
	for (uint32_t own = 0; own < count; own++) {
		memcpy(&number, b->p + own * sizeof(number), sizeof(number));
		if (number >= BOB_IMAGES_MAX) {
			bob_problem_add(t, p->file, b->off, "invalid map of images", 1);
			return BOB_OK;
		}
		while (p->image_of_count <= number) {
			if (bob_array_reserve(&p->image_of, p->image_of_count, &p->image_of_cap,
					      sizeof(*p->image_of)))
				return BOB_ERR_NOMEM;
			p->image_of[p->image_of_count++] = BOB_IMAGES_MAX;
		}
		p->image_of[number] = own;
	}
	return BOB_OK;
}

static void read_rank(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	uint32_t v[2];

	if (b->len < sizeof(v)) {
		bob_problem_add(t, p->file, b->off, "a rank record is too short", 1);
		return;
	}
	memcpy(v, b->p, sizeof(v));
	if (v[0] > INT32_MAX || v[1] > INT32_MAX) {
		bob_problem_add(t, p->file, b->off, "a rank record is impossible", 1);
		return;
	}
	p->info.rank = (int32_t)v[0];
	p->info.world_size = (int32_t)v[1];
}

static void read_world(struct bob_process *p, const struct body *b)
{
	if (b->len >= sizeof(p->world))
		memcpy(&p->world, b->p, sizeof(p->world));
}

static bob_status read_spawn(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	struct bob_rec_spawn rec;

	if (b->len < sizeof(rec)) {
		bob_problem_add(t, p->file, b->off, "a spawn record is too short", 1);
		return BOB_OK;
	}
	memcpy(&rec, b->p, sizeof(rec));
	if (bob_array_reserve(&p->spawns, p->spawn_count, &p->spawn_cap, sizeof(rec)))
		return BOB_ERR_NOMEM;
	p->spawns[p->spawn_count++] = rec;
	return BOB_OK;
}

/* For each `when`, the last record wins. */
static void read_clock(struct bob_trace *t, struct bob_process *p, const struct body *b)
{
	struct bob_rec_clock rec;

	if (b->len < sizeof(rec)) {
		bob_problem_add(t, p->file, b->off, "a clock record is too short", 1);
		return;
	}
	memcpy(&rec, b->p, sizeof(rec));
	if (rec.when > 1) {
		bob_problem_add(t, p->file, b->off, "invalid clock record", 1);
		return;
	}
	p->clock[rec.when] = rec;
	p->clocks |= 1u << rec.when;
}

bob_status bob_after_add(struct bob_process *p, uint32_t stream, uint32_t content, uint64_t events)
{
	struct bob_rec_after **rows = (struct bob_rec_after **)(uintptr_t)&p->after;

	if (bob_array_reserve(rows, p->after_count, &p->after_cap, sizeof(**rows)))
		return BOB_ERR_NOMEM;
	(*rows)[p->after_count++] = (struct bob_rec_after){ stream, content, events };
	return BOB_OK;
}

/* Version 1 of the table `before`. */
static bob_status read_after(struct bob_process *p, const struct body *b)
{
	struct bob_rec_after rec;
	bob_status st = BOB_OK;

	p->after_count = 0; /* the last one wins */
	for (uint32_t at = 0; b->len - at >= sizeof(rec) && st == BOB_OK; at += sizeof(rec)) {
		memcpy(&rec, b->p + at, sizeof(rec));
		st = bob_after_add(p, rec.stream, rec.content, rec.events);
	}
	return st;
}

static bob_status read_record(struct bob_trace *t, struct bob_process *p, uint32_t kind,
			      const struct body *b)
{
	switch (kind) {
	case BOB_REC_COMMAND:
		return set_list(t, b, 0, &p->info.argv);
	case BOB_REC_EXE:
		return set_text(t, b->p, b->len, &p->info.exe);
	case BOB_REC_CWD:
		return set_text(t, b->p, b->len, &p->info.cwd);
	case BOB_REC_CONFIG:
		return set_list(t, b, 1, &p->info.config);
	case BOB_REC_IN_HEAD:
		p->info.in_head = 1;
		return BOB_OK;
	case BOB_REC_LOSS:
		return set_list(t, b, 1, &p->info.loss);
	case BOB_REC_IMAGE:
		return read_image(t, p, b);
	case BOB_REC_SKIPPED:
		return read_skipped(p, b);
	case BOB_REC_IMAGE_SKIPPED:
		return read_path(t, p, b, &p->skipped_images,
				 "a skipped image's record is too short");
	case BOB_REC_STARTED:
		return read_path(t, p, b, &p->started, "the record of a child is too short");
	case BOB_REC_MEM_IMAGE:
		return read_mem_image(t, p, b);
	case BOB_REC_IMAGE_MAP:
		return read_image_map(t, p, b);
	case BOB_REC_CLOCK:
		read_clock(t, p, b);
		return BOB_OK;
	case BOB_REC_RANK:
		read_rank(t, p, b);
		return BOB_OK;
	case BOB_REC_WORLD:
		read_world(p, b);
		return BOB_OK;
	case BOB_REC_SPAWN:
		return read_spawn(t, p, b);
	case BOB_REC_WAITED:
		return bob_waits_read(t, p, b->p, b->len, b->off);
	case BOB_REC_AFTER:
		return read_after(p, b);
	case BOB_REC_SHAPE:
		return bob_shape_read(t, p, b->p, b->len, b->off);
	default:
		return BOB_OK; /* not used, or of a later minor version */
	}
}

static bob_status read_meta(struct bob_trace *t, struct bob_process *p,
			    const struct bob_chunk_ref *c)
{
	const uint8_t *bytes = p->file->bytes + c->off;
	uint64_t len = bob_chunk_len(c), at = 0;
	struct bob_record rec;
	bob_status st;

	while (len - at >= sizeof(rec)) {
		struct body b;

		memcpy(&rec, bytes + at, sizeof(rec));
		b.off = c->off + at;
		b.p = bytes + at + sizeof(rec);
		b.len = rec.len;
		if (rec.len > len - at - sizeof(rec)) {
			bob_problem_add(t, p->file, b.off, "a record is longer than its chunk", 1);
			return BOB_OK;
		}
		st = read_record(t, p, rec.kind, &b);
		if (st != BOB_OK)
			return st;
		at += sizeof(rec) + rec.len;
		at += -at & 7;
		if (at > len)
			break;
	}
	return BOB_OK;
}

/* Log lines are printed on terminals, so control characters become '?'. */
static bob_status read_logs(struct bob_trace *t, struct bob_process *p)
{
	const struct bob_file *f = p->file;
	uint64_t total = 0, at = 0;
	char *text;

	for (size_t i = 0; i < f->chunk_count; i++)
		if (f->chunks[i].head.kind == BOB_CHUNK_LOG)
			total += bob_chunk_len(&f->chunks[i]);
	text = bob_arena_alloc(&t->arena, total + 1);
	if (!text)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < f->chunk_count; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (c->head.kind != BOB_CHUNK_LOG)
			continue;
		for (uint64_t k = 0; k < bob_chunk_len(c); k++) {
			uint8_t b = f->bytes[c->off + k];

			text[at++] =
				(char)((b < 0x20 && b != '\n' && b != '\t') || b == 0x7f ? '?' : b);
		}
	}
	p->log = text;
	return BOB_OK;
}

static bob_status read_chunks(struct bob_trace *t, struct bob_process *p)
{
	const struct bob_file *f = p->file;
	bob_status st = BOB_OK;

	for (size_t i = 0; i < f->chunk_count && st == BOB_OK; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		if (c->head.kind != BOB_CHUNK_META && c->head.kind != BOB_CHUNK_LOG)
			continue;
		/* chunks inside a trace file are counted there */
		t->meta_bytes += f->outer ? 0 : sizeof(c->head) + bob_chunk_len(c);
		if (!bob_chunk_crc_ok(f, c))
			bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
		if (c->head.kind == BOB_CHUNK_META)
			st = read_meta(t, p, c);
	}
	return st == BOB_OK ? read_logs(t, p) : st;
}

static const char *stop_text(uint32_t reason)
{
	static const char *const text[] = {
		[BOB_STOP_NONE] = "",
		[BOB_STOP_DISK] = "no space for the trace",
		[BOB_STOP_MEMORY] = "no memory",
		[BOB_STOP_SECCOMP] = "the program forbade system calls (seccomp)",
		[BOB_STOP_PATH] = "the trace directory could not be reached",
		[BOB_STOP_INTERNAL] = "internal error, see the log",
		[BOB_STOP_SHARED] =
			"a task that shares a thread's storage began (clone with CLONE_VM)",
	};

	return reason < sizeof(text) / sizeof(*text) ? text[reason] : "unknown reason";
}

static void fill_info(struct bob_process *p)
{
	static const char *const none[] = { NULL };
	const struct bob_file_head *h = &p->file->head;

	p->info.pid = h->pid;
	p->info.ppid = h->ppid;
	p->info.seq = h->seq;
	p->info.rank = -1;
	p->info.world = -1;
	p->info.world_size = -1;
	p->info.parent = ~0u;
	p->info.state = h->state;
	p->info.stop_reason = h->stop_reason;
	p->info.stop_text = stop_text(h->stop_reason);
	p->info.start_real_ns = h->start_real_ns;
	p->info.start_mono_ns = h->start_mono_ns;
	p->info.end_mono_ns = h->end_mono_ns;
	p->info.end_source = h->end_source;
	p->info.end_status = h->end_status;
	p->info.debugged_mono_ns = h->debugged_mono_ns;
	p->info.host = h->host;
	p->info.exe = "";
	p->info.cwd = "";
	p->info.argv = none;
	p->info.config = p->info.loss = p->info.left_out = none;
	p->info.file = p->file->name;
	p->log = "";
}

BOB_COMPARE(by_skipped_id, struct bob_rec_skipped, BOB_UP(id))

bob_status bob_process_build(struct bob_trace *t, const struct bob_file *file)
{
	struct bob_process *p = calloc(1, sizeof(*p));
	bob_status st;

	if (!p)
		return BOB_ERR_NOMEM;
	p->file = file;
	if (file->is_head ?
		    bob_array_reserve(&t->heads, t->head_count, &t->head_cap, sizeof(*t->heads)) :
		    bob_array_reserve(&t->processes, t->process_count, &t->process_cap,
				      sizeof(*t->processes))) {
		free(p);
		return BOB_ERR_NOMEM;
	}
	if (file->is_head) /* from here on freed with the trace */
		t->heads[t->head_count++] = p;
	else
		t->processes[t->process_count++] = p;
	fill_info(p);
	if (p->info.state > BOB_FILE_STOPPED)
		bob_problem_add(t, file, offsetof(struct bob_file_head, state),
				"unknown state of the process", 0);
	st = read_chunks(t, p);
	if (st == BOB_OK)
		st = bob_shapes_build(t, p);
	if (st == BOB_OK)
		st = bob_left_out_build(t, p);
	if (st != BOB_OK)
		return st;
	if (p->skipped_count)
		qsort(p->skipped, p->skipped_count, sizeof(*p->skipped), by_skipped_id);
	p->info.image_count = (uint32_t)p->image_count;
	st = bob_streams_build(t, p);
	if (st == BOB_OK)
		st = bob_common_build(t, p);
	if (st == BOB_OK)
		st = bob_raws_build(t, p);
	return st == BOB_OK ? bob_events_build(t, p) : st;
}

void bob_process_free(struct bob_process *p)
{
	for (size_t i = 0; i < p->stream_count; i++) {
		bob_stretch_free(p->streams[i]);
		if (!p->common || !p->common->merged)
			bob_folded_close((struct bob_folded *)(uintptr_t)p->streams[i]->folded);
		bob_event_stream_free(p, &p->streams[i]->mpi);
		free(p->streams[i]->blocks);
		free(p->streams[i]->marks);
		free(p->streams[i]);
	}
	free(p->streams);
	free(p->images);
	free(p->by_id);
	free(p->skipped);
	BOB_VEC_FREE(&p->skipped_images);
	BOB_VEC_FREE(&p->started);
	free(p->spawns);
	free(p->waits);
	free(p->unrecorded);
	free(p->shapes);
	free(p->known);
	free(p->spans);
	free(p->raws);
	free(p->image_of);
	free((void *)(uintptr_t)p->after);
	free(p);
}
