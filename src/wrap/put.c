/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of C fragments for generate.c and stub.c. */
#include "wrap/put.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void count_lines(struct bob_wrap_out *o, const char *text)
{
	for (; *text; text++)
		o->line += *text == '\n';
}

void bob_wrap_put(struct bob_wrap_out *o, const char *format, ...)
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

/* Puts a file name as a C string literal. */
void bob_wrap_put_string(struct bob_wrap_out *o, const char *text)
{
	bob_wrap_put(o, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			bob_wrap_put(o, "\\%c", *text);
		else if (*text >= ' ' && *text <= '~')
			bob_wrap_put(o, "%c", *text);
		else
			bob_wrap_put(o, "\\%03o", (unsigned char)*text);
	}
	bob_wrap_put(o, "\"");
}

/* Puts the user's code with #line directives, so that errors refer to the spec. */
void bob_wrap_put_code(struct bob_wrap_out *o, const char *text, uint32_t line)
{
	bob_wrap_put(o, "#line %u ", line);
	bob_wrap_put_string(o, o->spec);
	bob_wrap_put(o, "\n%s\n", text);
	bob_wrap_put(o, "#line %u ", o->line + 1);
	bob_wrap_put_string(o, o->file);
	bob_wrap_put(o, "\n");
}

void bob_wrap_put_declared(struct bob_wrap_out *o, const struct bob_wrap_type *t, const char *name,
			   const char *middle)
{
	const size_t n = strlen(t->before);
	const char last = n ? t->before[n - 1] : ' ';

	bob_wrap_put(o, "%s%s%s%s%s", t->before, last == '*' || last == '(' ? "" : " ", name,
		     middle, t->after);
}

/* Puts: before name middle(parameters) after */
void bob_wrap_put_prototype(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			    const char *prefix)
{
	const size_t n = strlen(f->result.before);
	const char last = n ? f->result.before[n - 1] : ' ';

	bob_wrap_put(o, "%s%s%s%s%s(", f->result.before, last == '*' || last == '(' ? "" : " ",
		     prefix, f->name, f->middle);
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		bob_wrap_put(o, "%s", i ? ", " : "");
		bob_wrap_put_declared(o, &f->parameters[i].type, f->parameters[i].name, "");
	}
	if (f->is_open)
		bob_wrap_put(o, f->parameter_count ? ", ..." : "");
	else if (!f->parameter_count)
		bob_wrap_put(o, "void");
	bob_wrap_put(o, ")%s", f->result.after);
}

void bob_wrap_put_arguments(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	bob_wrap_put(o, "(");
	for (uint32_t i = 0; i < f->parameter_count; i++)
		bob_wrap_put(o, "%s%s", i ? ", " : "", f->parameters[i].name);
	bob_wrap_put(o, ")");
}

void bob_wrap_put_value(struct bob_wrap_out *o, enum bob_wrap_kind kind, const char *name)
{
	bob_wrap_put(o, "\t\t");
	switch (kind) {
	case BOB_WRAP_INT:
		bob_wrap_put(o, "BOB_PUT(bob_int((int64_t)%s));\n", name);
		break;
	case BOB_WRAP_REAL:
		bob_wrap_put(o, "BOB_PUT(bob_real((double)%s));\n", name);
		break;
	case BOB_WRAP_COMPLEX:
		bob_wrap_put(o, "BOB_PUT(bob_real((double)__real__ %s));\n", name);
		bob_wrap_put(o, "\t\tBOB_PUT(bob_real((double)__imag__ %s));\n", name);
		break;
	case BOB_WRAP_POINTER:
		bob_wrap_put(o, "BOB_PUT(bob_int(%s != NULL));\n", name);
		break;
	case BOB_WRAP_TEXT:
		bob_wrap_put(o, "BOB_PUT(bob_text(%s));\n", name);
		break;
	default:
		bob_wrap_put(o, "BOB_PUT_ANY(%s);\n", name);
		break;
	}
}

/* "result" as the spec's blocks name it, unless a parameter has that name. */
const char *bob_wrap_result_name(const struct bob_wrap_function *f)
{
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (!strcmp(f->parameters[i].name, "result"))
			return "bob_result";
	return "result";
}

bool bob_wrap_has_result(const struct bob_wrap_function *f)
{
	return f->result.kind != BOB_WRAP_VOID;
}

void bob_wrap_put_inputs(struct bob_wrap_out *o, const struct bob_wrap_function *f)
{
	for (uint32_t i = 0; i < f->parameter_count; i++)
		if (f->parameters[i].is_recorded)
			bob_wrap_put_value(o, f->parameters[i].type.kind, f->parameters[i].name);
}

void bob_wrap_put_block(struct bob_wrap_out *o, const struct bob_wrap_function *f,
			enum bob_wrap_block which, const char *error)
{
	if (!f->block[which])
		return;
	bob_wrap_put(o,
		     "\t{\n\t\tBOB_BLOCK BOB_UNUSED struct bob_block bob_block = "
		     "bob_block_begin(BOB_FRAME, %s);\n",
		     error);
	bob_wrap_put_code(o, f->block[which], f->block_line[which]);
	bob_wrap_put(o, "\t}\n");
}

/* Puts a parameter. A named type may be an array, which becomes a pointer when passed, also after a
 * comma operator. */
void bob_wrap_put_parameter(struct bob_wrap_out *o, const struct bob_wrap_type *t, const char *name)
{
	if (t->kind == BOB_WRAP_NAMED || t->kind == BOB_WRAP_OTHER)
		bob_wrap_put(o, "__typeof__((void)0, *(%s *)0) %s", t->before, name);
	else
		bob_wrap_put_declared(o, t, name, "");
}
