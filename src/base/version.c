/* SPDX-License-Identifier: BSD-3-Clause */
/* Version of the library. */
#include "bobbin/version.h"

const char *bob_version(void)
{
	return BOB_VERSION;
}

uint32_t bob_version_number(void)
{
	return BOB_VERSION_NUMBER;
}
