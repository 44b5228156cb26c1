/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything at once. */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

#include "bobbin/fold.h"
#include "bobbin/status.h"
#include "bobbin/trace.h"

#endif
