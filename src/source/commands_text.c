/* SPDX-License-Identifier: BSD-3-Clause */
/* The help text of the commands, and requests printed as commands. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "source/commands.h"

const char bob_commands_help[] =
	"trace file F                          what follows is about this source file\n"
	"trace variable A [from L1 to L2]      a variable, in these lines\n"
	"trace variable C[1..10][3..4]         a part of an "
	"array; Fortran's C(1:10,3:4) means the same\n"
	"trace variable unit:x                 of one subroutine or "
	"function; module%x, /common/x; *: all\n"
	"trace variable G->ROWS[*]             C: the memory that a pointer gets "
	"which is a member, or an element; G.ROWS means the same\n"
	"trace variable F%V                    Fortran: what an allocatable component or a "
	"pointer leads to; F%V(1:10,3) a part of it\n"
	"trace allocator NAME size(1,2)        C: a function of the program that gives memory out, "
	"so many bytes as its arguments 1 and 2\n"
	"                                      say, multiplied; count(1): so many "
	"elements; text: a text; free(K): takes back what argument K is\n"
	"trace code at loop level [from L1 to L2]          loops, and how often they ran\n"
	"trace code at subroutine level [from L1 to L2]    calls\n"
	"trace communication [from L1 to L2]               calls of MPI and PVM\n"
	"show                                  what was said so far\n"
	"undo                                  takes the last trace command back\n"
	"bye                                   instruments\n";

struct out {
	char *to;
	size_t size, len;
};

static void say(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct out *o, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(o->len < o->size ? o->to + o->len : NULL,
		      o->len < o->size ? o->size - o->len : 0, format, ap);
	va_end(ap);
	o->len += n > 0 ? (size_t)n : 0;
}

static void say_range(struct out *o, const struct bob_request_range *r)
{
	say(o, "[");
	if (r->first != INT64_MIN)
		say(o, "%" PRId64, r->first);
	if (r->first != r->last)
		say(o, "..");
	if (r->first != r->last && r->last != INT64_MAX)
		say(o, "%" PRId64, r->last);
	say(o, "]");
}

static void say_allocator(struct out *o, const struct bob_request_allocator *a)
{
	if (a->size[0])
		say(o, a->size[1] ? " %s(%u,%u)" : " %s(%u)", a->is_counted ? "count" : "size",
		    a->size[0], a->size[1]);
	if (a->is_text)
		say(o, " text");
	if (a->old)
		say(o, " free(%u)", a->old);
}

size_t bob_request_print(const struct bob_request *w, char *to, size_t size)
{
	static const char *const what[] = {
		"variable ", "code at loop level", "code at subroutine level", "communication",
		"allocator "
	};
	struct out o = { to, size, 0 };

	say(&o, "trace %s", what[w->what]);
	if (w->scope == BOB_SCOPE_UNIT)
		say(&o, "%s:", w->in);
	else if (w->scope == BOB_SCOPE_MODULE)
		say(&o, "%s%%", w->in);
	else if (w->scope == BOB_SCOPE_COMMON)
		say(&o, "/%s/", w->in);
	say(&o, "%s%s", w->name, w->path ? w->path : "");
	if (w->what == BOB_REQUEST_ALLOCATOR)
		say_allocator(&o, &w->allocator);
	for (uint32_t i = 0; i < w->rank; i++)
		say_range(&o, &w->box[i]);
	if (w->first_line > 1 || w->last_line != UINT32_MAX)
		say(&o, " from %u to %u", w->first_line, w->last_line);
	return o.len < size ? o.len : size ? size - 1 : 0;
}
