/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulator against Cachegrind's: a program's accesses as Lackey prints them, instructions on
 * one core and data on the other, with private L1 and a shared last level; and Cachegrind's own
 * counts of the same program.
 *
 * Cachegrind counts an access that straddles lines once, so that is done here too. It has no
 * write-backs, and a straddling access of which one line missed in L1 looks up both in the last
 * level; so the last level may differ a little, L1 may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/cache/cache.h"

#define PROGRAM "/bin/true"

enum kind { INSTRUCTION, READ, WRITE, KINDS };

struct counts {
	uint64_t refs[KINDS], l1[KINDS], last[KINDS];
};

static uint64_t misses_of(const struct bob_cache_counts *c)
{
	uint64_t sum = 0;

	for (int w = 0; w < 2; w++)
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			sum += c->misses[w][i];
	return sum;
}

static void push(struct bob_cache *sim, struct counts *n, enum kind kind, uint64_t address,
		 unsigned size)
{
	struct bob_cache_access a = { address, kind != INSTRUCTION, kind, (uint16_t)size,
				      kind == WRITE };
	struct bob_cache_site before, after;

	bob_cache_site(sim, kind, &before);
	assert_int_equal(bob_cache_access(sim, &a), BOB_OK);
	bob_cache_site(sim, kind, &after);
	n->refs[kind]++;
	n->l1[kind] += misses_of(&after.level[0]) > misses_of(&before.level[0]);
	n->last[kind] += misses_of(&after.level[1]) > misses_of(&before.level[1]);
}

/* Lines "I  addr,size", " L addr,size", " S ...", " M ..." (a load and a store, which Cachegrind
 * treats as a load because it does not model writing lines back). */
static void simulate(const struct bob_cache_config *c, struct counts *n)
{
	struct bob_cache_options o = { .size = sizeof(o), .threads = 2, .sites = KINDS };
	FILE *f = popen("valgrind --tool=lackey --trace-mem=yes " PROGRAM " 2>&1", "r");
	struct bob_cache *sim;
	char line[256];

	assert_non_null(f);
	assert_int_equal(bob_cache_create(c, &o, &sim), BOB_OK);
	memset(n, 0, sizeof(*n));
	while (fgets(line, sizeof(line), f)) {
		unsigned long long address;
		unsigned size;
		char what;

		if (sscanf(line, " %c %llx,%u", &what, &address, &size) != 3 || line[0] == '=')
			continue;
		if (what == 'I')
			push(sim, n, INSTRUCTION, address, size);
		else
			push(sim, n, what == 'S' ? WRITE : READ, address, size);
	}
	pclose(f);
	bob_cache_destroy(sim);
}

/* The numbers of a line such as "D1  misses: 4,587  ( 3,862 rd + 725 wr)". */
static unsigned numbers(const char *p, uint64_t *out, unsigned capacity)
{
	unsigned n = 0;

	for (p = strchr(p, ':'); p && *p && n < capacity; p++) {
		uint64_t v = 0;

		if (*p < '0' || *p > '9')
			continue;
		for (; (*p >= '0' && *p <= '9') || *p == ','; p++)
			if (*p != ',')
				v = v * 10 + (uint64_t)(*p - '0');
		out[n++] = v;
	}
	return n;
}

static void cachegrind(const struct bob_cache_config *c, struct counts *n)
{
	char command[512], line[256];
	uint64_t v[3];
	FILE *f;

	snprintf(command, sizeof(command),
		 "valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "
		 "--I1=%llu,%u,%u --D1=%llu,%u,%u --LL=%llu,%u,%u " PROGRAM " 2>&1",
		 (unsigned long long)c->level[0].size_bytes, c->level[0].ways, c->line_bytes,
		 (unsigned long long)c->level[0].size_bytes, c->level[0].ways, c->line_bytes,
		 (unsigned long long)c->level[1].size_bytes, c->level[1].ways, c->line_bytes);
	f = popen(command, "r");
	assert_non_null(f);
	memset(n, 0, sizeof(*n));
	while (fgets(line, sizeof(line), f)) {
		uint64_t *data = strstr(line, " D   refs:")   ? n->refs :
				 strstr(line, " D1  misses:") ? n->l1 :
				 strstr(line, " LLd misses:") ? n->last :
								NULL;
		uint64_t *code = strstr(line, " I   refs:")   ? n->refs :
				 strstr(line, " I1  misses:") ? n->l1 :
				 strstr(line, " LLi misses:") ? n->last :
								NULL;

		if (data && numbers(line, v, 3) == 3) {
			data[READ] = v[1];
			data[WRITE] = v[2];
		} else if (code && numbers(line, v, 1) == 1) {
			code[INSTRUCTION] = v[0];
		}
	}
	pclose(f);
}

/* Within a part of the other one, and two. */
static int is_near(uint64_t a, uint64_t b, uint64_t part)
{
	return a <= b + b / part + 2 && b <= a + a / part + 2;
}

/* The last level depends on where the stack begins, and so on the environment, and on what the two
 * tools do with it. */
static void one_machine(const char *text)
{
	struct bob_cache_config c;
	struct counts ours, theirs;
	uint64_t all[2] = { 0 };

	assert_int_equal(bob_cache_config_parse(text, strlen(text), "test", &c, NULL), BOB_OK);
	cachegrind(&c, &theirs);
	simulate(&c, &ours);
	for (int i = 0; i < KINDS; i++) {
		printf("%s: %llu accesses, %llu / %llu misses in L1, %llu / %llu in the last "
		       "level\n",
		       (const char *const[]){ "instructions", "loads", "stores" }[i],
		       (unsigned long long)ours.refs[i], (unsigned long long)ours.l1[i],
		       (unsigned long long)theirs.l1[i], (unsigned long long)ours.last[i],
		       (unsigned long long)theirs.last[i]);
		assert_int_equal(ours.refs[i], theirs.refs[i]);
		assert_true(theirs.l1[i] > 100);
		assert_int_equal(ours.l1[i], theirs.l1[i]);
		assert_true(is_near(ours.last[i], theirs.last[i], 10));
		all[0] += ours.last[i];
		all[1] += theirs.last[i];
	}
	assert_true(is_near(all[0], all[1], 20));
}

static void machines(void **state)
{
	(void)state;
	one_machine("[machine]\ncores=2\nline=64\n[L1]\nsize=4K\nways=2\n"
		    "[L2]\nsize=64K\nways=4\nshared=yes\n");
	one_machine("[machine]\ncores=2\nline=32\n[L1]\nsize=2K\nways=1\n"
		    "[L2]\nsize=1M\nways=16\nshared=yes\n");
	one_machine("[machine]\ncores=2\nline=128\n[L1]\nsize=8K\nways=8\n"
		    "[L2]\nsize=32K\nways=2\nshared=yes\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(machines) };

	if (system("valgrind --version >/dev/null 2>&1") != 0) {
		printf("skipped: there is no valgrind\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
