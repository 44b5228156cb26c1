/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts events of loops, calls and messages (bobbin/events.h), as in Fortran: "loop 12 in solve"
 * with its trips, and calls named after the callee. A loop's event is a variable with the attribute
 * `cleanup` in a block around the loop, so it ends however the loop is left. A call's event is one
 * in a statement expression around the call; it begins before the arguments are evaluated. */
#include "source/c/unit.h"
#include "source/runtime.h"

#include <string.h>

#define NAME_MAX_BYTES 63 /* bobbin/events.h: BOB_EVENT_NAME_MAX */

static uint32_t add(struct bob_c_unit *u, const char *name, uint32_t at, bool has_trips)
{
	if (BOB_VEC_ADD(&u->events, (struct bob_c_event){ name, at, has_trips }) != BOB_OK) {
		u->is_failed = true;
		return 0;
	}
	return (uint32_t)(u->events.count - 1);
}

/* Calls of one name share an event. */
static uint32_t event_called(struct bob_c_unit *u, const char *name)
{
	name = bob_c_printf(u, "%.*s", NAME_MAX_BYTES, name);
	for (size_t i = 0; name && i < u->events.count; i++)
		if (!u->events.at[i].at && !strcmp(u->events.at[i].name, name))
			return (uint32_t)i;
	return add(u, name ? name : "", 0, false);
}

/* Named after its line; the second one of a line also after its column. */
static uint32_t event_at(struct bob_c_unit *u, const char *what, const struct bob_c_span *s,
			 bool has_trips)
{
	const char *name =
		bob_c_printf(u, "%s %u in %s", what, bob_c_line(s->line), u->function_name);
	bool is_second = false;

	name = name ? bob_c_printf(u, "%.*s", NAME_MAX_BYTES, name) : NULL;
	for (size_t i = 0; name && i < u->events.count; i++) {
		if (u->events.at[i].at == s->start + 1)
			return (uint32_t)i;
		is_second |= u->events.at[i].at && !strcmp(u->events.at[i].name, name);
	}
	if (is_second)
		name = bob_c_printf(u, "%s %u:%u in %.40s", what, bob_c_line(s->line), s->column,
				    u->function_name);
	return add(u, name ? name : "", s->start + 1, has_trips);
}

/* --- loops --- */

uint32_t bob_c_statement_end(const struct bob_c_unit *u, const struct bob_c_span *s)
{
	uint32_t end = s->end;

	if (u->bytes[end - 1] == '}' || u->bytes[end - 1] == ';')
		return end;
	end = bob_c_skip_blanks(u, end);
	return end < u->len && u->bytes[end] == ';' ? end + 1 : 0;
}

bool bob_c_is_below_pragma(const struct bob_c_unit *u, const struct bob_c_span *s)
{
	static const char *const deep[] = { "collapse", "ordered", "tile" };

	if (bob_c_is_after_pragma(u, s->start, NULL))
		return true;
	for (size_t i = u->ancestors.count; i-- > 0;) {
		const struct bob_c_span outer = bob_c_span(u, u->ancestors.at[i]);

		if (u->clang->getCursorKind(u->ancestors.at[i]) != CXCursor_ForStmt ||
		    !outer.is_ours)
			continue;
		for (size_t k = 0; k < sizeof(deep) / sizeof(deep[0]); k++)
			if (bob_c_is_after_pragma(u, outer.start, deep[k]))
				return true;
	}
	return false;
}

/* The body of the loop: the first child of a DO, the last child of other loops. */
static bool find_body(struct bob_c_unit *u, CXCursor c, struct bob_c_span *body)
{
	struct bob_c_list l = bob_c_all_children(u, c);
	const bool is_do = u->clang->getCursorKind(c) == CXCursor_DoStmt;
	bool is_there = l.count > 0;

	if (is_there)
		*body = bob_c_span(u, l.at[is_do ? 0 : l.count - 1]);
	bob_c_list_free(&l);
	return is_there && body->is_plain;
}

static void refuse_place(struct bob_c_unit *u, const struct bob_c_span *s, CXCursor c)
{
	if (s->is_ours)
		bob_c_refuse(u, BOB_SOURCE_C_MACRO);
	else
		bob_c_refuse_included(u, c);
}

/* The properties of the loop as an event, and the place of its body. */
static struct bob_c_loop look_at(struct bob_c_unit *u, CXCursor c, const struct bob_c_span *s,
				 struct bob_c_span *body)
{
	struct bob_c_loop loop = { .refused = -1 };

	if (s->is_ours && s->is_plain && find_body(u, c, body)) {
		loop.body_end = bob_c_statement_end(u, body);
		loop.end = bob_c_statement_end(u, s);
	}
	if (!loop.body_end || !loop.end)
		return loop;
	if (u->blocked >= 0 || bob_c_is_below_pragma(u, s))
		loop.refused = BOB_SOURCE_C_ATOMIC_PRAGMA;
	else if (bob_c_is_jumped_into(u, s->start, loop.end))
		loop.refused = BOB_SOURCE_C_JUMP;
	else
		loop.is_event = true;
	return loop;
}

