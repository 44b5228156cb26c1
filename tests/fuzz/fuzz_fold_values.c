/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes first as a stream to be read, which must end or be refused; then as a program that makes
 * values, written and read back. */
#include "../unit/fold/stream.h"

#define VALUES 20000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void read_hostile(const uint8_t *bytes, size_t len)
{
	void *mem = malloc(bob_values_size(BOB_VALUES_BITS_MIN));
	struct bob_values_dec d;
	uint64_t last = 0;

	if (!mem)
		abort();
	bob_values_clear(mem, BOB_VALUES_BITS_MIN);
	bob_values_dec_init(&d, mem, BOB_VALUES_BITS_MIN, bytes, len);
	for (unsigned i = 0; i < VALUES && bob_values_get(&d, &last) == BOB_OK; i++)
		;
	free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = bytes + len;
	const char *wrong;
	struct stream s;

	read_hostile(bytes, len);
	stream_begin(&s, BOB_VALUES_BITS_MIN);
	while (end - p >= 2 && s.count < VALUES) {
		unsigned op = *p++, arg = *p++, column = op & (STREAM_COLUMNS - 1);
		size_t back = (size_t)arg + 1, from = s.count;

		switch (op >> 2 & 3) {
		case 0: /* one value */
			stream_put(&s, column, (uint64_t)arg << (op >> 4) * 4);
			break;
		case 1: /* what was before, some times */
			for (size_t i = 0; back <= from && i < (op >> 4) * back && s.count < VALUES;
			     i++)
				stream_put(&s, s.in[s.count - back].column,
					   s.in[s.count - back].value);
			break;
		case 2: /* a stride */
			for (unsigned i = 0; i < arg && s.count < VALUES; i++)
				stream_put(&s, column, s.last[column] + (op >> 4));
			break;
		default:
			bob_values_flush(&s.enc);
		}
	}
	wrong = stream_end(&s);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	stream_free(&s);
	return 0;
}
