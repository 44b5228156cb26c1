/* SPDX-License-Identifier: BSD-3-Clause */
/* What log_probe.h calls. One line for each access: line of the source, kind, variable, offset in it and size; of what is at no known
 * address the variable is '-'. Filtered sites say nothing of other addresses. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_probe.h"

#define OBJECTS_MAX 100000

static struct object {
	const volatile char *at;
	unsigned long bytes;
	const char *name;
} objects[OBJECTS_MAX];
static unsigned object_count;
static char text[1 << 16];
static size_t used;
static int fd = -2;

static void flush(void)
{
	const char *name = getenv("BOB_TEST_LOG");

	if (fd == -2)
		fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666) : -1;
	if (fd >= 0 && used)
		(void)!write(fd, text, used);
	used = 0;
}

static void __attribute__((destructor)) finish(void)
{
	flush();
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	__builtin_va_list args;

	if (used > sizeof(text) - 1000)
		flush();
	__builtin_va_start(args, format);
	used += (size_t)vsnprintf(text + used, 900, format, args);
	__builtin_va_end(args);
}

void bobbin_log_begin(struct bobbin_unit *u, unsigned variable, const volatile void *at,
		      unsigned long bytes)
{
	for (unsigned i = 0; i < object_count; i++)
		if (objects[i].at == at && objects[i].bytes == bytes)
			return;
	if (object_count < OBJECTS_MAX)
		objects[object_count++] = (struct object){ at, bytes, u->variables[variable].name };
}

void bobbin_log_end(const void *at)
{
	for (unsigned i = object_count; i-- > 0;)
		if (objects[i].at == at) {
			memmove(&objects[i], &objects[i + 1],
				(--object_count - i) * sizeof(objects[0]));
			return;
		}
}

void bobbin_log_access(struct bobbin_unit *u, unsigned site, const volatile void *at,
		       unsigned long bytes)
{
	const struct bobbin_site *s = &u->sites[site];
	const volatile char *p = at;

	for (unsigned i = object_count; i-- > 0;)
		if (p >= objects[i].at && p < objects[i].at + objects[i].bytes) {
			say("%u %c %s+%ld %lu\n", s->line, "RWUP"[s->kind], objects[i].name,
			    (long)(p - objects[i].at), bytes);
			return;
		}
	if (!s->is_filtered)
		say("%u %c %s %lu\n", s->line, "RWUP"[s->kind],
		    s -> variable >= 0 ? u -> variables[s->variable].name : "-", bytes);
}

void bobbin_log_mark(struct bobbin_unit *u, unsigned site, const char *what)
{
	const struct bobbin_site *s = &u->sites[site];

	say("%u %s %s\n", s->line, what, s->text ? s->text : "");
}
