#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the Fortran parser with gfortran: names, types, shapes, values and COMMON of every unit,
and whether a file with a call at every insertion point still compiles. Counts and prints the
differences.

    bench/fortran_oracle.py [--build DIR] [--probe] [--flags "-fopenmp"] FILE|DIR...

Files that gfortran rejects unchanged (missing modules, deliberate errors), or compiles for more
than two minutes, are skipped and counted. Names that the parser itself reports as unknown (a value
or bound that follows from functions, a kind, a name of ASSOCIATE or SELECT TYPE without a type) are
counted separately; --unknown prints them, too. Exit 1 if anything differs.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDINGS = (".f", ".for", ".f90", ".f95", ".f03", ".f08", ".f18")


def gfortran(flags, path, *more):
    with tempfile.TemporaryDirectory() as modules:
        return subprocess.run(["gfortran", "-w", "-std=legacy", "-fsyntax-only", "-J", modules,
                               "-I", os.path.dirname(path), *flags,
                               *more, path], capture_output=True, text=True, errors="replace",
                              timeout=120)


def split_unit(line):
    found = re.search(r"procedure name = (\S+)", line)
    return found.group(1).lower() if found else None


def read_dump(text):
    """{(unit, name): fields} of -fdump-fortran-original."""
    names, unit, name = {}, None, None
    for line in text.splitlines():
        new = split_unit(line)
        if new is not None:
            unit, name = new, None
            continue
        found = re.match(r"\s*symtree: '([^']*)'\s*\|\| symbol: '([^']*)'", line)
        if found:
            name = (unit, found.group(1).lower())
            names.setdefault(name, {})
            continue
        found = re.match(r"\s*common: /([^/]*)/ (.*)", line)
        if found and unit is not None:
            for member in found.group(2).replace(",", " ").split():
                names.setdefault((unit, member.lower()), {})["common"] = found.group(1).lower()
            continue
        if name is None:
            continue
        fields = names[name]
        found = re.match(r"\s*type spec : \((\w+)(?: (\d+))?", line)
        if found:
            fields["type"] = found.groups()
        elif "attributes: (" in line:
            fields["attributes"] = line.split("(", 1)[1].strip(" )").split()
        elif "Array spec:(" in line:
            fields["spec"] = line.split("Array spec:(", 1)[1].strip()[:-1].split()
        elif re.match(r"\s*value: -?\d+(_\d+)?$", line):
            fields["value"] = int(line.split(":")[1].split("_")[0])
        elif re.match(r"\s*code:", line):
            name = None
    return names


def read_ours(text):
    names = {}
    for line in text.splitlines():
        unit, name, cls, typ, kind, rank, bounds, value, common = line.split("|")
        names.setdefault((unit, name),
                         {"class": int(cls), "type": typ, "kind": int(kind), "rank": int(rank),
                          "bounds": bounds.split(),
                               "value": value, "common": common})
    return names


def is_associated(attributes):
    return "ASSOCIATE-VAR" in attributes or "SELECT-TYPE-TEMPORARY" in attributes


def without_empty(bounds):
    """2:1 and 2:-5 are the same: nothing."""
    pairs = zip(bounds[::2], bounds[1::2])
    return [(low, high if high in "?." or low in "?." or int(high) >= int(low) else "empty")
            for low, high in pairs]


