# SPDX-License-Identifier: BSD-3-Clause
"""Tables of verbs, read back: what docs/tables.md promises of all of them."""

import csv
import io
import json

import harness as h


def out(*args, status=0):
    r = h.bobbin(*args)
    h.check(r.status == status and (status or not r.err), f"{r}")
    return r.out.decode() if status == 0 else r.err.decode()


def lines(text):
    """Rows of CSV as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def agree(rows, found, what):
    """CSV and JSON are the same: numbers as numbers, and nothing for what has no value."""
    h.check(len(rows) == len(found), f"{what}: {len(rows)} and {len(found)} rows")
    for a, b in zip(rows, found):
        h.check(list(a) == [k for k in b if k != "table"], f"{what}: {list(a)}, {list(b)}")
        for key, value in a.items():
            want = b[key]
            if want is None:
                h.check(value == "", f"{what}: {key} is {value}, null in JSON")
            elif isinstance(want, str):
                h.check(value == want, f"{what}: {key} is {value} and {want}")
            elif value.startswith("0x"):
                h.check(int(value, 16) == want, f"{what}: {key} is {value} and {want}")
            else:
                h.check(abs(float(value) - want) <= 1e-5 * abs(want),
                        f"{what}: {key} is {value} and {want}")


def common(verb, options, of, key):
    """What every table promises. `key`: its first column."""
    args = [verb, *options, "--no-pager"]
    rows, found = lines(out(*args, "-f", "csv", of)), objects(out(*args, "-f", "json", of))
    agree(rows, found, f"{verb} {options}")
    h.check(len(rows) > 1, f"{verb} {options}: {rows}")
    sorted_ = lines(out(*args, "-f", "csv", f"--sort=-{key}", of))
    h.check([int(r[key]) for r in sorted_] == sorted(int(r[key]) for r in rows),
            f"{verb} {options}: {sorted_}")
    h.check(len(lines(out(*args, "-f", "csv", "-n", "1", of))) == 1, f"{verb} {options}: --limit")
    some = lines(out(*args, "-f", "csv", f"--columns={key}", of))
    h.check([list(r.items())[-1] for r in some] == [(key, r[key]) for r in rows],
            f"{verb} {options}: {some}")
    text = out(*args, f"--columns={key}", "-n", "0", of)
    want = "\n".join([key, *(f"{int(r[key]):,}" for r in rows)])
    h.check(want in "\n".join(line.strip() for line in text.splitlines()),
            f"{verb} {options}: {want}\n{text}")
    text = out(*args, "--columns=help", of)
    h.check(text.startswith("columns of the table ") and f"\n  {key} " in text, text)
    file = h.fresh("out") / "x"
    for wrong in ("--sort=nothing_like_it", "--columns=nothing_like_it"):
        text = out(*args, "-o", file, wrong, of, status=2)
        h.check("no column 'nothing_like_it'" in text and text.count("\n") == 1
                and not file.exists(), text)
    return rows
