#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Can the comparison of the torture corpus fail? Recorders that change one thing each, faked by
scripts.

Also: what directives of DejaGnu ask for, and what the list of known differences accepts."""

import pathlib
import sys

import harness as h

sys.path.insert(0, str(h.ROOT / "tests/torture"))
import compare  # noqa: E402
import directives  # noqa: E402
import families  # noqa: E402
import results as out  # noqa: E402

suite = h.Suite("torture", jobs=1)
# A bobbin that records nothing: `check` succeeds, `record ... -o TRACE ... -- PROGRAM` makes TRACE.
FAKE = """#!/bin/sh
if [ "$1" = check ]; then %s; exit 0; fi
while [ "$1" != -- ]; do [ "$1" = -o ] && mkdir "$2"; shift; done
shift
%s
"""
PROGRAM = ["/bin/sh", "-c", "echo said; echo complained >&2; echo 1 >left; exit 3"]
# What the fake does instead of `exec "$@"`, and what must be reported to differ.
MUTANTS = {
    "status": ('"$@"; exit 0', ["status"]),
    "signal": ('"$@"; kill -SEGV $$', ["status"]),
    "more on stdout": ('"$@"; s=$?; echo more; exit $s', ["stdout"]),
    "nothing on stdout": ('exec "$@" >/dev/null', ["stdout"]),
    "more on stderr": ('echo more >&2; exec "$@"', ["stderr"]),
    "a file": ('echo >more; exec "$@"', ["files"]),
    "no trace": ('rmdir ../t; exec "$@"', ["check"]),
    "does not start": ("exit 125", ["status", "stdout", "stderr", "files"]),
}


def fake(record, check=":"):
    """Compare PROGRAM with this recorder in place of bobbin."""
    folder = h.fresh("fake")
    script = folder / "bobbin"
    script.write_text(FAKE % (check, record), encoding="ascii")
    script.chmod(0o755)
    p = families.Program("c-torture", "program", "-", PROGRAM)
    real, h.BOBBIN = h.BOBBIN, str(script)
    try:
        return compare.compare(p, ["main", "mem"], runs=2)
    finally:
        h.BOBBIN = real


def differs(result, what):
    """Both modes must differ in this, every time, and the run must fail."""
    h.check(result["verdict"] == "differs", f"not seen: {result}")
    for mode in ("main", "mem"):
        detail = dict(result["details"][mode])
        times = (detail.pop("differ"), detail.pop("of"))
        h.check(times == (6, 6) and list(detail) == what, f"{mode}: {times} {detail}, not {what}")
    failures, _ = out.judge([result], {})
    h.check(len(failures) == 2, str(failures))
    h.check("2" not in out.table([result], families.NAMES, ["main", "mem"], {})[1], "counted twice")


for name, (record, what) in MUTANTS.items():
    suite.add(f"reports {name}", lambda record=record, what=what: differs(fake(record), what))


@suite.case("reports a damaged trace")
def damaged():
    differs(fake('exec "$@"', 'echo damaged; exit 1'), ["check"])


@suite.case("reports nothing if all is the same")
def the_same():
    result = fake('exec "$@"')
    h.check(result["verdict"] == "same" and result["status"] == 3, str(result))
    h.check(result["modes"] == {"main": "same", "mem": "same"}, str(result))
    h.check(out.judge([result], {}) == ([], []), "judged otherwise")


@suite.case("one difference in six is named, and no failure")
def once():
    mark = h.fresh("mark") / "mark"
    result = fake(f'[ -e {mark} ] || {{ >{mark}; exit 0; }}; exec "$@"')
    h.check(result["modes"] == {"main": "once", "mem": "same"}, str(result))
    failures, notes = out.judge([result], {})
    h.check(not failures and notes[0].startswith("once: "), f"{failures} {notes}")


@suite.case("programs that differ natively, and that are slow, are unfit")
def unfit():
    p = families.Program("c-torture", "program", "-", ["/bin/sh", "-c", "echo $$"])
    result = compare.compare(p, ["main"], runs=3)
    h.check(result["verdict"] == "unfit" and result["reason"] == "native runs differ: stdout",
            str(result))
    p.argv = ["/bin/sh", "-c", f"sleep {compare.SLOW_S}.1"]
    result = compare.compare(p, ["main"], runs=3)
    h.check(result["verdict"] == "unfit" and "longer" in result["reason"], str(result))


@suite.case("known differences are accepted as long as they are there")
def known():
    result = fake(MUTANTS["status"][0])
    key = out.key(result)
    failures, notes = out.judge([result], {(*key, "main"): "why", (*key, "mem"): "why"})
    h.check(not failures and len(notes) == 2 and notes[0].endswith(": why"), f"{failures} {notes}")
    failures, _ = out.judge([fake('exec "$@"')], {(*key, "mem"): "why"})
    h.check(len(failures) == 1 and "no more" in failures[0], str(failures))
    path = h.fresh("known") / "known.txt"
    path.write_text("# words\n\nc-torture a/b.c -O2 mem it knows why\n", encoding="ascii")
    h.check(out.read_known(path) == {("c-torture", "a/b.c", "-O2", "mem"): "it knows why"},
            "read otherwise")
    out.read_known()


@suite.case("results are read again, a torn line is not")
def lines():
    path = h.fresh("lines") / "results.jsonl"
    path.write_text('{"family":"f","name":"n","level":"-O2","verdict":"unfit"}\n{"family":',
                    encoding="ascii")
    h.check(list(out.read_lines(path)) == [("f", "n", "-O2")], path.read_text())


def reads(text, language="c"):
    return directives.read(text, language)


@suite.case("directives")
def dejagnu():
    d = reads('/* { dg-do run } */\n/* { dg-options "-O3 -DX=\\"a\\"" } */\n'
              '// { dg-additional-options "-g" { target ia32 } }')
    h.check(d.run and d.options == ["-O3", '-DX="a"'] and not d.more, str(vars(d)))
    d = reads('{ dg-do run { target { { i?86-*-* x86_64-*-* } && lp64 } } }\n'
              '{ dg-set-target-env-var OMP_PLACES "{6,7}:4" }')
    h.check(d.run and d.environment == {"OMP_PLACES": "{6,7}:4"}, str(vars(d)))
    for run, selector in ((True, "{ ! ia32 }"), (False, "arm*-*-*"), (True, "{ ilp32 || lp64 }"),
                          (False, "{ lp64 && { ! fpic } }")):
        d = reads(f"/* {{ dg-do run {{ target {selector} }} }} */")
        h.check(d.run == run, f"{selector}: {d.run}")
    h.check(reads("/* { dg-do compile } */").run is None, "compiled only")
    h.check(reads("! { dg-do run }\n! { dg-additional-sources \"a.c b.c\" }", "f").sources
            == ["a.c", "b.c"], "sources")
    for said, language in (("c++20", "c++17"), ("c++14_down", "c++17"), ("c++98_only", "c++11")):
        h.check(reads(f"{{ dg-do run {{ target {said} }} }}", language).run is False, said)
    h.check(reads("{ dg-do run { target c++11 } }", "c++17").run, "c++11")
    for text in ('{ dg-options "-fsanitize=address" }', "{ dg-require-effective-target ia32 }",
                 '{ dg-options "-m32" }', '{ dg-skip-if "why" { x86_64-*-* } }',
                 "{ dg-something-else x }", "{ dg-do run { target nothing_like_it } }"):
        try:
            d = reads("{ dg-do run }\n" + text)
        except directives.Unfit:
            continue
        raise h.Failure(f"{text} is fit: {vars(d)}")


@suite.case("levels, and the standard of C++")
def ways():
    folder = h.fresh("ways")
    family = families.Family("g++.dg", ("x",), (".C",), "g++")
    tree, families.TREE = families.TREE, folder
    try:
        for text, want in (("// { dg-do run { target c++20 } }",
                            [("-O0", "-std=gnu++20"), ("-O2", "-std=gnu++20")]),
                           ('// { dg-do run }\n// { dg-options "-O3" }', [("-O3", "-O3")]),
                           ("int x;", [])):
            path = pathlib.Path(folder, "x.C")
            path.write_text(text, encoding="ascii")
            found = [(p.level, p.level if p.level == "-O3" else p.flags[1])
                     for p in families.file_programs(family, path)]
            h.check(found == want, f"{text}: {found}")
    finally:
        families.TREE = tree


if __name__ == "__main__":
    sys.exit(suite.run())
