#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the verbs that read print, to the letter, for programs whose call tree is known: show with
folding and filters, graph as text and DOT, report, export. Pids alone are replaced."""

import contextlib
import csv
import difflib
import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios

import harness as h

suite = h.Suite("reading")


@h.cached
def trace():
    """tests/prog/reading.c, without what the compiler's start files add."""
    program = h.compile("reading", ["reading.c"], "gcc", ["-O0", "-pthread"])
    r = h.record([program], ["--images=main", "-F", "t_*", "-F", "main"])
    h.check(r.status == 0 and not r.err, f"recording\n{r}")
    return r.trace


def output(verb, *options, of=None, status=0):
    r = h.bobbin(verb, *options, of or trace())
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    return re.sub(r"\b([pt]id) \d+", r"\1 N", r.out.decode())


def same(got, want, what):
    if got != want:
        lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", "", "",
                                     lineterm="")
        raise h.Failure(what + "\n" + "\n".join(lines))


def says(verb, *options, want):
    same(output(verb, *options), want, " ".join([verb, *options]))


MAIN = """\
thread 0.0  reading  pid N  tid N  1,533 calls
        call  function
"""
WORKER = """\

thread 0.1  reading  pid N  tid N  5 calls
        call  function
"""
NOTHING = "              nothing to show\n"
HEAD = "calls  share  calls below  callers  callees  image    function\n"


@suite.case("show: repeats folded")
def show_folded():
    says("show", want=MAIN + """\
           0  main  (still open)
           1    t_leaf  x 1,500
       1,501    t_step  x 3
       1,502      t_leaf
       1,503      t_other
       1,504      t_leaf  x 2
       1,516    repeated  x 5
       1,516      t_leaf
       1,517      t_other
       1,526    t_down
       1,527      t_leaf
       1,528      t_down
       1,529        t_leaf
       1,530        t_down
       1,531          t_leaf
       1,532    t_other  (still open)
""" + WORKER + """\
           0  t_thread
           1    t_leaf  x 4
""")


@suite.case("show: one line per call")
def show_unfolded():
    lines = ["main  (still open)"] + ["  t_leaf"] * 1500
    lines += ["  t_step", "    t_leaf", "    t_other", "    t_leaf", "    t_leaf"] * 3
    lines += ["  t_leaf", "  t_other"] * 5
    lines += ["  t_down", "    t_leaf", "    t_down", "      t_leaf", "      t_down"]
    lines += ["        t_leaf", "  t_other  (still open)"]
    text = "".join(f"{i:12,}  {line}\n" for i, line in enumerate(lines))
    says("show", "--no-fold", "--lines=0", "-g", "0.0", want=MAIN + text)
    says("show", "--no-fold", "--lines=3", "-g", "0.0", want=MAIN + "".join(
        text.splitlines(True)[:3]) + "              ... cut after 3 lines; the thread has "
        "1,533 calls (--lines=0 shows all, --events=A..B a part)\n")


@suite.case("show: filters")
def show_filters():
    says("show", "--function=t_down", want=MAIN + """\
       1,526  t_down
       1,527    t_leaf
       1,528    t_down
       1,529      t_leaf
       1,530      t_down
       1,531        t_leaf
""" + WORKER + NOTHING)
    says("show", "--not=t_step", "--not=t_leaf", want=MAIN + """\
           0  main  (still open)
       1,517    t_other  x 5
       1,526    t_down
       1,528      t_down
       1,530        t_down
       1,532    t_other  (still open)
""" + WORKER + "           0  t_thread\n")
    says("show", "--depth=2", "-g", "0.0", want=MAIN + """\
           0  main  (still open)
           1    t_leaf  x 1,500
       1,501    t_step  x 3
       1,516    repeated  x 5
       1,516      t_leaf
       1,517      t_other
       1,526    t_down
       1,532    t_other  (still open)
              17 calls deeper than 2 levels are not shown (--depth)
""")
    says("show", "--function=t_step", "--depth=1", "-g", "0.0", want=MAIN + """\
       1,501  t_step  x 3
              12 calls deeper than 1 level are not shown (--depth)
""")
    says("show", "--events=1500..1506", "-g", "0.0", want=MAIN + """\
           0  main  (still open, entered before)
       1,500    t_leaf
       1,501    t_step
       1,502      t_leaf
       1,503      t_other
       1,504      t_leaf  x 2
       1,506    t_step  (still open)
""")
    same(output("show", "--image=reading"), output("show"), "show --image=reading")
    same(output("show", "--time=..60min"), output("show"), "show --time=..60min")
    says("show", "--time=60min..", want=MAIN + NOTHING + WORKER + NOTHING)


