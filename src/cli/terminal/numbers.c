/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/terminal/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *cli_count(char buf[CLI_NUMBER_MAX], uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
	char *p = buf;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = 0;
	return buf;
}

/* Three significant digits of v in the largest unit that leaves at least 1. */
static char *scaled(char buf[CLI_NUMBER_MAX], double v, const char *const *units)
{
	while (v >= 999.5 && units[1]) {
		v /= 1000;
		units++;
	}
	snprintf(buf, CLI_NUMBER_MAX, "%.*f %s", v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, *units);
	return buf;
}

char *cli_bytes(char buf[CLI_NUMBER_MAX], uint64_t v)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", NULL };

	if (v < 1000) {
		snprintf(buf, CLI_NUMBER_MAX, "%" PRIu64 " B", v);
		return buf;
	}
	return scaled(buf, (double)v, units);
}

char *cli_seconds(char buf[CLI_NUMBER_MAX], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };

	if (ns >= 600000000000u) {
		uint64_t s = ns / 1000000000u;

		snprintf(buf, CLI_NUMBER_MAX, "%" PRIu64 ":%02u:%02u h", s / 3600,
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
		return buf;
	}
	return scaled(buf, (double)ns, units);
}

char *cli_share(char buf[CLI_NUMBER_MAX], uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0.0;

	if (part < whole && share > 99.9)
		share = 99.9;	/* 100.0% is for all of it */
	snprintf(buf, CLI_NUMBER_MAX, "%.1f%%", share);
	return buf;
}

const char *cli_plural(uint64_t v)
{
	return v == 1 ? "" : "s";
}
