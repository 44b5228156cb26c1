/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli, reflected polynomial 0x82f63b78), the checksum of every file Bobbin writes.
 * Freestanding; the table is constant. `crc` of nothing is 0, so results chain:
 * bob_crc32c(bob_crc32c(0, a, n), b, m) is the checksum of a followed by b. */
#ifndef BOB_BASE_CRC_H
#define BOB_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

extern const uint32_t bob_crc32c_table[256];

uint32_t bob_crc32c(uint32_t crc, const void *bytes, size_t len);

static inline uint32_t bob_crc32c_byte(uint32_t crc, uint8_t byte)
{
	crc = ~crc;
	return ~(bob_crc32c_table[(crc ^ byte) & 0xff] ^ crc >> 8);
}

#endif
