/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the source information of an image: opens the file and its debug file, runs the readers,
 * writes the result. All of it is best effort: without debug information only sections and symbols
 * are available. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/search.h"
#include "plan/plan.h"
#include "plan/source/source.h"

#define WORK_MAX 50000000u	/* limit of the entries and ranges that are examined */
#define BUILD_ID_MAX 20u
/* to be increased if the same files give other lines, variables or inlined functions */
#define SOURCE_VERSION 4u
#define JOINED_MAX 60		/* length of joined names of variables at one address */

const char *bob_source_text(struct bob_source_maker *m, const char *text)
{
	char **to = BOB_VEC_PUSH(&m->texts);

	if (to)
		*to = strdup(text);
	if (to && *to)
		return *to;
	m->no_memory = 1;
	return "";
}

int bob_source_step(struct bob_source_maker *m)
{
	if (!m->work || m->no_memory)
		return 0;
	m->work--;
	return 1;
}

static size_t first_row(const struct bob_source_maker *m, uint64_t pc)
{
	return BOB_COUNT_BELOW(m->row, m->rows, struct bob_source_row, pc, pc);
}

struct bob_source_row *bob_source_rows(const struct bob_source_maker *m, uint64_t lo, uint64_t hi,
				       size_t *count)
{
	size_t from = first_row(m, lo), to = hi > lo ? first_row(m, hi) : from;

	*count = to - from;
	return m->row + from;
}

/* --- objects --- */

BOB_COMPARE(by_place, struct bob_source_object, BOB_UP(addr) BOB_DOWN(size))

/* Merge variables at one address (EQUIVALENCE, COMMON with other names), joining their names. */
static void unite(struct bob_source_maker *m, struct bob_source_object *to,
		  const struct bob_source_object *o)
{
	uint64_t end = o->addr + o->size;
	char text[2 * BOB_SOURCE_NAME_MAX];

	if (end > to->addr + to->size)
		to->size = end - to->addr;
	if (strlen(to->name) > JOINED_MAX || strstr(to->name, o->name))
		return;
	snprintf(text, sizeof(text), "%.150s, %.150s", to->name, o->name);
	to->name = bob_source_text(m, text);
}

static size_t sort_objects(struct bob_source_maker *m, struct bob_source_object *o, size_t count)
{
	size_t n = 0;

	if (count)
		qsort(o, count, sizeof(*o), by_place);
	for (size_t i = 0; i < count; i++)
		if (n && o[i].addr < o[n - 1].addr + o[n - 1].size)
			unite(m, &o[n - 1], &o[i]);
		else
			o[n++] = o[i];
	return n;
}

static int is_free(const struct bob_source_object *o, size_t count, uint64_t lo, uint64_t hi)
{
	size_t low;

	/* the first that ends after lo */
	BOB_PARTITION_POINT(low, count, mid, o[mid].addr + o[mid].size <= lo);
	return low == count || o[low].addr >= hi;
}

/* Merge variables of DWARF with symbols elsewhere. Of aliases, the first name wins. */
static size_t make_objects(struct bob_source_maker *m, struct bob_source_object *o)
{
	size_t known = 0, n;

	for (size_t i = 0; i < m->statics.count; i++)
		o[known++] = (struct bob_source_object){ m->statics.at[i].addr,
							 m->statics.at[i].size,
							 m->statics.at[i].name };
	known = sort_objects(m, o, known);
	n = known;
	for (size_t i = 0; i < m->symbols.count; i++) {
		const struct bob_source_static *s = &m->symbols.at[i];

		if (is_free(o, known, s->addr, s->addr + s->size))
			o[n++] = (struct bob_source_object){ s->addr, s->size, s->name };
	}
	qsort(o + known, n - known, sizeof(*o), by_place);
	for (size_t i = known, last = 0; i < n; i++) { /* the first of overlapping symbols wins */
		if (last && o[i].addr < o[last].addr + o[last].size)
			o[i].size = 0;
		else
			last = i;
	}
	for (size_t i = known, all = n; i < all; i++)
		if (o[i].size)
			o[known++] = o[i];
	return sort_objects(m, o, known);
}

