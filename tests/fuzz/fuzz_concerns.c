/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a map of concerns, laid over two small texts, and as the texts themselves: refused
 * in one printable line that says where, or counted so that every line of code is somewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/concerns/concerns.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void check_complaint(const char *text)
{
	check(strchr(text, ':') != NULL, "a complaint does not say where");
	for (const char *p = text; *p; p++)
		check(*p >= ' ' && *p < 127, "a complaint is not printable");
}

static uint64_t code_of(const struct bob_concerns_map *m, uint32_t file,
			const struct bob_concerns_text *t)
{
	size_t lines = bob_sloc_lines(t->text, t->len);
	uint8_t *class = malloc(lines + 1);
	char *scratch = malloc(t->len + 1);
	uint64_t code = 0;

	check(class && scratch, "memory");
	bob_sloc_classify(t->text, t->len, m->language[file], &m->marks, scratch, class);
	for (size_t i = 0; i < lines; i++)
		code += class[i] == BOB_SLOC_CODE;
	free(class);
	free(scratch);
	return code;
}

static void count(const struct bob_concerns_map *m, const uint8_t *bytes, size_t len)
{
	static const char small[] = "int a;\nf();\n/* c */\nf(\")\");\n}\n";
	struct bob_concerns_text texts[BOB_CONCERNS_FILES_MAX];
	struct bob_concerns_complaint why = { "" };
	struct bob_concerns_counts c;
	uint64_t code = 0, counted = 0;

	for (uint32_t i = 0; i < m->files; i++)
		texts[i] = i & 1 ? (struct bob_concerns_text){ (const char *)bytes, len } :
				   (struct bob_concerns_text){ small, sizeof(small) - 1 };
	if (bob_concerns_count(m, texts, 0, &c, &why) != BOB_OK) {
		check_complaint(why.text);
		return;
	}
	for (uint32_t i = 0; i < m->files; i++)
		code += code_of(m, i, &texts[i]);
	for (uint32_t t = 0; t < c.components; t++) {
		double dof = bob_concerns_dof(&c, t);

		counted += bob_concerns_of_component(&c, t);
		check(isnan(dof) || (dof > -1e-9 && dof < 1 + 1e-9), "DOF is out of bounds");
	}
	check(code == counted, "lines were lost");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_concerns_complaint why = { "" };
	struct bob_concerns_map *m = NULL;

	if (len > 16384)
		return 0;	/* lines times ranges */
	if (bob_concerns_map_parse((const char *)bytes, len, "input", &m, &why) != BOB_OK) {
		check(!m && strncmp(why.text, "input:", 6) == 0, "a complaint does not say where");
		check_complaint(why.text);
		return 0;
	}
	count(m, bytes, len);
	bob_concerns_map_destroy(m);
	return 0;
}
