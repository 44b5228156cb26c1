/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the C front end if Bobbin was built without libclang's headers. */
#include "source/c/c.h"

#include <stdio.h>

bob_status bob_source_c_instrument(const char *path, const struct bob_source_c_options *options,
				   struct bob_source_c_result **out,
				   struct bob_source_c_complaint *why)
{
	(void)options;
	(void)out;
	if (why)
		snprintf(why->text, sizeof(why->text),
			 "%.255s: this bobbin was built without libclang-14-dev and cannot read C",
			 path);
	return BOB_ERR_UNSUPPORTED;
}

bob_status bob_source_c_reach(const char *path, const struct bob_source_c_options *options,
			      struct bob_source_c_reach **out, struct bob_source_c_complaint *why)
{
	(void)out;
	return bob_source_c_instrument(path, options, NULL, why);
}

void bob_source_c_close(struct bob_source_c_result *r)
{
	(void)r;
}
