/* SPDX-License-Identifier: BSD-3-Clause */
/* C from a spec: wrapper.h has what is the same in all of it, so that what is written here is short enough to read. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wrap/wrap.h"

struct out {
	FILE *to;
	const char *file;	/* its name */
	const char *spec;
	uint32_t line;		/* the next one's number */
	bool linked;
};

static void count_lines(struct out *o, const char *text)
{
	for (; *text; text++)
		o->line += *text == '\n';
}

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	if (!fclose(f)) {
		fputs(text, o->to);
		count_lines(o, text);
	}
	free(text);
}

/* A name as a string of C: of files. */
static void put_string(struct out *o, const char *text)
{
	put(o, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			put(o, "\\%c", *text);
		else if (*text >= ' ' && *text <= '~')
			put(o, "%c", *text);
		else
			put(o, "\\%03o", (unsigned char)*text);
	}
	put(o, "\"");
}

/* What the user wrote, in the lines in which it was written. */
static void put_code(struct out *o, const char *text, uint32_t line)
{
	put(o, "#line %u ", line);
	put_string(o, o->spec);
	put(o, "\n%s\n", text);
	put(o, "#line %u ", o->line + 1);
	put_string(o, o->file);
	put(o, "\n");
}

static void put_declared(struct out *o, const struct bob_wrap_type *t, const char *name,
			 const char *middle)
{
	const size_t n = strlen(t->before);
	const char last = n ? t->before[n - 1] : ' ';

	put(o, "%s%s%s%s%s", t->before, last == '*' || last == '(' ? "" : " ", name, middle,
	    t->after);
}

/* before name middle(parameters) after */
static void put_prototype(struct out *o, const struct bob_wrap_function *f, const char *prefix)
{
	const size_t n = strlen(f->result.before);
	const char last = n ? f->result.before[n - 1] : ' ';

	put(o, "%s%s%s%s%s(", f->result.before, last == '*' || last == '(' ? "" : " ", prefix,
	    f->name, f->middle);
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		put(o, "%s", i ? ", " : "");
		put_declared(o, &f->parameters[i].type, f->parameters[i].name, "");
	}
	if (f->is_open)
		put(o, f->parameter_count ? ", ..." : "");
	else if (!f->parameter_count)
		put(o, "void");
	put(o, ")%s", f->result.after);
}

static void put_arguments(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "(");
	for (uint32_t i = 0; i < f->parameter_count; i++)
		put(o, "%s%s", i ? ", " : "", f->parameters[i].name);
	put(o, ")");
}

static void put_value(struct out *o, enum bob_wrap_kind kind, const char *name)
{
	put(o, "\t\t");
	switch (kind) {
	case BOB_WRAP_INT:
		put(o, "BOB_PUT(bob_int((int64_t)%s));\n", name);
		break;
	case BOB_WRAP_REAL:
		put(o, "BOB_PUT(bob_real((double)%s));\n", name);
		break;
	case BOB_WRAP_COMPLEX:
		put(o, "BOB_PUT(bob_real((double)__real__ %s));\n", name);
		put(o, "\t\tBOB_PUT(bob_real((double)__imag__ %s));\n", name);
		break;
	case BOB_WRAP_POINTER:
		put(o, "BOB_PUT(bob_int(%s != NULL));\n", name);
		break;
	case BOB_WRAP_TEXT:
		put(o, "BOB_PUT(bob_text(%s));\n", name);
		break;
	default:
		put(o, "BOB_PUT_ANY(%s);\n", name);
		break;
	}
}

/* `result` in the function's own words, unless a parameter is called so. */
static const char *result_name(const struct bob_wrap_function *f)
{
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (!strcmp(f->parameters[i].name, "result"))
			return "bob_result";
	return "result";
}

static bool has_result(const struct bob_wrap_function *f)
{
	return f->result.kind != BOB_WRAP_VOID;
}

static void put_inputs(struct out *o, const struct bob_wrap_function *f)
{
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (f->parameters[i].is_recorded)
			put_value(o, f->parameters[i].type.kind, f->parameters[i].name);
}

/* How many values the parameters are at most; *sure of them whatever the compiler finds. */
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

/* Room for values, of which compilers shall see that it is written to. */
static void put_room(struct out *o, uint32_t count, uint32_t sure)
{
	put(o, "\t\tunion bob_arg bob_values[%u]%s;\n\t\tuint32_t bob_count = 0;\n", count,
	    sure ? "" : " = { { 0 } }");
}

