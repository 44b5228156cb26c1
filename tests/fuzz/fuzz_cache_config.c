/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the description of caches: refused in one printable line, or a machine that can be,
 * that is the same after being written and read back, and that simulates a few accesses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cache/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void simulate(const struct bob_cache_config *c)
{
	struct bob_cache_options o = { .size = sizeof(o), .threads = 3, .sites = 2 };
	struct bob_cache_access a = { 0, 0, 0, 8, BOB_CACHE_STORE };
	struct bob_cache *sim;
	struct bob_cache_site s;

	for (uint32_t k = 0; k < c->levels; k++)
		if (c->level[k].size_bytes > 1 << 20)
			return;		/* memory and time */
	check(bob_cache_create(c, &o, &sim) == BOB_OK, "no simulation of what can be");
	for (unsigned i = 0; i < 64; i++) {
		a.thread = i % 3;
		a.address = i * 97;
		check(bob_cache_access(sim, &a) == BOB_OK, "access");
	}
	bob_cache_total(sim, &s);
	check(s.accesses[BOB_CACHE_STORE] == 64, "accesses are lost");
	bob_cache_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_cache_complaint why = { "" };
	struct bob_cache_config c, again;
	char text[512];

	memset(&c, 0, sizeof(c));
	memset(&again, 0, sizeof(again));
	if (bob_cache_config_parse((const char *)bytes, len, "input", &c, &why) != BOB_OK) {
		check(strncmp(why.text, "input:", 6) == 0, "a complaint does not say where");
		for (const char *p = why.text; *p; p++)
			check(*p >= ' ' && *p < 127, "a complaint is not printable");
		return 0;
	}
	check(bob_cache_config_check(&c, &why) == BOB_OK, "what was read cannot be");
	bob_cache_config_write(&c, text, sizeof(text));
	check(bob_cache_config_parse(text, strlen(text), "written", &again, &why) == BOB_OK,
	      why.text);
	check(memcmp(&c, &again, sizeof(c)) == 0, "read back differently");
	simulate(&c);
	return 0;
}
