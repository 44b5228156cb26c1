/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the source of OpenCL kernels: nothing is made of it, or a text that has as many
 * lines, in which what was no tag, no list of parameters and no beginning of a kernel is as it was:
 * without what was put in, it is shorter than before by its tags at most. */
#undef NDEBUG
#include <assert.h>

#include "wrap/opencl_tags.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static uint32_t lines(const char *text, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_cl_source o = { .count = 0 };
	char *copy = (char *)malloc(len ? len : 1); /* ends where it ends, for the sanitizer */

	assert(copy);
	memcpy(copy, bytes, len);
	bob_cl_read(&o, copy, len);
	assert(o.count <= BOB_CL_TAGS_MAX);
	assert(!o.text || (o.count && !o.why));
	if (o.text) {
		assert(o.text[o.len] == 0 && o.len < o.capacity);
		assert(lines(o.text, o.len) == lines(copy, len));
	}
	for (uint32_t i = 0; i < o.count; i++) {
		assert(strlen(o.tag[i].name) && strlen(o.tag[i].name) <= BOB_CL_NAME_MAX);
		assert(strchr("iulLfd", o.tag[i].type));
		assert(o.tag[i].slot < bob_cl_tags(&o, o.tag[i].kernel, o.tag[i].is_in) || o.why);
	}
	free(o.text);
	free(copy);
	return 0;
}