@suite.case("show: the stack at a call")
def stack_at():
    head = MAIN.splitlines(True)[0]
    says("show", "--stack-at=1531", want=head + """\
stack at call 1,531, outermost first
     0  main  (reading)
     1  t_down  (reading)
     2  t_down  (reading)
     3  t_down  (reading)
     4  t_leaf  (reading)
""")
    says("show", "--stack-at=4", "-g", "0.1", want=WORKER.splitlines(True)[1] + """\
stack at call 4, outermost first
     0  t_thread  (reading)
     1  t_leaf  (reading)
""")


@suite.case("show: the order of f() + g()")
def order():
    """The program prints the tree that it walked."""
    program = h.compile("order", ["order_fg.c"], "gcc", ["-O1", "-w"])
    r = h.record([program], ["--images=main", "-F", "t_*"])
    h.check(r.status == 0, f"recording\n{r}")
    tree = r.out.decode().splitlines()
    tree = [line for line in tree if line.strip().startswith("t_")]
    h.check(len(tree) == 36, f"{len(tree)} calls in the program's tree, not 36\n{r}")
    want = "".join(f"{i:12,}  {line}\n" for i, line in enumerate(tree))
    got = output("show", "--no-fold", of=r.trace).split("\n", 2)[2]
    got = re.sub(r"  \(still open\)$", "", got, flags=re.M)
    same(got, want, "show --no-fold against the tree that the program printed")


@suite.case("graph: text")
def graph_text():
    head = "         calls   share  function (share: its calls and those below)\n"
    says("graph", "--min=0", want=head + """\
             1   99.7%  main
         1,505   97.9%    t_leaf
             3    1.0%    t_step
             9    0.6%      t_leaf
             3    0.2%      t_other
             6    0.4%    t_other
             1    0.4%    t_down
             1    0.3%      t_down
             1    0.1%        t_down
             1    0.1%          t_leaf
             1    0.1%        t_leaf
             1    0.1%      t_leaf
             1    0.3%  t_thread
             4    0.3%    t_leaf
""")
    says("graph", "--depth=2", "--min=1", want=head + """\
             1   99.7%  main
         1,505   97.9%    t_leaf
             3    1.0%    t_step
            12    0.8%      ... 2 more paths
            12    0.8%    ... 2 more paths
             5    0.3%  ... 1 more path
""")


@suite.case("graph: DOT")
def graph_dot():
    text = output("graph", "--dot")
    names, arcs = {}, {}
    head, *lines, last = text.splitlines()
    h.check((head, last) == ("digraph calls {", "}"), f"frame of the graph: {head!r} {last!r}")
    for line in lines[2:]:
        node = re.fullmatch(r'\t(f\d+) \[label="([^"]*)" (?:tooltip="(\d+) '
                            r'calls?"|shape=plaintext)\];', line)
        arc = re.fullmatch(r'\t(f\d+) -> (f\d+) \[label="(\d+)" penwidth=\d\.\d\];', line)
        h.check(node or arc, f"not understood: {line!r}")
        if node:
            names[node[1]] = node[2], int(node[3] or 0)
        else:
            arcs[names[arc[1]][0], names[arc[2]][0]] = int(arc[3])
    h.check(dict(names.values()) == {"[start]": 0, "main": 1, "t_thread": 1, "t_leaf": 1521,
                                     "t_other": 9, "t_step": 3, "t_down": 3}, f"nodes {names}")
    h.check(list(arcs.items()) == [
        (("main", "t_leaf"), 1505), (("t_step", "t_leaf"), 9), (("main", "t_other"), 6),
        (("t_thread", "t_leaf"), 4), (("t_step", "t_other"), 3), (("t_down", "t_leaf"), 3),
        (("main", "t_step"), 3), (("t_down", "t_down"), 2), (("main", "t_down"), 1),
        (("[start]", "t_thread"), 1), (("[start]", "main"), 1)], f"arcs {arcs}")


