/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the source tree embedded in the program, such as the headers that generated code
 * includes. */
#ifndef BOB_BASE_HOST_EMBED_H
#define BOB_BASE_HOST_EMBED_H

struct bob_embedded {
	const char *path;	/* as #include names it; NULL ends a list */
	const char *begin, *end;
};

/* Embed a file, once, at file scope: defines `name` and `name`_end around its bytes. `file` is a
 * string literal with the whole path, which must also be a dependency of the build. */
#define BOB_EMBED(name, file)                                                                      \
	__asm__(".pushsection .rodata\n"                                                           \
		".globl " #name "\n.hidden " #name "\n" #name ":\n"                                \
		".incbin \"" file "\"\n"                                                           \
		".globl " #name "_end\n.hidden " #name "_end\n" #name "_end:\n.byte 0\n"           \
		".popsection\n");                                                                  \
	extern const char name[], name##_end[]

#endif
