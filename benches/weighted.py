"""Weighted systems: weighted CTL against WKTool, relations, distances, on generated systems.

    cargo build --release
    WKTOOL=FOLDER python3 benches/weighted.py [--repeat 3] [--only formulas,knapsack,relations,distances] [--size 100000]
        [--relations wbb,ebs,ubs] [--large]

WKTool (https://github.com/jonasfj/WKTool, node.js) is called as `node FOLDER/utils/WKTool.js`; without `WKTOOL` only volvelle runs. Both read the
same weighted CCS. Times are medians of user CPU seconds of whole commands, memory is the greatest peak. Every verdict is compared: with WKTool's,
with what the way a structure was generated implies, or with another method. A wrong one ends the benchmark, as a wrong answer is no fast answer.
"""

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction

import weighted_models as models

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What a run may take.
LIMIT_S = 60
LIMIT_BYTES = 12 << 30

# A run of WKTool below this time is mostly that of node's start: it counts for no summary.
LEAST_S = 0.5

# What the relations are called by the option.
RELATIONS = {"WBB": "wbb", "EBS": "ebs", "UBS": "ubs"}


class Failed(Exception):
    """A command that gave no answer: what it said."""


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 5))


def limited_space():
    limited()
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


def measured(words, repeat, codes=(0, 1), prepare=limited_space):
    """Median of user CPU seconds, peak memory in MB, exit status and output of the last run. Node reserves far more addresses than it uses, so
    that only other commands have a limit of them."""
    seconds, peak = [], 0.0
    for _ in range(repeat):
        with tempfile.TemporaryFile("w+") as told:
            child = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=told, text=True, preexec_fn=prepare)
            out = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            child.stdout.close()
            if child.returncode not in codes:
                told.seek(0)
                lines = [line for line in (told.read() + out).splitlines() if line.strip()]
                said = [line for line in lines if "rror" in line] or lines or [f"exit status {child.returncode}"]
                raise Failed(f"more than {LIMIT_S} s" if child.returncode == -signal.SIGXCPU else said[0].strip()[:90])
        seconds.append(usage.ru_utime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return statistics.median(seconds), peak, child.returncode, out


def value_of(document, *names):
    """The first value of one of these names in a JSON document, outer ones first."""
    level = [document]
    while level:
        for part in level:
            if isinstance(part, dict):
                for name in names:
                    if name in part and not isinstance(part[name], (dict, list)):
                        return part[name]
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part) if isinstance(inner, (dict, list))]
    return None


def wrong(what, found, expected):
    sys.exit(f"WRONG: {what}: {found}, but it is {expected}")