static size_t make_sections(struct bob_source_maker *m, const struct bob_source_statics *from,
			    struct bob_source_object *o)
{
	for (size_t i = 0; i < from->count; i++)
		o[i] = (struct bob_source_object){ from->at[i].addr, from->at[i].size,
						   from->at[i].name };
	return sort_objects(m, o, from->count);
}

/* --- files --- */

static Elf *open_elf(const char *path, int *fd)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
}

static int has_dwarf(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) :
							    NULL;

		if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")) &&
		    sh.sh_type != SHT_NOBITS)
			return 1;
	}
	return 0;
}

/* Path of the distribution's debug file for this build-id; "" if it cannot exist. */
static void debug_path(char path[96], const uint8_t *build_id, unsigned len)
{
	size_t n;

	path[0] = '\0';
	if (len < 3 || len > BUILD_ID_MAX)
		return;
	n = (size_t)snprintf(path, 96, "/usr/lib/debug/.build-id/%02x/", build_id[0]);
	for (unsigned i = 1; i < len; i++)
		n += (size_t)snprintf(path + n, 96 - n, "%02x", build_id[i]);
	snprintf(path + n, 96 - n, ".debug");
}

void bob_source_open_files(struct bob_source_files_of *f, const char *path,
			   const struct bob_plan_image *img)
{
	char debug[96];

	*f = (struct bob_source_files_of){ .fd = -1, .debug_fd = -1 };
	f->elf = open_elf(path, &f->fd);
	debug_path(debug, img->build_id, img->build_id_len);
	if (debug[0])
		f->debug = open_elf(debug, &f->debug_fd);
}

Elf *bob_source_debug_of(const struct bob_source_files_of *f)
{
	return has_dwarf(f->elf) ? f->elf : has_dwarf(f->debug) ? f->debug : NULL;
}

static uint64_t stamp_of(const char *path, uint64_t seed)
{
	uint64_t is[3] = { 0 };
	struct stat sb;

	if (path[0] && stat(path, &sb) == 0) {
		is[0] = (uint64_t)sb.st_size;
		is[1] = (uint64_t)sb.st_mtim.tv_sec;
		is[2] = (uint64_t)sb.st_mtim.tv_nsec;
	}
	return bob_hash64(seed, is, sizeof(is));
}

uint64_t bob_plan_source_stamp(const char *path, const uint8_t *build_id, unsigned build_id_len)
{
	char debug[96];

	debug_path(debug, build_id, build_id_len);
	return stamp_of(debug, stamp_of(path, SOURCE_VERSION));
}

void bob_source_close_files(struct bob_source_files_of *f)
{
	elf_end(f->debug);
	elf_end(f->elf);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	if (f->fd >= 0)
		close(f->fd);
}

/* --- making --- */

/* The steps of planning that flow.c needs: frames, and entries from elsewhere. */
static bob_status read_image(struct bob_plan_image *img, const char *path, int whole,
			     struct bob_error *err)
{
	bob_status st = whole ? bob_plan_elf_open(img, path, err) :
				bob_plan_elf_open_key(img, path, err);

	if (st == BOB_OK && whole)
		st = bob_plan_read_frames(img);
	if (st == BOB_OK && whole)
		st = bob_plan_find_functions(img);
	return st == BOB_OK && whole ? bob_plan_scan(img) : st;
}

static void read_all(struct bob_source_maker *m, struct bob_source_files_of *f,
		     struct bob_source_statics *sections, int with_inlined)
{
	Elf *debug = bob_source_debug_of(f);

