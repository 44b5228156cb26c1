/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers that generated code needs, as they are in the tree. The build says where that is. */
#include "wrap/wrap.h"

#define EMBED(name, file)                                                                          \
	__asm__(".pushsection .rodata\n"                                                           \
		".globl " #name "\n.hidden " #name "\n" #name ":\n"                                \
		".incbin \"" file "\"\n"                                                           \
		".globl " #name "_end\n.hidden " #name "_end\n" #name "_end:\n.byte 0\n"           \
		".popsection\n");                                                                  \
	extern const char name[], name##_end[]

EMBED(bob_wrap_events_h, BOB_SOURCE "/include/bobbin/events.h");
EMBED(bob_wrap_wrapper_h, BOB_SOURCE "/src/wrap/wrapper.h");

const struct bob_wrap_header bob_wrap_headers[] = {
	{ "bobbin/events.h", bob_wrap_events_h, bob_wrap_events_h_end },
	{ "bobbin-wrapper.h", bob_wrap_wrapper_h, bob_wrap_wrapper_h_end },
	{ NULL, NULL, NULL },
};
