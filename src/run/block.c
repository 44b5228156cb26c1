/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of the encoder: copies coded bytes into the stretches, begins and seals blocks, and
 * computes the tail of an open block. enc.h has the invariants. */
#include <string.h>

#include "base/crc.h"
#include "run/enc.h"

void bob_run_recall(struct bob_run_enc *enc)
{
	uint32_t cur = enc->head->cur & 1;

	enc->pend.n = 0;
	enc->pend.crc_from = 0;
	enc->pend.crc = enc->head->crc[cur];
	enc->pend.slot = enc->head->slot[cur];
}

static void pend_header(struct bob_run_enc *enc, const struct bob_run_block *block)
{
	memcpy(enc->buf + enc->pend.n, block, sizeof(*block));
	enc->pend.n += (uint32_t)sizeof(*block);
	enc->pend.crc_from = enc->pend.n;
	enc->pend.crc = 0;
}

void bob_run_pend_block(struct bob_run_enc *enc, uint64_t pos)
{
	struct pending *p = &enc->pend;
	struct bob_run_slot *s = &p->slot;
	struct bob_run_block block;
	size_t tail;

	memset(&block, 0, sizeof(block));
	block.magic = BOB_RUN_BLOCK_MAGIC;
	if (s->out_len) {
		tail = bob_run_tail(enc->codec, s, enc->buf);
		block.no = s->block_no + 1;
		block.pos = pos;
		block.prev_off = s->block_off;
		block.prev_len = s->out_len - s->block_off - sizeof(block) + tail;
		block.prev_count = pos - s->block_pos;
		block.ext_count = enc->ext_count;
		block.prev_crc = bob_crc32c(p->crc, enc->buf, tail);
		for (p->n = (uint32_t)tail; (s->out_len + p->n) & 7;)
			enc->buf[p->n++] = 0;
	}
	block.crc = bob_crc32c(0, &block, offsetof(struct bob_run_block, crc));
	s->block_off = s->out_len + p->n;
	s->block_pos = pos;
	s->block_no = block.no;
	memset(s->state, 0, sizeof(s->state));
	pend_header(enc, &block);
}

static uint64_t stretches_end(const struct bob_run_enc *enc)
{
	const struct stretch *last = &enc->stretch[(enc->stretch_end - 1) % STRETCHES];

	return enc->stretch_end ? last->off + last->len : 0;
}

/* Make stretches available up to stream offset `end`. */
static bob_status reserve(struct bob_run_enc *enc, uint64_t from, uint64_t end)
{
	while (enc->stretch_first != enc->stretch_end) {
		const struct stretch *s = &enc->stretch[enc->stretch_first % STRETCHES];

		if (s->off + s->len > from)
			break;
		enc->stretch_first++;
	}
	while (stretches_end(enc) < end) {
		struct stretch *s = &enc->stretch[enc->stretch_end % STRETCHES];
		size_t len = 0;
		uint8_t *bytes;

		if (enc->stretch_end - enc->stretch_first == STRETCHES)
			return BOB_ERR_FULL;
		bytes = enc->io.grow(enc->io.ctx, &len);
		if (!bytes || !len)
			return BOB_ERR_FULL;
		*s = (struct stretch){ bytes, stretches_end(enc), len };
		COMMIT_ORDER();
		enc->stretch_end++;
	}
	return BOB_OK;
}

uint64_t bob_run_granted(const struct bob_run_enc *enc)
{
	return stretches_end(enc);
}

static void copy_out(struct bob_run_enc *enc, uint64_t off, const uint8_t *from, size_t n)
{
	for (uint32_t i = enc->stretch_first; n; i++) {
		const struct stretch *s = &enc->stretch[i % STRETCHES];
		size_t space = (size_t)(s->off + s->len - off);
		size_t part = space < n ? space : n;

		for (size_t j = 0; j < part; j++)
			s->bytes[off - s->off + j] = from[j];
		off += part;
		from += part;
		n -= part;
	}
}

bob_status bob_run_put_bytes(struct bob_run_enc *enc)
{
	struct pending *p = &enc->pend;
	uint64_t off = p->slot.out_len;
	bob_status st = reserve(enc, off, off + p->n);

	if (st != BOB_OK) {
		enc->failed = st;
		bob_run_fast_none(enc, *enc->fast.commit);
		return st;
	}
	copy_out(enc, off, enc->buf, p->n);
	p->crc = bob_crc32c(p->crc, enc->buf + p->crc_from, p->n - p->crc_from);
	p->slot.out_len = off + p->n;
	p->n = 0;
	p->crc_from = 0;
	return BOB_OK;
}

size_t bob_run_tail(enum bob_codec codec, const struct bob_run_slot *slot, uint8_t tail[16])
{
	uint64_t x1 = (uint64_t)slot->state[1] << 32 | slot->state[0];
	uint64_t x2 = (uint64_t)slot->state[3] << 32 | slot->state[2];

	if (slot->flags & BOB_RUN_CLOSED)
		return 0;
	if (codec == BOB_CODEC_RUN && x1 < x2 && x2 - x1 >= 1ull << 31)
		return coder_tail(x1, x2, tail);
	if (codec == BOB_CODEC_PARLOT)
		return bob_run_ze_tail(slot->state, tail);
	return 0;
}
