/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing array: reallocation by doubling, with overflow checks. */
#include "base/host/vec.h"

#include <stdint.h>

#define FIRST 8u

/* `array` is the address of a pointer of unknown type, so the pointer is accessed with memcpy. */
bob_status bob_vec_grow(void *array, size_t count, size_t *cap, size_t size, size_t more)
{
	size_t want = *cap ? *cap : FIRST;
	void *at;

	if (count > SIZE_MAX / 4 / size || more > SIZE_MAX / 4 / size - count)
		return BOB_ERR_NOMEM;
	while (want < count + more)
		want *= 2;
	memcpy(&at, array, sizeof(at));
	at = realloc(at, want * size);
	if (!at)
		return BOB_ERR_NOMEM;
	memcpy(array, &at, sizeof(at));
	*cap = want;
	return BOB_OK;
}

bob_status bob_vec_reach(void *array, size_t *count, size_t *cap, size_t size, size_t n)
{
	char *at;

	if (n <= *count)
		return BOB_OK;
	if (bob_vec_reserve(array, *count, cap, size, n - *count) != BOB_OK)
		return BOB_ERR_NOMEM;
	memcpy(&at, array, sizeof(at));
	memset(at + *count * size, 0, (n - *count) * size);
	*count = n;
	return BOB_OK;
}
