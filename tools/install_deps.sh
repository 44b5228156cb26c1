#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install the Debian packages of tools/packages.txt that are missing, and say so. Does nothing, and
# needs no network, when all are there. On another distribution it only says what is missing.
set -eu
cd "$(dirname "$0")"

missing=
for package in $(sed 's/#.*//' packages.txt); do
	status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
	case $status in
	ii*) ;;
	*) missing="$missing $package" ;;
	esac
done
[ -z "$missing" ] && exit 0

echo "bobbin: missing packages:$missing" >&2
if ! command -v apt-get >/dev/null; then
	echo "bobbin: no apt-get here; install the equivalents and try again" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -eq 0 ]; then
	echo "bobbin: installing them with apt-get" >&2
elif command -v sudo >/dev/null; then
	sudo=sudo
	echo "bobbin: installing them with sudo apt-get" >&2
else
	sudo=false
fi

# apt WORDS...: as root, and asking nothing. sudo drops the environment, so env comes after it.
apt() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null >&2
}

# Package lists may be missing or old, so a second try follows; without root there is none.
# shellcheck disable=SC2086 # a list of words
$sudo true && { apt install -y --no-install-recommends $missing ||
	{ apt update && apt install -y --no-install-recommends $missing; }; } && exit 0
echo "bobbin: they could not be installed; as root: apt-get install$missing" >&2
exit 1
