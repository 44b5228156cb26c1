/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that trace others without setting breakpoints, except at function entries (ltrace): glob
 * patterns of their names, separated by colons. Any other tracer counts as a debugger. */
#ifndef BOB_BASE_TRACER_LIST_H
#define BOB_BASE_TRACER_LIST_H

#define BOB_NO_DEBUGGERS "strace:ltrace:proot*:rr"

#endif
