#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check the layout of C sources against .clang-format, or correct it with --fix; and line lengths.

    tools/check_format.py [--fix] [--changed] [FILE...]

Without files, checks everything git knows under include, src, tests and bench; with --changed, only
what differs from HEAD. Two things are left to the author, because clang-format spoils them: the
white space before a trailing comment (tabs, in the kernel's layout) and initialisers of several
lines, which are tables. Both are ignored in the comparison and kept by --fix. Every file of src
must have an opening comment after its SPDX line. No line of a C, Python or CMake file of the tree
may have more than 100 columns, with tabs of 8. --fix corrects neither. Exit 0 when nothing is
wrong.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = ("clang-format-14", "clang-format")
FOLDERS = ("include/", "src/", "tests/", "bench/")
COLUMNS = 100
WRAPPED = (".c", ".h", ".py", ".cmake", "CMakeLists.txt")


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def find_tool():
    for tool in TOOLS:
        try:
            if "version 14" in run(tool, "--version"):
                return tool
        except (OSError, subprocess.CalledProcessError):
            pass
    sys.exit("check_format: needs clang-format 14 (package clang-format-14)")


TABLE = re.compile(r"=\s*(\([^()]*\))?\s*\{|\(struct [^()]*\)\s*\{|^#define .*\\\n[ \t]*\{")
NO_CODE = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|/\*.*?\*/')
OFF, ON = "/* clang-format off */\n", "/* clang-format on */\n"


def depth_of(line):
    code = NO_CODE.sub("", line)
    return code.count("{") - code.count("}")


def guarded(lines):
    """The lines, with clang-format switched off for initialisers of several lines.

    Macros that contain such initialisers are switched off, too."""
    out, depth, macro, comment = [], 0, False, False
    for i, line in enumerate(lines):
        # Examples in comments of several lines are no tables.
        if comment or NO_CODE.sub("", line).lstrip().startswith("/*"):
            comment = "*/" not in line
            out.append(line)
            continue
        inside = depth > 0 or macro
        ahead = line + (lines[i + 1] if line.endswith("\\\n") and i + 1 < len(lines) else "")
        if inside:
            depth += 0 if macro else depth_of(line)
        elif TABLE.search(ahead):
            macro = line.startswith("#define") and line.endswith("\\\n")
            depth = 0 if macro else depth_of(line)
            inside = macro or depth > 0
            if inside:
                out.append(OFF)
        out.append(line)
        macro = macro and line.endswith("\\\n")
        if inside and depth <= 0 and not macro:
            out.append(ON)
            depth = 0
    return out


def formatted(tool, files):
    """{name: formatted lines} for {name: lines}.

    Formats copies next to a copy of .clang-format, in as many processes as there are processors."""
    with tempfile.TemporaryDirectory() as copies:
        shutil.copy(os.path.join(ROOT, ".clang-format"), copies)
        paths = [os.path.join(copies, str(i), os.path.basename(name))
                 for i, name in enumerate(files)]
        for path, lines in zip(paths, files.values()):
            os.mkdir(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(guarded(lines))
        each = os.cpu_count() or 1
        shares = [s for s in (paths[i::each] for i in range(each)) if s]
        running = [subprocess.Popen([tool, "--style=file", "-i", *share]) for share in shares]
        if any([p.wait() for p in running]):
            sys.exit("check_format: clang-format fails")
        out = {}
        for path, (name, lines) in zip(paths, files.items()):
            with open(path, encoding="utf-8") as f:
                out[name] = merged(lines, [x for x in f.read().splitlines(keepends=True)
                                           if x.strip() not in (OFF.strip(), ON.strip())])
        return out


def normal(line):
    """The line without what is left to the author: space before trailing comments."""
    line = re.sub(r"(\S)[ \t]+/\*", r"\1 /*", line)
    return re.sub(r"^[ \t]+\* ", " * ", line)


def merged(old, new):
    """`new`, but with the line of `old` wherever only such space differs."""
    matcher = difflib.SequenceMatcher(None, [normal(x) for x in old], [normal(x) for x in new],
                                      autojunk=False)
    out = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        out += old[i1:i2] if tag == "equal" else new[j1:j2]
    return out


def lacks_opening(name, lines):
    """Whether a file of src has no comment in its second line that says what it does."""
    return name.startswith("src/") and not re.match(r"/\*(?! ---)", "".join(lines[1:2]))


def report_long(texts):
    """Prints the lines that have too many columns, and returns their number."""
    found = [f"{name}:{n}: more than {COLUMNS} columns" for name, lines in texts.items()
             for n, line in enumerate(lines, 1) if len(line.rstrip("\n").expandtabs(8)) > COLUMNS]
    print("".join(f"{line}\n" for line in found), end="")
    return len(found)


def files_of_tree(changed):
    listing = (run("git", "diff", "--name-only", "--diff-filter=d", "HEAD") if changed else
               run("git", "ls-files"))
    return [n for n in listing.split("\n")
            if n.endswith(WRAPPED) and os.path.exists(os.path.join(ROOT, n))]


def read_lines(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read().splitlines(keepends=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    tool = find_tool()
    given = [os.path.relpath(os.path.abspath(f), ROOT) for f in args.files if f.endswith(WRAPPED)]
    texts = {name: read_lines(name)
             for name in (given if args.files else files_of_tree(args.changed))}
    files = {name: lines for name, lines in texts.items()
             if name.endswith((".c", ".h")) and (args.files or name.startswith(FOLDERS))}
    unopened = [name for name in files if lacks_opening(name, files[name])]
    for name in unopened:
        print(f"{name}:2: no opening comment; say after the SPDX line what the file does")
    bad = 0
    laid_out = formatted(tool, files)
    for name, new in laid_out.items():
        path, old = os.path.join(ROOT, name), files[name]
        if new == old:
            continue
        bad += 1
        if args.fix:
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(new)
        else:
            sys.stdout.writelines(difflib.unified_diff(old, new, name, name + " (formatted)", n=0))
    if bad and not args.fix:
        print(f"check_format: {bad} files differ; make format mends them")
    wide = report_long({**texts, **laid_out} if args.fix else texts)
    return 1 if unopened or wide or bad and not args.fix else 0


if __name__ == "__main__":
    sys.exit(main())
