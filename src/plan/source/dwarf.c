/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the units of debug information that contain recorded instructions: their lines, their
 * static variables, and the functions around the instructions. */
#include <dwarf.h>
#include <string.h>

#include "base/order.h"
#include "plan/source/source.h"

#define DEPTH_MAX 24u

static uint32_t file_index(struct bob_source_maker *m, const char *name)
{
	const char **to;

	for (size_t i = m->files.count; i-- > 0;) /* the most recent one is the most likely */
		if (!strcmp(m->files.at[i], name))
			return (uint32_t)i;
	to = BOB_VEC_PUSH(&m->files);
	if (!to) {
		m->no_memory = 1;
		return ~0u;
	}
	*to = bob_source_text(m, name);
	return (uint32_t)m->files.count - 1;
}

/* --- lines --- */

/* The header of a program's own events is inlined; the relevant location is that of the call. */
int bob_source_is_events_header(const char *file)
{
	static const char name[] = "bobbin/events.h";
	const size_t n = strlen(file), own = sizeof(name) - 1;

	return n >= own && !strcmp(file + n - own, name) && (n == own || file[n - own - 1] == '/');
}

int bob_source_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, Dwarf_Word *line)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), line) != 0 ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &number) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
		return 0;
	*file = dwarf_filesrc(files, number, NULL, NULL);
	return *file && *line && *line <= INT32_MAX;
}

/* The innermost call that is not in such a header. Without one, *file and *number are unchanged. */
static void leave_header(Dwarf_Die *unit, uint64_t pc, const char **file, int *number)
{
	Dwarf_Die *at, *scope = NULL;
	int count = dwarf_getscopes(unit, pc, &at);
	const char *in = *file;
	Dwarf_Word line;

	if (count <= 0)
		return;
	/* the other elements of `at` are the scopes of its definition */
	count = dwarf_getscopes_die(&at[0], &scope);
	free(at);
	for (int i = 0; i < count && bob_source_is_events_header(in); i++) {
		if (dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine)
			continue;
		if (!bob_source_call(unit, &scope[i], &in, &line))
			break;
		if (!bob_source_is_events_header(in)) {
			*file = in;
			*number = (int)line;
		}
	}
	free(scope);
}

static void read_line(struct bob_source_maker *m, Dwarf_Die *unit, struct bob_source_row *r)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, r->pc);
	const char *file;
	Dwarf_Addr at;
	bool ends;
	int number;

	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0 ||
	    dwarf_lineaddr(line, &at) != 0 || at > r->pc ||
	    dwarf_lineendsequence(line, &ends) != 0 || ends)
		return;
	file = dwarf_linesrc(line, NULL, NULL);
	if (file && bob_source_is_events_header(file))
		leave_header(unit, r->pc, &file, &number);
	if (!file || strnlen(file, 4096) >= 4096)
		return;
	r->line = (uint32_t)number;
	r->file = file_index(m, file);
}

/* --- functions --- */

static void free_function(struct bob_source_function *f)
{
	free(f->ranges.at);
	free(f->terms.at);
	free(f->facts.at);
	free(f->slots.at);
}

static void read_function(struct bob_source_maker *m, Dwarf_Die *die, void *ctx)
{
	struct bob_source_function f = { .m = m };
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	size_t used = 0, n;

	(void)ctx;
	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0 && bob_source_step(m)) {
		struct bob_source_range *r;

		if (lo >= hi || hi - lo > INT32_MAX)
			continue;
		r = BOB_VEC_PUSH(&f.ranges);
		if (!r) {
			m->no_memory = 1;
			break;
		}
		*r = (struct bob_source_range){ lo, hi };
		bob_source_rows(m, lo, hi, &n);
		used += n;
	}
	if (used) {
		f.entry = f.ranges.at[0].lo;
		if (dwarf_entrypc(die, &lo) == 0)
			f.entry = lo;
		bob_source_variables(&f, die);
		bob_source_flow(&f);
	}
	free_function(&f);
}

/* GCC describes the bodies of OpenMP's regions in the blocks around these. */
static void find_functions(struct bob_source_maker *m, Dwarf_Die *die, unsigned depth,
			   bob_source_function_fn visit, void *ctx)
{
	Dwarf_Die child;
	int left = dwarf_child(die, &child);

	for (; left == 0 && bob_source_step(m); left = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && !dwarf_hasattr(&child, DW_AT_declaration))
			visit(m, &child, ctx);
		if (depth < DEPTH_MAX &&
		    (tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
		     tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		     tag == DW_TAG_lexical_block))
			find_functions(m, &child, depth + 1, visit, ctx);
	}
}

void bob_source_each_function(struct bob_source_maker *m, Dwarf_Die *unit,
			      bob_source_function_fn visit, void *ctx)
{
	find_functions(m, unit, 0, visit, ctx);
}

/* --- units --- */

/* Set the lines of the rows in the unit. Returns whether it has any. */
static int read_lines(struct bob_source_maker *m, Dwarf_Die *unit)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	size_t n, used = 0;

	while ((at = dwarf_ranges(unit, at, &base, &lo, &hi)) > 0 && bob_source_step(m)) {
		struct bob_source_row *r = bob_source_rows(m, lo, hi, &n);

		for (size_t i = 0; i < n; i++)
			read_line(m, unit, &r[i]);
		used += n;
	}
	return used != 0;
}

static int has_rows(struct bob_source_maker *m, Dwarf_Die *unit)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	size_t n = 0;

	while (!n && (at = dwarf_ranges(unit, at, &base, &lo, &hi)) > 0)
		bob_source_rows(m, lo, hi, &n);
	return n != 0;
}

static void functions_of(struct bob_source_maker *m, Dwarf_Die *die)
{
	bob_source_each_function(m, die, read_function, NULL);
}

typedef int (*wanted_fn)(struct bob_source_maker *m, Dwarf_Die *unit);

static void each_unit(struct bob_source_maker *m, wanted_fn is_wanted, bob_source_unit_fn visit)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (bob_source_step(m) &&
	       dwarf_get_units(m->dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		const int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit) &&
		    is_wanted(m, &die))
			visit(m, dwarf_tag(&split) != DW_TAG_invalid ? &split : &die);
	}
}

void bob_source_each_unit(struct bob_source_maker *m, bob_source_unit_fn visit)
{
	each_unit(m, has_rows, visit);
}

BOB_COMPARE(by_addr, struct bob_source_static, BOB_UP(addr) BOB_DOWN(size))

void bob_source_find_sizes(struct bob_source_maker *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->statics.count; i++) {
		struct bob_source_static *s = &m->statics.at[i];

		for (size_t k = 0; !s->size && k < m->symbols.count; k++)
			if (m->symbols.at[k].addr == s->addr)
				s->size = m->symbols.at[k].size;
		if (s->size && s->size < UINT64_MAX / 4 && s->addr < UINT64_MAX / 4)
			m->statics.at[n++] = *s;
	}
	m->statics.count = n;
	if (n)
		qsort(m->statics.at, n, sizeof(*m->statics.at), by_addr);
}

void bob_source_read(struct bob_source_maker *m)
{
	each_unit(m, read_lines, bob_source_statics_of);
	bob_source_find_sizes(m);
	each_unit(m, has_rows, functions_of);
}
