/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library, as compiled. */
#include "bobbin/version.h"

const char *bob_version(void)
{
	return BOB_VERSION;
}

uint32_t bob_version_number(void)
{
	return BOB_VERSION_NUMBER;
}
