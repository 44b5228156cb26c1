/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the C source of a library of wrappers from a spec. Common code is in wrapper.h, so that
 * the generated source stays short and readable. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wrap/put.h"

/* Largest number of values of an event's parameters; *sure is the number that does not depend on
 * the compiler's view of named types. */
static uint32_t count_inputs(const struct bob_wrap_function *f, uint32_t *sure)
{
	uint32_t n = 0;

	*sure = 0;
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const enum bob_wrap_kind kind = f->parameters[i].type.kind;

		if (!f->parameters[i].is_recorded)
			continue;
		n += kind == BOB_WRAP_COMPLEX ? 2 : 1;
		*sure += kind != BOB_WRAP_NAMED;
	}
	return n;
}

/* A buffer for values. It is initialised if no value is certain, so that compilers do not warn. */
static void put_event_space(struct bob_wrap_out *o, uint32_t count, uint32_t sure)
{
	bob_wrap_put(o, "\t\tunion bob_arg bob_values[%u]%s;\n\t\tuint32_t bob_count = 0;\n", count,
		     sure ? "" : " = { { 0 } }");
}

/* --- declarations that precede a wrapper --- */

static void put_types(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "static const char bob_types_%s[] = { ", f->name);
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (f->parameters[i].is_recorded && f->parameters[i].type.kind == BOB_WRAP_NAMED)
			bob_wrap_put(o, "BOB_TYPE(*(%s *)0), ", f->parameters[i].type.before);
	if (f->is_result_recorded && f->result.kind == BOB_WRAP_NAMED)
		bob_wrap_put(o, "%s(*(%s *)0), ",
			     bob_wrap_has_stub(f) ? "BOB_RESULT_TYPE" : "BOB_TYPE",
			     f->result.before);
	bob_wrap_put(o, "0 };\n");
}

static void put_head(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "\n/* %s, line %u: ", f->name, f->line);
	bob_wrap_put(o, "%s", f->event_parameters);
	if (f->left_out)
		bob_wrap_put(o, "; %u more do not fit in an event", f->left_out);
	bob_wrap_put(o, " */\n");
	put_types(o, f);
	bob_wrap_put_prototype(o, f, "bob_wrap_");
	if (f->how == BOB_WRAP_PRELOAD)
		bob_wrap_put(o, " __asm__(\"%s\")", f->symbol);
	else if (f->how == BOB_WRAP_LINK)
		bob_wrap_put(o, " __asm__(\"__wrap_%s\")", f->symbol);
	else
		bob_wrap_put(o, " __asm__(\"bob_wrap_%s\") __attribute__((visibility(\"hidden\")))",
			     f->symbol);
	bob_wrap_put(o, ";\n");
	if (bob_wrap_is_called(f)) {
		bob_wrap_put(o, "static ");
		bob_wrap_put_prototype(o, f, "bob_inner_");
		bob_wrap_put(o, ";\n");
	}
	if (f->how == BOB_WRAP_LINK)
		bob_wrap_put(o, "extern char bob_real_%s[] __asm__(\"__real_%s\");\n", f->name,
			     f->symbol);
	if (bob_wrap_has_stub(f))
		bob_wrap_put(o,
			     "static uint32_t bob_begin_%s(struct bob_wrapper *, "
			     "struct bob_stub_call *, union bob_arg *);\n"
			     "static uint32_t bob_end_%s(struct bob_wrapper *, "
			     "struct bob_stub_result *, "
			     "union bob_arg *);\n",
			     f->name, f->name);
}

