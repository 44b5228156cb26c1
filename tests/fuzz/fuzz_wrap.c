/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a spec: refused in one printable line that says where, or functions whose events are
 * within bounds, and C in which every bracket has its end. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bobbin/events.h"
#include "wrap/wrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_complaint(const char *text)
{
	assert(!strncmp(text, "input:", 6));
	for (; *text; text++)
		assert(*text >= ' ' && *text <= '~');
}

static uint32_t count_words(const char *text)
{
	uint32_t n = 0;

	for (; *text; text++)
		n += *text == ' ';
	return n;
}

static void check_function(const struct bob_wrap_function *f)
{
	assert(*f->name && *f->symbol && f->line && f->column);
	assert(strlen(f->event) <= BOB_EVENT_NAME_MAX);
	assert(count_words(f->event_parameters) <= 2 * BOB_EVENT_PARAMETERS_MAX + 2);
	assert(f->parameter_count <= BOB_WRAP_PARAMETERS_MAX);
	for (uint32_t i = 0; i < f->parameter_count; i++)
		for (uint32_t j = 0; j < i; j++)
			assert(strcmp(f->parameters[i].name, f->parameters[j].name));
}

static void write_all(struct bob_wrap_spec *s)
{
	static const enum bob_wrap_how hows[] = { BOB_WRAP_PRELOAD, BOB_WRAP_PATCH, BOB_WRAP_LINK };

	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		char *text = NULL;
		size_t n;
		FILE *f = open_memstream(&text, &n);

		for (uint32_t k = 0; k < s->function_count; k++)
			(void)bob_wrap_choose(s, &s->functions[k], hows[i]);
		assert(f);
		bob_wrap_write(s, hows[i] == BOB_WRAP_LINK, "out.c", "", f);
		assert(!fclose(f) && strlen(text) == n && strstr(text, "BOB_WRAPPERS_START"));
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_wrap_complaint why;
	struct bob_wrap_spec *s;

	if (bob_wrap_spec_read((const char *)bytes, len, "input", &s, &why) != BOB_OK) {
		check_complaint(why.text);
		return 0;
	}
	assert(s->function_count);
	for (uint32_t i = 0; i < s->function_count; i++)
		check_function(&s->functions[i]);
	if (s->function_count < 64)
		write_all(s);
	bob_wrap_spec_close(s);
	return 0;
}
