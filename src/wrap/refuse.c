/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that cannot be wrapped, each with the reason. */
#include <string.h>

#include "wrap/wrap.h"

struct refusal {
	/* separated by spaces; a final * matches any suffix */
	const char *names;
	const char *why;
};

static const struct refusal refusals[] = {
	{ "setjmp _setjmp __sigsetjmp sigsetjmp savectx getcontext vfork __vfork",
	  "it returns twice, the second time into a frame of the wrapper that is gone" },
	{ "setcontext swapcontext makecontext clone __clone",
	  "it changes stacks, or begins on one" },
	{ "dlsym dlvsym dlopen dlmopen __libc_dlsym dl_iterate_phdr",
	  "it depends on its caller's address" },
	{ "memcpy memmove memset memcmp __memcpy_chk __memmove_chk __memset_chk",
	  "compilers call it everywhere, in the wrapper, too" },
	{ "__tls_get_addr ___tls_get_addr _dl_* _mcount mcount __fentry__ "
	  "__cyg_profile_func_enter __cyg_profile_func_exit __stack_chk_fail",
	  "it has a non-standard calling convention" },
	{ "_Unwind_* __gcc_personality_v0 __gxx_personality_v0 __register_frame* "
	  "__deregister_frame*",
	  "it looks at the frame of its caller, and that would be the wrapper's" },
	{ "__errno_location", "the wrapper itself calls it" },
	{ "alloca __builtin_*", "it is the compiler's: there is no function" },
	{ "bob_* __wrap_* __real_*", "such names are those of wrappers" },
};

static int is_one(const char *symbol, const char *word, size_t len)
{
	if (len && word[len - 1] == '*')
		return !strncmp(symbol, word, len - 1);
	return strlen(symbol) == len && !memcmp(symbol, word, len);
}

const char *bob_wrap_refusal(const char *symbol)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		for (const char *w = refusals[i].names; *w; w += strspn(w, " ")) {
			const size_t len = strcspn(w, " ");

			if (is_one(symbol, w, len))
				return refusals[i].why;
			w += len;
		}
	return NULL;
}
