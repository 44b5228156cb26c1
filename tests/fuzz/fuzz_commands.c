/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as commands: refused in one printable line with a column, or in the table; what the
 * table prints is read again as the same. */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "source/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_complaint(const struct bob_command_complaint *why, size_t len)
{
	assert(why->text[0] && why->column >= 1 && why->column <= len + 1);
	for (const char *c = why->text; *c; c++)
		assert((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void read_again(const struct bob_request *w)
{
	struct bob_requests other = { 0 };
	struct bob_command_complaint why;
	enum bob_command c;
	char text[8192], again[8192];

	assert(bob_requests_put(&other, "trace file x", 12, &c, &why) == BOB_OK);
	if (bob_request_print(w, text, sizeof(text)) > BOB_COMMAND_BYTES_MAX)
		return;
	assert(bob_requests_put(&other, text, strlen(text), &c, &why) == BOB_OK);
	bob_request_print(other.last->last, again, sizeof(again));
	assert(!strcmp(text, again));
	bob_requests_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *at = (const char *)bytes, *end = at + len;
	struct bob_requests w = { 0 };
	struct bob_command_complaint why;
	enum bob_command c = BOB_COMMAND_NONE;

	while (at < end && c != BOB_COMMAND_BYE) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at);

		if (bob_requests_put(&w, at, n, &c, &why) == BOB_ERR_INVAL)
			check_complaint(&why, n);
		at += n + (stop != NULL);
	}
	for (const struct bob_request_file *f = w.first; f; f = f->next)
		for (const struct bob_request *x = f->first; x; x = x->next)
			read_again(x);
	bob_requests_free(&w);
	return 0;
}
