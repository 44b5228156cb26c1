/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a Fortran file, in each form: every byte of code is in a statement, and every
 * statement says where. */
#include "fortran_check.h"

#include "../unit/source/probe_all.h"
#include "base/host/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Calls everywhere: every line that was not touched is still there, in its order. */
static void check_patches(struct bob_fortran_file *f)
{
	struct bob_fortran_output out;
	uint32_t probes, lines = 0;
	bob_status st = probe_all(f, "name", &out, &probes);

	if (st != BOB_OK) { /* what does not nest may end a loop where nothing can be put in */
		assert(st == BOB_ERR_INVAL || st == BOB_ERR_UNSUPPORTED);
		return;
	}
	assert(out.bytes[out.len] == 0);
	for (size_t i = 0; i < out.len; i++)
		lines += out.bytes[i] == '\n';
	assert(lines == out.line_count || lines + 1 == out.line_count);
	for (uint32_t i = 1; i < out.line_count; i++)
		assert(out.lines[i].line >= out.lines[i - 1].line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	for (int i = 0; i < 6; i++) {
		struct bob_fortran_options o = { .form = (enum bob_fortran_form)(i % 3),
						 .is_openmp = i >= 3 };
		struct bob_arena arena = { .blocks = NULL };
		struct bob_fortran_file *f;

		assert(bob_fortran_split(&arena, (const char *)bytes, len, &o, &f) == BOB_OK);
		check_split(f);
		check_items(f);
		assert(bob_fortran_units(f) == BOB_OK);
		check_units(f);
		assert(bob_fortran_symbols_read(f, NULL) == BOB_OK);
		check_units(f);
		check_uses(f);
		check_patches(f);
		bob_arena_free(&arena);
	}
	return 0;
}
