#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of MPI among memory accesses and calls of functions: where the program says that they are,
and --between shows what it says was between them. Programs note what they do
(tests/prog/mpi/stretch.c); a stretch must also be the part of the whole replay between its two
marks."""
import random
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_stretch", jobs=1)
RANKS = 3
NAMES = {f.number: name for name, f in m.TABLE.functions.items()}


class Thread:
    """What a thread did: ("L", address), ("M", name), ("E",) after a call in which something was
    done; accesses as text."""

    def __init__(self, items):
        self.items = items

    def marks(self):
        return [i for i, item in enumerate(self.items) if item[0] == "M"]

    def ends(self, mark):
        """The position after the call that begins at this item."""
        end = next((i for i in range(mark + 1, len(self.items)) if self.items[i][0] in "ME"), None)
        return end + 1 if end is not None and self.items[end][0] == "E" else mark + 1

    def between(self, first, last):
        """Accesses of the stretch: ends are numbers of calls, or None."""
        marks = self.marks()
        begin = 0 if first is None else self.ends(marks[first])
        end = len(self.items) if last is None else marks[last]
        return [i for i in self.items[begin:end] if i[0] not in "ME"]

    def name(self, number):
        """Call `number` as a person would name it."""
        names = [self.items[i][1] for i in self.marks()]
        return f"MPI_{names[number]}:{names[:number + 1].count(names[number])}"


def noted(directory):
    """{(rank, number of the thread): (first address, bytes, Thread)}"""
    out = {}
    for path in sorted(directory.iterdir()):
        items, array = [], None
        for line in path.read_text().splitlines():
            f = line.split()
            if f[0] == "A":
                array = int(f[1], 16), int(f[2])
            elif f[0] in "LS":
                items.append((f[0], int(f[1], 16)))
            elif f[0] == "M":
                items.append(("M", f[1]))
            elif f[0] == "E" and items[-1][0] != "M":
                items.append(("E",))
        rank, number = map(int, path.name.split("."))
        out[rank, number] = (*array, Thread(items))
    return out


def ranks(trace):
    """{process: rank}"""
    return {i: p["rank"] for i, p in enumerate(h.info(trace)["process_list"]) if p["rank"] >= 0}


def replayed(trace, *options):
    """{(rank, thread's name in the trace): Thread}, accesses as lines."""
    r = h.bobbin("replay", "--mem", "--mpi", "--order=threads", *options, trace)
    h.check(r.status == 0, f"bobbin replay fails\n{r}")
    out, rank_of, items = {}, ranks(trace), None
    for line in r.out.decode().splitlines():
        if line.startswith("# thread"):
            name = line.split()[2]
            items = []
            out[rank_of[int(name.split(".")[0])], name] = Thread(items)
        elif line == "M ends":
            if items[-1][0] != "M":
                items.append(("E",))
        elif line.startswith("M "):
            items.append(("M", line.split()[1].removeprefix("MPI_")))
        else:
            items.append((line[0], line))
    return out


def of_array(items, first, size):
    """Only what is done to the array, with its address; calls in which nothing of that was done
    have no end."""
    out = []
    for item in items:
        if item[0] in "ME":
            if item[0] == "M" or out[-1][0] != "M":
                out.append(item)
            continue
        address = int(item[1].split()[1], 16)
        if first <= address < first + size:
            out.append((item[0], address))
    return out


def whole(mpi, options, args, env=None):
    exe, said = m.program(mpi, "stretch.c"), h.fresh("said")
    before = m.native(mpi, RANKS, [exe, *args], env={"STRETCH_DIR": str(said)})
    after = m.record(mpi, RANKS, [exe, *args], options,
                     env={"STRETCH_DIR": str(said), **(env or {})})
    h.check(before.status == 0, f"the program fails natively\n{before}")
    h.same(before, after)
    h.check_trace(after.trace)
    return after.trace, noted(said)


def match(threads, said):
    """Each of the program's threads is one of the trace, with the same accesses and calls in the
    same order. [(said, thread of the trace)]"""
    out = []
    for (rank, number), (first, size, truth) in said.items():
        want = truth.items
        found = [(name, t) for (r, name), t in threads.items() if r == rank
                 and of_array(t.items, first, size) == want]
        h.check(len(found) == 1, f"rank {rank}, thread {number}: {len(found)} threads of the trace "
                f"did what it did: {len(want)} accesses and calls, the first ones {want[:12]}")
        out.append((rank, found[0][0], first, size, truth, found[0][1]))
    return out


def check_stretch(trace, row, first, last, by_name):
    """The stretch of one thread, in all ways to read it."""
    rank, name, low, size, truth, t = row
    ends = ["" if n is None else t.name(n) if by_name else f"#{n}" for n in (first, last)]
    option = "--between=" + "..".join(ends)
    got = list(replayed(trace, option, f"--group={name}").values())
    h.check(len(got) == 1, f"{option} of thread {name}: {len(got)} threads")
    want = t.between(first, last)
    # marks inside stay, and those of the two calls
    mine = [i for i in got[0].items if i[0] not in "ME"]
    begin = 0 if first is None else got[0].ends(0)
    h.check(mine == want, f"{option} of thread {name}: {len(mine)} accesses, {len(want)} in the "
            f"whole replay\n{mine[:5]}\n{want[:5]}")
    h.check([i[0] for i in got[0].items[:begin]].count("L") == 0,
            f"{option}: accesses in the first call")
    h.check([i for i in of_array(mine, low, size)] == truth.between(first, last),
            f"{option} of thread {name}: not what the program noted")
    return option, len(want)


def counted(trace, option, name):
    """The same number of accesses from `cache`, `report` and `show`; None: the thread has none
    there."""
    out = []
    text = h.bobbin("cache", "--preset=tiny", option, f"--group={name}", trace).out.decode()
    row = re.search(r"(?m)^L1 +([\d,]+)", text)
    out.append(int(row[1].replace(",", "")) if row else 0)
    text = h.bobbin("report", option, f"--group={name}", trace).out.decode()
    row = re.search(r": ([\d,]+) access", text)
    out.append(int(row[1].replace(",", "")) if row else 0)
    text = h.bobbin("show", option, f"--group={name}", trace).out.decode()
    row = re.search(r"  ([\d,]+) access", text)
    out.append(int(row[1].replace(",", "")) if row else 0)
    return out


def stretches(mpi, options, seed, args=(), times=5):
    trace, said = whole(mpi, options, [str(seed), "60", *args])
    rows = match(replayed(trace), said)
    rng, accesses = random.Random(seed), 0
    for _ in range(times):
        row = rng.choice(rows)
        calls = len(row[5].marks())
        first, last = sorted(rng.sample(range(calls), 2))
        first = None if rng.random() < 0.15 else first
        last = None if rng.random() < 0.15 and first is not None else last
        option, n = check_stretch(trace, row, first, last, rng.random() < 0.5)
        accesses += n
        if "--codec=none" not in options:
            got = counted(trace, option, row[1])
            h.check(got[1:] == [n, n],
                    f"{option} of {row[1]}: {n} accesses; report and show count {got[1:]}")
            h.check(n <= got[0] <= 2 * n or not n,
                    f"{option} of {row[1]}: {n} accesses; L1 has {got[0]}")
    return (f"{sum(len(t.marks()) for *_, t in rows)} calls, {accesses} accesses in {times} "
            f"stretches")


def among_calls(mpi, options, seed):
    """Under which functions of the program each call was, and after which."""
    said = h.fresh("said")
    exe = m.program(mpi, "stretch.c", ["-fno-inline"])
    r = m.record(mpi, RANKS, [exe, str(seed), "80", "threads"],
                 ["--calls", "--images=main", *options], env={"STRETCH_DIR": str(said)})
    h.check(r.status == 0, f"{r}")
    trace = r.trace
    h.check_trace(trace)
    text = h.bobbin("dump", trace).out.decode()
    rank_of, threads = ranks(trace), {}
    for line in text.splitlines():
        f = line.split()
        if f[0] == "thread":
            items, depth, is_calls = [], 0, True
            threads[rank_of[int(f[1].split(".")[0])], f[1]] = items
        elif f[0] in ("accesses", "events", "times"):
            is_calls = False
        elif f[0] == "E" and is_calls:
            items.append(("M", NAMES[int(f[2])], depth))
        elif len(f) > 3 and f[1] in "<>" and is_calls and re.search(r"!(touch|deep)$", f[3]):
            depth += 1 if f[1] == ">" else -1
            if f[1] == ">":
                items.append(("F", depth))
    total = 0
    for path in sorted(said.iterdir()):
        want = []
        for line in path.read_text().splitlines():
            f = line.split()
            if f[0] == "F":
                want.append(("F", int(f[1])))
            elif f[0] == "M":
                want.append(("M", f[1], int(f[2])))
        rank = int(path.name.split(".")[0])
        found = [n for (r, n), items in threads.items() if r == rank and items == want]
        h.check(len(found) == 1,
                f"{path.name}: {len(found)} threads of the trace did what it did: {want[:20]}\n"
                + "\n".join(str(items[:20]) for (r, n), items in threads.items() if r == rank))
        total += len(want)
    return f"{total} calls of both kinds"


def form(text):
    """The folded program of one rank, but neither numbers nor what the libraries lock in MPI_Init
    and MPI_Finalize: one run in ten folds that otherwise, with the same addresses, too."""
    return [re.sub(r"0x[0-9a-f]+|\d[\d,]*", "N", line)
            for line in text.splitlines() if not re.match(r" +(un)?lock ", line)]


def folds(mpi):
    """Ten times as many rounds are the same program, take no more space, and are found without
    reading them."""
    exe, sizes, forms = m.program(mpi, "stretch.c", ["-O2", "-g"]), [], []
    for rounds in (40, 400):
        runs = [m.record(mpi, RANKS, [exe, "ring", str(rounds)], ["--mem", "--time=none"])
                for _ in range(3)]
        h.check(not any(r.status for r in runs), f"{runs}")
        r = runs[-1]
        sizes.append(min(h.info(r.trace)["stream_bytes"] for r in runs))
        text = h.bobbin("show", "--lines=0", "--min=0", "--group=rank=1", r.trace).out.decode()
        forms.append(form(text))
        loop = re.search(rf"(?m)^( +)loop {rounds} times .*\n((?:\1  .*\n)+)", text)
        calls = re.findall(r"MPI_\w+", loop[2]) if loop else []
        h.check(calls == ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"],
                f"the rounds are no loop with three calls\n{text}")
        one = h.bobbin("show", f"--between=MPI_Waitall:{rounds - 2}..MPI_Waitall:{rounds - 1}",
                       "--group=rank=1", r.trace).out.decode()
        h.check(sorted(re.findall(r"MPI_\w+(?:, 2 times)?", one))
                == ["MPI_Irecv", "MPI_Isend", "MPI_Waitall, 2 times"], f"one round\n{one}")
    differing = [(a, b) for a, b in zip(*forms) if a != b]
    h.check(len(forms[0]) == len(forms[1]) and not differing,
            f"{len(forms[0])} and {len(forms[1])} places, {differing[:5]}")
    h.check(sizes[1] <= sizes[0] + 180, f"{sizes} bytes: 360 rounds more, half a byte each")
    return f"{sizes} bytes, {len(forms[0])} places"


def killed(mpi, times):
    """Of a rank that was killed there is an event more than marks, or none."""
    exe, rng, calls = m.program(mpi, "stretch.c"), random.Random(mpi), 0
    for _ in range(times):
        said = h.fresh("said")
        r = m.record(mpi, RANKS, [exe, str(rng.randrange(1000)), "100000", "killed",
                                  str(rng.randrange(5000, 60000))], ["--mem"],
                     env={"STRETCH_DIR": str(said)})
        h.check(r.status != 0, f"no rank was killed\n{r}")
        events = {t.rank: t.events for t in m.read(r.trace, problems=True)}  # one thread each
        threads = replayed(r.trace)
        for name, t in threads.items():
            mine = [e.name for e in events[name[0]]] if t.marks() or name[1].endswith(".0") else []
            marks = [t.items[i][1] for i in t.marks()]
            h.check(marks == mine[:len(marks)] and len(mine) <= len(marks) + 1,
                    f"{name}: {len(marks)} marks, {len(mine)} events")
            calls += len(marks)
        for (rank, name), t in threads.items():
            n = len(t.marks())
            if rank != 1 or n < 5:
                continue
            got = list(replayed(r.trace, f"--between=#{n - 3}..", f"--group={name}").values())[0]
            h.check([i for i in got.items if i[0] not in "ME"] == t.between(n - 3, None),
                    "the end of the killed thread")
    return f"{calls} calls"


def bad(mpi):
    exe = m.program(mpi, "stretch.c")
    r = m.record(mpi, 2, [exe, "ring", "5"], ["--mem"])
    plain = h.record([exe, "1"], ["--mem"])
    for verb in (["replay", "--mem"], ["cache"], ["report"], ["show"]):
        for text, status, said in (("MPI_Waitall:2", 2, "FROM..TO"), ("..", 2, "FROM..TO"),
                                   ("MPI_Nothing..", 2, "is no function of MPI"),
                                   ("MPI_Waitall:0..", 2, "from 1"), ("#x..", 2, "is no number"),
                                   ("MPI_Waitall:6..", 1, "begins with"),
                                   ("..MPI_Barrier", 1, "ends with"), ("#9..#8", 1, "before"),
                                   ("#8..#8", 1, "before")):
            got = h.bobbin(*verb, f"--between={text}", r.trace)
            h.check(got.status == status and said in got.err.decode() and got.err.count(b"\n") == 1
                    and not got.out, f"{verb} --between={text}\n{got}")
        if plain.status == 2:
            got = h.bobbin(*verb, "--between=MPI_Send..", plain.trace)
            h.check(got.status == 1 and b"no MPI calls" in got.err, f"{verb} without MPI\n{got}")


for name in m.MPIS:
    suite.add(f"{name}: memory, threads", stretches, name, ["--mem"], 2, ["threads"])
    suite.add(f"{name}: calls", among_calls, name, [], 4)
    suite.add(f"{name}: killed", killed, name, 2)
suite.add("openmpi: memory", stretches, "openmpi", ["--mem"], 1)
suite.add("openmpi: memory, raw", stretches, "openmpi", ["--mem", "--codec=none"], 3, ["threads"])
suite.add("openmpi: calls without call sites", among_calls, "openmpi", ["--no-callsites"], 5)
suite.add("openmpi: loops stay loops", folds, "openmpi")
suite.add("openmpi: bad input", bad, "openmpi")

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
