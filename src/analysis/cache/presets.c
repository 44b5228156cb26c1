/* SPDX-License-Identifier: BSD-3-Clause */
/* Presets of well-known processors, with published sizes. A preset describes the cores that share
 * one last-level cache: a chip, or a core complex. A sliced last level is modelled as one cache; if
 * its total size is not a power of two, the preset is a model whose size is. */
#include <string.h>

#include "analysis/cache/config.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

static const struct preset {
	const char *name, *about;
	struct bob_cache_config config;
} presets[] = {
	{ "haswell",
	  "Intel Haswell-EP, 16 cores (Xeon E5-2698 v3)",
	  { 16, 64, 3, { { KIB(32), 8, 0, 0 }, { KIB(256), 8, 0, 0 }, { MIB(40), 20, 1, 1 } } } },
	{ "skylake",
	  "Intel Skylake, 4 cores (Core i7-6700)",
	  { 4, 64, 3, { { KIB(32), 8, 0, 0 }, { KIB(256), 4, 0, 0 }, { MIB(8), 16, 1, 1 } } } },
	{ "skylake-sp",
	  "Intel Skylake-SP, 16 cores (Xeon Gold 6142)",
	  { 16, 64, 3, { { KIB(32), 8, 0, 0 }, { MIB(1), 16, 0, 0 }, { MIB(22), 11, 1, 0 } } } },
	{ "icelake-sp",
	  "Intel Ice Lake-SP, 32 cores (Xeon Platinum 8358)",
	  { 32,
	    64,
	    3,
	    { { KIB(48), 12, 0, 0 }, { KIB(1280), 20, 0, 0 }, { MIB(48), 12, 1, 0 } } } },
	{ "sapphire-rapids",
	  "Intel Sapphire Rapids, 32 cores (Xeon Platinum 8462Y+)",
	  { 32, 64, 3, { { KIB(48), 12, 0, 0 }, { MIB(2), 16, 0, 0 }, { MIB(60), 15, 1, 0 } } } },
	{ "zen2",
	  "AMD Zen 2, the 4 cores of a complex; its victim L3 as non-inclusive",
	  { 4, 64, 3, { { KIB(32), 8, 0, 0 }, { KIB(512), 8, 0, 1 }, { MIB(16), 16, 1, 0 } } } },
	{ "zen3",
	  "AMD Zen 3, the 8 cores of a complex; its victim L3 as non-inclusive",
	  { 8, 64, 3, { { KIB(32), 8, 0, 0 }, { KIB(512), 8, 0, 1 }, { MIB(32), 16, 1, 0 } } } },
	{ "neoverse-n1",
	  "Arm Neoverse N1, 64 cores (Graviton2)",
	  { 64, 64, 3, { { KIB(64), 4, 0, 0 }, { MIB(1), 8, 0, 1 }, { MIB(32), 16, 1, 0 } } } },
	{ "a64fx",
	  "Fujitsu A64FX, the 12 cores of a memory group",
	  { 12, 256, 2, { { KIB(64), 4, 0, 0 }, { MIB(8), 16, 1, 1 } } } },
	{ "tiny",
	  "for examples: 4 cores, 1 KiB and 8 KiB",
	  { 4, 64, 2, { { KIB(1), 2, 0, 0 }, { KIB(8), 4, 1, 0 } } } },
};

bob_status bob_cache_preset(const char *name, struct bob_cache_config *out)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++)
		if (!strcmp(name, presets[i].name)) {
			*out = presets[i].config;
			return BOB_OK;
		}
	return BOB_NONE;
}

const char *bob_cache_preset_name(uint32_t number, const char **about)
{
	if (number >= sizeof(presets) / sizeof(*presets))
		return NULL;
	*about = presets[number].about;
	return presets[number].name;
}
