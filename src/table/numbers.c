/* SPDX-License-Identifier: BSD-3-Clause */
/* Number formatting: thousands separators, SI prefixes, percentages, shortest round-trip
 * decimals. */
#include "table/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bob_format_count(char buf[BOB_NUMBER_MAX], uint64_t v)
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

/* Three significant digits of `v` in the largest unit in which it is at least 1. */
static char *scaled(char buf[BOB_NUMBER_MAX], double v, const char *const *units)
{
	while (v >= 999.5 && units[1]) {
		v /= 1000;
		units++;
	}
	snprintf(buf, BOB_NUMBER_MAX, "%.*f %s", v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, *units);
	return buf;
}

char *bob_format_bytes(char buf[BOB_NUMBER_MAX], uint64_t v)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", NULL };

	if (v < 1000) {
		snprintf(buf, BOB_NUMBER_MAX, "%" PRIu64 " B", v);
		return buf;
	}
	return scaled(buf, (double)v, units);
}

char *bob_format_seconds(char buf[BOB_NUMBER_MAX], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };

	if (ns >= 600000000000u) {
		uint64_t s = ns / 1000000000u;

		snprintf(buf, BOB_NUMBER_MAX, "%" PRIu64 ":%02u:%02u h", s / 3600,
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
		return buf;
	}
	return scaled(buf, (double)ns, units);
}

char *bob_format_ratio(char buf[BOB_NUMBER_MAX], double ratio)
{
	if (ratio < 1 && ratio > 0.999)
		ratio = 0.999;	/* 100.0% is reserved for the whole */
	snprintf(buf, BOB_NUMBER_MAX, "%.1f%%", 100 * ratio);
	return buf;
}

char *bob_format_share(char buf[BOB_NUMBER_MAX], uint64_t part, uint64_t whole)
{
	const double ratio = whole ? (double)part / (double)whole : 0;

	return bob_format_ratio(buf, part < whole && ratio > 0.999 ? 0.999 : ratio);
}

char *bob_format_real(char buf[BOB_NUMBER_MAX], double v)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, BOB_NUMBER_MAX, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

const char *bob_plural(uint64_t v)
{
	return v == 1 ? "" : "s";
}