static void put_wrapper(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	const bool in_assembly = bob_wrap_has_stub(f) || bob_wrap_is_called(f);

	bob_wrap_put(o, "%sstruct bob_wrapper bob_wrapper_%s = {\n\t.symbol = \"%s\",\n",
		     in_assembly ? "__attribute__((used)) static " : "static ", f->name, f->symbol);
	if (!f->is_mpi)
		bob_wrap_put(o, "\t.name = \"%s\",\n", f->event);
	bob_wrap_put(o, "\t.parameters = \"%s\",\n\t.types = bob_types_%s,\n", f->event_parameters,
		     f->name);
	if (f->how == BOB_WRAP_PRELOAD)
		bob_wrap_put(o, "\t.entry = (void *)bob_wrap_%s,\n", f->name);
	if (f->how == BOB_WRAP_LINK)
		bob_wrap_put(o, "\t.next = bob_real_%s,\n", f->name);
	if (f->how == BOB_WRAP_PATCH)
		bob_wrap_put(o,
			     "\t.patch = (void *)bob_wrap_%s,\n\t.address = 0x%" PRIx64
			     ",\n\t.program = bob_program,\n",
			     f->name, f->address);
	if (f->block[BOB_WRAP_BEFORE] || f->block[BOB_WRAP_AFTER])
		bob_wrap_put(o, "\t.has_blocks = 1,\n");
	if (bob_wrap_is_called(f))
		bob_wrap_put_registers(o, f);
	if (f->when) {
		bob_wrap_put(o, "\t.when = ");
		bob_wrap_put_string(o, f->when);
		bob_wrap_put(o, ",\n");
	}
	if (bob_wrap_has_stub(f))
		bob_wrap_put(o, "\t.begin = bob_begin_%s,\n\t.end = bob_end_%s,\n", f->name,
			     f->name);
	bob_wrap_put(o, "};\n");
}

/* --- functions whose parameters C can pass on --- */

/* Puts the user's code into a function of its own, so that `return` leaves only that. */
static void put_around(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "\nstatic ");
	bob_wrap_put_prototype(o, f, "bob_around_");
	bob_wrap_put(o, "\n{\n");
	if (bob_wrap_has_result(f)) {
		bob_wrap_put(o, "\tBOB_UNUSED __typeof__(BOB_NEXT(%s)", f->name);
		bob_wrap_put_arguments(o, f);
		bob_wrap_put(o, ") %s = { 0 }, bob_proceeded;\n", bob_wrap_result_name(f));
	}
	bob_wrap_put(o, "\tBOB_BLOCK BOB_UNUSED struct bob_block bob_block = "
			"bob_block_begin(BOB_FRAME, NULL);\n");
	bob_wrap_put(o, "#define proceed() (bob_block_pause(&bob_block), ");
	bob_wrap_put(o, "%sBOB_NEXT(%s)", bob_wrap_has_result(f) ? "bob_proceeded = " : "",
		     f->name);
	bob_wrap_put_arguments(o, f);
	bob_wrap_put(o, ", bob_block_resume(&bob_block)");
	if (bob_wrap_has_result(f))
		bob_wrap_put(o, ", %s = bob_proceeded", bob_wrap_result_name(f));
	bob_wrap_put(o, ")\n");
	bob_wrap_put_code(o, f->block[BOB_WRAP_AROUND], f->block_line[BOB_WRAP_AROUND]);
	bob_wrap_put(o, "#undef proceed\n");
	if (bob_wrap_has_result(f))
		bob_wrap_put(o, "\treturn %s;\n", bob_wrap_result_name(f));
	bob_wrap_put(o, "}\n");
}

static void put_call(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "\t");
	if (bob_wrap_has_result(f)) {
		bob_wrap_put_declared(o, &f->result, bob_wrap_result_name(f), f->middle);
		bob_wrap_put(o, " = ");
	}
	if (f->block[BOB_WRAP_AROUND])
		bob_wrap_put(o, "bob_around_%s", f->name);
	else
		bob_wrap_put(o, "BOB_NEXT(%s)", f->name);
	bob_wrap_put_arguments(o, f);
	bob_wrap_put(o, ";\n");
}

static void put_begin(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	uint32_t sure;
	const uint32_t n = count_inputs(f, &sure);

	bob_wrap_put(o, "\tif (bob_is_recorded(&bob_wrapper_%s, BOB_FRAME)) {\n", f->name);
	if (n)
		put_event_space(o, n, sure);
	bob_wrap_put_inputs(o, f);
	bob_wrap_put(o, "\t\tbob_call_begin(&bob_call, &bob_wrapper_%s, %s);\n\t}\n", f->name,
		     n ? "bob_values, bob_count" : "NULL, 0");
}

static void put_end(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "\tif (bob_call.wrapper) {\n");
	if (f->is_result_recorded) {
		put_event_space(o, f->result.kind == BOB_WRAP_COMPLEX ? 2 : 1,
				f->result.kind != BOB_WRAP_NAMED);
		bob_wrap_put_value(o, f->result.kind, bob_wrap_result_name(f));
	}
	bob_wrap_put(o, "\t\tbob_call_end(&bob_call, %s);\n\t}\n",
		     f->is_result_recorded ? "bob_values, bob_count" : "NULL, 0");
}

