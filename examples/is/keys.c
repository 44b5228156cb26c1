/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator of the specification, x' = 5^13 x mod 2^46, in integers; a key is the sum of four
 * numbers. */
#include "keys.h"

#include <stddef.h>

#define SEED 314159265ull
#define FACTOR 1220703125ull
#define MASK ((1ull << 46) - 1)

static const struct is_class classes[] = {
	{ 'S', 16, 11, 9, { 48427, 17148, 23627, 62548, 4431 },
	  { 0, 18, 346, 64917, 65463 }, 3, 0, 0 },
	{ 'W', 20, 16, 10, { 357773, 934767, 875723, 898999, 404505 },
	  { 1249, 11698, 1039987, 1043896, 1048018 }, 2, 2, 0 },
	{ 'A', 23, 19, 10, { 2112377, 662041, 5336171, 3642833, 4250760 },
	  { 104, 17523, 123928, 8288932, 8388264 }, 3, 1, 1 },
	{ 'B', 25, 21, 10, { 812306, 5102857, 26860214, 41869, 18232239 },
	  { 10244, 59149, 99, 33422937, 33135281 }, 3, 0, 0 },
	{ 'C', 27, 23, 10, { 44172927, 72999161, 74326391, 129606274, 21736814 },
	  { 61147, 882988, 266290, 133997595, 133525895 }, 3, 0, 0 },
};

const struct is_class *is_class_of(char name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].name == name)
			return &classes[i];
	return NULL;
}

/* a * b mod 2^46: the overflow of 64 bits does not affect the low 46. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	return a * b & MASK;
}

static uint64_t state_at(uint64_t n)
{
	uint64_t x = SEED, f = FACTOR;

	for (; n; n >>= 1, f = multiply(f, f))
		if (n & 1)
			x = multiply(x, f);
	return x;
}

void is_draw_keys(const struct is_class *c, int64_t first, int count, int *key)
{
	uint64_t x = state_at(4 * (uint64_t)first);

	for (int i = 0; i < count; i++) {
		uint64_t sum = 0;

		for (int k = 0; k < 4; k++) {
			x = multiply(FACTOR, x);
			sum += x;
		}
		/* limit / 4 times a sum of four fractions of 2^46 */
		key[i] = (int)(sum >> (48 - c->limit_log2));
	}
}

int is_expected_rank(const struct is_class *c, int i, int round)
{
	return i < c->rising ? c->rank[i] + round - c->rising_less :
			       c->rank[i] - round + c->falling_less;
}
