/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that trace others and set no breakpoints, or (ltrace) none but at entries: patterns of
 * their names, separated by colons. Any other tracer counts as a debugger. */
#ifndef BOB_BASE_TRACER_LIST_H
#define BOB_BASE_TRACER_LIST_H

#define BOB_NO_DEBUGGERS "strace:ltrace:proot*:rr"

#endif