static void put_plain(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	const bool has_blocks = bob_wrap_has_blocks(f);

	if (f->block[BOB_WRAP_AROUND])
		put_around(o, f);
	bob_wrap_put(o, bob_wrap_is_called(f) ? "\nstatic " : "\n");
	bob_wrap_put_prototype(o, f, bob_wrap_is_called(f) ? "bob_inner_" : "bob_wrap_");
	bob_wrap_put(o, "\n{\n\tBOB_CALL struct bob_call bob_call = { NULL };\n");
	if (has_blocks) {
		bob_wrap_put(o, "\tif (bob_is_inner(BOB_FRAME)) {\n\t\t%sBOB_NEXT(%s)",
			     bob_wrap_has_result(f) ? "return " : "", f->name);
		bob_wrap_put_arguments(o, f);
		bob_wrap_put(o, ";\n%s\t}\n", bob_wrap_has_result(f) ? "" : "\t\treturn;\n");
	}
	bob_wrap_put_block(o, f, BOB_WRAP_BEFORE, "&errno");
	put_begin(o, f);
	put_call(o, f);
	put_end(o, f);
	bob_wrap_put_block(o, f, BOB_WRAP_AFTER, "&errno");
	if (bob_wrap_has_result(f))
		bob_wrap_put(o, "\treturn %s;\n", bob_wrap_result_name(f));
	bob_wrap_put(o, "}\n");
	if (bob_wrap_is_called(f))
		bob_wrap_put(
			o,
			"BOB_CALLED(\"bob_wrap_%s\", \".globl bob_wrap_%s\\n.hidden bob_wrap_%s\", "
			"\"bob_wrapper_%s\");\n",
			f->symbol, f->symbol, f->symbol, f->name);
}

/* --- the whole file --- */

static bool is_in(const struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	return f->how != BOB_WRAP_LEAVE && (f->how == BOB_WRAP_LINK) == o->linked;
}

static void put_start(struct bob_wrap_out *o, const struct bob_wrap_spec *s)
{
	bob_wrap_put(o, "\nstatic struct bob_wrapper *const bob_all[] = {\n");
	for (uint32_t i = 0; i < s->function_count; i++)
		if (is_in(o, &s->functions[i]))
			bob_wrap_put(o, "\t&bob_wrapper_%s,\n", s->functions[i].name);
	bob_wrap_put(o, "};\n%s\nBOB_WRAPPERS_START(bob_all)\n",
		     o->linked ? "" : "BOB_WRAPPERS_BEFORE_DLSYM(bob_all);\n");
}

void bob_wrap_write(const struct bob_wrap_spec *s, bool linked, const char *file,
		    const char *how_to, FILE *to)
{
	struct bob_wrap_out o = { to, file, s->name, 1, linked };
	bool any_stub = false;

	for (uint32_t i = 0; i < s->function_count; i++)
		any_stub |= is_in(&o, &s->functions[i]) && (bob_wrap_has_stub(&s->functions[i]) ||
							    bob_wrap_is_called(&s->functions[i]));
	bob_wrap_put(&o, "/* Made by `bobbin wrap`. %s */\n", how_to);
	for (uint32_t i = 0; i < s->include_count; i++)
		bob_wrap_put_code(&o, s->includes[i].text, s->includes[i].line);
	bob_wrap_put(&o,
		     "#include \"bobbin-wrapper.h\"\n#include \"bobbin-dlsym.h\"\n"
		     "#include \"bobbin-lookup.h\"\n%s",
		     any_stub ? "#include \"bobbin-stubs.h\"\n" : "");
	if (s->program && !linked) {
		bob_wrap_put(&o, "static const char bob_program[] BOB_UNUSED = ");
		bob_wrap_put_string(&o, s->program);
		bob_wrap_put(&o, ";\n");
	}
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct bob_wrap_function *f = &s->functions[i];

		if (!is_in(&o, f))
			continue;
		put_head(&o, f);
		put_wrapper(&o, f);
		if (bob_wrap_has_stub(f))
			bob_wrap_put_stub(&o, f);
		else
			put_plain(&o, f);
	}
	put_start(&o, s);
}
