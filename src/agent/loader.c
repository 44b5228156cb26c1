/* SPDX-License-Identifier: BSD-3-Clause */
/* Hides Bobbin's libraries in the loader's list.
 *
 * gcc's AddressSanitizer (libasan.so) ends the program unless it is the first named library on that
 * list, because an earlier interposer could replace its functions. Preloaded libraries are earlier.
 * Bobbin's libraries interpose no function that the sanitizer needs, so in such a process their
 * names on the list are cleared. */
#include <link.h>

#include "agent/agent.h"
#include "agent/found.h"

static bool checks_order(const char *path)
{
	path = text_base(path);
	return text_starts(path, "libasan.so") || text_starts(path, "libclang_rt.asan");
}

void loader_list_hide(void)
{
	static char none[1];
	const struct r_debug *loader = found_loader();
	struct link_map *m = loader ? loader->r_map : NULL;
	const struct link_map *checker = m;

	while (checker && !checks_order(checker->l_name))
		checker = checker->l_next;
	for (; checker && m != checker; m = m->l_next)
		if (text_list_has(bob_process.config.agent, m->l_name, text_len(m->l_name)))
			m->l_name = none;
}
