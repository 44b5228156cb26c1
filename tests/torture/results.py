# SPDX-License-Identifier: BSD-3-Clause
"""Results of the torture corpus: lines of JSON, the list of known differences, the table at the
end."""

import collections
import json
import pathlib

KNOWN = pathlib.Path(__file__).with_name("known.txt")


def key(result):
    return (result["family"], result["name"], result["level"])


def read_lines(path):
    """{key: result} of a file of JSON lines; the last one of a program counts, a torn one does
    not."""
    found = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = json.loads(line)
            except ValueError:
                continue
            found[key(result)] = result
    return found


def read_known(path=KNOWN):
    """{(family, name, level, mode): reason}; a line is these four words and the reason."""
    known = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 4)
        if len(words) < 5:
            raise ValueError(f"{path}:{number}: want FAMILY NAME LEVEL MODE REASON")
        known[tuple(words[:4])] = words[4]
    return known


def judge(results, known):
    """(failures, notes): lines that say which differences are real, stale or accepted, or came
    once."""
    failures, notes = [], []
    for result in results:
        for mode, verdict in result["modes"].items():
            name = " ".join([*key(result), mode])
            reason = known.get((*key(result), mode))
            detail = result["details"].get(mode, {})
            what = " ".join(w for w in detail if w not in ("of", "differ"))
            times = f"{what} ({detail.get('differ')} of {detail.get('of')} recordings)"
            if verdict == "differs" and reason:
                notes.append(f"known: {name}: {times}: {reason}")
            elif verdict == "differs":
                failures.append(f"differs: {name}: {times}")
            elif verdict == "same" and reason:
                failures.append(f"differs no more, but is in {KNOWN.name}: {name}")
            elif verdict == "once":
                notes.append(f"once: {name}: {times}")
    return failures, notes


def table(results, families, modes, known):
    """Lines: one for each family, programs, unfit, compared, and differences (known ones) in each
    mode."""
    head = ("family", "programs", "unfit", "compared", *modes)
    rows, total = [head], collections.Counter()
    for family in families:
        mine = [r for r in results if r["family"] == family]
        if not mine:
            continue
        count = collections.Counter(programs=len(mine))
        count["unfit"] = sum(r["verdict"] == "unfit" for r in mine)
        count["compared"] = len(mine) - count["unfit"]
        for r in mine:
            for mode, verdict in r["modes"].items():
                count[mode] += verdict == "differs"
                count[mode + " known"] += verdict == "differs" and (*key(r), mode) in known
                count[mode + " once"] += verdict == "once"
        rows.append(row(family, count, modes))
        total.update(count)
    rows.append(row("all", total, modes))
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    lines = []
    for r in rows:
        cells = [r[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(r[1:], widths[1:]))]
        lines.append("  ".join(cells))
    return lines


def row(family, count, modes):
    cells = [family, *(str(count[c]) for c in ("programs", "unfit", "compared"))]
    for mode in modes:
        cell = str(count[mode])
        more = [f"{count[f'{mode} {w}']} {w}" for w in ("known", "once") if count[f"{mode} {w}"]]
        cells.append(f"{cell} ({', '.join(more)})" if more else cell)
    return tuple(cells)


def reasons(results):
    """Lines: how many programs of each family were unfit, by reason."""
    count = collections.Counter((r["family"], r["reason"])
                                for r in results if r["verdict"] == "unfit")
    return [f"unfit: {n:5} {family}: {reason}" for (family, reason), n in sorted(count.items())]
