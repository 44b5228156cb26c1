/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe of a nest, on one line before it. Each loop has a block of its own, entered only if the loop runs at all, in which the
 * counter is a variable of the same name: so the texts of bounds and accesses mean there what they mean in the loop. */
#include "source/c/nest.h"

static const char *add(struct bob_c_unit *u, const char *to, const char *more)
{
	const char *text = bob_c_printf(u, "%s%s", to, more);

	return text ? text : "";
}

static const char *heads(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = "";

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];
		const char *type = bob_c_text(u, u->clang->getTypeSpelling(l->counter->canonical));

		/* As it is compared, which may be without a sign. */
		const CXType high = u->clang->getCursorType(l->high);
		const char *compared =
			bob_c_text(u, u->clang->getTypeSpelling(u->clang->getCanonicalType(high)));

		to = add(
			u, to,
			bob_c_printf(
				u,
				"const int64_t bobbin_l%u=(int64_t)(%s),bobbin_t%u="
				"bobbin_trips(bobbin_l%u,(int64_t)(%s)(%s),%lld,%d);if(bobbin_t%u>0){"
				"%s %s=(%s)bobbin_l%u;",
				d, l->low_text, d, d, compared, l->high_text, l->step, l->is_closed,
				d, type, l->counter->name, type, d));
	}
	return to;
}

static const char *steps(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const char *to = "";

	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_c_nest_loop *l = &n->loop[d];

		to = add(u, to, bob_c_printf(u, "%s+=%lld;", l->counter->name, l->step));
		for (uint32_t k = 0; k < n->count; k++)
			to = add(u, to,
				 bob_c_printf(u,
					      "bobbin_s[%u]=(int64_t)((uintptr_t)&(%s)-(uintptr_t)"
					      "bobbin_a[%u]);",
					      k * n->depth + d, n->access[k].text, k));
		to = add(u, to, bob_c_printf(u, "%s-=%lld;", l->counter->name, l->step));
	}
	return to;
}

static uint32_t add_sites(struct bob_c_unit *u, const struct bob_c_nest *n)
{
	const uint32_t first = (uint32_t)u->site_count;

	for (uint32_t k = 0; k < n->count; k++) {
		const struct bob_c_nest_access *a = &n->access[k];

		(void)bob_c_site_of(u, a->c, &a->lv, &a->span, a->use, a->verdict);
	}
	return first;
}

void bob_c_emit_nest(struct bob_c_unit *u, const struct bob_c_nest *n, uint32_t start, uint32_t end)
{
	const char *trips = "", *places = "", *closing = "";
	const uint32_t first = add_sites(u, n);

	if (bob_array_room(&u->nests, u->nest_count, &u->nest_room, sizeof(*u->nests))) {
		u->is_failed = true;
		return;
	}
	u->nests[u->nest_count] = (struct bob_c_nest_row){ first, n->count, n->depth };
	for (uint32_t d = 0; d < n->depth; d++) {
		trips = add(u, trips, bob_c_printf(u, "%sbobbin_t%u", d ? "," : "", d));
		closing = add(u, closing, "}");
	}
	for (uint32_t k = 0; k < n->count; k++)
		places = add(u, places,
			     bob_c_printf(u, "%s(const volatile void*)&(%s)", k ? "," : "",
					  n->access[k].text));
	bob_c_open_at(
		u, start,
		bob_c_printf(u,
			     "{if(bob_probe_here.recorder){%sconst int64_t bobbin_t[]={%s};"
			     "const volatile void*const bobbin_a[]={%s};int64_t bobbin_s[%u];%s"
			     "bob_probe_nest(&bob_probe_here,%zu,bobbin_t,bobbin_a,bobbin_s);%s}",
			     heads(u, n), trips, places, n->count * n->depth, steps(u, n),
			     u->nest_count, closing));
	bob_c_close_at(u, end, "}");
	u->nest_count++;
	u->counts.nests++;
	u->counts.nest_references += n->count;
	u->counts.probes -= n->count; /* one probe for all */
	u->counts.probes++;
}
