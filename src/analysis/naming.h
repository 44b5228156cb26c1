/* SPDX-License-Identifier: BSD-3-Clause */
/* How analyses get the names that their tables show: the caller knows whether C++ names are
 * demangled. All texts are borrowed, never NULL, and valid until the next call. */
#ifndef BOB_ANALYSIS_NAMING_H
#define BOB_ANALYSIS_NAMING_H

#include "bobbin/trace.h"

struct bob_naming {
	const char *(*function)(void *ctx, uint32_t number); /* numbers of bob_functions */
	const char *(*image)(void *ctx, uint32_t number);    /* short name of its image, or "" */
	/* a symbol of the trace, such as bob_function_info's name */
	const char *(*symbol)(void *ctx, const char *name);
	/* "function  file.c:12", or what else is known of a link address */
	const char *(*place)(void *ctx, const struct bob_trace *t, uint32_t process, uint32_t image,
			     uint64_t pc);
	void *ctx;
};

#endif
