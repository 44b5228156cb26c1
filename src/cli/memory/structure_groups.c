/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the group of an access by its line, variable, kind and size (structure_groups.h). */
#include "cli/memory/structure_groups.h"

#include <string.h>

static struct cli_structure_key key_of(const struct cli_structure_access *m)
{
	const struct bob_variable *v = &m->variable;
	struct cli_structure_key key = {
		.variable = (uint64_t)v->kind << 32 | (uint32_t)bob_hash64(0, v->name,
									   strlen(v->name)),
		.kind = (uint64_t)m->a.size << 8 | m->a.type | (uint64_t)m->a.guarded << 40,
	};

	if (v->kind != BOB_VARIABLE_STACK && m->line.line) {
		key.file = bob_hash64(0, m->line.file, strlen(m->line.file));
		key.line = m->line.line;
	} else if (v->kind != BOB_VARIABLE_STACK) {
		key.line = m->a.pc; /* nothing is known: alone */
	}
	return key;
}

void cli_structure_groups_add(struct cli_structure_groups *g, struct cli_structure *x,
			      uint32_t node, int alone)
{
	const struct bob_structure_node *n = &x->node[node];
	struct cli_structure_access m;
	struct cli_structure_grouped *to;
	struct cli_structure_key key;

	if (!n->joined)
		return;
	cli_structure_read(x, node, &m);
	if (x->st != BOB_OK)
		return;
	key = key_of(&m);
	if (alone)
		key = (struct cli_structure_key){ .line = node };
	to = BOB_MAP_PUT(g, &key);
	if (!to) {
		x->st = BOB_ERR_NOMEM;
		return;
	}
	if (!to->group.lines)
		to->group.first = node;
	else if (to->group.lines == 1)
		to->group.second = node;
	to->group.lines++;
	to->group.places += n->joined;
	to->group.count += n->count * n->joined;
}
