# SPDX-License-Identifier: BSD-3-Clause
# The few commands a person types; CMakePresets.json and tools/*.sh do the work.
#   make              release build: build/release/bin/bobbin, runs in place
#   make demo         build, record real programs, print what was found
#   make check        everything that must pass, ends with "N passed, N failed"
#   make check-fast   unit tests only, under a minute, installs nothing
# Missing Debian packages are installed first (with sudo when not root, and saying so).
PREFIX ?= /usr/local

.PHONY: all deps demo check check-fast check-loop torture bench format clean install

all: deps
	@tools/build.sh release
	@echo "build/release/bin/bobbin is ready; make demo shows what it does"

deps:
	@tools/install_deps.sh

demo: deps
	@tools/build.sh release
	@tools/demo.sh

check: deps
	@tools/check.sh

check-fast:
	@tools/check.sh --fast

# Repeat the end-to-end tests to shake out races: make check-loop N=100
check-loop: all
	@tools/check.sh --loop $(or $(N),20)

torture: all
	@tools/torture.sh

bench: all
	@bench/calls/run
	@bench/mem/run

format:
	@tools/check_format.py --fix

clean:
	rm -rf build

install:
	@tools/build.sh release
	cmake --install build/release --prefix "$(PREFIX)"
