/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of processes: counts how many processes have each, and replaces numbers in a text by
 * words. */
#include <stdlib.h>
#include <string.h>

#include "archive/merge/inner.h"
#include "base/hash.h"

#define DIGITS_MAX 19u		/* fits in 64 bits */
#define HEX_MAX 16u

struct bob_inner_text {
	uint64_t hash;
	uint32_t count, last;	/* number of processes that have it; the latest of them + 1 */
};

void bob_inner_texts_free(struct bob_inner_texts *t)
{
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

static struct bob_inner_text *slot_of(struct bob_inner_text *slot, size_t slots, uint64_t hash)
{
	size_t i = bob_hash_mix(hash) & (slots - 1);

	while (slot[i].count && slot[i].hash != hash)
		i = (i + 1) & (slots - 1);
	return &slot[i];
}

static bob_status grow(struct bob_inner_texts *t)
{
	size_t slots = t->slots ? t->slots * 2 : 256;
	struct bob_inner_text *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].count)
			*slot_of(slot, slots, t->slot[i].hash) = t->slot[i];
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	return BOB_OK;
}

/* Texts with equal hashes are counted together, which only affects the size of the output. */
bob_status bob_inner_text_add(struct bob_inner_texts *t, uint64_t hash)
{
	struct bob_inner_text *s;

	if (t->count * 2 >= t->slots && grow(t) != BOB_OK)
		return BOB_ERR_NOMEM;
	s = slot_of(t->slot, t->slots, hash);
	t->count += !s->count;
	s->hash = hash;
	s->count += s->last != t->processes + 1;
	s->last = t->processes + 1;
	return BOB_OK;
}

uint32_t bob_inner_text_count(const struct bob_inner_texts *t, uint64_t hash)
{
	return t->slots ? slot_of(t->slot, t->slots, hash)->count : 0;
}

static int digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Parses a number at `at` without leading zeros, as a program prints it. Returns the number of
 * digits, or 0. */
static size_t number_at(const uint8_t *at, size_t len, unsigned radix, size_t most, uint64_t *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < len && digit_of(at[n]) < (int)radix; n++) {
		if (n == most)
			return 0;
		*value = *value * radix + (unsigned)digit_of(at[n]);
	}
	return n > 1 && at[0] == '0' ? 0 : n;
}

static void put_byte(struct bob_inner_form *f, uint8_t byte)
{
	if (byte <= BOB_INNER_AS_IS)
		f->key[f->len++] = BOB_INNER_AS_IS;
	f->key[f->len++] = byte;
}

/* Converts a number at `i`, unless it is in the middle of digits. */
static size_t find_number(const uint8_t *text, size_t len, size_t i, struct bob_inner_form *f)
{
	int hex = i >= 2 && text[i - 1] == 'x' && text[i - 2] == '0';
	size_t n;

	if (i && !hex && text[i - 1] != '0' && digit_of(text[i - 1]) < 10)
		return 0;
	n = number_at(text + i, len - i, hex ? 16 : 10, hex ? HEX_MAX : DIGITS_MAX,
		      &f->word[f->words]);
	/* the zero of "0x" is no number */
	if (!n || (!hex && text[i] == '0' && i + 1 < len && text[i + 1] == 'x'))
		return 0;
	f->key[f->len++] = hex ? BOB_INNER_HEX : BOB_INNER_DECIMAL;
	f->words++;
	return n;
}

void bob_inner_form(uint8_t leaf, const uint8_t *text, size_t len, int numbers,
		    struct bob_inner_form *f)
{
	f->key[0] = leaf;
	f->len = 1;
	f->words = 0;
	for (size_t i = 0; i < len;) {
		size_t n = numbers ? find_number(text, len, i, f) : 0;

		if (!n)
			put_byte(f, text[i++]);
		i += n;
	}
}
