/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of caches: what is read, and the one line that is said of each thing that is
 * wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/cache/config.h"

static bob_status parse(const char *text, struct bob_cache_config *c,
			struct bob_cache_complaint *why)
{
	memset(why, 0, sizeof(*why));
	return bob_cache_config_parse(text, strlen(text), "my.caches", c, why);
}

static void all_keys(void **state)
{
	struct bob_cache_complaint why;
	struct bob_cache_config c;

	(void)state;
	assert_int_equal(parse("# two levels\n\n[Machine]\n cores=4 # of them\r\nline = 128\n"
			       "[L2]\nsize = 1 MiB\nWAYS = 16\nshared = yes\ninclusive = true\n"
			       "[ L1 ]\nsize = 64k\nways = 4\nshared = no",
			       &c, &why),
			 BOB_OK);
	assert_int_equal(c.cores, 4);
	assert_int_equal(c.line_bytes, 128);
	assert_int_equal(c.levels, 2);
	assert_int_equal(c.level[0].size_bytes, 64 << 10);
	assert_int_equal(c.level[0].ways, 4);
	assert_int_equal(c.level[0].shared, 0);
	assert_int_equal(c.level[1].size_bytes, 1 << 20);
	assert_int_equal(c.level[1].ways, 16);
	assert_int_equal(c.level[1].shared, 1);
	assert_int_equal(c.level[1].inclusive, 1);
	assert_int_equal(parse("[L1]\nsize=512\nways=2", &c, &why), BOB_OK);
	assert_int_equal(c.cores, 1);
	assert_int_equal(c.line_bytes, 64);
}

