/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the writer of wrappers: C goes out piece by piece, and lines are counted, for #line. */
#ifndef BOB_WRAP_PUT_H
#define BOB_WRAP_PUT_H

#include "wrap/wrap.h"

struct bob_wrap_out {
	FILE *to;
	const char *file;	/* its name */
	const char *spec;
	uint32_t line;		/* the next one's number */
	bool linked;
};

void bob_wrap_put(struct bob_wrap_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A name as a string of C: of files. */
void bob_wrap_put_string(struct bob_wrap_out *o, const char *text);
/* What the user wrote, in the lines in which it was written. */
void bob_wrap_put_code(struct bob_wrap_out *o, const char *text, uint32_t line);
void bob_wrap_put_declared(struct bob_wrap_out *o, const struct bob_wrap_type *t, const char *name,
			   const char *middle);
/* before name middle(parameters) after */
void bob_wrap_put_prototype(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			    const char *prefix);
/* Types that follow names may be arrays: these become pointers when they are passed, and after a
 * comma. */
void bob_wrap_put_parameter(struct bob_wrap_out *o, const struct bob_wrap_type *t,
			    const char *name);
void bob_wrap_put_arguments(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_value(struct bob_wrap_out *o, enum bob_wrap_kind kind, const char *name);
void bob_wrap_put_inputs(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_block(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			enum bob_wrap_block which, const char *error);
/* `result` in the function's own words, unless a parameter is called so. */
const char *bob_wrap_result_name(const struct bob_wrap_function *f);
bool bob_wrap_has_result(const struct bob_wrap_function *f);

/* stub.c: the functions of one that has a stub; members of a wrapper that is called by one */
void bob_wrap_put_stub(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_registers(struct bob_wrap_out *o, const struct bob_wrap_function *f);

#endif
