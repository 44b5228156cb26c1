# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the rows, beside the paper's figures. A line that begins with ! misses its goal."""
import statistics

from . import programs

SMALLER = 20        # times than raw, at least
MERGING = 0.05      # of the time of recording, at most
KERNEL_BYTES = {"add": 2048, "matmul": 2048, "lu": 2048, "cholesky": 2048}
THREAD_BYTES = {"add": 1024, "matmul": 1024, "lu": 2048, "cholesky": 2048}


def by_program(rows, part):
    found = {}
    for r in rows:
        if r.part == part:
            found.setdefault(r.key(), {}).setdefault(r.kind, []).append(r)
    return found


def median(kinds, kind, field="cpu"):
    return statistics.median(getattr(r, field) for r in kinds[kind])


def paper_of(key, known):
    for p in known:
        if (p.name, p.size, p.threads, p.ranks) == key[1:]:
            return p
    return programs.Program(*key[1:])


def number(n):
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= limit:
            return f"{n / limit:.3g} {unit}"
    return f"{n} B"


def print_table(title, head, lines):
    if not lines:
        return
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    print(f"\n{title}\n")
    for line in [head, *lines]:
        print("  ".join(str(c).ljust(w) if i < 2 else str(c).rjust(w)
                        for i, (c, w) in enumerate(zip(line, widths))).rstrip())


def sizes(rows):
    lines, lost = [], 0
    for key, kinds in by_program(rows, "sizes").items():
        if "all merged" not in kinds:
            continue
        first, threads, both = (kinds[k][-1] for k in ("folded", "threads merged", "all merged"))
        per_thread = first.alone_bytes / max(1, first.streams)
        thread = f"{number(round(per_thread))}, {number(first.alone_most)}" if per_thread else "-"
        ratio = both.raw_bytes / both.stream_bytes
        is_lost = ratio < SMALLER if key[1] not in KERNEL_BYTES else (
            both.stream_bytes > KERNEL_BYTES[key[1]] or per_thread > THREAD_BYTES[key[1]])
        lost += is_lost
        lines.append(["!" if is_lost else "", f"{key[1]} {key[2]}", f"{key[3]} x {key[4]}",
                      f"{both.accesses:,}", number(both.raw_bytes), thread,
                      number(first.stream_bytes), number(threads.stream_bytes),
                      number(both.stream_bytes), f"{ratio:.0f}",
                      paper_of(key, programs.paper_sizes()).paper or "-"])
    print_table("Sizes: bytes of one thread by itself (mean, most), in the buffers of all as they "
                "end, with the threads of each process "
                "merged, with all\nprocesses merged",
                ["", "program", "threads x ranks", "accesses", "raw", "a thread", "buffers",
                 "threads", "ranks", "smaller",
                 "paper, raw:compressed"], lines)
    return lost


def breakdown(rows):
    lines, lost = [], 0
    for key, kinds in by_program(rows, "breakdown").items():
        if "merging ranks" not in kinds:
            continue
        known = paper_of(key, programs.breakdown())
        native, null, raw, folded = (median(kinds, k) for k in ("native", "null", "raw", "folded"))
        flat = median(kinds, "flat") if "flat" in kinds else None
        merging, ranks = median(kinds, "merging both"), median(kinds, "merging ranks")
        share, ratio = merging / folded, folded / native
        is_lost = share > MERGING or (known.goal and ratio > known.goal)
        lost += bool(is_lost)
        calls, folding = (f"{folded - flat:.2f}", flat - null) if flat else ("-", folded - null)
        accesses = kinds["folded"][-1].accesses
        lines.append(["!" if is_lost else "", f"{key[1]} {key[2]}", f"{key[3]} x {key[4]}",
                      f"{accesses:,}", f"{native:.2f}",
                      f"{null:.2f}", calls, f"{folding:.2f}", f"{max(0, merging - ranks):.3f}",
                      f"{ranks:.3f}" if key[4] > 1 else "-", f"{raw:.2f}", f"{ratio:.1f}",
                      known.goal or "-", f"{1e9 * (folded - native) / max(1, accesses):.1f}",
                      f"{100 * share:.1f} %", known.paper or "-"])
    print_table("Breakdown: processor time in seconds. Native; with a null sink, in all; then what "
                "is added by call paths, by "
                "folding,\nby merging threads, by merging ranks. Beside it: raw records in all; "
                "recording / native; ns added an "
                "access; merging / recording",
                ["", "program", "threads x ranks", "accesses", "native", "null", "+paths",
                 "+folding",
                                                "+threads", "+ranks", "raw", "ratio", "goal", "ns",
                 "merging",
                                                "paper: native / instrumented / compressed + "
                                                "threads + ranks, s"], lines)
    return lost


def merging(rows):
    lines, lost = [], 0
    for key, kinds in by_program(rows, "merging").items():
        if "merging" not in kinds:
            continue
        native, folded, first, again = (median(kinds, k)
                                        for k in ("native", "folded", "merging first", "merging"))
        before, after = kinds["folded"][-1], kinds["merging"][-1]
        is_lost = again > MERGING * folded
        lost += is_lost
        lines.append(["!" if is_lost else "", f"{key[1]} {key[2]}", f"{key[3]} x {key[4]}",
                      f"{before.accesses:,}", f"{native:.2f}",
                      f"{folded:.2f}", f"{again:.3f}", f"{100 * again / folded:.1f} %",
                      f"{first:.3f}", f"{100 * first / folded:.1f} %", number(before.stream_bytes),
                      number(after.stream_bytes)])
    print_table("Merging of threads and ranks, names, lines and variables included: processor time "
                "in seconds; by that of recording; "
                "the same\nwhere these names have to be found out. Last: bytes before and after", [
                    "", "program", "threads x ranks", "accesses", "native", "recording", "merging",
                    "share", "first", "share", "before", "after"], lines)
    return lost


def peers(rows):
    lines = []
    for key, kinds in by_program(rows, "peers").items():
        if "callgrind" not in kinds:
            continue
        ours, few, many = (kinds[k][-1] for k in ("bobbin", "lackey, zstd -1", "lackey, zstd -19"))
        lines.append(["", f"{key[1]} {key[2]}", f"{ours.accesses:,}", number(ours.stream_bytes),
                      f"{ours.cpu:.2f}", number(few.raw_bytes), number(few.stream_bytes),
                      f"{few.cpu:.1f}", number(many.stream_bytes),
                      f"{many.cpu:.1f}", f"{kinds['callgrind'][-1].cpu:.2f}",
                      f"{kinds['native'][-1].cpu:.3f}"])
    print_table("Peers: bytes, and processor time of the whole run in seconds. lackey sees all "
                "images and instructions, from the start on",
                ["", "program", "accesses", "bobbin", "s", "lackey's text", "zstd -1", "s",
                 "zstd -19", "s", "callgrind, s",
                 "native, s"], lines)
    return 0


def print_all(rows):
    return sum(part(rows) for part in (sizes, breakdown, merging, peers))
