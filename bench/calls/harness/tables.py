# SPDX-License-Identifier: BSD-3-Clause
"""Prints what was measured, in the shape of the paper's tables. A cell that failed says so."""
from harness import stats
from harness.measure import NATIVE, ratios

FAILED = 'FAILED'
EMPTY = '-'
# ParLoT (2018), tables 1 to 3, input C, one node of 16 cores: geometric means.
PAPER = {
    ('overhead', 'main'): 1.6, ('overhead', 'all'): 1.9, ('overhead', 'callgrind'): 6.9,
    ('bandwidth', 'main'): 2.2, ('bandwidth', 'all'): 30.0, ('bandwidth', 'callgrind'): 1.9,
    ('ratio', 'main'): 2371.4, ('ratio', 'all'): 1107.4,
}


def number(value, digits):
    return EMPTY if value is None else '%.*f' % (digits, value)


def print_table(title, head, rows):
    print('\n' + title)
    widths = [max(len(str(r[i])) for r in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print('  ' + '  '.join(str(c).ljust(w) if i == 0 else str(c).rjust(w)
                               for i, (c, w) in enumerate(zip(row, widths))))


class Cell:
    """One program, size, rank count: what all tools did on it."""

    def __init__(self, program, series):
        self.program, self.series = program, series
        # CPU time where one process runs alone, wall time where ranks wait for each other.
        self.judge = 'cpu_s' if program.ranks == 1 else 'wall_s'

    def overheads(self, name, what=None):
        return ratios(self.series, name, what or self.judge) if name in self.series else []

    def state(self, name):
        """None if the tool was not run here; else (good runs, failed runs)."""
        if name not in self.series or not self.series[name].rounds:
            return None
        s = self.series[name]
        return len(s.good()), len(s.errors())

    def median_of(self, name, get):
        if name not in self.series:
            return None
        values = [v for v in map(get, self.series[name].good()) if v is not None]
        return stats.median(values)

    def native_s(self, what):
        return self.median_of(NATIVE, lambda o: getattr(o, what))

    def bandwidth(self, name):
        """kB/s per core: trace bytes / wall time of that traced run / ranks."""
        ranks = self.program.ranks
        return self.median_of(name, lambda o: None if o.trace_bytes is None or not o.wall_s
                              else o.trace_bytes / 1e3 / o.wall_s / ranks)

    def compression(self, name):
        return self.median_of(name, lambda o: o.info['raw_bytes'] / o.info['stream_bytes']
                              if o.info.get('raw_bytes') and o.info.get('stream_bytes') else None)

    def added_ns(self, name):
        """(per call seen, calls seen): median over rounds of added CPU time / calls of that run."""
        values = []
        for native, traced in zip(self.series[NATIVE].rounds, self.series[name].rounds):
            if native.error is None and traced.error is None and traced.calls:
                values.append((traced.cpu_s - native.cpu_s) * 1e9 / traced.calls)
        return stats.median(values), self.median_of(name, lambda o: o.calls)


def cell_text(cell, name, value, digits):
    state = cell.state(name)
    if state is None:
        return EMPTY
    good, bad = state
    text = number(value, digits) if good else FAILED
    return text + ('!%d' % bad if good and bad else '')


def mean_cell(cells, name, get, digits):
    """The geometric mean over programs, with a mark if some of them are missing from it."""
    values = [get(c, name) for c in cells if c.state(name)]
    good = [v for v in values if v is not None]
    if not values:
        return EMPTY
    if not good:
        return FAILED
    mean = stats.geometric_mean(good)
    text = 'n/a' if mean is None else '%.*f' % (digits, mean)
    return text + ('*%d' % (len(values) - len(good)) if len(good) < len(values) else '')


def matrix(title, cells, tools, get, digits):
    """Rows: size, tool, ranks; columns: programs in the paper's order, and the geometric mean."""
    names = []
    for c in cells:
        if c.program.name not in names:
            names.append(c.program.name)
    rows = []
    for size in sorted({c.program.size for c in cells}, reverse=True):
        for tool in tools:
            for ranks in sorted({c.program.ranks for c in cells}):
                own = {c.program.name: c for c in cells
                       if c.program.size == size and c.program.ranks == ranks and c.state(tool)}
                if not own:
                    continue
                row = ['%s %s' % (size, tool), ranks]
                row += [cell_text(own[n], tool, get(own[n], tool), digits) if n in own else EMPTY
                        for n in names]
                rows.append(row + [mean_cell(own.values(), tool, get, digits)])
    print_table(title, ['input, tool', 'ranks'] + names + ['GM'], rows)


def overhead_median(cell, name):
    return stats.median(cell.overheads(name))


def print_paper_tables(cells, tools, breakdown):
    traced = [t for t in tools if t.startswith('bobbin')]
    print('\nA cell v!k: k of its runs failed and are left out; FAILED: all did; GM v*k: k programs'
          '\nfailed and are missing from the mean. Ratio of CPU time at 1 rank, of wall time above.')
    matrix('Overhead (traced / native, median of paired rounds)', cells, tools, overhead_median, 3)
    matrix('Bandwidth (kB/s per core)', cells, [t for t in tools if t != 'uftrace'],
           lambda c, t: c.bandwidth(t), 3)
    matrix('Compression ratio (raw bytes / stream bytes)', cells, traced,
           lambda c, t: c.compression(t), 1)
    matrix('Breakdown (overhead: patches only, + compression, + the paper\'s codec, uncompressed)',
           cells, breakdown, overhead_median, 3)
    print('\nParLoT, input C, 16 cores, geometric means: overhead %(m)s main, %(a)s all, %(c)s callgrind;'
          % {'m': PAPER['overhead', 'main'], 'a': PAPER['overhead', 'all'],
             'c': PAPER['overhead', 'callgrind']})
    print('bandwidth %s and %s kB/s per core, compression %s and %s; uncompressed 1.7-2x slower.'
          % (PAPER['bandwidth', 'main'], PAPER['bandwidth', 'all'], PAPER['ratio', 'main'],
             PAPER['ratio', 'all']))


def print_spread(title, cells, tools):
    """Every program in full: min, median, max and the interval of the median, CPU and wall."""
    rows = []
    for c in cells:
        for tool in tools:
            state = c.state(tool)
            if state is None:
                continue
            cpu, wall = c.overheads(tool, 'cpu_s'), c.overheads(tool, 'wall_s')
            judged = c.overheads(tool)
            low, high, covered = stats.interval(judged)
            rows.append([c.program.label(), c.program.ranks, tool, c.judge[:-2],
                         number(min(judged, default=None), 3),
                         number(stats.median(judged), 3) if judged else FAILED,
                         number(max(judged, default=None), 3),
                         '%s..%s (%.1f%%)' % (number(low, 3), number(high, 3), 100 * covered),
                         number(stats.median(cpu), 3), number(stats.median(wall), 3),
                         '%d/%d' % (len(judged), sum(state))])
    print_table(title, ['program', 'ranks', 'tool', 'judged', 'min', 'median', 'max',
                        'interval of the median', 'cpu', 'wall', 'pairs'], rows)


def print_calls(cells, counted):
    """Native seconds and calls per second. `counted`: (label, ranks) -> calls of the main image."""
    rows = []
    for c in cells:
        cpu = c.native_s('cpu_s')
        row = [c.program.label(), c.program.ranks, number(c.native_s('wall_s'), 2), number(cpu, 2)]
        own = counted.get((c.program.label(), c.program.ranks))
        row.append(EMPTY if own is None else own)
        for tool in ('bobbin main run', 'bobbin all run'):
            row.append(number(c.median_of(tool, lambda o: o.calls), 0))
        for calls in (own or c.median_of('bobbin main run', lambda o: o.calls),
                      c.median_of('bobbin all run', lambda o: o.calls)):
            row.append(number(calls / cpu, 0) if calls and cpu else EMPTY)
        rows.append(row)
    print_table('Calls (per second of native CPU time, all ranks together)',
                ['program', 'ranks', 'wall s', 'cpu s', 'counted main', 'bobbin main', 'bobbin all',
                 'main calls/s', 'all calls/s'], rows)


FLOOR_NS = 0.1


def print_peers(cells, tools):
    """Added ns per call that the tool itself saw; a difference below FLOOR_NS counts as FLOOR_NS."""
    rows = []
    means = {}
    for c in cells:
        for tool in tools:
            state = c.state(tool)
            if state is None:
                continue
            ns, calls = c.added_ns(tool) if state[0] else (None, None)
            rows.append([c.program.label(), tool, number(ns, 1) if ns is not None else FAILED,
                         number(calls, 0), number(overhead_median(c, tool), 2)])
            means.setdefault(tool, {})[c.program.label()] = None if ns is None else max(ns, FLOOR_NS)
    print_table('Added CPU ns per call seen (below %.1f counts as %.1f in the means)' % (FLOOR_NS, FLOOR_NS),
                ['program', 'tool', 'ns/call', 'calls seen', 'overhead'], rows)
    pairs = [('uftrace', 'bobbin main run'), ('callgrind', 'bobbin all run')]
    for peer, own in pairs:
        both = [k for k, v in means.get(peer, {}).items() if v and means.get(own, {}).get(k)]
        if not both:
            print('  %s / %s: no program where both ended well' % (peer, own))
            continue
        factor = stats.geometric_mean([means[peer][k] / means[own][k] for k in both])
        print('  %s / %s, added ns per call, geometric mean of %d programs: %.1fx'
              % (peer, own, len(both), factor))


def print_rows(title, head, rows):
    print_table(title, head, rows)
