/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that probes call for accesses, declarations and ends of variables. After box.c. The
 * generator has written before this: `here`, the file; `sites`, `variables` and `holders`, its
 * tables; is_automatic[] and is_text[], of each variable; hold() and let_go(), which
 * components.c defines, and which do nothing in files without components. */

void BOBBIN(a)(int32_t site, const void *at);
void BOBBIN(a)(int32_t site, const void *at)
{
	bob_probe_at(&here, (uint32_t)site, at);
}

/* One element, in accesses of the size that the site has. */
static void pass_element(int32_t site, const char *at, size_t bytes)
{
	for (size_t k = 0; k < bytes; k += sites[site].size)
		here.access(&here, (uint32_t)site, at + k);
}

/* All elements in array order; with a mask, those for which it is true. */
static void walk(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask)
{
	CFI_index_t i[CFI_MAX_RANK] = { 0 };
	int k;

	for (k = 0; k < d->rank; k++)
		if (d->dim[k].extent <= 0 || (mask && mask->dim[k].extent != d->dim[k].extent))
			return;
	if (!mask && pass_box(site, d))
		return;
	for (;;) {
		const char *at = d->base_addr, *is = mask ? mask->base_addr : NULL;
		int wanted = !mask;

		for (k = 0; k < d->rank; k++) {
			at += i[k] * d->dim[k].sm;
			if (mask)
				is += i[k] * mask->dim[k].sm;
		}
		for (size_t b = 0; mask && b < mask->elem_len; b++)
			wanted |= is[b];
		if (wanted)
			pass_element(site, at, d->elem_len);
		for (k = 0; k < d->rank && ++i[k] == d->dim[k].extent; k++)
			i[k] = 0;
		if (k == d->rank)
			return;
	}
}

void BOBBIN(s)(int32_t site, const CFI_cdesc_t *d);
void BOBBIN(s)(int32_t site, const CFI_cdesc_t *d)
{
	if (here.access && d->base_addr)
		walk(site, d, NULL);
}

/* As `s`, where the mask, a LOGICAL array of the same shape, is true. */
void BOBBIN(m)(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask);
void BOBBIN(m)(int32_t site, const CFI_cdesc_t *d, const CFI_cdesc_t *mask)
{
	if (here.access && d->base_addr && d->rank == mask->rank)
		walk(site, d, mask);
}

/* A variable that is not automatic and has not moved is not declared again. */
static void declare(int32_t v, void *at, const int64_t (*bounds)[2])
{
	if (!is_automatic[v] && __atomic_exchange_n(&declared[v], at, __ATOMIC_RELAXED) == at)
		return;
	bob_probe_declare(&here, (uint32_t)v, at, bounds);
}

/* Arrays whose elements are not contiguous are not declared. The characters of a string are its
 * first dimension. n: the variable; or -1 - the variable, if its components are unknown. */
void BOBBIN(d)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower);
void BOBBIN(d)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower)
{
	const int32_t v = n < 0 ? -1 - n : n;
	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2];
	CFI_index_t packed = (CFI_index_t)d->elem_len;
	const int text = is_text[v];
	int k;

	if (!here.access || !d->base_addr || d->rank + text != holders[v].rank)
		return;
	if (!text && d->elem_len != holders[v].element)
		return;
	bounds[0][0] = 1;
	bounds[0][1] = packed / (CFI_index_t)variables[v].element;
	for (k = 0; k < d->rank; k++) {
		if (d->dim[k].sm != packed && d->dim[k].extent > 1)
			return;
		bounds[k + text][0] = lower[k];
		bounds[k + text][1] = d->dim[k].extent;
		packed *= d->dim[k].extent;
	}
	if (holders[v].is_traced)
		declare(v, d->base_addr, bounds);
	if (n >= 0)
		hold(v, d->base_addr, packed);
}

/* A contiguous array of a type with procedures, which is passed as CLASS(*): its descriptor has not
 * the size of its elements. */
void BOBBIN(j)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower, int64_t bytes);
void BOBBIN(j)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower, int64_t bytes)
{
	const int32_t v = n < 0 ? -1 - n : n;
	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2] = { { 0, 0 } }, packed = bytes;

	if (!here.access || !d->base_addr || d->rank != holders[v].rank ||
	    bytes != (int64_t)holders[v].element)
		return;
	for (int k = 0; k < d->rank; k++) {
		bounds[k][0] = lower[k];
		bounds[k][1] = d->dim[k].extent;
		packed *= d->dim[k].extent;
	}
	if (holders[v].is_traced)
		declare(v, d->base_addr, bounds);
	if (n >= 0)
		hold(v, d->base_addr, packed);
}

void BOBBIN(f)(int32_t v, const CFI_cdesc_t *d);
void BOBBIN(f)(int32_t v, const CFI_cdesc_t *d)
{
	__atomic_store_n(&declared[v], NULL, __ATOMIC_RELAXED);
	if (!d->base_addr)
		return;
	let_go(v, d->base_addr);
	if (holders[v].is_traced)
		bob_probe_forget(&here, (uint32_t)v, d->base_addr);
}