bool bob_c_is_loop_event(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_span s = bob_c_span(u, c);
	struct bob_c_span body;

	return look_at(u, c, &s, &body).is_event;
}

struct bob_c_loop bob_c_loop_open(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_span s = bob_c_span(u, c);
	struct bob_c_loop loop = { 0 };
	struct bob_c_span body;
	uint32_t e, n;

	if (u->is_scan || u->nest || !bob_c_is_asked(u, BOB_SOURCE_C_LOOPS, s.line))
		return loop;
	loop = look_at(u, c, &s, &body);
	if (!loop.is_event && loop.refused < 0)
		refuse_place(u, &s, c);
	else if (!loop.is_event)
		bob_c_refuse(u, (enum bob_source_c_refusal)loop.refused);
	if (!loop.is_event)
		return loop;
	e = event_at(u, "loop", &s, true);
	n = u->counts.loops++;
	bob_c_open_at(u, s.start,
		      bob_c_printf(u,
				   "{struct bobbin_loop bobbin_l%u "
				   "__attribute__((cleanup(bobbin_loop_end)))=bobbin_loop(%u);",
				   n, e));
	bob_c_open_at(u, body.start, bob_c_printf(u, "{bobbin_l%u.trips++;", n));
	return loop;
}

void bob_c_loop_close(struct bob_c_unit *u, const struct bob_c_loop *loop)
{
	if (!loop->is_event)
		return;
	bob_c_close_at(u, loop->body_end, "}");
	bob_c_close_at(u, loop->end, "}");
}

/* --- calls --- */

static bool is_message(const char *callee)
{
	return !strncmp(callee, "MPI_", 4) || !strncmp(callee, "pvm_", 4);
}

static bool is_builtin(const char *callee)
{
	return !strncmp(callee, "__builtin_", 10) || !strncmp(callee, "__sync_", 7) ||
	       !strncmp(callee, "__atomic_", 9);
}

static bool comes_back_twice(const char *callee)
{
	static const char *const names[] = { "setjmp", "_setjmp",    "sigsetjmp", "__sigsetjmp",
					     "vfork",  "getcontext", "savectx" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], callee))
			return true;
	return false;
}

static bool is_call_asked(const struct bob_c_unit *u, const char *callee, uint32_t line)
{
	return bob_c_is_asked(u, BOB_SOURCE_C_CALLS, line) ||
	       (is_message(callee) && bob_c_is_asked(u, BOB_SOURCE_C_COMMUNICATION, line));
}

bool bob_c_call_open(struct bob_c_unit *u, CXCursor c, const char *callee, uint32_t *end)
{
	const struct bob_c_span s = bob_c_span(u, c);
	uint32_t e;

	if (u->is_scan || u->nest || !*u->function_name || is_builtin(callee) ||
	    !is_call_asked(u, callee, s.line))
		return false;
	if (!s.is_ours || u->blocked >= 0 || comes_back_twice(callee) ||
	    !bob_c_is_editable(u, &s)) {
		if (!s.is_ours || (u->blocked < 0 && !comes_back_twice(callee)))
			refuse_place(u, &s, c);
		else
			bob_c_refuse(u, u->blocked >= 0 ? (enum bob_source_c_refusal)u->blocked :
							  BOB_SOURCE_C_TWICE);
		return false;
	}
	if (!bob_c_claim(u, s.start, s.end))
		return false;
	e = *callee ? event_called(u, callee) : event_at(u, "call", &s, false);
	bob_c_open_at(u, s.start,
		      bob_c_printf(u,
				   "__extension__({uint32_t bobbin_c "
				   "__attribute__((unused,cleanup(bobbin_call_end)))="
				   "bobbin_call(%u);",
				   e));
	*end = s.end;
	if (is_message(callee))
		u->counts.communication++;
	else
		u->counts.calls++;
	return true;
}

void bob_c_call_close(struct bob_c_unit *u, uint32_t end)
{
	bob_c_close_at(u, end, ";})");
}

/* --- definitions of the events --- */

void bob_c_emit_events(struct bob_c_unit *u)
{
	if (u->events.count)
		bob_c_open_at(u, u->top,
			      bob_c_printf(u, "static bob_event_id bobbin_events[%zu];\n%s",
					   u->events.count,
					   bob_source_runtime(bob_source_c_events)));
}

void bob_c_emit_event_names(struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->events.count; i++)
		bob_c_close_at(u, u->len,
			       bob_c_printf(u,
					    "bobbin_events[%zu]=bob_event_register(%s,"
					    "BOB_EVENT_NO_SIGNATURE,%s);\n",
					    i, bob_c_quoted(u, u->events.at[i].name),
					    u->events.at[i].has_trips ? "\"-> int trips\"" : "0"));
}
