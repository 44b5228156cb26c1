/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries for loops that keep the address ranges of their sites in local variables: ranges where
 * nothing is traced. Accesses in these are counted by the loop and added after it. */

struct bob_probe_untraced BOBBIN(h)(int32_t site, const void *at);
struct bob_probe_untraced BOBBIN(h)(int32_t site, const void *at)
{
	bob_probe_at(&here, (uint32_t)site, at);
	return *bob_probe_untraced_of(&here, (uint32_t)site);
}

struct bob_probe_untraced BOBBIN(i)(int32_t site);
struct bob_probe_untraced BOBBIN(i)(int32_t site)
{
	return *bob_probe_untraced_of(&here, (uint32_t)site);
}

void BOBBIN(q)(int64_t outside);
void BOBBIN(q)(int64_t outside)
{
	if (outside && here.untraced)
		bob_probe_count(&here, (uint64_t)outside);
}