/* Each complaint, word for word, and that nothing was read then. */
static void complaints(void **state)
{
	static const struct {
		const char *text;
		bob_status st;
		const char *why;
	} cases[] = {
#define L1 "[L1]\nsize=512\nways=2\n"
		{ "", BOB_ERR_INVAL,
		  "my.caches:1: there is no level: it needs [L1] with size and ways" },
		{ "size = 3\n", BOB_ERR_CORRUPT,
		  "my.caches:1: 'size' is before the first section" },
		{ "[L1]\nsize 3\n", BOB_ERR_CORRUPT,
		  "my.caches:2: 'size 3' is neither a [section] nor key = value" },
		{ "[L5]\n", BOB_ERR_CORRUPT,
		  "my.caches:1: section [L5] is not known; there are [machine], [L1] to [L4]" },
		{ "[L1\n", BOB_ERR_CORRUPT,
		  "my.caches:1: '[L1' is neither a [section] nor key = value" },
		{ L1 "[l1]\n", BOB_ERR_CORRUPT,
		  "my.caches:4: section [l1] is there twice, first in line 1" },
		{ "[L1]\ncores = 3\n", BOB_ERR_CORRUPT,
		  "my.caches:2: 'cores' is not known in this section; there are size, ways, "
		  "shared, inclusive" },
		{ "[machine]\nways = 3\n", BOB_ERR_CORRUPT,
		  "my.caches:2: 'ways' is not known in this section; there are cores, line" },
		{ "[L1]\nsize=1K\nsize=2K\n", BOB_ERR_CORRUPT,
		  "my.caches:3: 'size' is there twice in this section" },
		{ "[L1]\nsize = 3 parsecs\n", BOB_ERR_CORRUPT,
		  "my.caches:2: size is a size such as 32 KiB, not '3 parsecs'" },
		{ "[L1]\nsize = 99999999999999999999\n", BOB_ERR_CORRUPT,
		  "my.caches:2: size is a size such as 32 KiB, not '99999999999999999999'" },
		{ "[L1]\nsize = 2000000 GiB\n", BOB_ERR_CORRUPT,
		  "my.caches:2: size is a size such as 32 KiB, not '2000000 GiB'" },
		{ "[L1]\nways = -8\n", BOB_ERR_CORRUPT, "my.caches:2: ways is a number, not '-8'" },
		{ "[L1]\nways =\n", BOB_ERR_CORRUPT, "my.caches:2: ways is a number, not ''" },
		{ "[L1]\nshared = maybe\n", BOB_ERR_CORRUPT,
		  "my.caches:2: shared is yes or no, not 'maybe'" },
		{ "[L1]\nways = \x01\xff"
		  "aaaaaaaaaabbbbbbbbbbccccccccccddddd\n",
		  BOB_ERR_CORRUPT,
		  "my.caches:2: ways is a number, not '?"
		  "?aaaaaaaaaabbbbbbbbbbcccccccccc..'" },
		{ "[L1]\nways = 8\n", BOB_ERR_INVAL, "my.caches:1: [L1] has no size" },
		{ L1 "[L3]\nsize=1K\nways=1\nshared=yes\n", BOB_ERR_INVAL,
		  "my.caches:4: [L3] is there, but [L2] is not" },
		/* what cannot be */
		{ "[machine]\ncores=0\n" L1, BOB_ERR_INVAL,
		  "my.caches:1: cores is 0; 1 to 64 can be simulated" },
		{ "[machine]\ncores=65\n" L1, BOB_ERR_INVAL,
		  "my.caches:1: cores is 65; 1 to 64 can be simulated" },
		{ "[machine]\nline=96\n" L1, BOB_ERR_INVAL,
		  "my.caches:1: line is 96 bytes; it must be a power of two from 16 to 4096" },
		{ "[L1]\nsize=384\nways=2\n", BOB_ERR_INVAL,
		  "my.caches:1: L1: 384 bytes in 2 ways are 3 sets, which is no power of two" },
		{ "[L1]\nsize=500\nways=2\n", BOB_ERR_INVAL,
		  "my.caches:1: L1: 500 bytes are no whole number of sets of 2 lines of 64 bytes" },
		{ "[L1]\nsize=0\nways=2\n", BOB_ERR_INVAL,
		  "my.caches:1: L1: 0 bytes are no whole number of sets of 2 lines of 64 bytes" },
		{ "[L1]\nsize=1K\nways=2000\n", BOB_ERR_INVAL,
		  "my.caches:1: L1 has 2000 ways; 1 to 1024 can be simulated" },
		{ "[L1]\nsize=512\nways=2\nshared=yes\n", BOB_ERR_INVAL,
		  "my.caches:1: L1 cannot be shared" },
		{ "[L1]\nsize=512\nways=2\ninclusive=yes\n", BOB_ERR_INVAL,
		  "my.caches:1: L1 cannot be inclusive: nothing is above it" },
		{ L1 "[L2]\nsize=256\nways=2\ninclusive=yes\n", BOB_ERR_INVAL,
		  "my.caches:4: L2 is inclusive, but its 256 bytes are less than the 512 of L1" },
		{ "[machine]\ncores=4\n" L1 "[L2]\nsize=1K\nways=2\nshared=yes\ninclusive=yes\n",
		  BOB_ERR_INVAL,
		  "my.caches:6: L2 is inclusive, but its 1024 bytes are less than the 2048 of L1" },
		{ L1 "[L2]\nsize=1K\nways=2\nshared=yes\n[L3]\nsize=4K\nways=2\n", BOB_ERR_INVAL,
		  "my.caches:8: L3 is private to a core, but L2 above it is shared" },
		{ L1 "[L2]\nsize=1K\nways=2\n[L3]\nsize=4K\nways=2\n", BOB_ERR_INVAL,
		  "my.caches:7: L3 is private; only L1 to L2 can be" },
		{ L1 "[L2]\nsize=64G\nways=1024\nshared=yes\n", BOB_ERR_INVAL,
		  "my.caches:4: L2: these are more than 16777216 lines in all caches together" },
	};
	struct bob_cache_config c, same;
	struct bob_cache_complaint why;

	(void)state;
	memset(&same, 0x5a, sizeof(same));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&c, 0x5a, sizeof(c));
		assert_int_equal(parse(cases[i].text, &c, &why), cases[i].st);
		assert_string_equal(why.text, cases[i].why);
		assert_memory_equal(&c, &same, sizeof(c));
		assert_int_equal(bob_cache_config_parse(cases[i].text, strlen(cases[i].text), "",
							&c, NULL),
				 cases[i].st);
	}
}

static void presets(void **state)
{
	struct bob_cache_complaint why;
	struct bob_cache_config c, again;
	const char *name, *about;
	char text[512];
	uint32_t n;

	(void)state;
	for (n = 0; (name = bob_cache_preset_name(n, &about)); n++) {
		assert_int_equal(bob_cache_preset(name, &c), BOB_OK);
		why.text[0] = 0;
		bob_cache_config_check(&c, &why);
		assert_string_equal(why.text, "");
		bob_cache_config_write(&c, text, sizeof(text));
		assert_int_equal(parse(text, &again, &why), BOB_OK);
		assert_memory_equal(&c, &again, sizeof(c));
		assert_true(strlen(about) > 0);
	}
	assert_true(n >= 8);
	assert_int_equal(bob_cache_preset("z80", &c), BOB_NONE);
	bob_cache_config_write(&c, text, 20); /* too short: cut, with a 0 */
	assert_true(strlen(text) < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys),
		cmocka_unit_test(complaints),
		cmocka_unit_test(presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
