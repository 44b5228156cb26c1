#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a plan overwrite a place where control may enter? tools/check_plans.py reads such places by
itself and compares them with the plans of a few images of the system and of programs from several
compilers and linkers; programs whose exceptions land in cold parts run as without recording."""

import pathlib
import sys

import harness as h

sys.path.insert(0, str(h.ROOT / "tools"))
import plan_image  # noqa: E402 - found by the line above

CHECK = h.ROOT / "tools" / "check_plans.py"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
LIBSTDCXX = f"{LIBRARIES}/libstdc++.so.6"
IMAGES = [LIBSTDCXX, f"{LIBRARIES}/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/python3"]

suite = h.Suite("entries")


def check_plans(*paths, bobbin=h.BOBBIN):
    return h.run([sys.executable, CHECK, "--bobbin", bobbin, "--jobs", "1", "-v", *paths])


def is_safe(*paths):
    r = check_plans(*paths)
    h.check(r.status == 0 and b" 0 unsafe hooks" in r.out, f"unsafe\n{r}")
    h.check(f"{len(paths)} images".encode() in r.out, f"not all images were checked\n{r}")


# --- the check itself ---

def planner_that_says(*lines):
    """A program in place of bobbin."""
    path = h.fresh("planner") / "bobbin"
    path.write_text("#!/bin/sh\ncat <<'E'\n" + "".join(f"{x}\n" for x in lines) + "E\n")
    path.chmod(0o755)
    return path


def is_reported(image, at, length, kind, what):
    r = check_plans(image, bobbin=planner_that_says(f"{at:x} {length} {kind} {at:x} f"))
    h.check(r.status == 1 and what.encode() in r.out, f"{kind} at {at:x}: no word of {what!r}\n{r}")


@suite.case("what the check reports")
def _():
    image = plan_image.Image(LIBSTDCXX)
    pad, func = image.pads[0], image.symbols[len(image.symbols) // 2]
    for ahead in 1, 4:
        is_reported(LIBSTDCXX, pad - ahead, 5, "jump", "landing pad")
    is_reported(LIBSTDCXX, pad - 1, 2, "short", "landing pad")
    is_reported(LIBSTDCXX, pad, 5, "hole", "landing pad")
    is_reported(LIBSTDCXX, func - 3, 5, "jump", "symbol")
    is_reported(LIBSTDCXX, image.frames[9].lo - 2, 5, "jump", "start of frame information")
    is_reported(LIBSTDCXX, next(p for p in image.pointers if image.in_code(p)) - 1, 5, "jump",
                "relocation")
    is_reported(LIBSTDCXX, next(image.probes()), 5, "jump", "USDT probe")


@suite.case("what is overwritten but no way in")
def _():
    image = plan_image.Image(LIBSTDCXX)
    r = check_plans(LIBSTDCXX, bobbin=planner_that_says(
        *(f"{pad:x} 2 short {pad:x} f" for pad in image.pads[:1])))
    h.check(r.status == 0, f"the first byte may be entered\n{r}")
    r = check_plans(LIBSTDCXX, bobbin="/bin/false")
    h.check(r.status == 1, f"nothing was checked\n{r}")


@suite.case("images of the system")
def _():
    is_safe(*(str(pathlib.Path(p).resolve()) for p in IMAGES))


# --- programs ---

BUILDS = {
    "gcc": ("g++", "-O2"),
    "gcc-O0": ("g++", "-O0"),
    "own-libstdc++": ("g++", "-O2", "-s", "-static-libstdc++", "-static-libgcc"),
    "fixed": ("g++", "-O2", "-no-pie"),
    "sections": ("g++", "-O2", "-s", "-ffunction-sections", "-Wl,--gc-sections"),
    "cet": ("g++", "-O2", "-fcf-protection=full"),
    "gold": ("g++", "-O2", "-s", "-fuse-ld=gold"),
    "lld": ("g++", "-O2", "-s", "-fuse-ld=lld"),
    "mold": ("g++", "-O2", "-s", "-fuse-ld=mold"),
    "patchable": ("g++", "-O2", "-fpatchable-function-entry=5"),
    "livepatch": ("g++", "-O2", "-fcf-protection=full", "-fpatchable-function-entry=16,14"),
    "clang": ("clang++", "-O2"),
    "split": ("clang++", "-O2", "-fbasic-block-sections=all"),
    "xray": ("clang++", "-O2", "-fxray-instrument", "-fxray-instruction-threshold=1"),
}


def program(build):
    cc, *flags = BUILDS[build]
    linker = [f[9:] for f in flags if f.startswith("-fuse-ld=")]
    h.need(*({"mold": "mold"}.get(x, f"ld.{x}") for x in linker))
    return h.compile("entries", ["entries.cc"], cc, flags)


def is_transparent(build):
    path = program(build)
    is_safe(str(path))
    for args in [], ["handler"], ["handler", "must-not-throw"]:
        native = h.run([path, *args])
        h.check(native.status == -6, f"the program does not abort\n{native}")
        for images in "main", "all":
            traced = h.record([path, *args], [f"--images={images}"])
            h.same(native, traced, f"{' '.join(args)} {images}: ")
            h.check_trace(traced.trace)


for name in BUILDS:
    suite.add(f"program {name}", is_transparent, name)


@suite.case("after NOPs of others")
def _():
    for build in "patchable", "livepatch", "xray":
        r = h.bobbin("plan", "--patches", program(build))
        at = {words[4]: int(words[0], 16) - int(words[3], 16)
              for words in (line.decode().split(" ", 4) for line in r.out.splitlines())}
        h.check(at.get("main", 0) >= 2, f"{build}: main is patched at +{at.get('main')}\n{r}")


if __name__ == "__main__":
    sys.exit(suite.run())
