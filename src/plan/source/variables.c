/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the variables of an image by name, so that users can select them before a run: those of all
 * units of debug information, and symbols. The child process (apart.c) sends each as name, unit,
 * address, size and kind. */
#include <dwarf.h>
#include <string.h>

#include "plan/plan.h"
#include "plan/source/source.h"

#define WORK_MAX 50000000u /* as in make.c */

struct head {
	uint64_t addr, size;
	uint32_t name_len, unit_len; /* including the terminating zero */
	uint32_t is_thread_local, unused;
};

struct writer {
	bob_fold_write_fn write;
	void *ctx;
};

static void put(const struct writer *to, const struct bob_source_static *s, const char *unit,
		int is_thread_local)
{
	struct head h = { .addr = s->addr, .size = s->size,
			  .is_thread_local = (uint32_t)is_thread_local };

	if (!s->size || s->size > UINT64_MAX / 4 || s->addr > UINT64_MAX / 4)
		return;
	h.name_len = (uint32_t)strlen(s->name) + 1;
	h.unit_len = (uint32_t)strlen(unit) + 1;
	to->write(to->ctx, &h, sizeof(h));
	to->write(to->ctx, s->name, h.name_len);
	to->write(to->ctx, unit, h.unit_len);
}

static void put_all(const struct writer *to, const struct bob_source_statics *list,
		    const char *unit, int is_thread_local)
{
	for (size_t i = 0; i < list->count; i++)
		put(to, &list->at[i], unit, is_thread_local);
}

static void read_units(struct bob_source_maker *m, const struct writer *to)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (bob_source_step(m) &&
	       dwarf_get_units(m->dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		Dwarf_Die *at = dwarf_tag(&split) != DW_TAG_invalid ? &split : &die;
		const char *name = dwarf_diename(&die);

		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		m->statics.count = m->thread.variables.count = 0;
		bob_source_statics_of(m, at);
		bob_source_find_sizes(m);
		put_all(to, &m->statics, name ? name : "?", 0);
		put_all(to, &m->thread.variables, name ? name : "?", 1);
	}
}

struct job {
	const char *path;
	int with_debug;
};

static bob_status read_variables(void *arg, bob_fold_write_fn write, void *ctx)
{
	const struct job *job = arg;
	const struct writer to = { write, ctx };
	struct bob_source_maker m = { .work = WORK_MAX };
	struct bob_source_files_of f;
	struct bob_plan_image img;
	bob_status st = bob_plan_elf_open_key(&img, job->path, NULL);
	Elf *debug;

	if (st != BOB_OK)
		return st;
	m.img = &img;
	bob_source_open_files(&f, job->path, &img);
	if (f.elf)
		bob_source_symbols(&m, f.elf);
	if (f.debug)
		bob_source_symbols(&m, f.debug);
	debug = job->with_debug ? bob_source_debug_of(&f) : NULL;
	m.dwarf = debug ? dwarf_begin_elf(debug, DWARF_C_READ, NULL) : NULL;
	if (m.dwarf)
		read_units(&m, &to);
	dwarf_end(m.dwarf);
	put_all(&to, &m.symbols, "", 0);
	put_all(&to, &m.thread.symbols, "", 1);
	st = m.no_memory ? BOB_ERR_NOMEM : BOB_OK;
	bob_source_free_maker(&m);
	bob_source_close_files(&f);
	bob_plan_elf_close(&img);
	return st;
}

bob_status bob_plan_variables(const char *path,
			      void (*visit)(void *ctx, const struct bob_plan_variable *v),
			      void *ctx, struct bob_error *err)
{
	struct job job = { path, 1 };
	struct bob_plan_bytes b = { 0 };
	struct bob_plan_image img;
	bob_status st = bob_plan_elf_open_key(&img, path, err);
	struct head h;

	if (st != BOB_OK) {
		bob_plan_elf_close(&img);
		return st;
	}
	bob_plan_elf_close(&img);
	st = bob_source_apart(path, read_variables, &job, &b, err);
	if (st != BOB_OK) {
		job.with_debug = 0;
		b.count = 0;
		st = bob_source_apart(path, read_variables, &job, &b, err);
	}
	for (size_t at = 0; st == BOB_OK && b.count - at >= sizeof(h);) {
		const char *name = (const char *)b.at + at + sizeof(h);

		memcpy(&h, b.at + at, sizeof(h));
		at += sizeof(h) + h.name_len + h.unit_len;
		visit(ctx, &(struct bob_plan_variable){ name, name + h.name_len, h.addr, h.size,
							h.is_thread_local != 0 });
	}
	free(b.at);
	return st;
}
