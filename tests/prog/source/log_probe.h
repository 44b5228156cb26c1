/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for source/probe/bobbin_probe.h in tests: every probe is a line on the descriptor that BOB_TEST_LOG names (none: nothing is
 * written). Accesses are told relative to the object that was told of, so that the lines are the same wherever it is. */
#ifndef BOBBIN_PROBE_H
#define BOBBIN_PROBE_H

struct bobbin_variable {
	const char *name, *function, *type;
	unsigned line;
	int is_pointer;
	unsigned element, rank;
	long long extent[8];
};

struct bobbin_site {
	unsigned line, column;
	int kind, variable, is_filtered;
	const char *function, *text;
};

struct bobbin_unit {
	const char *path;
	const struct bobbin_variable *variables;
	unsigned long variable_count;
	const struct bobbin_site *sites;
	unsigned long site_count;
};

static struct bobbin_unit bobbin_this_unit;

extern void bobbin_log_access(struct bobbin_unit *u, unsigned site, const volatile void *at,
			      unsigned long bytes);
extern void bobbin_log_begin(struct bobbin_unit *u, unsigned variable, const volatile void *at,
			     unsigned long bytes);
extern void bobbin_log_end(const void *at);
extern void bobbin_log_mark(struct bobbin_unit *u, unsigned site, const char *what);

static void bobbin_unit_begin(struct bobbin_unit *u)
	__attribute__((unused, no_instrument_function));
static void bobbin_unit_begin(struct bobbin_unit *u)
{
	(void)u;
}

static int bobbin_static(unsigned variable, const volatile void *at, unsigned long bytes)
	__attribute__((unused, no_instrument_function));
static int bobbin_static(unsigned variable, const volatile void *at, unsigned long bytes)
{
	bobbin_log_begin(&bobbin_this_unit, variable, at, bytes);
	return 0;
}

static void *bobbin_local(unsigned variable, const volatile void *at, unsigned long bytes,
			  int write) __attribute__((unused, no_instrument_function));
static void *bobbin_local(unsigned variable, const volatile void *at, unsigned long bytes,
			  int write)
{
	bobbin_log_begin(&bobbin_this_unit, variable, at, bytes);
	if (write >= 0)
		bobbin_log_access(&bobbin_this_unit, (unsigned)write, at, bytes);
	return (void *)at;
}

static void bobbin_scope_end(void *at) __attribute__((unused, no_instrument_function));
static void bobbin_scope_end(void *at)
{
	bobbin_log_end(*(void **)at);
}

#define BOBBIN_SCOPE __attribute__((unused, cleanup(bobbin_scope_end)))
#define BOBBIN_ACCESS(site, lvalue)                                                                \
	(*__extension__({                                                                          \
		__auto_type bobbin_at = &lvalue;                                                   \
		bobbin_log_access(&bobbin_this_unit, site, (const volatile void *)bobbin_at,       \
				  sizeof(*bobbin_at));                                             \
		bobbin_at;                                                                         \
	}))
#define BOBBIN_RD(site, lvalue) BOBBIN_ACCESS(site, lvalue)
#define BOBBIN_WR(site, lvalue) BOBBIN_ACCESS(site, lvalue)
#define BOBBIN_RW(site, lvalue) BOBBIN_ACCESS(site, lvalue)
#define BOBBIN_PS(site, lvalue) BOBBIN_ACCESS(site, lvalue)

#endif
