/* SPDX-License-Identifier: BSD-3-Clause */
/* Arbitrary bytes as a block of each codec. First byte: codec; next two: symbols asked for, few as
 * a rule, since a silent model makes any number from nothing. */
#include "../unit/run/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_run_input in;
	uint32_t *out;

	if (len < 3)
		return 0;
	rig_kept.on = 1;
	in.codec = (enum bob_codec)(1 + bytes[0] % 3);
	in.count = bytes[1] | (bytes[2] & (bytes[2] < 0xf8 ? 0x1f : 0xff)) << 8;
	in.bytes = bytes + 3;
	in.len = len - 3;
	out = malloc((in.count + 1) * sizeof(*out));
	(void)rig_decode_block(&in, out, 1 + bytes[0] * 5u);
	free(out);
	return 0;
}
