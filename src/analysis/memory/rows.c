/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the memory analysis in a hash table; their keys are function, instruction, line or
 * variable. */
#include "analysis/memory/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"

static uint64_t hash_of(const struct bob_memory_row *r)
{
	uint64_t h = bob_hash_text(r->addr + r->line, r->image);

	h = bob_hash_text(h, r->file);
	h = bob_hash_text(h + r->variable.kind, r->variable.name);
	return bob_hash_mix(h);
}

static int same_row(const struct bob_memory_row *a, const struct bob_memory_row *b)
{
	return a->addr == b->addr && a->line == b->line && a->variable.kind == b->variable.kind &&
	       !strcmp(a->image, b->image) && !strcmp(a->file, b->file) &&
	       !strcmp(a->variable.name, b->variable.name) && !strcmp(a->function, b->function);
}

/* --- keys --- */

static void by_function(const struct bob_memory *m, const struct bob_variable_access *a,
			struct bob_memory_row *r)
{
	const struct bob_image_info *im = bob_trace_image(m->trace, m->process, a->image);
	struct bob_function_info f;

	r->image = im ? im->soname : "";
	r->addr = m->by == BOB_MEMORY_INSTRUCTION ? a->pc : 0;
	if (!im || bob_trace_function_at(m->trace, m->process, a->image, a->pc, &f) != BOB_OK)
		return;
	r->function = f.name;
	r->addr = m->by == BOB_MEMORY_INSTRUCTION ? a->pc : f.addr;
	r->offset = r->addr - f.addr;
}

static void by_line(const struct bob_memory *m, const struct bob_variable_access *a,
		    struct bob_memory_row *r)
{
	struct bob_source_line line;

	by_function(m, a, r);
	(void)bob_trace_source(m->trace, m->process, a->image, a->pc, &line);
	if (line.line) {
		r->file = line.file;
		r->line = line.line;
	}
}

static void by_variable(const struct bob_memory *m, const struct bob_variable_access *a,
			struct bob_memory_row *r)
{
	bob_variable_of(m->trace, a, &r->variable);
	r->image = r->variable.image;
	r->function = r->variable.function;
	r->addr = r->variable.function_addr;
}

struct bob_memory_entry *bob_memory_row_of(struct bob_memory *m, struct bob_variable_access *a)
{
	struct bob_memory_row r = { .image = "", .function = "", .file = "",
				    .variable = { .name = "", .image = "", .function = "" } };
	struct bob_memory_entry *e;
	struct bob_probe p;
	uint64_t hash;

	a->process = m->process;
	a->stack = m->stack;
	if (m->by == BOB_MEMORY_LINE)
		by_line(m, a, &r);
	else if (m->by == BOB_MEMORY_VARIABLE)
		by_variable(m, a, &r);
	else
		by_function(m, a, &r);
	hash = hash_of(&r);
	p = bob_probe_of(hash);
	while (bob_index_next(&m->rows.index, &p))
		if (same_row(&m->rows.at[p.number].pub, &r))
			return &m->rows.at[p.number];
	e = BOB_MAP_ADD(&m->rows, hash);
	if (e)
		e->pub = r;
	m->failed |= !e;
	return e;
}

/* --- adding --- */

void bob_memory_count(struct bob_memory_row *r, unsigned type, uint64_t times, unsigned size)
{
	if (type == BOB_ACCESS_LOAD)
		r->loads += times;
	else if (type == BOB_ACCESS_STORE)
		r->stores += times;
	else
		r->atomics += times;
	r->bytes += times * size;
}

/* Adds a stride; if the table is full, the rarest one is replaced. */
static void add_stride(struct bob_memory_entry *e, int64_t bytes, uint64_t accesses)
{
	struct bob_memory_stride *s = e->pub.stride, *least = s;

	for (unsigned i = 0; i < BOB_MEMORY_STRIDES; i++) {
		if (!s[i].accesses || s[i].bytes == bytes) {
			s[i].bytes = bytes;
			s[i].accesses += accesses;
			return;
		}
		if (s[i].accesses < least->accesses)
			least = &s[i];
	}
	if (least->accesses < accesses)
		*least = (struct bob_memory_stride){ bytes, accesses };
}

void bob_memory_add_piece(struct bob_memory *m, struct bob_memory_entry *r,
			  const struct bob_piece *p, int64_t offset, unsigned size, uint64_t times)
{
	if (p->dims)
		add_stride(r, (int64_t)p->step[0], times);
	/* separates the address spaces of processes: user space has 47 bits */
	offset = (int64_t)((uint64_t)offset + ((uint64_t)m->process << 48));
	if (bob_footprint_add(&r->footprint, p, offset, size))
		m->failed = 1;
}

void bob_memory_add_unfolded(struct bob_memory *m, const struct bob_memory_unfolded *u)
{
	if (BOB_VEC_ADD(&m->unfolded, *u))
		m->failed = 1;
}

/* --- the result --- */

BOB_COMPARE(by_accesses, struct bob_memory_row,
	    BOB_DOWN_BY(bob_memory_accesses) BOB_TEXT(image) BOB_TEXT(file) BOB_TEXT(variable.name)
		    BOB_UP(line) BOB_UP(variable.kind) BOB_UP(addr))

BOB_COMPARE(by_frequency, struct bob_memory_stride, BOB_DOWN(accesses) BOB_UP(bytes))

BOB_COMPARE(by_values, struct bob_memory_unfolded, BOB_DOWN(values) BOB_UP(reason) BOB_UP(pc))

BOB_COMPARE(by_cause, struct bob_memory_unfolded,
	    BOB_UP(process) BOB_UP(image) BOB_UP(pc) BOB_UP(reason) BOB_UP(type))

/* Combines the entries of several leaves or threads for one place. */
static void unite_unfolded(struct bob_memory *m)
{
	struct bob_memory_unfolded *u = m->unfolded.at;
	size_t n = 0;

	if (!m->unfolded.count)
		return;
	qsort(u, m->unfolded.count, sizeof(*u), by_cause);
	for (size_t i = 1; i < m->unfolded.count; i++) {
		if (by_cause(&u[n], &u[i])) {
			u[++n] = u[i];
			continue;
		}
		u[n].values += u[i].values;
		u[n].all += u[i].all;
	}
	m->unfolded.count = n + 1;
	qsort(u, m->unfolded.count, sizeof(*u), by_values);
}

bob_status bob_memory_finish(struct bob_memory *m)
{
	m->sorted = calloc(m->rows.count + 1, sizeof(*m->sorted));
	if (!m->sorted)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < m->rows.count; i++) {
		struct bob_memory_row *r = &m->rows.at[i].pub;

		bob_footprint_count(&m->rows.at[i].footprint, &r->footprint, &r->footprint_most);
		qsort(r->stride, BOB_MEMORY_STRIDES, sizeof(*r->stride), by_frequency);
		m->sorted[i] = *r;
	}
	if (m->rows.count)
		qsort(m->sorted, m->rows.count, sizeof(*m->sorted), by_accesses);
	unite_unfolded(m);
	return BOB_OK;
}
