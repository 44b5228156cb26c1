/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the parameters of a function's event, within the limits of bobbin/events.h. What does not
 * fit is omitted, the result last. */
#include <stdio.h>
#include <string.h>

#include "bobbin/events.h"
#include "wrap/parse.h"

#define NAME_CUT 31u		/* longest name of a parameter in bytes */
#define RESULT "result"

struct capacity {
	uint32_t parameters, strings, bytes;
};

static const char *const type_names[] = {
	[BOB_WRAP_INT] = "int",	    [BOB_WRAP_REAL] = "double", [BOB_WRAP_POINTER] = "int",
	[BOB_WRAP_TEXT] = "string", [BOB_WRAP_NAMED] = "?",
};

static bool has_space(struct capacity *r, enum bob_wrap_kind kind, size_t name)
{
	const uint32_t count = kind == BOB_WRAP_COMPLEX ? 2 : 1;
	const uint32_t bytes = count == 2 ? 2 * (uint32_t)name + 10 : (uint32_t)name + 2;

	if (kind == BOB_WRAP_VOID || kind == BOB_WRAP_OTHER || r->parameters < count ||
	    r->bytes < bytes || (kind == BOB_WRAP_TEXT && !r->strings))
		return false;
	r->parameters -= count;
	r->bytes -= bytes;
	r->strings -= kind == BOB_WRAP_TEXT;
	return true;
}

static void add(struct bob_wrap_string *s, const char *comma, enum bob_wrap_kind kind,
		const char *name)
{
	const int n = (int)strnlen(name, NAME_CUT);

	if (kind == BOB_WRAP_COMPLEX)
		bob_wrap_addf(s, "%sdouble %.*s_re, double %.*s_im", comma, n, name, n, name);
	else
		bob_wrap_addf(s, "%s%s %.*s", comma, type_names[kind], n, name);
}

/* The event's name; one that is too long ends in a hash of the whole name. */
static const char *event_name(struct bob_wrap_pool *pool, const char *symbol)
{
	const size_t len = strlen(symbol);
	char text[BOB_EVENT_NAME_MAX + 1];
	uint32_t hash = 2166136261u;

	if (len <= BOB_EVENT_NAME_MAX)
		return symbol;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)symbol[i]) * 16777619u;
	snprintf(text, sizeof(text), "%.*s~%08x", (int)BOB_EVENT_NAME_MAX - 9, symbol, hash);
	return bob_wrap_keep(pool, text, strlen(text));
}

/* Whether the parameter's shortened name equals an earlier one's. */
static bool is_twice(const struct bob_wrap_function *f, uint32_t i)
{
	const char *name = f->parameters[i].name;

	if (!strncmp(name, RESULT, NAME_CUT))
		return true;
	for (uint32_t j = 0; j < i; j++)
		if (f->parameters[j].is_recorded && !strncmp(f->parameters[j].name, name, NAME_CUT))
			return true;
	return false;
}

bob_status bob_wrap_event(struct bob_wrap_pool *pool, struct bob_wrap_function *f)
{
	struct capacity capacity = { BOB_EVENT_PARAMETERS_MAX, BOB_EVENT_STRINGS_MAX,
			     BOB_EVENT_PARAMETER_BYTES };
	struct bob_wrap_string s = { .at = NULL };

	f->left_out = 0;
	f->is_result_recorded = !(bob_wrap_has_stub(f) && f->result.is_long_double) &&
				!(bob_wrap_has_stub(f) && f->result.kind == BOB_WRAP_COMPLEX) &&
				has_space(&capacity, f->result.kind, strlen(RESULT));
	for (uint32_t i = 0; i < f->parameter_count; i++) {
		struct bob_wrap_parameter *a = &f->parameters[i];

		if (a->type.kind == BOB_WRAP_OTHER)
			continue;
		a->is_recorded = !is_twice(f, i) &&
				 has_space(&capacity, a->type.kind, strnlen(a->name, NAME_CUT));
		f->left_out += !a->is_recorded;
		if (a->is_recorded)
			add(&s, s.len ? ", " : "", a->type.kind, a->name);
	}
	if (f->is_result_recorded)
		add(&s, s.len ? " -> " : "-> ", f->result.kind, RESULT);
	f->event_parameters = bob_wrap_string_end(&s, pool);
	f->event = event_name(pool, f->symbol);
	return f->event && f->event_parameters ? BOB_OK : BOB_ERR_NOMEM;
}

bob_status bob_wrap_choose(struct bob_wrap_spec *s, struct bob_wrap_function *f,
			   enum bob_wrap_how how)
{
	f->how = how;
	return bob_wrap_event(s->pool, f);
}
