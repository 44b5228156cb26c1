/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens traces; queries of files, processes, threads and sizes. */
#include "bobbin/trace.h"

#include <stdlib.h>
#include <string.h>

#include "archive/events/user_functions.h"
#include "archive/reader.h"
#include "base/sized.h"
#include "run/symbol.h"

/* --- errors and problems --- */

bob_status bob_fail(struct bob_error *err, bob_status code, const struct bob_file *file,
		    uint64_t offset, const char *text)
{
	size_t len;

	if (!err)
		return code;
	memset(err, 0, sizeof(*err));
	err->code = code;
	err->offset = offset;
	err->text = text;
	if (file) {
		len = strlen(file->name);
		if (len >= sizeof(err->path))
			len = sizeof(err->path) - 1;
		memcpy(err->path, file->name, len);
	}
	return code;
}

void bob_problem_list(struct bob_trace *t, const struct bob_file *file, uint64_t offset,
		      const char *text, int lost)
{
	struct bob_problem *p;

	if (t->problem_count >= BOB_PROBLEMS_MAX ||
	    bob_array_reserve(&t->problems, t->problem_count, &t->problem_cap,
			      sizeof(*t->problems)))
		return;
	p = &t->problems[t->problem_count++];
	p->file = file ? file->name : "";
	p->offset = offset;
	p->text = text;
	p->lost = lost;
	if (t->problem_count == BOB_PROBLEMS_MAX) {
		p->text = "too many problems; the rest is not listed";
		p->lost = 1;
	}
}

void bob_problem_add(struct bob_trace *t, const struct bob_file *file, uint64_t offset,
		     const char *text, int lost)
{
	if (file && lost)
		((struct bob_file *)(uintptr_t)file)->lost = 1;
	bob_problem_list(t, file, offset, text, lost);
}

uint32_t bob_trace_problem_count(const struct bob_trace *t)
{
	return (uint32_t)t->problem_count;
}

const struct bob_problem *bob_trace_problem(const struct bob_trace *t, uint32_t index)
{
	return index < t->problem_count ? &t->problems[index] : NULL;
}

/* --- open and close --- */

static struct bob_trace *new_trace(void)
{
	struct bob_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->user = bob_user_functions_create();
	if (!t->user || pthread_mutex_init(&t->lock, NULL)) {
		bob_user_functions_destroy(t->user);
		free(t);
		return NULL;
	}
	return t;
}

void bob_trace_close(struct bob_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->process_count; i++)
		bob_process_free(t->processes[i]);
	for (size_t i = 0; i < t->head_count; i++)
		bob_process_free(t->heads[i]);
	for (size_t i = 0; i < t->common_count; i++)
		bob_common_free(t->commons[i]);
	for (size_t i = 0; i < t->file_count; i++)
		bob_file_release(&t->files[i]);
	free(t->processes);
	free(t->heads);
	free(t->commons);
	free(t->files);
	free(t->threads);
	free(t->worlds);
	free(t->sides);
	free(t->spawns);
	free(t->problems);
	free(t->limit);
	bob_user_functions_destroy(t->user);
	bob_arena_free(&t->arena);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* Builds a trace from loaded files. */
static bob_status build(struct bob_trace *t, struct bob_error *err)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < t->file_count && st >= BOB_OK; i++) {
		struct bob_file *f = &t->files[i];

		if (!f->bytes)
			continue;
		st = bob_file_scan(t, f);
		if (st == BOB_NONE)
			f->kind = 0;
	}
	for (size_t i = 0; i < t->file_count && st >= BOB_OK && !t->joins; i++)
		if (t->files[i].kind == BOB_FILE_TRACE)
			st = bob_more_join(t, &t->files[i]);
	if (st >= BOB_OK)
		st = bob_inner_load(t);
	if (st >= BOB_OK && t->joins)
		st = bob_more_choose(t);
	for (size_t i = 0; i < t->file_count && st >= BOB_OK; i++)
		if (t->files[i].kind == BOB_FILE_PROCESS)
			st = bob_process_build(t, &t->files[i]);
	if (st >= BOB_OK)
		st = bob_relatives_link(t);
	if (st >= BOB_OK && t->joins)
		st = bob_more_link(t);
	if (st >= BOB_OK && !t->nameless)
		st = bob_images_attach(t);
	if (st >= BOB_OK)
		st = bob_marks_attach(t);
	if (st < BOB_OK)
		return bob_fail(err, st, NULL, 0, "no memory");
	if (t->process_count)
		return BOB_OK;
	if (t->problem_count) {
		bob_fail(err, BOB_ERR_CORRUPT, NULL, t->problems[0].offset, t->problems[0].text);
		if (err)
			strncpy(err->path, t->problems[0].file, sizeof(err->path) - 1);
		return BOB_ERR_CORRUPT;
	}
	return bob_fail(err, BOB_ERR_NOENT, NULL, 0, "no process in the trace");
}

