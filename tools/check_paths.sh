#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that no file of the tree, golden traces included, names a place of one machine. Home
# directories of people, of root, and build roots outside the usual system folders are such places.
set -eu
cd "$(dirname "$0")/.."
# Written so that this file does not match itself.
pattern='(^|[^A-Za-z0-9_.])/(wor[k]|roo[t]|hom[e]|build[s]|workspac[e])/[A-Za-z0-9_.]'
found=$(git ls-files -z | xargs -0 -r grep -aEnH "$pattern" -- | cut -c1-200 || true)
if [ -n "$found" ]; then
	echo "$found"
	echo "check_paths: these lines name a place of one machine"
	exit 1
fi
echo "no machine paths"