@suite.case("report: numbers")
def report():
    table = HEAD + """\
1,521  98.9%            0        4        0  reading  t_leaf
    9   0.6%            0        2        0  reading  t_other
    3   0.2%           12        1        2  reading  t_step
    3   0.2%            5        2        2  reading  t_down
    1   0.1%            4        0        1  reading  t_thread
    1   0.1%        1,532        0        4  reading  main

"""
    text = output("report")
    title, rest = text.split("\n", 1)
    h.check(re.fullmatch(r"\S+: 1,538 calls in 2 threads of 1 process, kept in \d+ B", title),
            f"title: {title!r}")
    same(rest[:len(table) + 1], "\n" + table, "report")
    h.check("\ntraced      6 of 13 functions (46.2%) in the chosen images; not traced" in text and
            "\nself-check  0 calls did not meet the expected caller's frame\n" in text, text)
    per = output("report", "--per=thread").split("\n", 2)[2]
    want = "thread 0.0  reading  tid N: 1,533 calls\n" + HEAD + """\
1,517  99.0%            0        3        0  reading  t_leaf
    9   0.6%            0        2        0  reading  t_other
    3   0.2%           12        1        2  reading  t_step
    3   0.2%            5        2        2  reading  t_down
    1   0.1%        1,532        0        4  reading  main

thread 0.1  reading  tid N: 5 calls
""" + HEAD + """\
    4  80.0%            0        1        0  reading  t_leaf
    1  20.0%            4        0        1  reading  t_thread

"""
    same(per[:len(want)], want, "report --per=thread")


@suite.case("report: a group of threads, images, calls between images")
def groups():
    text = output("report", "--group=0.1").split("\n", 2)
    h.check(re.fullmatch(r"\S+: 5 calls in 1 thread, kept in \d+ B", text[0]), text[0])
    same(text[2].split("\n\n")[0] + "\n", HEAD + """\
    4  80.0%            0        1        0  reading  t_leaf
    1  20.0%            4        0        1  reading  t_thread
""", "report --group=0.1")
    text = output("report", "--group=0")
    h.check(": 1,533 calls in 1 thread, " in text and "t_thread" not in text, text)
    text = output("report", "--by=image").split("\n", 2)[2]
    same(re.sub(r"\S+/reading$", "reading", text.split("\n\n")[0], flags=re.M), """\
calls   share  from outside  functions  image
1,538  100.0%             2          6  reading""", "report --by=image")
    text = output("report", "--by=api").split("\n", 2)[2]
    same(text.split("\n\n")[0], """\
calls  share  callers  image    function
    1  50.0%        1  reading  t_thread
    1  50.0%        1  reading  main""", "report --by=api")
    r = h.bobbin("report", "--group=rank=0", trace())
    h.check(r.status == 1 and b"none in the threads chosen" in r.err, f"{r}")


@suite.case("report: callers and callees")
def neighbours():
    got = output("report", "--callers=t_leaf").split("\n", 2)[2]
    same(got, """\
t_leaf (reading), called 1,521 times
calls  share  calls below  image    called by
1,505  98.9%            0  reading  main
    9   0.6%            0  reading  t_step
    4   0.3%            0  reading  t_thread
    3   0.2%            0  reading  t_down
""", "report --callers=t_leaf")
    got = output("report", "--callees=main").split("\n", 2)[2]
    same(got, """\
main (reading), called 1 time
calls  share  calls below  image    calls
1,505  99.3%            0  reading  t_leaf
    6   0.4%            0  reading  t_other
    3   0.2%           12  reading  t_step
    1   0.1%            5  reading  t_down
""", "report --callees=main")


@suite.case("export: folded, csv")
def export():
    says("export", "--format=folded", want="""\
main 1
main;t_leaf 1505
main;t_step 3
main;t_step;t_leaf 9
main;t_step;t_other 3
main;t_other 6
main;t_down 1
main;t_down;t_down 1
main;t_down;t_down;t_down 1
main;t_down;t_down;t_down;t_leaf 1
main;t_down;t_down;t_leaf 1
main;t_down;t_leaf 1
t_thread 1
t_thread;t_leaf 4
""")
    rows = csv.DictReader(output("export", "--format=csv").splitlines())
    keys = ["calls", "calls_below", "callers", "callees"]
    rows = {r["function"]: [int(r[k]) for k in keys] for r in rows if not r["not_traced"]}
    h.check(rows == {"t_leaf": [1521, 0, 4, 0], "t_other": [9, 0, 2, 0], "t_step": [3, 12, 1, 2],
                     "t_down": [3, 5, 2, 2], "t_thread": [1, 4, 0, 1],
                     "main": [1, 1532, 0, 4]}, f"csv {rows}")


