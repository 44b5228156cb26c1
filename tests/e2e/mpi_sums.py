# SPDX-License-Identifier: BSD-3-Clause
"""What report and commmatrix must say of a trace, added up event by event: their own way is over
the folded form."""
import csv
import io

import harness as h
import mpi_events as m

SENDS = {"Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend", "Sendrecv",
         "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"}
INITS = {"Send_init", "Bsend_init", "Ssend_init", "Rsend_init"}
TYPES = {number: m.SIZES[name] for (kind, name), number in m.PREDEFINED.items() if kind == "type"}


def text(n):
    """As bob_format_bytes writes it."""
    if not n:
        return "-"
    if n < 1000:
        return f"{n} B"
    units = ["B", "kB", "MB", "GB"]
    while n >= 999.5 and len(units) > 1:
        n /= 1000
        units = units[1:]
    return f"{n:.{0 if n >= 99.95 else 1 if n >= 9.995 else 2}f} {units[0]}"


def received(event):
    if "robe" in event.name or event.name == "Request_get_status":
        return 0
    total = 0
    for p in m.TABLE.find(event.name)[0].parameters:
        value = event.values.get(p.name)
        if p.role == "status" and p.name != "message" and value:
            total += sum(s[2] for s in value) if p.is_vector else value[2]
    return total


def fetched(event, types):
    """What a one-sided call brings."""
    v = event.values
    if v.get("target_rank", -1) < 0 or v["result"]:
        return 0
    if event.name in ("Get", "Rget"):
        return v["origin_count"] * types[v["origin_datatype"]]
    if event.name in ("Fetch_and_op", "Compare_and_swap"):
        return types[v["datatype"]]
    return v["result_count"] * types[v["result_datatype"]] if "result_count" in v else 0


class Process:
    def __init__(self, rank, world):
        self.rank, self.types, self.comms, self.inits = rank, dict(TYPES), {1: list(range(world)),
                                                                            2: [rank]}, {}

    def learn(self, thread, made, e):
        for key, value in e.values.items():
            name, _, what = key.partition(".")
            if what == "members" and value:
                self.comms.setdefault(e.values[name], value)
            if what == "size":
                self.types.setdefault(e.values[name], value)
        if e.name == "Comm_idup":
            self.comms.setdefault(e.values["newcomm"], self.comms[e.values["comm"]])
        if e.name.endswith("_init"):
            self.inits[thread, made] = e

    def message(self, e):
        """(to, bytes) of a send, or what a start of it sends; None: no rank."""
        v = e.values
        if v["dest"] < 0 or v["result"]:
            return None
        count = v["sendcount"] if "sendcount" in v else v["count"]
        kind = v["sendtype"] if "sendtype" in v else v["datatype"]
        return self.comms[v["comm"]][v["dest"]], count * self.types[kind]

    def started(self, thread, made, e):
        for word in [e.values["request"]] if e.name == "Start" else e.values["array_of_requests"]:
            assert word >= 2 and not word % 2, "a test program starts requests of other threads"
            init = self.inits[thread, made - 1 - (word - 2) // 2]
            if init.name in INITS:
                yield self.message(init)


def is_new_request(p):
    return p.role == "request" and p.comes_out and not p.goes_in


def add_up(threads):
    """Calls and bytes received by function; (messages, bytes) by pair of ranks."""
    world, calls, got, pairs = 1 + max(t.rank for t in threads), {}, {}, {}
    for rank in {t.rank for t in threads}:
        p = Process(rank, world)
        for learning in (True, False):
            for t in (t for t in threads if t.rank == rank):
                made = 0
                for e in t.events:
                    if learning:
                        p.learn(t.number, made, e)
                    else:
                        calls[e.name] = calls.get(e.name, 0) + 1
                        got[e.name] = got.get(e.name, 0) + received(e) + fetched(e, p.types)
                        sent = [p.message(e)] if e.name in SENDS else []
                        sent += p.started(t.number, made, e) if e.name in ("Start",
                                                                           "Startall") else []
                        for s in filter(None, sent):
                            n, b = pairs.get((rank, s[0]), (0, 0))
                            pairs[rank, s[0]] = n + 1, b + s[1]
                    made += sum(is_new_request(q) and e.values[q.name] != 0
                                for q in m.TABLE.find(e.name)[0].parameters)
    return calls, got, pairs


def check(trace, threads=None):
    """How many pairs."""
    calls, got, pairs = add_up(threads or m.read(trace))
    r = h.bobbin("report", "--limit=0", trace)
    rows = {}
    for line in r.out.decode().splitlines():
        fields = line.split()
        if len(fields) > 5 and fields[-1].startswith("MPI_") and fields[1].endswith("%"):
            # calls, share, sent and received, each a number and a unit or "-"
            at = 3 if fields[2] == "-" else 4
            rows[fields[-1][4:]] = (
                int(fields[0].replace(",", "")),
                fields[at] if fields[at] == "-" else " ".join(fields[at:at + 2]))
    want = {f: (n, text(got[f])) for f, n in calls.items()}
    h.check(rows == want, f"report: {sorted(set(rows.items()) ^ set(want.items()))}")
    table = csv.DictReader(io.StringIO(h.bobbin("commmatrix", "--format=csv", trace).out.decode()))
    reported = {(int(x["from"]), int(x["to"])): (int(x["messages"]), int(x["bytes"]))
                for x in table}
    h.check(reported == pairs, f"commmatrix: {sorted(set(reported.items()) ^ set(pairs.items()))}")
    return len(pairs)
