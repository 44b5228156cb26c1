/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the C part of functions that have an entry in assembly (stubs.h). */
#include <string.h>

#include "wrap/put.h"

/* Puts a sum over all parameters. */
static void put_sum(struct bob_wrap_out *o, const struct bob_wrap_function *f, const char *macro)
{
	uint32_t plain =
		/* Known without the compiler; their types may need undeclared names. */
		0;

	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const enum bob_wrap_kind kind = f->parameters[i].type.kind;

		plain += kind == BOB_WRAP_INT || kind == BOB_WRAP_POINTER || kind == BOB_WRAP_TEXT;
	}
	bob_wrap_put(o, "\t\t%uu", strcmp(macro, "BOB_INTEGERS") ? 0 : plain);
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const enum bob_wrap_kind kind = f->parameters[i].type.kind;

		if (kind == BOB_WRAP_INT || kind == BOB_WRAP_POINTER || kind == BOB_WRAP_TEXT)
			continue;
		bob_wrap_put(o, " + %s(((struct { ", macro);
		bob_wrap_put_parameter(o, &f->parameters[i].type, "v");
		bob_wrap_put(o, "; } *)0)->v)");
	}
}

/* Puts how C passes parameters and result, for the stub. */
void bob_wrap_put_registers(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "\t.inner = (void *)bob_inner_%s,\n\t.stack = BOB_ON_STACK(\n", f->name);
	put_sum(o, f, "BOB_INTEGERS");
	if (bob_wrap_has_result(f)) {
		bob_wrap_put(o, " + BOB_IS_HIDDEN(((struct { ");
		bob_wrap_put_declared(o, &f->result, "v", f->middle);
		bob_wrap_put(o, "; } *)0)->v)");
	}
	bob_wrap_put(o, ",\n");
	put_sum(o, f, "BOB_REALS");
	bob_wrap_put(o, ",\n");
	put_sum(o, f, "BOB_MEMORY");
	bob_wrap_put(o, ") +\n\t\t0 * sizeof(struct { _Static_assert((");
	put_sum(o, f, "BOB_TOO_ALIGNED");
	bob_wrap_put(
		o, ") == 0, \"a parameter of %s is aligned to more than 64 bytes\"); char c; }),\n",
		f->name);
	if (!bob_wrap_has_result(f))
		return;
	bob_wrap_put(o, "\t.result = BOB_RESULT_REGISTERS(((struct { ");
	bob_wrap_put_declared(o, &f->result, "v", f->middle);
	bob_wrap_put(o, "; } *)0)->v),\n");
}

static void put_stub_begin(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o,
		     "\nstatic uint32_t bob_begin_%s(struct bob_wrapper *bob_w, "
		     "struct bob_stub_call *bob_c, "
		     "union bob_arg *bob_values)\n{\n\tuint32_t bob_count = 0;\n"
		     "\t__builtin_va_list bob_list;\n\n\t(void)bob_w;\n"
		     "\tbob_stub_arguments(bob_c, ",
		     f->name);
	if (f->result.kind == BOB_WRAP_NAMED || f->result.kind == BOB_WRAP_OTHER)
		bob_wrap_put(o, "BOB_IS_HIDDEN(*(%s *)0)", f->result.before);
	else
		bob_wrap_put(o, "0");
	bob_wrap_put(o, ", &bob_list);\n");
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const struct bob_wrap_parameter *a = &f->parameters[i];
		char name[BOB_WRAP_NAME_MAX + 8];

		bob_wrap_put(o, "\tBOB_UNUSED ");
		snprintf(name, sizeof(name), "const %s",
			 a->name); /* a copy: no block changes the function's argument */
		bob_wrap_put_parameter(o, &a->type, name);
		bob_wrap_put(o, " = __builtin_va_arg(bob_list, struct { ");
		bob_wrap_put_parameter(o, &a->type, "v");
		bob_wrap_put(o, "; }).v;\n");
	}
	bob_wrap_put_block(o, f, BOB_WRAP_BEFORE, "&errno");
	bob_wrap_put(o, "\t{\n");
	bob_wrap_put_inputs(o, f);
	bob_wrap_put(o, "\t\t(void)bob_values;\n\t}\n\treturn bob_count;\n}\n");
}

/* Puts the result. A named type counts only if the compiler finds it in a register. A block cannot
 * change the caller's result. */
static void put_stub_result(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			    const char *name)
{
	char constant[BOB_WRAP_NAME_MAX + 8];

	snprintf(constant, sizeof(constant), "const %s", name);
	bob_wrap_put(o, "\tunion { unsigned char bytes[16]; struct { ");
	bob_wrap_put_declared(o, &f->result, "v", f->middle);
	bob_wrap_put(o, "; } of; } bob_found = { { 0 } };\n"
			"\tif (BOB_RESULT_TYPE(bob_found.of.v))\n"
			"\t\t__builtin_memcpy(bob_found.bytes, BOB_IS_REAL(bob_found.of.v) ? "
			"(void *)bob_r->xmm0 : (void *)&bob_r->rax, 8);\n\tBOB_UNUSED ");
	bob_wrap_put_declared(o, &f->result, constant, f->middle);
	bob_wrap_put(o, " = bob_found.of.v;\n\tif (BOB_RESULT_TYPE(bob_found.of.v)) {\n");
	bob_wrap_put_value(o, f->result.kind, "bob_found.of.v");
	bob_wrap_put(o, "\t}\n");
}

static void put_stub_end(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o,
		     "\nstatic uint32_t bob_end_%s(struct bob_wrapper *bob_w, "
		     "struct bob_stub_result *bob_r, "
		     "union bob_arg *bob_values)\n{\n\tuint32_t bob_count = 0;\n\n\t(void)bob_w;\n",
		     f->name);
	if (f->is_result_recorded)
		put_stub_result(o, f, bob_wrap_result_name(f));
	bob_wrap_put_block(o, f, BOB_WRAP_AFTER, "&errno");
	bob_wrap_put(o, "\t(void)bob_r, (void)bob_values;\n\treturn bob_count;\n}\n");
}

void bob_wrap_put_stub(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	const char *prefix = f->how == BOB_WRAP_LINK	? "__wrap_" :
			     f->how == BOB_WRAP_PRELOAD ? "" :
							  "bob_wrap_";

	put_stub_begin(o, f);
	put_stub_end(o, f);
	bob_wrap_put(o, "BOB_STUB(\"%s%s\", \".globl %s%s\\n%s %s%s\", \"bob_wrapper_%s\");\n",
		     prefix, f->symbol, prefix, f->symbol,
		     f->how == BOB_WRAP_PATCH ? ".hidden" : ".globl", prefix, f->symbol, f->name);
}
