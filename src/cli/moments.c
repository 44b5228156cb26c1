/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses time ranges, and converts times to positions by linear interpolation between time marks
 * (moments.h). */
#include "cli/moments.h"
#include "base/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int parse_moment(const char *text, const char **end, uint64_t *out)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "min", 6e10 }, { "s", 1e9 } };
	double v, unit = 1e9;
	char *after;

	if ((*text < '0' || *text > '9') && *text != '.')
		return -1;
	/* "1..2" is a range: strtod would take "1." */
	after = (char *)text + strspn(text, "0123456789");
	if (after[0] == '.' && after[1] >= '0' && after[1] <= '9')
		after += 1 + strspn(after + 1, "0123456789");
	errno = 0;
	v = strtod(text, NULL);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t len = strlen(units[i].name);

		if (!strncmp(after, units[i].name, len)) {
			unit = units[i].ns;
			after += len;
			break;
		}
	}
	v *= unit;
	if (errno || !(v < 9e18))
		return -1;
	*out = (uint64_t)v;
	*end = after;
	return 0;
}

int cli_time_range_parse(struct cli_time_range *r, const char *text)
{
	const char *p = text;

	*r = (struct cli_time_range){ 1, 0, UINT64_MAX };
	if (strncmp(p, "..", 2) && parse_moment(p, &p, &r->first_ns))
		return -1;
	if (strncmp(p, "..", 2))
		return -1;
	p += 2;
	if (*p && parse_moment(p, &p, &r->last_ns))
		return -1;
	return *p || r->last_ns < r->first_ns ? -1 : 0;
}

/* The begin of the thread's first recorded call also serves as a mark. */
static uint64_t position_at(const struct bob_mark_info *m, size_t n, uint64_t begin, uint64_t ns)
{
	struct bob_mark_info before = { 0, begin };
	size_t lo;
	double part;

	BOB_PARTITION_POINT(lo, n, mid, m[mid].mono_ns < ns);
	if (lo == n)
		return m[n - 1].pos + 1;
	if (lo > 0)
		before = m[lo - 1];
	if (ns <= before.mono_ns)
		return before.pos;
	part = (double)(ns - before.mono_ns) / (double)(m[lo].mono_ns - before.mono_ns);
	return before.pos + (uint64_t)(part * (double)(m[lo].pos - before.pos));
}

int cli_time_range_to_positions(const struct cli_time_range *r, const struct bob_trace *t,
				uint32_t thread, uint64_t *first, uint64_t *last)
{
	const struct bob_mark_info *marks;
	size_t n = bob_trace_marks(t, thread, &marks);
	const struct bob_thread_info *th = bob_trace_thread(t, thread);
	uint64_t start = bob_trace_run_start(t, th->process), begin = th->start_mono_ns;

	if (!n)
		return -1;
	*first = r->first_ns ? position_at(marks, n, begin, start + r->first_ns) : 0;
	*last = UINT64_MAX;
	if (r->last_ns < UINT64_MAX - start)
		*last = position_at(marks, n, begin, start + r->last_ns);
	if (*last == 0 && start + r->last_ns < begin)
		*first = 1;	/* ends before the thread's first call: an empty range */
	return 0;
}