@suite.case("a limit of events: what was left out is said")
def limited():
    note = b"there are more events: only the first 3 of each thread were read, as --max-events says"
    for verb, *options in (("dump",), ("report",), ("show",), ("graph",), ("check", "-q"),
                           ("export", "-f", "csv"), ("export", "-f", "folded"),
                           ("export", "-f", "callgrind")):
        r = h.bobbin(verb, *options, "--max-events=3", trace())
        h.check(note in r.err and r.status == (3 if verb == "check" else 0), f"{r}")
        r = h.bobbin(verb, *options, "--max-events=1000000", trace())
        h.check(not r.err and r.status == 0, f"{r}")
    lines = output("dump", "-g", "0.0").splitlines()
    first = [line for line in lines if " > " in line or " < " in line][:3]
    got = h.bobbin("dump", "-g", "0.0", "--max-events=3", trace()).out.decode().splitlines()
    h.check([line for line in got if " > " in line or " < " in line] == first, f"{got}")
    h.check("intact, as far as it was read" in h.bobbin("check", "--max-events=3",
                                                        trace()).out.decode(), "check")
    r = h.bobbin("dump", "--max-events=x", trace())
    h.check(r.status == 2 and b"--max-events is a number, not 'x'" in r.err, f"{r}")


@suite.case("a limit of accesses")
def limited_accesses():
    program = h.compile("copies", ["fuzz/memory.c"], "gcc", ["-O1", "-g"])
    r = h.record([program], ["--mem"])
    h.check(r.status == 0, f"{r}")
    rows = h.bobbin("replay", "--mem", r.trace).out.splitlines()
    for verb in ("replay --mem", "dump", "cache", "report"):
        limit = h.bobbin(*verb.split(), "--max-events=40", r.trace)
        # accesses are summed up without being read one by one
        h.check((b"only the first 40" in limit.err) == (verb != "report") and not limit.status,
                f"{verb}\n{limit}")
        if verb.startswith("replay"):
            h.check(20 < len(limit.out.splitlines()) <= 42
                    and rows[:20] == limit.out.splitlines()[:20], f"{limit}")
    for options in (["-x"], ["--signatures"], []):
        shown = h.bobbin("show", *options, r.trace)
        limit = h.bobbin("show", *options, "--max-events=40", r.trace)
        h.check(limit.out == shown.out
                and b"--max-events has no effect on what is shown here" in limit.err, f"{limit}")
    to = h.fresh("folded") / "t"
    r = h.bobbin("fold", "-o", to, "--max-events=1", r.trace)
    h.check(not to.exists(), "fold leaves a file")
    h.check(r.status == 1 and b"memory records, more than --max-events says" in r.err, f"{r}")


@suite.case("export: chrome is JSON, every call begins and ends")
def chrome():
    events = json.loads(output("export", "--format=chrome"))["traceEvents"]
    count, depth, last = {}, {}, {}
    for e in events:
        if e["ph"] == "M":
            continue
        thread = e["pid"], e["tid"]
        h.check(e["ts"] >= last.get(thread, 0), f"goes back in time: {e}")
        last[thread] = e["ts"]
        depth[thread] = depth.get(thread, 0) + (1 if e["ph"] == "B" else -1)
        h.check(depth[thread] >= 0, f"ends before it begins: {e}")
        if e["ph"] == "B":
            count[e["name"]] = count.get(e["name"], 0) + 1
    h.check(count == {"main": 1, "t_leaf": 1521, "t_other": 9, "t_step": 3, "t_down": 3,
                      "t_thread": 1}, f"calls {count}")
    h.check(list(depth.values()) == [0, 0], f"open at the end: {depth}")


@suite.case("info: the keys of --json are stable")
def json_keys():
    got = h.info(trace())
    process, image = got["process_list"][0], got["image_list"][0]
    for what, have, want in (
            ("trace", got,
             "bobbin trace events accesses raw_bytes stream_bytes meta_bytes mark_bytes file_bytes "
             "ratio processes threads images functions duration_ns overhead process_list "
             "image_list problems"),
            ("process", process,
             "pid ppid rank world_size parent state stopped host exe cwd file start_real_ns "
             "start_mono_ns end_mono_ns command config skipped_images thread_list"),
            ("thread", process["thread_list"][0],
             "number tid name state start_mono_ns end_mono_ns codec events "
             "symbols stream_bytes top_mismatch orphans sp_rule slow_entries site_misses queued "
             "lost switches "
             "restarts"),
            ("image", image, "path soname build_id functions patched chosen runtime")):
        missing = set(want.split()) - set(have)
        h.check(not missing, f"{what}: no {sorted(missing)}; scripts rely on these names")
    numbers = [got[k] for k in ("events", "accesses", "processes", "threads", "raw_bytes")]
    # each call is an entry and an exit of 2 bytes
    h.check(numbers == [1538, 0, 1, 2, 4 * 1538], f"numbers {numbers}")


