/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorder for bobbin/events.h that writes each reported event as a line into the file $WRAP_LOG,
 * to test wrappers without the real recorder. It is preloaded, makes system calls only, and leaves
 * errno as it is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "bobbin/events.h"

#define EVENTS 512
#define TEXT 160

static struct {
	char name[TEXT], types[64];	/* i, d, s; > between in and out */
} events[EVENTS];
static uint32_t count;
static int log_fd = -1;

static long call(long n, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return r;
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static char *add(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

static char *add_number(char *to, int64_t v)
{
	char digits[24];
	int n = 0;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (v < 0)
		*to++ = '-';
	do {
		digits[n++] = (char)('0' + u % 10);
	} while (u /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Thousandths are enough. */
static char *add_real(char *to, double d)
{
	int64_t v = (int64_t)(d * 1000 + (d < 0 ? -0.5 : 0.5));

	if (v < 0)
		*to++ = '-';
	v = v < 0 ? -v : v;
	to = add_number(to, v / 1000);
	*to++ = '.';
	*to++ = (char)('0' + v / 100 % 10);
	*to++ = (char)('0' + v / 10 % 10);
	*to++ = (char)('0' + v % 10);
	return to;
}

static void put(const char *verb, bob_event_id e, const union bob_arg *a, uint32_t n)
{
	char line[4096], *to = line;
	const char *type = events[e - 1].types;

	to = add(to, verb);
	*to++ = ' ';
	to = add(to, events[e - 1].name);
	if (*verb == '<') {
		while (*type && *type != '>')
			type++;
		type += *type != 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		char t = *type ? *type++ : '?';

		*to++ = ' ';
		if (t == 'd')
			to = add_real(to, a[i].d);
		else if (t == 's')
			to = add(to, a[i].s ? a[i].s : "");
		else if (t == 'i')
			to = add_number(to, a[i].i);
		else
			*to++ = '?';
	}
	*to++ = '\n';
	call(1, log_fd, (long)line, to - line, 0);
}

static bob_event_id event(const char *name, uint32_t flags, const char *parameters)
{
	char line[1024], *to = line;
	uint32_t n = 0;

	if (log_fd < 0) {
		const char *path = getenv("WRAP_LOG");

		if (!path)
			return 0;
		log_fd = (int)call(2, (long)path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644,
				   0);
	}
	for (uint32_t i = 0; i < count; i++)
		if (same(events[i].name, name))
			return i + 1;
	if (count == EVENTS || log_fd < 0)
		return 0;
	add(events[count].name, name);
	for (const char *p = parameters; p && *p;) {
		if (*p == '-') {
			events[count].types[n++] = '>';
			p += 2;
		} else if (*p == ' ' || *p == ',') {
			p++;
		} else {
			events[count].types[n++] = *p; /* int, double, string */
			while (*p && *p != ',' && *p != '-')
				p++;
		}
	}
	to = add(to, "event ");
	to = add(to, name);
	to = add(to, flags == BOB_EVENT_WRAPPER ? ": " : " (flags): ");
	to = add(to, parameters ? parameters : "");
	*to++ = '\n';
	call(1, log_fd, (long)line, to - line, 0);
	return ++count;
}

static void begin(bob_event_id e, const union bob_arg *in, uint32_t n)
{
	put(">", e, in, n);
}

static void end(bob_event_id e, const union bob_arg *out, uint32_t n)
{
	put("<", e, out, n);
}

static void instant(bob_event_id e, const union bob_arg *in, uint32_t n)
{
	put("!", e, in, n);
}

static bob_event_id counter(const char *name, uint32_t flags)
{
	return event(name, flags, "double value");
}

static void set(bob_event_id e, double value)
{
	union bob_arg a;

	a.d = value;
	put("=", e, &a, 1);
}

extern const struct bob_events_table bobbin_events_1;
const struct bob_events_table bobbin_events_1 = {
	sizeof(bobbin_events_1), 0, event, begin, end, instant, counter, set,
};
