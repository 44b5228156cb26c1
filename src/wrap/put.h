/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the generator: writes C in fragments, and counts lines for #line. */
#ifndef BOB_WRAP_PUT_H
#define BOB_WRAP_PUT_H

#include "wrap/wrap.h"

struct bob_wrap_out {
	FILE *to;
	const char *file;	/* its name */
	const char *spec;
	uint32_t line;		/* number of the next line */
	bool linked;
};

void bob_wrap_put(struct bob_wrap_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Puts a file name as a C string literal. */
void bob_wrap_put_string(struct bob_wrap_out *o, const char *text);
/* Puts the user's code with #line directives, so that errors refer to the spec. */
void bob_wrap_put_code(struct bob_wrap_out *o, const char *text, uint32_t line);
void bob_wrap_put_declared(struct bob_wrap_out *o, const struct bob_wrap_type *t, const char *name,
			   const char *middle);
/* Puts: before name middle(parameters) after */
void bob_wrap_put_prototype(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			    const char *prefix);
/* Puts a parameter. A named type may be an array, which becomes a pointer when passed, also after a
 * comma operator. */
void bob_wrap_put_parameter(struct bob_wrap_out *o, const struct bob_wrap_type *t,
			    const char *name);
void bob_wrap_put_arguments(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_value(struct bob_wrap_out *o, enum bob_wrap_kind kind, const char *name);
void bob_wrap_put_inputs(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_block(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			enum bob_wrap_block which, const char *error);
/* "result" as the spec's blocks name it, unless a parameter has that name. */
const char *bob_wrap_result_name(const struct bob_wrap_function *f);
bool bob_wrap_has_result(const struct bob_wrap_function *f);

/* stub.c: C functions of a wrapper with a stub; fields of a wrapper that a stub calls */
void bob_wrap_put_stub(struct bob_wrap_out *o, const struct bob_wrap_function *f);
void bob_wrap_put_registers(struct bob_wrap_out *o, const struct bob_wrap_function *f);

#endif
