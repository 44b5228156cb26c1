/* SPDX-License-Identifier: BSD-3-Clause */
/* Translated functions do what the originals did, and record all their accesses: compiled C at
 * every optimisation level by two compilers (memrun.h says how it is compared). With a sanitizer
 * (share.h), which sees the planner but neither the originals nor their translation, all are
 * planned and some are run. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../share.h"
#include "memmap.h"

#define LONGS 4096

static const char *scratch(const char *name)
{
	static char path[512];
	const char *build = getenv("BOBBIN_BUILD");

	snprintf(path, sizeof(path), "%s/tests/mem_run", build ? build : "/tmp");
	mkdir(path, 0755);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
	return path;
}

static bool compile(const char *compiler, const char *source, const char *out)
{
	char command[2048];

	snprintf(command, sizeof(command), "%s -w -g0 -shared -fPIC -Wl,-z,now -o %s %s", compiler,
		 out, source);
	return system(command) == 0;
}

/* All functions named k_* of the library. */
static unsigned run_kernels(struct memrun *m, unsigned *wrong)
{
	unsigned count = 0;

	for (size_t i = 0; i < m->img.symbols.count; i++) {
		const struct bob_plan_symbol *s = &m->img.symbols.at[i];
		static long mem[LONGS + 64];

		if (strncmp(s->name, "k_", 2) || s->type != STT_FUNC || !s->exported)
			continue;
		for (int round = 0; round < 2; round++) {
			struct memrun_call c = { 0 };

			for (size_t k = 0; k < LONGS + 64; k++)
				mem[k] = (long)((k * 2654435761u >> 7) % 97);
			c.reg[7] = (uint64_t)(uintptr_t)mem;
			c.reg[6] = round ? 19 : 4;
			c.fn = m->bias + s->addr;
			*wrong += !memmap_both(m, s->name, &c, mem, sizeof(mem));
			count++;
		}
	}
	return count;
}

static unsigned run_library(const char *path, const char *what, bool runs)
{
	struct memrun m;
	unsigned wrong = 0, count = 0;

	memrun_open(&m, path);
	if (runs)
		count = run_kernels(&m, &wrong);
	wrong += m.surprises > 0;
	printf("%-28s %3u runs, %u of %zu functions translated, %lu records, %lu drains, %lu "
	       "traps (%lu not foreseen)%s\n",
	       what, count, m.plan.stats.by_decline[0], m.plan.funcs.count,
	       (unsigned long)m.records, (unsigned long)m.drains, (unsigned long)m.traps,
	       (unsigned long)m.surprises, wrong ? "  WRONG" : "");
	for (size_t i = 0; i < m.plan.funcs.count; i++) {
		const struct bob_mem_func *f = &m.plan.funcs.at[i];

		if (f->decline && f->func != BOB_PLAN_NO_INDEX && f->decline != BOB_MEM_NO_FRAME)
			printf("    declined %s: %s\n", m.img.funcs.at[f->func].name,
			       bob_mem_decline_text(f->decline));
	}
	memrun_close(&m);
	return wrong + (runs && count == 0);
}

static void run_builds(const char *name, const char *const *builds, size_t n)
{
	const char *root = getenv("BOBBIN_SOURCE");
	unsigned wrong = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		char source[512], out[640];

		snprintf(source, sizeof(source), "%s/tests/prog/%s.c", root ? root : ".", name);
		snprintf(out, sizeof(out), "%s-%zu.so", scratch(name), i);
		if (!compile(builds[i], source, out)) {
			printf("%s: cannot compile\n", builds[i]);
			continue;
		}
		wrong += run_library(out, builds[i], share_has(i));
		count++;
	}
	assert_true(count > 0);
	assert_int_equal(wrong, 0);
}

static void test_compiled(void **state)
{
	static const char *const builds[] = {
		"gcc -O2", "gcc -O0", "gcc -O1 -fcf-protection", "gcc -O3 -mavx2 -fno-plt",
		"gcc -Os", "clang-14 -O3 -mavx2 -fno-plt", "clang-14 -O0", "clang-14 -O2",
	};

	(void)state;
	run_builds("mem_kernels", builds, sizeof(builds) / sizeof(builds[0]));
}

static void test_avx2(void **state)
{
	static const char *const builds[] = {
		"gcc -O1 -mavx2", "gcc -O3 -ffast-math -march=haswell",
		"clang-14 -O2 -mavx2 -ffast-math",
	};

	(void)state;
	if (!__builtin_cpu_supports("avx2")) {
		printf("skipped: this processor has no AVX2\n");
		skip();
	}
	run_builds("mem_lanes", builds, sizeof(builds) / sizeof(builds[0]));
}

#define AVX512 " -ffast-math -march=skylake-avx512 -mprefer-vector-width=512"

static void test_avx512(void **state)
{
	static const char *const builds[] = {
		"gcc -O3" AVX512, "clang-14 -O3" AVX512, "gcc -O1" AVX512,
	};

	(void)state;
	if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
	    !__builtin_cpu_supports("avx512dq")) {
		printf("skipped: this processor has no AVX-512\n");
		skip();
	}
	run_builds("mem_lanes", builds, sizeof(builds) / sizeof(builds[0]));
	run_builds("mem_kernels", builds, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_avx2),
		cmocka_unit_test(test_avx512),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