static void put_block(struct out *o, const struct bob_wrap_function *f, enum bob_wrap_block which,
		      const char *error)
{
	if (!f->block[which])
		return;
	put(o,
	    "\t{\n\t\tBOB_BLOCK BOB_UNUSED struct bob_block bob_block = "
	    "bob_block_begin(BOB_FRAME, %s);\n",
	    error);
	put_code(o, f->block[which], f->block_line[which]);
	put(o, "\t}\n");
}

/* --- what each function has besides its wrapper --- */

static void put_types(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "static const char bob_types_%s[] = { ", f->name);
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (f->parameters[i].is_recorded && f->parameters[i].type.kind == BOB_WRAP_NAMED)
			put(o, "BOB_TYPE(*(%s *)0), ", f->parameters[i].type.before);
	if (f->is_result_recorded && f->result.kind == BOB_WRAP_NAMED)
		put(o, "%s(*(%s *)0), ", bob_wrap_has_stub(f) ? "BOB_RESULT_TYPE" : "BOB_TYPE",
		    f->result.before);
	put(o, "0 };\n");
}

static void put_head(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "\n/* %s, line %u: ", f->name, f->line);
	put(o, "%s", f->event_parameters);
	if (f->left_out)
		put(o, "; %u more have no room in an event", f->left_out);
	put(o, " */\n");
	put_types(o, f);
	put_prototype(o, f, "bob_wrap_");
	if (f->how == BOB_WRAP_PRELOAD)
		put(o, " __asm__(\"%s\")", f->symbol);
	else if (f->how == BOB_WRAP_LINK)
		put(o, " __asm__(\"__wrap_%s\")", f->symbol);
	else
		put(o, " __asm__(\"bob_wrap_%s\") __attribute__((visibility(\"hidden\")))",
		    f->symbol);
	put(o, ";\n");
	if (f->how == BOB_WRAP_LINK)
		put(o, "extern char bob_real_%s[] __asm__(\"__real_%s\");\n", f->name, f->symbol);
	if (bob_wrap_has_stub(f))
		put(o,
		    "static uint32_t bob_begin_%s(struct bob_wrapper *, struct bob_stub_call *, "
		    "union bob_arg *);\n"
		    "static uint32_t bob_end_%s(struct bob_wrapper *, struct bob_stub_result *, "
		    "union bob_arg *);\n",
		    f->name, f->name);
}

static void put_wrapper(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "%sstruct bob_wrapper bob_wrapper_%s = {\n\t.symbol = \"%s\",\n",
	    bob_wrap_has_stub(f) ? "__attribute__((used)) static " : "static ", f->name, f->symbol);
	put(o, "\t.name = \"%s\",\n\t.parameters = \"%s\",\n\t.types = bob_types_%s,\n", f->event,
	    f->event_parameters, f->name);
	if (f->how == BOB_WRAP_LINK)
		put(o, "\t.next = bob_real_%s,\n", f->name);
	if (f->how == BOB_WRAP_PATCH)
		put(o,
		    "\t.patch = (void *)bob_wrap_%s,\n\t.address = 0x%" PRIx64
		    ",\n\t.program = bob_program,\n",
		    f->name, f->address);
	if (f->block[BOB_WRAP_BEFORE] || f->block[BOB_WRAP_AFTER])
		put(o, "\t.has_blocks = 1,\n");
	if (f->when) {
		put(o, "\t.when = ");
		put_string(o, f->when);
		put(o, ",\n");
	}
	if (bob_wrap_has_stub(f))
		put(o, "\t.begin = bob_begin_%s,\n\t.end = bob_end_%s,\n", f->name, f->name);
	put(o, "};\n");
}

/* --- functions that C can pass on --- */

/* The user's code in a function of its own, so that `return` leaves just that. */
static void put_around(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "\nstatic ");
	put_prototype(o, f, "bob_around_");
	put(o, "\n{\n");
	if (has_result(f)) {
		put(o, "\tBOB_UNUSED __typeof__(BOB_NEXT(%s)", f->name);
		put_arguments(o, f);
		put(o, ") %s = { 0 }, bob_proceeded;\n", result_name(f));
	}
	put(o, "\tBOB_BLOCK BOB_UNUSED struct bob_block bob_block = "
	       "bob_block_begin(BOB_FRAME, NULL);\n");
	put(o, "#define proceed() (bob_block_pause(&bob_block), ");
	put(o, "%sBOB_NEXT(%s)", has_result(f) ? "bob_proceeded = " : "", f->name);
	put_arguments(o, f);
	put(o, ", bob_block_resume(&bob_block)");
	if (has_result(f))
		put(o, ", %s = bob_proceeded", result_name(f));
	put(o, ")\n");
	put_code(o, f->block[BOB_WRAP_AROUND], f->block_line[BOB_WRAP_AROUND]);
	put(o, "#undef proceed\n");
	if (has_result(f))
		put(o, "\treturn %s;\n", result_name(f));
	put(o, "}\n");
}

