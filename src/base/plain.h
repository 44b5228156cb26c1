/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes text from untrusted sources (names in a trace, arguments of a program) safe for terminals
 * and exports. Control characters (0x00 to 0x1f, 0x7f) could move the cursor, set the window title
 * or imitate a line of our output; they become '?'. UTF-8 bytes are kept. Freestanding. */
#ifndef BOB_BASE_PLAIN_H
#define BOB_BASE_PLAIN_H

#include <stddef.h>

static inline int bob_text_is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static inline void bob_text_make_plain(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bob_text_is_control(text[i]))
			text[i] = '?';
}

#endif
