/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of a program's own events, from any bytes: refused, or taken apart and put together the
 * same; the same bytes as what bob_event_register gets, name and parameters apart by a zero:
 * refused, or keys that say so. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "archive/events/user_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void lies_within(const struct bob_user_key *k, enum bob_user_phase phase)
{
	struct bob_event_layout l;
	uint32_t from, to;

	bob_user_range(k, phase, &from, &to);
	assert(from <= to && to <= BOB_USER_PARAMETERS_MAX);
	bob_user_layout(k, phase, &l);
	assert(l.words == to - from && bob_event_is_layout(&l));
	for (uint32_t i = from; i < to; i++)
		assert(memchr(k->text + k->name_at[i], 0, BOB_USER_TEXT_MAX - k->name_at[i]));
}

static void take_apart(const uint8_t *bytes, size_t len)
{
	uint8_t again[BOB_EVENT_KEY_MAX];
	struct bob_user_key k;
	enum bob_user_phase phase;

	if (bob_user_decode(bytes, len, &k, &phase) != BOB_OK)
		return;
	lies_within(&k, phase);
	assert(bob_user_encode(&k, phase, again) == len && !memcmp(again, bytes, len));
}

static void parse(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 2); /* as long as it is, so that nothing is read after its end */
	struct bob_user_key k, again;
	uint8_t key[BOB_EVENT_KEY_MAX];
	enum bob_user_phase phase;

	assert(text);
	if (len)
		memcpy(text, bytes, len);
	text[len] = text[len + 1] = 0;
	if (bob_user_parse(text, 1, text + strlen(text) + 1, &k) == BOB_OK)
		for (uint32_t i = 0; i < BOB_USER_PHASES; i++) {
			const uint32_t n = bob_user_encode(&k, (enum bob_user_phase)i, key);

			assert(n <= sizeof(key));
			assert(bob_user_decode(key, n, &again, &phase) == BOB_OK && phase == i);
			assert(!memcmp(&again, &k, sizeof(k)));
			lies_within(&k, phase);
		}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	take_apart(bytes, len);
	parse(bytes, len);
	return 0;
}
