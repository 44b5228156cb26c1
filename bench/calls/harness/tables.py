# SPDX-License-Identifier: BSD-3-Clause
"""Prints runs in the shape of the paper's tables. A cell that failed or was not run says so."""
from harness import stats
from harness.programs import ALL_KERNELS, MANY
from harness.rows import NATIVE

FAILED = 'FAILED'
EMPTY = '-'
CODECS = ['null', 'run', 'parlot', 'none']
RUN_TOOLS = ['bobbin main run', 'bobbin app run', 'bobbin all run']
BREAKDOWN = ['bobbin %s %s' % (m, c) for m in ('main', 'all') for c in CODECS]
# ParLoT (2018), tables 1 to 3, input C, one node of 16 cores: geometric means.
PAPER = """
ParLoT, input C, 16 cores, geometric means: overhead 1.6 main, 1.9 all, 6.9 callgrind;
bandwidth 2.2 and 30.0 kB/s per core, compression 2371.4 and 1107.4; uncompressed 1.7-2x slower."""
LEGEND = """
A cell `-` was not run; `v!k`: k of its runs failed and are left out; FAILED: all did; GM `v*k`: k
of the programs that were run have no value and are missing from the mean. Ratios are of CPU time
at 1 rank, of wall time above, traced / native of the same round."""
NOISE = 1.03    # added ns of a tool that adds less than this are noise
THREE = ('min', 'median', 'max')
SIZES, RANKS = ('L', 'S'), (1, 4, 16)    # of the whole benchmark


def number(value, digits):
    return EMPTY if value is None else '%.*f' % (digits, value)


