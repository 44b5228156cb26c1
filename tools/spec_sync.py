# SPDX-License-Identifier: BSD-3-Clause
"""Marks of synchronisation: docs/format.md, "Synchronisation".

The part of spec_decoder.py that knows the kinds, and checks that a process's marks are possible."""
from spec_bytes import M64, Bad

TURN, GIVE, AWAIT, NOTE = "TURN", "GIVE", "AWAIT", "NOTE"
GOLDEN = 0x9E3779B97F4A7C15

# by kind: rule, group, words
KINDS = [
    None,
    (GIVE, "THREADS", 1), (AWAIT, "THREADS", 1), (AWAIT, "ENDS", 1), (TURN, "", 2),
    (TURN, "", 2), (TURN, "", 2), (TURN, "", 2), (TURN, "", 2),
    (TURN, "", 2), (TURN, "", 2), (TURN, "", 2), (TURN, "", 2),
    (TURN, "", 2), (TURN, "", 2), (TURN, "", 2), (TURN, "", 2),
    (GIVE, "BARRIERS", 1), (AWAIT, "BARRIERS", 2), (TURN, "", 2), (TURN, "", 2),
    (GIVE, "REGIONS", 1), (AWAIT, "REGIONS", 2), (GIVE, "REGION_ENDS", 1),
    (AWAIT, "REGION_ENDS", 2), (GIVE, "TEAM_BARRIERS", 1), (AWAIT, "TEAM_BARRIERS", 2),
    (TURN, "", 2), (TURN, "", 2), (TURN, "", 2), (TURN, "", 2),
    (TURN, "", 2), (TURN, "", 2), (TURN, "", 2), (TURN, "", 2),
    (NOTE, "", 1), (NOTE, "", 1), (TURN, "", 2), (TURN, "", 2),
]


class Sync:
    def __init__(self, kind, word):
        if not 0 < kind < len(KINDS) or len(word) < KINDS[kind][2]:
            raise Bad
        self.kind, self.object = kind, word[0]
        self.rule, self.group, words = KINDS[kind]
        self.number = word[1] if words > 1 else 1

    def place(self):
        return (self.object * GOLDEN & M64) >> 52


def check_order(marks):
    """Simulate the threads: each runs as far as the rules permit, and all must reach their end.

    marks: {number of the stream: its marks}."""
    counts, turns, at = {}, {}, dict.fromkeys(marks, 0)

    def may_come(m):
        if m.rule == TURN:
            return turns.get(m.place(), 0) == m.number
        return m.rule != AWAIT or counts.get((m.group, m.object), 0) >= m.number

    def come(m):
        if m.rule == TURN:
            turns[m.place()] = m.number + 1
        elif m.rule == GIVE:
            counts[m.group, m.object] = counts.get((m.group, m.object), 0) + 1

    def run(stream):
        row, begin = marks[stream], at[stream]
        while at[stream] < len(row) and may_come(row[at[stream]]):
            come(row[at[stream]])
            at[stream] += 1
        if at[stream] == len(row) and stream not in ended:
            ended.add(stream)
            counts["ENDS", stream] = counts.get(("ENDS", stream), 0) + 1
            return True
        return at[stream] > begin

    ended = set()
    while any([run(stream) for stream in marks]):
        pass
    if len(ended) < len(marks):
        raise Bad