static bob_status open_dir(const char *dir, uint32_t root, struct bob_trace **out,
			   struct bob_error *err)
{
	struct bob_trace *t;
	bob_status st;

	if (!dir || !out)
		return bob_fail(err, BOB_ERR_INVAL, NULL, 0, "no directory given");
	t = new_trace();
	if (!t)
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	st = bob_dir_load(t, dir, root, err);
	if (st == BOB_OK)
		st = build(t, err);
	if (st != BOB_OK) {
		bob_trace_close(t);
		return st;
	}
	*out = t;
	return BOB_OK;
}

bob_status bob_trace_open(const char *dir, struct bob_trace **out, struct bob_error *err)
{
	return open_dir(dir, 0, out, err);
}

bob_status bob_archive_open_below(const char *dir, uint32_t root, struct bob_trace **out,
				  struct bob_error *err)
{
	return open_dir(dir, root, out, err);
}

static bob_status open_memory(const struct bob_memory_file *files, size_t count, int nameless,
			      int joins, struct bob_trace **out, struct bob_error *err)
{
	struct bob_trace *t = new_trace();
	bob_status st;

	if (t) {
		t->nameless = nameless;
		t->joins = joins;
	}
	if (t)
		t->files = calloc(count + 1, sizeof(*t->files));
	if (!t || !t->files) {
		bob_trace_close(t);
		return bob_fail(err, BOB_ERR_NOMEM, NULL, 0, "no memory");
	}
	for (size_t i = 0; i < count; i++) {
		t->files[i].name = files[i].name;
		t->files[i].bytes = files[i].bytes;
		t->files[i].size = files[i].len;
		t->file_bytes += files[i].len;
	}
	t->file_count = count;
	t->file_cap = count + 1;
	st = build(t, err);
	if (st != BOB_OK) {
		bob_trace_close(t);
		return st;
	}
	*out = t;
	return BOB_OK;
}

bob_status bob_archive_open_memory(const struct bob_memory_file *files, size_t count,
				   struct bob_trace **out, struct bob_error *err)
{
	return open_memory(files, count, 0, 0, out, err);
}

bob_status bob_archive_open_running(const struct bob_memory_file *files, size_t count,
				    struct bob_trace **out, struct bob_error *err)
{
	return open_memory(files, count, 1, 0, out, err);
}

bob_status bob_archive_open_parts(const struct bob_memory_file *files, size_t count,
				  struct bob_trace **out, struct bob_error *err)
{
	return open_memory(files, count, 1, 1, out, err);
}

/* --- queries --- */

uint32_t bob_trace_process_count(const struct bob_trace *t)
{
	return (uint32_t)t->process_count;
}

uint32_t bob_trace_thread_count(const struct bob_trace *t)
{
	return (uint32_t)t->thread_count;
}

const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index)
{
	return index < t->process_count ? &t->processes[index]->info : NULL;
}

const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
					     uint32_t image)
{
	if (process >= t->process_count || image >= t->processes[process]->image_count)
		return NULL;
	return &t->processes[process]->images[image].info;
}

/* Counts function entries of a stream that was not closed. Block headers have the number of
 * extended symbols before them, so only the last block has to be decoded. */
static uint64_t count_events(const struct bob_stream *s)
{
	struct bob_symbol_reader r;
	uint64_t events, pos;
	uint32_t syms[1024];
	size_t n;
	int hole;

	if (!s->block_count)
		return 0;
	events = s->blocks[s->block_count - 1].pos;
	events -= s->blocks[s->block_count - 1].ext < events ? s->blocks[s->block_count - 1].ext :
							       events;
	if (bob_symbols_open(&r, s) == BOB_OK) {
		bob_symbols_goto(&r, s->block_count - 1);
		while (bob_symbols_read(&r, syms, 1024, &n, &pos, &hole, NULL) == BOB_OK)
			for (size_t i = 0; i < n; i++)
				events += !bob_sym_is_ext(syms[i]);
	}
	bob_symbols_close(&r);
	return events;
}