static void put_call(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "\t");
	if (has_result(f)) {
		put_declared(o, &f->result, result_name(f), f->middle);
		put(o, " = ");
	}
	if (f->block[BOB_WRAP_AROUND])
		put(o, "bob_around_%s", f->name);
	else
		put(o, "BOB_NEXT(%s)", f->name);
	put_arguments(o, f);
	put(o, ";\n");
}

static void put_begin(struct out *o, const struct bob_wrap_function *f)
{
	uint32_t sure;
	const uint32_t n = count_inputs(f, &sure);

	put(o, "\tif (bob_is_recorded(&bob_wrapper_%s, BOB_FRAME)) {\n", f->name);
	if (n)
		put_room(o, n, sure);
	put_inputs(o, f);
	put(o, "\t\tbob_call_begin(&bob_call, &bob_wrapper_%s, %s);\n\t}\n", f->name,
	    n ? "bob_values, bob_count" : "NULL, 0");
}

static void put_end(struct out *o, const struct bob_wrap_function *f)
{
	put(o, "\tif (bob_call.wrapper) {\n");
	if (f->is_result_recorded) {
		put_room(o, f->result.kind == BOB_WRAP_COMPLEX ? 2 : 1,
			 f->result.kind != BOB_WRAP_NAMED);
		put_value(o, f->result.kind, result_name(f));
	}
	put(o, "\t\tbob_call_end(&bob_call, %s);\n\t}\n",
	    f->is_result_recorded ? "bob_values, bob_count" : "NULL, 0");
}

static void put_plain(struct out *o, const struct bob_wrap_function *f)
{
	const bool has_blocks = f->block[BOB_WRAP_BEFORE] || f->block[BOB_WRAP_AFTER] ||
				f->block[BOB_WRAP_AROUND];

	if (f->block[BOB_WRAP_AROUND])
		put_around(o, f);
	put(o, "\n");
	put_prototype(o, f, "bob_wrap_");
	put(o, "\n{\n\tBOB_CALL struct bob_call bob_call = { NULL };\n");
	if (has_blocks) {
		put(o, "\tif (bob_is_inner(BOB_FRAME)) {\n\t\t%sBOB_NEXT(%s)",
		    has_result(f) ? "return " : "", f->name);
		put_arguments(o, f);
		put(o, ";\n%s\t}\n", has_result(f) ? "" : "\t\treturn;\n");
	}
	put_block(o, f, BOB_WRAP_BEFORE, "&errno");
	put_begin(o, f);
	put_call(o, f);
	put_end(o, f);
	put_block(o, f, BOB_WRAP_AFTER, "&errno");
	if (has_result(f))
		put(o, "\treturn %s;\n", result_name(f));
	put(o, "}\n");
}

/* --- and those it cannot --- */

/* Types behind names may be arrays: those are pointers when they are passed, and behind a comma. */
static void put_parameter(struct out *o, const struct bob_wrap_type *t, const char *name)
{
	if (t->kind == BOB_WRAP_NAMED || t->kind == BOB_WRAP_OTHER)
		put(o, "__typeof__((void)0, *(%s *)0) %s", t->before, name);
	else
		put_declared(o, t, name, "");
}

static void put_stub_begin(struct out *o, const struct bob_wrap_function *f)
{
	put(o,
	    "\nstatic uint32_t bob_begin_%s(struct bob_wrapper *bob_w, struct bob_stub_call *bob_c, "
	    "union bob_arg *bob_values)\n{\n\tuint32_t bob_count = 0;\n"
	    "\t__builtin_va_list bob_list;\n\n\t(void)bob_w;\n"
	    "\tbob_stub_arguments(bob_c, ",
	    f->name);
	if (f->result.kind == BOB_WRAP_NAMED || f->result.kind == BOB_WRAP_OTHER)
		put(o, "BOB_IS_HIDDEN(*(%s *)0)", f->result.before);
	else
		put(o, "0");
	put(o, ", &bob_list);\n");
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		const struct bob_wrap_parameter *a = &f->parameters[i];

		put(o, "\tBOB_UNUSED ");
		put_parameter(o, &a->type, a->name);
		put(o, " = __builtin_va_arg(bob_list, struct { ");
		put_parameter(o, &a->type, "v");
		put(o, "; }).v;\n");
	}
	put_block(o, f, BOB_WRAP_BEFORE, "&errno");
	put(o, "\t{\n");
	put_inputs(o, f);
	put(o, "\t\t(void)bob_values;\n\t}\n\treturn bob_count;\n}\n");
}

