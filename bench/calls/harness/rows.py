# SPDX-License-Identifier: BSD-3-Clause
"""The file of runs: one line for each finished run. Tables are printed from this file only.

A line that was truncated by a kill is dropped. A later line about the same run replaces an earlier
one. Comment lines (#) have the versions of bobbin and of the programs, and the machine."""
import csv
import os

NATIVE = 'native'
WHOLE = ['ranks', 'round', 'calls', 'raw_bytes', 'trace_bytes', 'processes', 'threads', 'peak_kb']
REAL = ['wall_s', 'cpu_s', 'loop_s', 'thread_start_us', 'before_s', 'patch_s', 'inside_s']
FIELDS = ['part', 'group', 'program', 'size', 'ranks', 'round', 'tool', 'wall_s', 'cpu_s', 'loop_s',
          'calls', 'raw_bytes', 'trace_bytes', 'processes', 'threads', 'peak_kb', 'thread_start_us',
          'before_s', 'patch_s', 'inside_s', 'output', 'error']
KEY = FIELDS[:7]


class Run:
    """One run. An unknown value is None; `error` is None if the run counts, otherwise the reason.

    part, group, program, size, ranks, round, tool   which run; runs are compared within a round
    wall_s, cpu_s    of the whole program, including the tool's own processes
    loop_s           of the main loop, as printed by the program
    trace_bytes      of the call streams; for other tools of their files
    before_s         until the agent starts
    patch_s          until the first recorded call
    inside_s         until the end
    output           a checksum of standard output"""
    __slots__ = FIELDS

    def __init__(self, **known):
        for field in FIELDS:
            setattr(self, field, known.get(field))

    def key(self):
        return tuple(getattr(self, f) for f in KEY)

    def texts(self):
        values = [getattr(self, f) for f in FIELDS]
        return ['' if v is None else '%.6f' % v if isinstance(v, float)
                else ' '.join(str(v).split())
                for v in values]


def parse(line):
    known = {}
    for field, text in line.items():
        if text and field in FIELDS:
            known[field] = int(text) if field in WHOLE else float(text) if field in REAL else text
    known.setdefault('size', '')
    return Run(**known)


def read_file(path):
    """(comment lines, rows, bytes up to the last whole line)."""
    with open(path, 'rb') as f:
        data = f.read()
    whole = data.rfind(b'\n') + 1
    lines = data[:whole].decode().splitlines()
    comments = [line for line in lines if line.startswith('#')]
    return comments, [parse(r) for r in csv.DictReader(l for l in lines
                                                       if not l.startswith('#'))], whole


class Log:
    """The runs so far, by key; written through to a file if there is one."""

    def __init__(self):
        self.rows, self.file = {}, None

    def load(self, path):
        comments, rows, whole = read_file(path)
        for row in rows:
            self.rows[row.key()] = row
        return comments, whole

    def open(self, path, identity, machine):
        """Goes on with an existing file if the same bobbin made it; else SystemExit."""
        if os.path.exists(path) and os.path.getsize(path):
            comments, whole = self.load(path)
            if identity not in comments:
                raise SystemExit('%s is of another bobbin or other programs; name another file, or '
                                 'print it '
                                 'with --tables' % path)
            os.truncate(path, whole)
        self.file = open(path, 'a', newline='')
        if not self.file.tell():
            self.file.write('%s\n' % identity)
            self.write(FIELDS)
        self.file.write('# machine: %s\n' % machine)
        self.file.flush()

    def write(self, texts):
        csv.writer(self.file, lineterminator='\n').writerow(texts)
        self.file.flush()

    def append(self, row):
        self.rows[row.key()] = row
        if self.file:
            self.write(row.texts())


def judge(rows):
    """A traced run that printed something else than the native run of its round has failed."""
    native = {r.key()[:6]: r for r in rows if r.tool == NATIVE}
    for r in rows:
        own = native.get(r.key()[:6])
        if own and own.error is None and r.error is None and r.output != own.output:
            r.error = 'its output differs from the native run'
    return rows
