/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a Fortran file, in each form: every byte of code is in a statement, and every statement says where. */
#include "fortran_check.h"

#include "base/host/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

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
		bob_arena_free(&arena);
	}
	return 0;
}
