# SPDX-License-Identifier: BSD-3-Clause
"""The file of runs: one line of CSV for each finished run. Tables are made of these lines only."""
import csv
import dataclasses
import os


@dataclasses.dataclass
class Row:
    part: str
    program: str
    size: str
    threads: int
    ranks: int
    kind: str
    round: int
    cpu: float
    wall: float
    accesses: int = 0
    raw_bytes: int = 0
    stream_bytes: int = 0
    processes: int = 0
    streams: int = 0
    alone_bytes: int = 0    # of all threads, each by itself
    alone_most: int = 0

    def key(self):
        return self.part, self.program, self.size, self.threads, self.ranks


NAMES = [f.name for f in dataclasses.fields(Row)]
TYPES = {f.name: {"str": str, "int": int, "float": float}.get(f.type, f.type)
         for f in dataclasses.fields(Row)}


class Log:
    def __init__(self, path=None):
        self.rows, self.file = [], None
        if path:
            new = not os.path.exists(path) or not os.path.getsize(path)
            if not new:
                self.load(path)
            self.file = open(path, "a", encoding="ascii", newline="")
            if new:
                csv.writer(self.file, lineterminator="\n").writerow(NAMES)

    def load(self, path):
        with open(path, encoding="ascii", newline="") as f:
            for line in csv.DictReader(r for r in f if not r.startswith("#")):
                self.rows.append(Row(**{k: TYPES[k](v) for k, v in line.items() if k in TYPES}))

    def add(self, row):
        # rounded, so that tables are the same if made from the file
        row.cpu, row.wall = round(row.cpu, 4), round(row.wall, 4)
        self.rows.append(row)
        if self.file:
            csv.writer(self.file, lineterminator="\n").writerow(dataclasses.astuple(row))
            self.file.flush()

    def has(self, part, program, number):
        """Was this round run to its end?"""
        key = (part, program.name, program.size, program.threads, program.ranks)
        last = {"sizes": "all merged", "breakdown": "merging ranks", "merging": "merging",
                "peers": "callgrind"}[part]
        return any(r.key() == key and r.round == number and r.kind == last for r in self.rows)
