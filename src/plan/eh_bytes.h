/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds-checked reading of .eh_frame and exception tables: numbers and pointers in untrusted
 * bytes. Missing bytes and unknown encodings set `bad` and read as 0. DWARF 5 section 7.6, LSB 5
 * chapter 10.5. */
#ifndef BOB_PLAN_EH_BYTES_H
#define BOB_PLAN_EH_BYTES_H

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *p, *end;
	uint64_t addr;		/* link address of `base` */
	const uint8_t *base;
	bool bad;
};

static inline uint8_t get_u8(struct bytes *b)
{
	if (b->p >= b->end) {
		b->bad = true;
		return 0;
	}
	return *b->p++;
}

static inline uint64_t get_fixed(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < n) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	memcpy(&v, b->p, n);
	b->p += n;
	return v;
}

static inline uint64_t get_uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = get_u8(b);

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	b->bad = true;
	return 0;
}

static inline int64_t get_sleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = get_u8(b);

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			if ((c & 0x40) && shift + 7 < 64)
				v |= UINT64_MAX << (shift + 7);
			return (int64_t)v;
		}
	}
	b->bad = true;
	return 0;
}

static inline void skip(struct bytes *b, uint64_t n)
{
	if ((uint64_t)(b->end - b->p) < n) {
		b->bad = true;
		b->p = b->end;
	} else {
		b->p += n;
	}
}

static inline int64_t sign(uint64_t v, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (int64_t)(v << shift) >> shift;
}

/* Reads a value in pointer encoding `enc`, without adding its base. */
static inline uint64_t get_encoded(struct bytes *b, unsigned enc)
{
	switch (enc & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return get_fixed(b, 8);
	case DW_EH_PE_udata2:
		return get_fixed(b, 2);
	case DW_EH_PE_udata4:
		return get_fixed(b, 4);
	case DW_EH_PE_sdata2:
		return (uint64_t)sign(get_fixed(b, 2), 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)sign(get_fixed(b, 4), 4);
	case DW_EH_PE_uleb128:
		return get_uleb(b);
	case DW_EH_PE_sleb128:
		return (uint64_t)get_sleb(b);
	default:
		b->bad = true;
		return 0;
	}
}

static inline uint64_t get_address(struct bytes *b, unsigned enc)
{
	uint64_t at = b->addr + (uint64_t)(b->p - b->base);
	uint64_t v = get_encoded(b, enc);

	switch (enc & 0xf0) {
	case DW_EH_PE_absptr:
		return v;
	case DW_EH_PE_pcrel:
		return v + at;
	default:
		b->bad = true;
		return 0;
	}
}

#endif