@suite.case("export: callgrind_annotate reads it")
def callgrind():
    h.need("callgrind_annotate")
    file = h.fresh("callgrind") / "out"
    h.check(not output("export", "--format=callgrind", "-o", str(file)), "text on stdout")
    for kind, want in (("no", {"t_leaf": 1521, "t_other": 9, "t_step": 3, "t_down": 3,
                               "main": 1, "t_thread": 1}),
                       ("yes", {"t_leaf": 1521, "t_other": 9, "t_step": 15, "main": 1533,
                                "t_thread": 5})):
        r = h.run(["callgrind_annotate", f"--inclusive={kind}", "--threshold=100", file])
        h.check(r.status == 0 and not r.err, f"it complains\n{r}")
        h.check(b"\n1,538 (100.0%)  PROGRAM TOTALS\n" in r.out, f"totals\n{r}")
        got = {m[2].decode(): int(m[1].replace(b",", b"")) for m in
               re.finditer(rb"^ *([\d,]+) \([ \d.]+%\)  \?\?\?:(\w+) \[", r.out, re.M)}
        if kind == "yes":
            got.pop("t_down", None)     # callgrind_annotate adds up recursion in its own way
        h.check(got == want, f"--inclusive={kind}: {got}")


@suite.case("record: the closing line")
def closing_line():
    program = h.compile("reading", ["reading.c"], "gcc", ["-O0", "-pthread"])
    where = h.fresh("closing line")
    for options, want in (
            (["-F", "t_*", "-F", "main"],
             r"1,538 calls of 2 threads in DIR, [\d.]+ kB on disk \(the "
             r"stream \d+ B, \d+ times less than raw\); next: bobbin report 'DIR'"),
            (["-F", "main"], r"1 call of 1 thread in DIR, [\d.]+ kB on disk \(the stream \d+ B\); "
             r"next: bobbin report 'DIR'"),
            (["-F", "nosuch"], r"record: nothing was recorded; `bobbin info DIR` says what was not "
             r"traced and why")):
        r = h.run([h.BOBBIN, "record", "--images=main", *options, "-o", where, "--", program])
        text = r.err.decode().replace(str(where), "DIR")
        h.check(r.status == 0 and re.fullmatch(f"bobbin: {want}\n", text), f"{options}\n{r}")
    for verb in ("report", "show", "graph", "export"):
        r = h.bobbin(verb, *(["--format=csv"] if verb == "export" else []), where)
        h.check(r.status == 1 and b"the trace has no calls" in r.err and not r.out, f"{r}")
    r = h.bobbin("show", "--image=nosuch", trace())
    h.check(r.status == 1 and r.err == b"bobbin: show: no image fits 'nosuch'\n", f"{r}")


@suite.case("info: the command and the settings")
def info():
    program = h.compile("reading", ["reading.c"], "gcc", ["-O0", "-pthread"])
    for options, want in ((["--images=main"], "with BOBBIN_IMAGES=main"),
                          ([], "with the default options")):
        r = h.record(["./reading", "it's", "a b", "c"], options, cwd=program.parent)
        text = output("info", of=r.trace)
        h.check(f"\ncommand     ./reading 'it'\\''s' 'a b' c\n" in text, text)
        h.check(f"\nrecorded    {want}\nwhat        1 process, 2 threads\n" in text, text)


@suite.case("a terminal: pager, width")
def terminal():
    def on_terminal(*words):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        r = h.run([h.BOBBIN, *words, trace()], h.environment({"BOBBIN_PAGER": "sed s/^/P:/"}),
                  stdout=slave)
        h.check(r.status == 0, f"{r}")
        os.close(slave)
        out = b""
        # EIO: that was all, and no process has the other end
        with open(master, "rb", buffering=0) as f, contextlib.suppress(OSError):
            while part := f.read(1 << 16):
                out += part
        return out.decode().splitlines()

    lines = on_terminal("show")
    h.check(len(lines) == 23 and all(line.startswith("P:") for line in lines),
            f"{len(lines)} lines through the pager, not 23: {lines}")
    lines = on_terminal("report", "--no-pager", "--by=image")
    row = next(line for line in lines if line.startswith("1,538"))
    h.check(len(row) == 60 and row.endswith("..") and not any(x.startswith("P:") for x in lines),
            f"without a pager, cut to 60 columns: {lines}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