const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&t->lock;
	struct bob_stream *s;

	if (index >= t->thread_count)
		return NULL;
	s = t->threads[index];
	pthread_mutex_lock(lock);
	if (!s->counted) {
		s->info.events = count_events(s);
		s->counted = 1;
	}
	pthread_mutex_unlock(lock);
	return &s->info;
}

void bob_trace_sizes_sized(const struct bob_trace *t, struct bob_trace_sizes *to, size_t to_size)
{
	struct bob_trace_sizes sizes = { 0 }, *out = &sizes;

	for (uint32_t i = 0; i < t->thread_count; i++) {
		const struct bob_thread_info *info = bob_trace_thread(t, i);

		out->events += info->events;
		out->accesses += bob_trace_accesses(t, i);
		out->mpi_calls += bob_trace_value_events(t, i, BOB_VALUES_MPI);
		out->raw_bytes += 8 * (t->threads[i]->mpi.events + t->threads[i]->mpi.values);
		if (t->threads[i]->mpi.exact_count)
			out->raw_bytes += 16 * t->threads[i]->mpi.events;
		out->stream_bytes += info->stream_bytes;
	}
	for (size_t i = 0; i < t->common_count; i++)
		out->stream_bytes += t->commons[i]->desc_bytes + t->commons[i]->merged_bytes;
	out->raw_bytes += 4 * out->events + 16 * out->accesses;
	out->meta_bytes = t->meta_bytes;
	out->mark_bytes = t->mark_bytes;
	out->file_bytes = t->file_bytes;
	bob_sized_copy(to, to_size, out, sizeof(*out));
}

void bob_trace_mem_coverage(const struct bob_trace *t, uint32_t process,
			    struct bob_mem_coverage *out)
{
	*out = process < t->process_count ? t->processes[process]->coverage :
					    (struct bob_mem_coverage){ 0 };
}

uint32_t bob_trace_unrecorded_count(const struct bob_trace *t, uint32_t process)
{
	return process < t->process_count ? (uint32_t)t->processes[process]->unrecorded_count : 0;
}

const struct bob_unrecorded *bob_trace_unrecorded(const struct bob_trace *t, uint32_t process,
						  uint32_t index)
{
	return index < bob_trace_unrecorded_count(t, process) ?
		       &t->processes[process]->unrecorded[index] :
		       NULL;
}

/* Of processes that do not exist. */
static const struct bob_noted_paths none;

static const char *path_at(const struct bob_noted_paths *n, uint32_t index, uint32_t *number)
{
	if (index >= n->count)
		return NULL;
	if (number)
		*number = n->at[index].number;
	return n->at[index].path;
}

static const struct bob_noted_paths *skipped_of(const struct bob_trace *t, uint32_t process)
{
	return process < t->process_count ? &t->processes[process]->skipped_images : &none;
}

static const struct bob_noted_paths *started_of(const struct bob_trace *t, uint32_t process)
{
	return process < t->process_count ? &t->processes[process]->started : &none;
}

uint32_t bob_trace_skipped_image_count(const struct bob_trace *t, uint32_t process)
{
	return (uint32_t)skipped_of(t, process)->count;
}

const char *bob_trace_skipped_image(const struct bob_trace *t, uint32_t process, uint32_t index,
				    uint32_t *reason)
{
	return path_at(skipped_of(t, process), index, reason);
}

uint32_t bob_trace_started_count(const struct bob_trace *t, uint32_t process)
{
	return (uint32_t)started_of(t, process)->count;
}

const char *bob_trace_started(const struct bob_trace *t, uint32_t process, uint32_t index,
			      uint32_t *pid)
{
	return path_at(started_of(t, process), index, pid);
}

const char *bob_trace_log(const struct bob_trace *t, uint32_t process)
{
	return process < t->process_count ? t->processes[process]->log : "";
}

size_t bob_trace_marks(const struct bob_trace *t, uint32_t thread,
		       const struct bob_mark_info **marks)
{
	if (thread >= t->thread_count) {
		*marks = NULL;
		return 0;
	}
	*marks = t->threads[thread]->marks;
	return t->threads[thread]->mark_count;
}