def print_table(title, head, rows, separator='  '):
    print('\n' + title)
    widths = [max(len(str(r[i])) for r in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print(('  ' + separator.join(str(c).ljust(w) if i == 0 else str(c).rjust(w)
                                      for i, (c, w) in enumerate(zip(row, widths)))).rstrip())


class Cell:
    """One program, size, rank count: what all tools did on it."""

    def __init__(self, program, size, ranks):
        self.program, self.size, self.ranks = program, size, ranks
        self.runs = {}    # tool: its runs
        self.native = {}    # (group, round): the native run of that round
        # CPU time where one process runs alone, wall time where ranks wait for each other.
        self.judge = 'cpu_s' if ranks == 1 else 'wall_s'

    def label(self):
        return self.program + ('.' + self.size if self.size else '')

    def good(self, tool):
        return [r for r in self.runs.get(tool, []) if r.error is None]

    def failures(self, tool):
        return len(self.runs.get(tool, [])) - len(self.good(tool))

    def values(self, tool, get):
        return [v for v in map(get, self.good(tool)) if v is not None]

    def median(self, tool, get):
        return stats.median(self.values(tool, get))

    def pairs(self, tool):
        """(native, traced) of the rounds in which both ended well."""
        both = [(self.native.get((r.group, r.round)), r) for r in self.good(tool)]
        return [(n, r) for n, r in both if n and n.error is None]

    def overheads(self, tool, what=None):
        what = what or self.judge
        return [getattr(r, what) / getattr(n, what) for n, r in self.pairs(tool)
                if getattr(n, what)]

    def bandwidths(self, tool):
        """kB/s per core: trace bytes / wall time of that traced run / ranks."""
        return self.values(tool, lambda r: None if r.trace_bytes is None or not r.wall_s
                           else r.trace_bytes / 1e3 / r.wall_s / self.ranks)

    def compressions(self, tool):
        return self.values(tool, lambda r: r.raw_bytes / r.trace_bytes
                           if r.raw_bytes and r.trace_bytes else None)

    def added_ns(self, tool):
        """Median over rounds of added CPU time / calls of that run."""
        return stats.median([(r.cpu_s - n.cpu_s) * 1e9 / r.calls for n, r in self.pairs(tool)
                             if r.calls])


def make_cells(rows, part, group=None):
    """Kernels in the paper's order, the rest as they came; size L first."""
    cells = {}
    for r in rows:
        if r.part == part and (group is None or r.group == group):
            cell = cells.setdefault((r.program, r.size, r.ranks), Cell(r.program, r.size, r.ranks))
            cell.runs.setdefault(r.tool, []).append(r)
            if r.tool == NATIVE:
                cell.native[r.group, r.round] = r
    place = {name: i for i, name in enumerate(ALL_KERNELS)}
    return sorted(cells.values(), key=lambda c: (place.get(c.program, 99), c.size != 'L', c.ranks))


def pick(values, which):
    return (min(values) if which == 'min' else max(values) if which == 'max'
            else stats.median(values))


def cell_text(cell, tool, values, text):
    """What a cell says; text(values) is for runs that ended well."""
    if cell is None or tool not in cell.runs:
        return EMPTY
    bad = cell.failures(tool)
    if not values:
        return FAILED if bad else EMPTY
    return text(values) + ('!%d' % bad if bad else '')


def mean_text(all_values, text):
    """The geometric mean over programs, with a mark if some of them are missing from it."""
    have = [v for v in all_values if v]
    if not have:
        return EMPTY
    missing = len(all_values) - len(have)
    return text(have) + ('*%d' % missing if missing else '')


def mean_of(lists, which):
    return stats.geometric_mean([pick(v, which) for v in lists])


def by_place(cells):
    """({(size, ranks): {program: cell}}, programs)."""
    places = {}
    for c in sorted(cells, key=lambda c: (c.size != 'L', c.ranks)):
        places.setdefault((c.size, c.ranks), {})[c.program] = c
    return places, list(dict.fromkeys(c.program for c in cells))


def matrix(title, cells, tools, get, digits):
    """The paper's form: a column for each program and the geometric mean; rows for median, min and
    max of the runs."""
    places, names = by_place(cells)
    rows = []
    for size in dict.fromkeys(size for size, _ in places):
        for tool in tools:
            for ranks in [r for s, r in places if s == size]:
                own = places[size, ranks]
                lists = {n: get(own[n], tool) if n in own else [] for n in names}
                run = [lists[n] for n in names if n in own and tool in own[n].runs]
                several = any(len(v) > 1 for v in run)
                for which in ('median', 'min', 'max') if several else ('median',):
                    def text(values, which=which):
                        return number(pick(values, which), digits)

                    row = (['%s %s' % (size, tool), ranks, which] if which == 'median'
                           else ['', '', which])
                    row += [cell_text(own.get(n), tool, lists[n], text) for n in names]
                    rows.append(row + [mean_text(
                        run, lambda v, which=which: number(mean_of(v, which), digits))])
    print_table(title, ['input, tool', 'ranks', 'of runs'] + names + ['GM'], rows)


def three(values):
    return '/'.join('%.2f' % v for v in values)


def print_breakdown(places, cells):
    """One table for each size and number of ranks, all tools of a round side by side."""
    measured, names = by_place(cells)
    print('\nBreakdown: overhead, min/median/max; null: patches and handler only, run: ours, '
          'parlot: the paper\'s '
          'codec,\nnone: uncompressed. All of a line are from the same rounds.')
    for size, ranks in places:
        own = measured.get((size, ranks))
        title = 'Breakdown, input %s, %d rank%s' % (size, ranks, 's' * (ranks != 1))
        if not own:
            print('\n%s: not run' % title)
            continue
        table = []
        for n in names:
            lists = [own[n].overheads(t) if n in own else [] for t in BREAKDOWN]
            table.append([n] + [cell_text(own.get(n), t, v,
                                          lambda v: three(pick(v, w) for w in THREE))
                                for t, v in zip(BREAKDOWN, lists)])
        lists = [[own[n].overheads(t) for n in own if t in own[n].runs] for t in BREAKDOWN]
        table.append(['GM'] + [mean_text(v, lambda v: three(mean_of(v, w) for w in THREE))
                               for v in lists])
        print_table(title, [''] + [t[len('bobbin '):] for t in BREAKDOWN], table, separator=' ')


def print_spread(title, cells):
    """Every program in full: min, median, max and the interval of the median, CPU and wall."""
    rows = []
    order = RUN_TOOLS + BREAKDOWN + ['callgrind']
    for c in cells:
        for tool in dict.fromkeys(t for t in order if t in c.runs):
            judged = c.overheads(tool)
            low, high, covered = stats.interval(judged)
            row = [c.label(), c.ranks, tool, c.judge[:-2]]
            row += [number(pick(judged, w), 3) if judged else FAILED
                    for w in ('min', 'median', 'max')]
            row += ['%s..%s (%.1f%%)' % (number(low, 3), number(high, 3), 100 * covered)]
            row += [number(stats.median(c.overheads(tool, what)), 3)
                    for what in ('cpu_s', 'wall_s')]
            rows.append(row + ['%d/%d' % (len(judged), len(c.runs[tool]))])
    print_table(title, ['program', 'ranks', 'tool', 'judged', 'min', 'median', 'max',
                        'interval of the median', 'cpu', 'wall', 'pairs'], rows)


def print_calls(cells):
    """Native seconds and calls per second."""
    rows = []
    for c in cells:
        wall, cpu = (c.median(NATIVE, lambda r, w=w: getattr(r, w)) for w in ('wall_s', 'cpu_s'))
        counted, main, every = (c.median(t, lambda r: r.calls)
                                for t in ('counted', 'bobbin main run', 'bobbin all run'))
        rows.append([c.label(), c.ranks, number(wall, 2), number(cpu, 2)]
                    + [number(v, 0) for v in (counted, main, every)]
                    + [number(v / cpu, 0) if v and cpu else EMPTY
                       for v in (counted or main, every)])
    print_table('Calls (per second of native CPU time, all ranks together)',
                ['program', 'ranks', 'wall s', 'cpu s', 'counted main', 'bobbin main', 'bobbin all',
                 'main calls/s', 'all calls/s'], rows)


def print_kernels(rows):
    cells = make_cells(rows, 'kernels')
    print_calls(cells)
    if all(set(c.runs) <= {NATIVE, 'counted'} for c in cells):
        return
    print(LEGEND)
    places, names = by_place(cells)
    missing = ['%s at %d' % (s, r) for s in SIZES for r in RANKS if (s, r) not in places]
    missing += [n for n in ALL_KERNELS if n not in names]
    print('Not run at all: %s' % (', '.join(missing) or 'nothing'))
    matrix('Overhead (traced / native of the same round)', cells, RUN_TOOLS + ['callgrind'],
           Cell.overheads, 3)
    matrix('Bandwidth (kB/s per core)', cells, RUN_TOOLS + ['callgrind'], Cell.bandwidths, 3)
    matrix('Compression ratio (raw bytes / stream bytes)', cells, RUN_TOOLS, Cell.compressions, 0)
    print(PAPER)
    print_breakdown(places, make_cells(rows, 'kernels', 'codecs'))
    print_spread('Kernels in full', cells)


def print_peers(cells):
    """Added ns per call, as measured by the tool itself. The means are over the programs where both
    tools cost more than noise: dropping only those where one tool does would favour it."""
    rows = []
    means = {}
    for c in cells:
        for tool in ('bobbin main run', 'bobbin all run', 'uftrace', 'callgrind'):
            ns = c.added_ns(tool)
            rows.append([c.label(), tool,
                         cell_text(c, tool, c.overheads(tool), lambda v: number(ns, 1)),
                         number(c.median(tool, lambda r: r.calls), 0),
                         number(stats.median(c.overheads(tool)), 2)])
            if ns is not None and stats.median(c.overheads(tool)) >= NOISE:
                means.setdefault(tool, {})[c.label()] = ns
    print_table('Added CPU ns per call seen',
                ['program', 'tool', 'ns/call', 'calls seen', 'overhead'], rows)
    for peer, own in (('uftrace', 'bobbin main run'), ('callgrind', 'bobbin all run')):
        both = [k for k in means.get(peer, {}) if k in means.get(own, {})]
        if not both:
            print('  %s / %s: no program where both ended well and cost more than noise'
                  % (peer, own))
            continue
        factor = stats.geometric_mean([means[peer][k] / means[own][k] for k in both])
        print('  %s / %s, added ns per call, geometric mean of the %d programs where both add at '
              'least %.0f %%: %.1fx'
              % (peer, own, len(both), 100 * (NOISE - 1), factor))


def print_startup(cells):
    """The agent's own start is `patch`: from the making of its file to the first recorded call."""
    def ms(c, tool, get):
        value = c.median(tool, get)
        return None if value is None else value * 1e3

    def after(r):
        return None if r.patch_s is None else r.wall_s - r.before_s - r.patch_s - r.inside_s

    rows = []
    for c in cells:
        base = ms(c, NATIVE, lambda r: r.wall_s)
        for images in ('main', 'all'):
            warm = 'bobbin %s run' % images
            row = [c.program, images, number(c.median(warm, lambda r: r.calls), 0), number(base, 1)]
            for tool in (warm + ' cold', warm):
                added = [r.wall_s - n.wall_s for n, r in c.pairs(tool)]
                row += [cell_text(c, tool, added, lambda v: number(stats.median(v) * 1e3, 1))]
                row += [number(ms(c, tool, get), 1)
                        for get in (lambda r: r.before_s, lambda r: r.patch_s)]
            row += [number(ms(c, warm, get), 1) for get in (lambda r: r.inside_s, after)]
            rows.append(row + [len(c.good(warm))])
    print_table('Start-up, wall ms, medians, with a cold and a warm plan cache. added = before '
                '(launcher, loader) + patch '
                '(plans, patches)\n+ program (from its first recorded call) + after (the launcher '
                'ends the trace) - native',
                ['program', 'images', 'calls', 'native', 'cold added', 'before', 'patch',
                 'warm added', 'before', 'patch', 'program', 'after', 'runs'], rows)


def print_threads(cells):
    """What one more thread takes: (peak of many - peak of one) / more; and how late it starts."""
    rows = []
    by_name = {(c.program, c.size): c for c in cells}
    for size in sorted({c.size for c in cells}, key=int):
        pair = [by_name.get(('threads %d' % n, size)) for n in (1, 1 + MANY)]
        if None in pair:
            continue

        def more(tool, pair=pair):
            one, many = (c.median(tool, lambda r: r.peak_kb) for c in pair)
            start = pair[1].median(tool, lambda r: r.thread_start_us)
            return (None, None) if one is None or many is None else ((many - one) / MANY, start)

        native = more(NATIVE)
        for images in ('main', 'all'):
            traced = more('bobbin %s run' % images)
            added = [None if a is None or b is None else a - b for a, b in zip(traced, native)]
            rows.append([size, images]
                        + [number(v, 1)
                           for v in (native[0], traced[0], added[0], native[1], added[1])])
    print_table('Threads: resident kB of one more thread, and us from pthread_create to its first '
                'statement',
                ['calls', 'images', 'native kB', 'traced kB', 'added kB', 'native us', 'added us'],
                rows)


def print_failures(rows):
    """Their number."""
    failed = {}
    for r in rows:
        if r.error is not None:
            name = r.program + ('.' + r.size if r.size else '')
            what = '%s: %s, %d ranks, %s: %s' % (r.part, name, r.ranks, r.tool, r.error)
            failed[what] = failed.get(what, 0) + 1
    print('\nFailed runs: %s' % (sum(failed.values()) or 'none'))
    for what, times in failed.items():
        print('  %d x %s' % (times, what))
    return len(failed)


def print_all(rows):
    """All tables there are rows for; the number of failures."""
    parts = {r.part for r in rows}
    if 'kernels' in parts:
        print_kernels(rows)
    if 'heavy' in parts:
        cells = make_cells(rows, 'heavy')
        print_calls(cells)
        print_spread('Call-heavy programs', cells)
    if 'peers' in parts:
        print_peers(make_cells(rows, 'peers'))
    if 'startup' in parts:
        print_startup(make_cells(rows, 'startup'))
    if 'threads' in parts:
        print_threads(make_cells(rows, 'threads'))
    return print_failures(rows)
