/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of single instructions on the stack pointer (stack.h), by their bytes. */
#include "plan/arch/x86_64/stack.h"

#include <string.h>

static int32_t number(const uint8_t *p, unsigned bytes)
{
	int32_t v;

	if (bytes == 1)
		return (int8_t)*p;
	memcpy(&v, p, 4);
	return v;
}

/* sub, add and lea with rsp: the constant is at the end of the instruction. */
static int32_t sum(const uint8_t *p, unsigned len)
{
	if (len < 4 || p[0] != 0x48)
		return 0;
	if ((p[1] == 0x83 && len == 4) || (p[1] == 0x81 && len == 7)) {
		int32_t n = number(p + 3, len == 4 ? 1 : 4);

		return p[2] == 0xec ? n : p[2] == 0xc4 ? -n : 0;
	}
	if (p[1] != 0x8d || p[3] != 0x24)
		return 0;
	if (p[2] == 0x64 && len == 5)
		return -number(p + 4, 1);
	return p[2] == 0xa4 && len == 8 ? -number(p + 4, 4) : 0;
}

int32_t bob_x86_stack_grows(const uint8_t *p, unsigned len)
{
	bool rex = len > 1 && (p[0] & 0xf0) == 0x40;
	const uint8_t *op = p + rex;

	if (len == 1u + rex && (*op & 0xf0) == 0x50)
		return *op & 8 ? -8 : 8;
	if (!rex && (*op == 0x6a || *op == 0x68 || *op == 0x9c))
		return 8;
	if (*op == 0xff && len > 1u + rex && (op[1] & 0x38) == 0x30)
		return 8;
	return sum(p, len);
}

bool bob_x86_sets_frame(const uint8_t *p, unsigned len)
{
	return len == 3 && (!memcmp(p, "\x48\x89\xe5", 3) || !memcmp(p, "\x48\x8b\xec", 3));
}