/* A result of a named type is one only if the compiler finds it in a register. */
static void put_stub_result(struct out *o, const struct bob_wrap_function *f, const char *name)
{
	put(o, "\t");
	put_declared(o, &f->result, name, f->middle);
	put(o,
	    ";\n\tif (BOB_RESULT_TYPE(%s)) {\n\t\t__builtin_memcpy((void *)&%s, "
	    "BOB_IS_REAL(%s) ? (void *)bob_r->xmm0 : (void *)&bob_r->rax,\n"
	    "\t\t\t\t sizeof(%s) < 8 ? sizeof(%s) : 8);\n",
	    name, name, name, name, name);
	put_value(o, f->result.kind, name);
	put(o, "\t}\n");
}

static void put_stub_end(struct out *o, const struct bob_wrap_function *f)
{
	put(o,
	    "\nstatic uint32_t bob_end_%s(struct bob_wrapper *bob_w, struct bob_stub_result *bob_r, "
	    "union bob_arg *bob_values)\n{\n\tuint32_t bob_count = 0;\n\n\t(void)bob_w;\n",
	    f->name);
	if (f->is_result_recorded)
		put_stub_result(o, f, result_name(f));
	put_block(o, f, BOB_WRAP_AFTER, "&errno");
	put(o, "\t(void)bob_r, (void)bob_values;\n\treturn bob_count;\n}\n");
}

static void put_stub(struct out *o, const struct bob_wrap_function *f)
{
	const char *prefix = f->how == BOB_WRAP_LINK	? "__wrap_" :
			     f->how == BOB_WRAP_PRELOAD ? "" :
							  "bob_wrap_";

	put_stub_begin(o, f);
	put_stub_end(o, f);
	put(o, "BOB_STUB(\"%s%s\", \".globl %s%s\\n%s %s%s\", \"bob_wrapper_%s\");\n", prefix,
	    f->symbol, prefix, f->symbol, f->how == BOB_WRAP_PATCH ? ".hidden" : ".globl", prefix,
	    f->symbol, f->name);
}

/* --- all --- */

static bool is_in(const struct out *o, const struct bob_wrap_function *f)
{
	return f->how != BOB_WRAP_LEAVE && (f->how == BOB_WRAP_LINK) == o->linked;
}

static void put_start(struct out *o, const struct bob_wrap_spec *s)
{
	put(o, "\n__attribute__((constructor)) static void bob_wrappers_start(void)\n{\n"
	       "\tstatic struct bob_wrapper *const all[] = {\n");
	for (uint32_t i = 0; i < s->function_count; i++)
		if (is_in(o, &s->functions[i]))
			put(o, "\t\t&bob_wrapper_%s,\n", s->functions[i].name);
	put(o, "\t};\n\n\tfor (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)\n"
	       "\t\tbob_wrapper_start(all[i]);\n}\n");
}

void bob_wrap_write(const struct bob_wrap_spec *s, bool linked, const char *file,
		    const char *how_to, FILE *to)
{
	struct out o = { to, file, s->name, 1, linked };
	bool any_open = false;

	for (uint32_t i = 0; i < s->function_count; i++)
		any_open |= is_in(&o, &s->functions[i]) && bob_wrap_has_stub(&s->functions[i]);
	put(&o, "/* Made by `bobbin wrap`. %s */\n", how_to);
	for (uint32_t i = 0; i < s->include_count; i++)
		put_code(&o, s->includes[i].text, s->includes[i].line);
	put(&o, "%s#include \"bobbin-wrapper.h\"\n", any_open ? "#define BOB_STUBS 1\n" : "");
	if (s->program && !linked) {
		put(&o, "static const char bob_program[] BOB_UNUSED = ");
		put_string(&o, s->program);
		put(&o, ";\n");
	}
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct bob_wrap_function *f = &s->functions[i];

		if (!is_in(&o, f))
			continue;
		put_head(&o, f);
		put_wrapper(&o, f);
		if (bob_wrap_has_stub(f))
			put_stub(&o, f);
		else
			put_plain(&o, f);
	}
	put_start(&o, s);
}