	if (f->elf) {
		bob_source_sections(m, f->elf, sections);
		bob_source_symbols(m, f->elf);
		bob_source_thread(m, f->elf);
	}
	if (f->debug)
		bob_source_symbols(m, f->debug);
	m->dwarf = m->rows && debug ? dwarf_begin_elf(debug, DWARF_C_READ, NULL) : NULL;
	if (m->dwarf)
		bob_source_read(m);
	m->work = WORK_MAX;
	if (m->dwarf && with_inlined)
		bob_source_read_inlined(m);
	dwarf_end(m->dwarf);
}

static bob_status write_all(struct bob_source_maker *m, const struct bob_source_statics *sections,
			    bob_fold_write_fn write, void *source, void *inlined)
{
	size_t most = m->statics.count + m->symbols.count + sections->count + 1;
	struct bob_source_object *o = calloc(most, sizeof(*o)), *s = calloc(most, sizeof(*s));
	struct bob_source out = { .file = m->files.at, .files = m->files.count,
				  .place = m->places.at, .places = m->places.count,
				  .row = m->row, .rows = m->rows, .object = o, .section = s,
				  .inlined = m->calls.at, .inlined_count = m->calls.count,
				  .text = m->words.at, .texts = m->words.count };
	bob_status st = o && s ? bob_source_drop_inlined(&out) : BOB_ERR_NOMEM;

	if (st == BOB_OK) {
		out.objects = make_objects(m, o);
		out.sections = make_sections(m, sections, s);
		st = m->no_memory ? BOB_ERR_NOMEM : BOB_OK;
	}
	if (st == BOB_OK)
		bob_source_put(&out, write, source);
	if (st == BOB_OK && inlined)
		st = bob_source_put_inlined(&out, write, inlined);
	free(s);
	free(o);
	return st;
}

static bob_status make_rows(struct bob_source_maker *m, const uint64_t *pc, size_t count)
{
	m->row = calloc(count + 1, sizeof(*m->row));
	if (!m->row)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		m->row[i] = (struct bob_source_row){ .pc = pc[i], .file = ~0u };
	m->rows = count;
	return BOB_OK;
}

/* Drop rows without information. */
static void drop_unknown(struct bob_source_maker *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->rows; i++)
		if (m->row[i].line || m->row[i].load || m->row[i].store || m->row[i].inlined)
			m->row[n++] = m->row[i];
	m->rows = n;
}

void bob_source_free_maker(struct bob_source_maker *m)
{
	for (size_t i = 0; i < m->texts.count; i++)
		free(m->texts.at[i]);
	free(m->texts.at);
	free(m->files.at);
	free(m->places.at);
	free(m->statics.at);
	free(m->symbols.at);
	free(m->thread.slots.at);
	free(m->thread.variables.at);
	free(m->thread.symbols.at);
	BOB_MAP_FREE(&m->calls);
	BOB_MAP_FREE(&m->words);
	free(m->row);
}

bob_status bob_source_make(const char *path, const uint64_t *pc, size_t count,
			   void (*write)(void *ctx, const void *bytes, size_t len), void *source,
			   void *inlined, struct bob_error *err)
{
	struct bob_source_maker m = { .work = WORK_MAX };
	struct bob_source_statics sections = { 0 };
	struct bob_source_files_of f = { .fd = -1, .debug_fd = -1 };
	struct bob_plan_image img;
	bob_status st = read_image(&img, path, 0, err);

	if (st == BOB_OK) {
		bob_source_open_files(&f, path, &img);
		if (count && bob_source_debug_of(&f)) {
			bob_plan_elf_close(&img);
			st = read_image(&img, path, 1, err);
		}
	}
	if (st == BOB_OK)
		st = make_rows(&m, pc, count);
	if (st == BOB_OK) {
		m.img = &img;
		read_all(&m, &f, &sections, inlined != NULL);
		drop_unknown(&m);
		st = write_all(&m, &sections, write, source, inlined);
	}
	free(sections.at);
	bob_source_free_maker(&m);
	bob_source_close_files(&f);
	bob_plan_elf_close(&img);
	return st;
}
