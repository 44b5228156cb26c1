/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that supply names for the tables of analyses; the caller decides whether C++ names are
 * demangled. All texts are borrowed, not NULL, and valid until the next call. */
#ifndef BOB_ANALYSIS_NAMING_H
#define BOB_ANALYSIS_NAMING_H

#include "bobbin/trace.h"

struct bob_naming {
	const char *(*function)(void *ctx, uint32_t number); /* by number of bob_functions */
	const char *(*image)(void *ctx, uint32_t number);    /* short name of the function's image,
							      * or "" */
	/* a symbol of the trace, such as the name in bob_function_info */
	const char *(*symbol)(void *ctx, const char *name);
	/* "function  file.c:12", or what is known of a link address */
	const char *(*place)(void *ctx, const struct bob_trace *t, uint32_t process, uint32_t image,
			     uint64_t pc);
	void *ctx;
};

#endif
