/* SPDX-License-Identifier: BSD-3-Clause */
/* The three passes over keys, a block at a time. */
#include "is.h"

void is_count_buckets(const uint32_t *key, int count, int shift, int *size)
{
	for (int i = 0; i < count; i++)
		size[key[i] >> shift]++;
}

void is_pack(const uint32_t *key, int count, int shift, int *next, uint32_t *packed)
{
	for (int i = 0; i < count; i++)
		packed[next[key[i] >> shift]++] = key[i];
}

void is_count_keys(const uint32_t *key, int count, uint32_t low, uint32_t *number)
{
	for (int i = 0; i < count; i++)
		number[key[i] - low]++;
}
