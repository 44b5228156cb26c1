/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a small file completely, for the tests of the layers above the reader. */
#ifndef BOB_TESTS_FORTRAN_FILE_H
#define BOB_TESTS_FORTRAN_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../../fuzz/fortran_check.h"
#include "source/fortran/rewrite.h"
#include "source/fortran/insertion.h"

static struct bob_arena arena;
static struct bob_fortran_file *file;

static int close_file(void **state)
{
	(void)state;
	bob_arena_free(&arena);
	return 0;
}

static inline void read_with(enum bob_fortran_form form, const char *bytes,
			     const struct bob_fortran_finder *finder)
{
	struct bob_fortran_options o = { .form = form };

	bob_arena_free(&arena);
	assert_int_equal(bob_fortran_split(&arena, bytes, strlen(bytes), &o, &file), BOB_OK);
	assert_int_equal(bob_fortran_units(file), BOB_OK);
	assert_int_equal(bob_fortran_symbols_read(file, finder), BOB_OK);
	assert_int_equal(file->unknown_count, 0);
	check_split(file);
	check_units(file);
	check_uses(file);
}

static inline void read_file(enum bob_fortran_form form, const char *bytes)
{
	read_with(form, bytes, NULL);
}

static inline const struct bob_fortran_symbol *symbol(uint32_t unit, const char *name)
{
	const struct bob_fortran_symbol *y;

	y = bob_fortran_lookup(file->units[unit].symbols, name, (uint32_t)strlen(name));
	assert_non_null(y);
	return y;
}

/* The statement of this line. */
static inline uint32_t at_line(uint32_t line)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (file->statements[i].line == line)
			return i;
	fail_msg("no statement in line %u", line);
	return 0;
}

#endif