def compare(theirs, ours, say):
    """say(what, unit, name, both, is_known): is_known is false if the parser reports the name as
    unknown, instead of contradicting gfortran."""
    compared = 0
    units = {u for u, _ in ours}
    for (unit, name), t in theirs.items():
        attributes = t.get("attributes", [])
        if (unit not in units or not attributes or attributes[0] not in ("VARIABLE", "PARAMETER")
                or not re.match(r"[a-z]\w*$", name)):
            continue
        if any(a.startswith(("USE-ASSOC", "HOST-ASSOC"))
               for a in attributes) or name.startswith("__"):
            continue
        o = ours.get((unit, name))
        compared += 1
        if o is None:
            say("missing", unit, name, t, not is_associated(attributes))
            continue
        if (o["class"] == 2) != (attributes[0] == "PARAMETER"):
            say("class", unit, name, (t, o), True)
        typ, kind = t.get("type", ("", ""))
        if typ in ("INTEGER", "REAL", "COMPLEX", "LOGICAL") and (o["type"] != typ
                                                                 or str(o["kind"]) != kind):
            say("type", unit, name, (t["type"], o),
                not (is_associated(attributes) and o["type"] == "NONE")
                and not (o["type"] == typ and not o["kind"]))
        if typ in ("CHARACTER", "DERIVED", "CLASS") and o["type"] not in (typ, "ANY", "CLASS"):
            say("type", unit, name, (t["type"], o),
                not (is_associated(attributes) and o["type"] == "NONE"))
        spec = t.get("spec")
        if spec and len(spec) > 2:
            bounds = spec[3:]
            if int(spec[0]) != o["rank"] and spec[2] != "AS_ASSUMED_RANK":
                say("rank", unit, name, (spec, o),
                    not (is_associated(attributes) and o["type"] == "NONE"))
            elif (spec[2] == "AS_EXPLICIT" and all(re.match(r"-?\d+$", b) for b in bounds)
                  and without_empty(bounds) != without_empty(o["bounds"])):
                say("bounds", unit, name, (spec, o),
                    any(x != y and y not in "?." for x, y in zip(bounds, o["bounds"])))
        elif o["rank"]:
            say("rank", unit, name, (spec, o), True)
        if (attributes[0] == "PARAMETER" and typ == "INTEGER" and "value" in t and not spec
                and o["value"] != str(t["value"])):
            say("value", unit, name, (t["value"], o), o["value"] != "")
        if "common" in t and o["common"] != "/" + t["common"].replace("//", ""):
            say("common", unit, name, (t["common"], o), True)
    return compared


def check(args, path):
    """(compared names, [differences], what is not known), or None: gfortran refuses the file."""
    flags = args.flags.split()
    try:
        p = gfortran(flags, path, "-fdump-fortran-original")
    except subprocess.TimeoutExpired:
        return None
    if p.returncode:
        return None
    found, unknown = [], []

    def say(what, unit, name, both, is_known):
        (found if is_known else unknown).append(f"{path}: {what}: {unit}:{name}: {both}")
    if args.probe:
        probed = subprocess.run([args.reader, "--probe", path], capture_output=True)
        with tempfile.NamedTemporaryFile(suffix=os.path.splitext(path)[1], dir=args.scratch) as f:
            f.write(probed.stdout)
            f.flush()
            q = gfortran([*flags, "-I" + os.path.dirname(path)], f.name)
            if probed.returncode or q.returncode:
                found.append(f"{path}: probed: {(q.stderr.splitlines() or ['?'])[-1]}")
    ours = read_ours(subprocess.run([args.reader, "--symbols", path], capture_output=True,
                                    text=True, errors="replace").stdout)
    compared = compare(read_dump(p.stdout), ours, say)
    return compared, found, unknown


def files(arguments):
    for a in arguments:
        if os.path.isdir(a):
            for base, _, names in sorted(os.walk(a)):
                yield from (os.path.join(base, n) for n in sorted(names)
                            if n.lower().endswith(ENDINGS))
        else:
            yield a


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--flags", default="")
    parser.add_argument("--unknown", action="store_true")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    args.reader = os.path.join(args.build, "tests/unit.source.fortran_corpus")
    total, refused, kinds, unknown = [0, 0], 0, collections.Counter(), collections.Counter()
    with (tempfile.TemporaryDirectory() as args.scratch,
          concurrent.futures.ThreadPoolExecutor(2) as pool):
        for result in pool.map(lambda p: check(args, p),
                               [os.path.abspath(p) for p in files(args.paths)]):
            if result is None:
                refused += 1
                continue
            total[0] += 1
            total[1] += result[0]
            for line in result[1]:
                kinds[line.split(": ")[1]] += 1
                print(line)
            for line in result[2]:
                unknown[line.split(": ")[1]] += 1
                if args.unknown:
                    print("not known: " + line)

    def listed(counts):
        return ", ".join(f"{k} {n}" for k, n in counts.most_common()) or "none"
    print(f"{total[0]} files ({refused} more that gfortran refuses), {total[1]} names compared, "
          f"differences: {listed(kinds)}; not known: {listed(unknown)}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
