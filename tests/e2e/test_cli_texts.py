#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the command line says about itself: every verb helps, man pages and completion follow the
option tables, errors are one line with the right status."""

import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOBBIN = os.environ.get("BOBBIN") or os.environ.get("BOB_TEST_BOBBIN") or \
    str(ROOT / "build" / "release" / "bin" / "bobbin")
failures = 0


def run(*words, **more):
    return subprocess.run([BOBBIN, *words], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, **more)


def expect(condition, text):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", text)


def one_line(done, status, start):
    expect(done.returncode == status, f"status {done.returncode}, not {status}: {done.args}")
    expect(re.fullmatch(re.escape(start) + r".+\n", done.stderr),
           f"not one line that starts with {start!r}: {done.stderr!r}")
    expect(done.stdout == "", f"output on stdout: {done.stdout!r}")


def helps():
    overview = run("--help")
    expect(overview.returncode == 0 and overview.stderr == "", "--help")
    names = re.findall(r"^  ([a-z]+) +\S", overview.stdout.split("First steps")[0], re.M)
    expect({"record", "report", "show", "graph", "info", "export", "check", "dump", "plan",
            "env", "help"} <= set(names), f"verbs {names}")
    for verb in names:
        a, b = run(verb, "--help"), run("help", verb)
        expect(a.returncode == 0 and a.stdout == b.stdout, f"{verb} --help is not help {verb}")
        expect(a.stdout.startswith(f"usage: bobbin {verb} "), f"{verb}: usage line")
        for line in (overview.stdout + a.stdout).splitlines():
            expect(len(line) <= 100, f"{verb}: line of {len(line)} characters: {line}")
    expect(re.fullmatch(r"bobbin \d+\.\d+\.\d+\n", run("--version").stdout), "--version")
    return names


def completion(names):
    script = run("help", "--completion").stdout
    for verb in names:
        options = re.findall(r"^ .*?(--[a-z-]+)", run("help", verb).stdout, re.M)
        words = re.search(rf"^\t{verb}\) words=\"(.*)\"", script, re.M)
        expect(words, f"completion lacks {verb}")
        have = [w.rstrip("=") for w in words.group(1).split()] if words else []
        expect(sorted(have) == sorted(options), f"completion of {verb}: {have}, not {options}")
    test = script + '\nCOMP_WORDS=(bobbin export --format = c) COMP_CWORD=4; _bobbin; ' \
        'echo "${COMPREPLY[@]}"\nCOMP_WORDS=(bobbin inf) COMP_CWORD=1; _bobbin; ' \
        'echo "${COMPREPLY[0]}"'
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True)
    expect(done.stdout == "callgrind chrome csv\ninfo\n", f"bash completes {done.stdout!r} "
           f"{done.stderr!r}")


def near(*words, name, **more):
    """The one line of the complaint proposes `name`."""
    done = run(*words, **more)
    expect(done.returncode in (2, 125) and done.stdout == "", f"status or output of {words}")
    expect(re.fullmatch(rf"bobbin: .*; did you mean {re.escape(name)}\? See bobbin .*--help\n",
                        done.stderr), f"{words}: {done.stderr!r}")


def errors():
    one_line(run("reprot"), 2, "bobbin: 'reprot' is neither a verb nor a program")
    for word in ("diff", "view", "where", "flags"):
        one_line(run(word, "/bin/true", "/bin/true"), 2, f"bobbin: there is no verb '{word}' yet")
    near("reprot", name="'report'")
    one_line(run("--nonsense"), 2, "bobbin: unknown option")
    one_line(run("info", "--nonsense"), 2, "bobbin: info: unknown")
    one_line(run("info", "-Z"), 2, "bobbin: info: unknown option -Z")
    one_line(run("info", "--json=1"), 2, "bobbin: info: option --json takes no argument")
    one_line(run("show", "-g"), 2, "bobbin: show: option -g needs an argument")
    one_line(run("info", "/nonexistent"), 1, "bobbin: info: there is no trace in /nonexistent")
    one_line(run("info", "a", "b"), 2, "bobbin: info: one trace at a time")
    one_line(run("report", "--per", "rank"), 2, "bobbin: report: --per is one of")
    one_line(run("report", "--group", "rank=3-1"), 2, "bobbin: report: cannot read the thread")
    one_line(run("show", "--events", "5"), 2, "bobbin: show: --events is a range")
    one_line(run("show", "--time", "2..1"), 2, "bobbin: show: --time is a range")
    one_line(run("export"), 2, "bobbin: export: say --format")
    one_line(run("export", "--format=xml"), 2, "bobbin: export: there is no format 'xml'")
    one_line(run("graph", "--min", "x"), 2, "bobbin: graph: --min is a percentage")
    one_line(run("help", "nonsense"), 2, "bobbin: help: there is no verb")
    one_line(run("plan", "/nonexistent"), 1, "bobbin: plan: /nonexistent: no such file")
    near("record", "--imagse=all", "--", "true", name="--images")
    near("help", "recrod", name="'record'")
    with tempfile.TemporaryDirectory() as here:
        (pathlib.Path(here) / "odd-name").touch(mode=0o755)
        near("odd-name", name="'./odd-name'", cwd=here)
    one_line(run("show", "--no"), 2, "bobbin: show: option --no could be several")
    one_line(run("record", "--nonsense", "--", "true"), 125, "bobbin: record: unknown")


def on_terminal(trace, **variables):
    """What `bobbin report` prints on a terminal."""
    ours, theirs = pty.openpty()
    variables = {"PATH": "/nonexistent", "TERM": "dumb", **variables}
    with subprocess.Popen([BOBBIN, "report", trace], stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=theirs, env=variables) as child:
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n"), child.returncode


def pagers():
    """Without a pager, or with one that is not there, the text is printed."""
    with tempfile.TemporaryDirectory() as here:
        trace = here + "/t"
        run("record", "-q", "-o", trace, "--", "/bin/true")
        plain = run("report", trace).stdout
        expect(plain.count("\n") > 2, "a report")
        bin_only = {"PATH": here}
        os.symlink("/bin/cat", here + "/cat")
        expect(on_terminal(trace, **bin_only) == (plain, 0), "no pager is installed")
        text, status = on_terminal(trace, PAGER="no-such-pager -x", **bin_only)
        expect(text.endswith(plain) and "no-such-pager" in text and status == 0,
               f"no such pager: {text}")
        text, status = on_terminal(trace, PAGER="cat -E", **bin_only)
        expect(text == plain.replace("\n", "$\n") and status == 0, f"another pager: {text}")


def main():
    if not os.access(BOBBIN, os.X_OK):
        print(f"skipped: {BOBBIN} is not built")
        return 77
    names = helps()
    completion(names)
    errors()
    pagers()
    done = subprocess.run([sys.executable, ROOT / "tools" / "update_man.py", "--check", BOBBIN],
                          capture_output=True, text=True)
    expect(done.returncode == 0, "man pages: " + done.stdout + done.stderr)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