class Tools:
    """The programs, and the folder of the files that they read."""

    def __init__(self, options, folder):
        self.volvelle, self.repeat, self.folder = options.volvelle, options.repeat, folder
        self.wktool = os.environ.get("WKTOOL")

    def file(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def ours(self, *words):
        return measured([self.volvelle, *words], self.repeat)

    def theirs(self, text, formula, algorithm, engine):
        """WKTool's figures and verdict, and the number of its configurations where it tells it."""
        query = {"model": {"language": "WCCS", "definition": text}, "properties": [{"state": "System", "formula": formula}]}
        path = self.file("query.wkp", json.dumps(query))
        program = ["node", f"--max-old-space-size={LIMIT_BYTES >> 21}", os.path.join(self.wktool, "utils", "WKTool.js")]
        seconds, peak, _, out = measured([*program, f"--{algorithm}", f"--{engine}", path, "0"], self.repeat, (0,), limited)
        result = json.loads(out)["result"]
        return seconds, peak, result["result"], result.get("Configurations")


# --- Formulas -----------------------------------------------------------------------------------------------------------------------------------


def formulas(large):
    """Name of the system, its text, formula, the verdict, and the ways of WKTool that decide it (its symbolic engine knows no negation)."""
    symbolic, minmax = ("global symbolic", "local-dfs symbolic"), ("global min-max", "local-dfs min-max")
    for n in (8, 9, 10, 11, *((12,) if large else ())):
        yield f"election {n}", models.leader_election(n), "EF[<=200] leader > 1", False, symbolic if n < 11 else symbolic[:1]
    for n in (8, 10, 12):
        yield f"election {n}", models.leader_election(n), "EF[<=200] leader == 1", True, symbolic[1:]
    for k in (7, 8, 9, *((10,) if large else ())):
        yield f"alternating bit {k}", models.alternating_bit(k, 1), "EF[<=10] delivered == 1", True, symbolic if k < 10 else symbolic[:1]
    for n in (6, 7):
        yield f"election {n}", models.leader_election(n), "!(EF[<=200] leader > 1)", True, minmax
        yield f"election {n}", models.leader_election(n), "AG leader <= 1", True, minmax
    yield "alternating bit 5", models.alternating_bit(5, 1), "!(EF[<=10] delivered == 1)", False, minmax
    for k, n in ((3, 10), (5, 12)):
        yield f"semaphore {k} of {n}", models.semaphore(k, n), f"EF critical > {k}", False, symbolic
        yield f"semaphore {k} of {n}", models.semaphore(k, n), f"EF[<={k - 1}] critical == {k}", False, symbolic
        yield f"semaphore {k} of {n}", models.semaphore(k, n), f"AG critical <= {k}", True, minmax


def ours_on(tools, name, path, formula, verdict, algorithm):
    """Seconds, MB and states that were looked at; a wrong verdict ends the benchmark."""
    seconds, peak, status, out = tools.ours("check", path, "--wctl", formula, "--json", *(["--global"] if algorithm == "global" else []))
    document = json.loads(out)
    found = value_of(document, "verdict")
    if found is not verdict or status != (0 if verdict else 1):
        wrong(f"{name}, {formula}, volvelle", found, verdict)
    return seconds, peak, value_of(document, "expanded", "states")


def compare_formulas(tools, options):
    """A global run is compared with a global one, a local one with a local one."""
    print("\n| system | formula | verdict | algorithm | states | CPU s | MB | WKTool | configurations | CPU s | MB | faster | less memory |")
    print("|---|---|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    faster, smaller = [], []
    for name, text, formula, verdict, ways in formulas(options.large):
        path = tools.file("system.wccs", text)
        for algorithm, engine in (way.split() for way in ways):
            shown = f"| {name} | `{formula}` | {str(verdict).lower()} | {algorithm.split('-')[0]}"
            seconds = None
            try:
                seconds, peak, states = ours_on(tools, name, path, formula, verdict, algorithm)
                shown += f" | {states:,} | {seconds:.2f} | {peak:.0f} |"
            except Failed as failed:
                shown += f" | {failed} | | |"
            if not tools.wktool:
                print(f"{shown} | | | | | |", flush=True)
                continue
            try:
                their_seconds, their_peak, found, count = tools.theirs(text, formula, algorithm, engine)
            except Failed as failed:
                print(f"{shown} {engine} | {failed} | | | | |", flush=True)
                continue
            if found is not verdict:
                wrong(f"{name}, {formula}, WKTool {algorithm} {engine}", found, verdict)
            ratios = " | |"
            if seconds is not None:
                # The clock of CPU time has steps of 10 ms: below that a ratio would say nothing.
                ratio, less = their_seconds / max(seconds, 0.01), their_peak / peak
                ratios = f" {ratio:.0f} | {less:.1f} |"
                if their_seconds >= LEAST_S:
                    faster.append(ratio)
                    smaller.append(less)
            configurations = "" if count is None else f"{count:,}"
            print(f"{shown} {engine} | {configurations} | {their_seconds:.2f} | {their_peak:.0f} |{ratios}", flush=True)
    if faster:
        print(
            f"\n{len(faster)} runs on which WKTool takes {LEAST_S} s or more: faster by a median of {statistics.median(faster):.0f}, at worst "
            f"{min(faster):.1f}; less memory by a median of {statistics.median(smaller):.1f}, at worst {min(smaller):.1f}. Times below 0.01 s "
            "count as 0.01 s."
        )


# --- Knapsacks ----------------------------------------------------------------------------------------------------------------------------------


def knapsacks():
    """Weights and goals: sums that are made up, and numbers between sums; above 6e10 every number is a sum of these weights."""
    weights = (1000003, 1000033, 1000037)
    for few, some, many in ((3, 4, 5), (200, 300, 600), (20_000, 1, 30_000), (333_000, 333_000, 333_000)):
        yield weights, few * weights[0] + some * weights[1] + many * weights[2]
    yield weights, 0
    yield weights, 10**12
    for goal in (10**7, 10**9, 10**10, 50_000_126_762):
        yield weights, goal
    # A common divisor: half of all goals are missed, however large.
    yield tuple(2 * weight for weight in weights), 10**12 - 1
    yield tuple(2 * weight for weight in weights), 10**12


def compare_knapsacks(tools, _):
    print("\n| weights | goal | a sum | CPU s | MB |")
    print("|---|--:|---|--:|--:|")
    for weights, goal in knapsacks():
        expected = models.representable(weights, goal)
        path = tools.file("knapsack.wks", models.knapsack(weights, goal))
        shown = f"| {', '.join(map(str, weights))} | {goal:,} | {'yes' if expected else 'no'}"
        try:
            seconds, peak, status, _ = tools.ours("compare", f"{path}:s", f"{path}:t", "--relation", "wbb")
        except Failed as failed:
            print(f"{shown} | {failed} | |", flush=True)
            continue
        if (status == 0) is not expected:
            wrong(f"knapsack {weights}, {goal}", status == 0, expected)
        print(f"{shown} | {seconds:.2f} | {peak:.0f} |", flush=True)


# --- Relations ----------------------------------------------------------------------------------------------------------------------------------


def structures(name, size):
    """A structure; every state of it twice; with lighter and with heavier steps: what is related follows from how they are made."""
    one = models.family(name, size // 3)
    twice = models.doubled(one)
    return {
        "a": one,
        "b": twice,
        # Steps that weigh less answer as cheaply, steps that weigh more as dearly.
        "light": models.reweighted(twice, lambda weight: max(1, weight - 1)),
        "heavy": models.reweighted(twice, lambda weight: weight + 1),
        "light, shuffled": models.shuffled(models.reweighted(twice, lambda weight: max(1, weight - 1))),
        "heavy, shuffled": models.shuffled(models.reweighted(twice, lambda weight: weight + 1)),
    }


def compare_relations(tools, options):
    print("\n| family | states | command | answer | CPU s | MB |")
    print("|---|--:|---|---|--:|--:|")
    for name in models.FAMILIES:
        made = structures(name, options.size)
        for kind, other in (
            ("WBB", "b"),
            ("EBS", "b"),
            ("UBS", "b"),
            ("EBS", "light"),
            ("UBS", "heavy"),
            ("EBS", "light, shuffled"),
            ("UBS", "heavy, shuffled"),
        ):
            if RELATIONS[kind] not in options.relations:
                continue
            parts = {"a": made["a"], "b": made[other]}
            path = tools.file("big.wks")
            models.write_structures(path, parts)
            count = sum(len(labels) for labels, _ in parts.values())
            shown = f"| {name} | {count:,} | compare, {kind}, {'twice' if other == 'b' else other}"
            try:
                seconds, peak, status, _ = tools.ours("compare", f"{path}:a0", f"{path}:b0", "--relation", RELATIONS[kind])
            except Failed as failed:
                print(f"{shown} | {failed} | | |", flush=True)
                continue
            if status != 0:
                wrong(f"{name}, {kind}, {other}", "not related", "related")
            print(f"{shown} | related | {seconds:.2f} | {peak:.0f} |", flush=True)
        sizes = {}
        for part in ("a", "b") if "wbb" in options.relations else ():
            path = tools.file("one.wks")
            models.write_structures(path, {part: made[part]})
            shown = f"| {name} | {len(made[part][0]):,} | reduce, WBB, {'once' if part == 'a' else 'twice'}"
            try:
                seconds, peak, _, out = tools.ours("reduce", path, "--relation", "wbb", "--json")
            except Failed as failed:
                print(f"{shown} | {failed} | | |", flush=True)
                continue
            document = json.loads(out)
            sizes[part] = value_of(document.get("reduction", document.get("quotient", document)), "states", "classes", "blocks")
            print(f"{shown} | {sizes[part]:,} states | {seconds:.2f} | {peak:.0f} |", flush=True)
        # Of the doubled structure only what can be reached from its first state counts, hence at most as many.
        if len(sizes) == 2 and sizes["b"] > sizes["a"]:
            wrong(f"{name}: quotient of the doubled structure", sizes["b"], f"at most {sizes['a']}")


# --- Distances ----------------------------------------------------------------------------------------------------------------------------------


def distances(size):
    """Chains whose steps must be answered one by one: the distance is the greatest relative difference of two weights. Then the families,
    doubled: distance 0."""
    chain = models.visible(models.family("chain", size // 2))
    yield "chain, weights times 21/20", chain, models.reweighted(chain, lambda weight: Fraction(21 * weight, 20)), "wbd", Fraction(1, 20)
    yield "chain, weights times 19/20", chain, models.reweighted(chain, lambda weight: Fraction(19 * weight, 20)), "wbd", Fraction(1, 20)
    yield "chain, weights times 19/20", chain, models.reweighted(chain, lambda weight: Fraction(19 * weight, 20)), "ebd", Fraction(0)
    yield "chain, weights times 5/2", chain, models.reweighted(chain, lambda weight: Fraction(5 * weight, 2)), "ebd", Fraction(3, 2)
    for name in models.FAMILIES:
        one = models.family(name, size // 3)
        yield f"{name}, twice", one, models.doubled(one), "wbd", Fraction(0)
        yield f"{name}, twice", one, models.doubled(one), "ebd", Fraction(0)


def compare_distances(tools, options):
    print("\n| structures | states | kind | distance | CPU s | MB |")
    print("|---|--:|---|--:|--:|--:|")
    for name, left, right, kind, expected in distances(options.size):
        path = tools.file("pair.wks")
        models.write_structures(path, {"a": left, "b": right})
        shown = f"| {name} | {len(left[0]) + len(right[0]):,} | {kind}"
        try:
            seconds, peak, _, out = tools.ours("distance", f"{path}:a0", f"{path}:b0", "--kind", kind, "--json")
        except Failed as failed:
            print(f"{shown} | {failed} | | |", flush=True)
            continue
        found = value_of(json.loads(out), "value")
        if found is None or "inf" in found or Fraction(found) != expected:
            wrong(f"{name}, {kind}", found, expected)
        print(f"{shown} | {expected} | {seconds:.2f} | {peak:.0f} |", flush=True)


PARTS = {"formulas": compare_formulas, "knapsack": compare_knapsacks, "relations": compare_relations, "distances": compare_distances}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--size", type=int, default=100_000, help="states of both structures of a relation or a distance")
    arguments.add_argument("--relations", type=lambda text: text.split(","), default=list(RELATIONS.values()), help="with commas")
    arguments.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    arguments.add_argument("--large", action="store_true", help="also those on which WKTool needs gigabytes")
    arguments.add_argument("--volvelle", default=os.path.join(ROOT, "target", "release", "volvelle"))
    options = arguments.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        arguments.error(f"no parts: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not os.path.exists(options.volvelle):
        arguments.error(f"{options.volvelle} is missing: build it with `cargo build --release`")
    with tempfile.TemporaryDirectory() as folder:
        for part in chosen:
            PARTS[part](Tools(options, folder), options)


if __name__ == "__main__":
    main()
