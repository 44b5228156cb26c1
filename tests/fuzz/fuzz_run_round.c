/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as a program that makes symbols: loops, new symbols, restarts. Encoded with a codec, a
 * stretch length and a block size of the input's choice, read back, compared. First three bytes:
 * those choices. */
#include "../unit/run/rig.h"

#define SYMBOLS 8000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct maker {
	struct rig rig;
	uint32_t *sym;
	uint32_t n;
};

static void put(struct maker *m, uint32_t sym)
{
	if (m->n == SYMBOLS)
		return;
	if (rig_entry(m->rig.enc, sym) != BOB_OK)
		abort();
	m->sym[m->n++] = sym;
}

/* One instruction: op in the low 3 bits. */
static size_t run(struct maker *m, const uint8_t *p, size_t left)
{
	uint32_t arg = p[0] >> 3, word = 0, n = m->n;

	switch (p[0] & 7) {
	case 0: /* repeat what was `arg` back, some times */
		for (uint32_t i = 0; left > 1 && arg < n && i < p[1] * (arg + 1u) * 4; i++)
			if (m->n < SYMBOLS)
				put(m, m->sym[m->n - arg - 1]);
		return 2;
	case 1: /* any word */
		for (size_t i = 1; i < 5 && i < left; i++)
			word = word << 8 | p[i];
		put(m, word);
		return 5;
	case 2:
		if (bob_run_restart(m->rig.enc) != BOB_OK)
			abort();
		return 1;
	case 3:
		put(m, bob_sym_make(left > 1 ? p[1] * 4u : 0, arg));
		return 2;
	case 4: /* a long run */
		for (uint32_t i = 0; i < 5000 && n; i++)
			if (m->n < SYMBOLS)
				put(m, m->sym[m->n - 1 - arg % n]);
		return 1;
	default:
		put(m, arg);
		return 1;
	}
}

static void compare(struct maker *m)
{
	uint64_t count;
	uint32_t *out = rig_read(&m->rig.head, &m->rig, 777, &count);

	if (!out || count != m->n || memcmp(out, m->sym, m->n * sizeof(*out)))
		abort();
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct maker m = { .n = 0 };

	if (len < 3)
		return 0;
	rig_kept.on = 1;
	rig_init(&m.rig, 8u + 8u * bytes[1]);
	if (rig_open(&m.rig, (enum bob_codec)(1 + bytes[0] % 3)) != BOB_OK)
		abort();
	m.rig.enc->ahead_max = bytes[0] & 128 ? 0 : AHEAD_MAX;
	if (bytes[2])
		m.rig.enc->block_symbols_max = bytes[2] * 16u;
	m.sym = malloc(SYMBOLS * sizeof(*m.sym));
	for (size_t i = 3; i < len && m.n < SYMBOLS;)
		i += run(&m, bytes + i, len - i);
	compare(&m);
	if (bob_run_close(m.rig.enc) != BOB_OK)
		abort();
	compare(&m);
	rig_fini(&m.rig);
	free(m.sym);
	return 0;
}
