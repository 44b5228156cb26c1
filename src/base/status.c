/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of status codes. */
#include "bobbin/status.h"

const char *bob_status_text(bob_status st)
{
	switch (st) {
	case BOB_OK:
		return "ok";
	case BOB_END:
		return "end";
	case BOB_NONE:
		return "not there";
	case BOB_ERR_INVAL:
		return "invalid use";
	case BOB_ERR_NOMEM:
		return "out of memory";
	case BOB_ERR_IO:
		return "input/output error";
	case BOB_ERR_CORRUPT:
		return "corrupt data";
	case BOB_ERR_VERSION:
		return "unknown format version";
	case BOB_ERR_UNSUPPORTED:
		return "not supported";
	case BOB_ERR_FULL:
		return "limit reached";
	case BOB_ERR_NOENT:
		return "no such file or directory";
	}
	return "unknown status";
}
