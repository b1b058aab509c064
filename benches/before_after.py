#!/usr/bin/env python3
"""Two builds of Volvelle against each other in one run: CPU seconds, peak memory, and whether they answer the same.

    benches/before_after.py BEFORE AFTER                    the models that lie here and in examples/
    benches/before_after.py BEFORE AFTER --prism FOLDER --promela FOLDER     published models as well (`cases.tsv` in each)
    benches/before_after.py BEFORE AFTER --kinds explore,check --repeat 5

BEFORE and AFTER are binaries. Every row is one command that both run in turn (before, after, before, after, ...), after
one run of BEFORE that says whether the row is long enough to be measured: commands below `--least` seconds of CPU time
are compared in their answers only. Ratios are before/after of the medians: above 1 the new build is faster (takes less
memory). Answers are the JSON reports without times, or for simulations the estimates; a row whose answers differ is
marked and makes the exit status 1. The machine has to be idle.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "storm"))

from common import ROOT, declared, geometric_mean, measured, name  # noqa: E402

KINDS = ("explore", "check", "search", "simulate")
# What a report says of the run rather than of the model.
UNSTABLE = {"seconds", "time", "bytes", "facts", "tier", "volvelle", "rate", "steps_per_second", "states_per_second"}


def stable(value):
    """A report without what differs from run to run."""
    if isinstance(value, dict):
        return {key: stable(inner) for key, inner in value.items() if key not in UNSTABLE}
    if isinstance(value, list):
        return [stable(inner) for inner in value]
    return value


def answers(output):
    try:
        return stable(json.loads(output))
    except json.JSONDecodeError:
        return output


# Rows: a title, a kind and the arguments


def prism_rows(corpus):
    """Every instance of the corpus once for its states, and every case for its value."""
    explored = set()
    for line in (corpus / "cases.tsv").read_text().splitlines()[1:]:
        _, model, properties, constants, wanted, _, _, states, *_ = line.split("\t")
        path = corpus / model
        open_ones = declared(path, constants)
        given = ["--const", open_ones] if open_ones else []
        instance = {"model": model, "constants": open_ones}
        if (model, open_ones) not in explored:
            explored.add((model, open_ones))
            yield name(instance), "explore", ["explore", str(path), "--json", *given]
        given = ["--const", constants] if constants else []
        arguments = ["check", str(path), str(corpus / properties), "--prop", wanted, "--json", *given]
        yield f"{name(instance)} {wanted}", "check", arguments


def promela_rows(corpus):
    for line in (corpus / "cases.tsv").read_text().splitlines()[1:]:
        model, mode, *_ = line.split("\t")
        path = str(corpus / model)
        if mode == "safety":
            yield f"{model} all", "search", ["check", path, "--safety", "--all-errors", "--no-reduction", "--json"]
        elif mode == "safety-spin":
            yield f"{model} reduced", "search", ["check", path, "--safety", "--all-errors", "--json"]
        elif mode.startswith("ltl:"):
            claim = mode.removeprefix("ltl:")
            yield f"{model} {claim}", "search", ["check", path, "--ltl", claim, "--json"]


def own_rows():
    for path in sorted((ROOT / "benches" / "spin" / "models").glob("*.pml")):
        yield f"{path.name} all", "search", ["check", str(path), "--safety", "--all-errors", "--no-reduction", "--json"]
        yield f"{path.name} reduced", "search", ["check", str(path), "--safety", "--all-errors", "--json"]
    for path in sorted((ROOT / "examples" / "promela").glob("*.pml")):
        yield path.name, "search", ["check", str(path), "--json"]
    mapk = str(ROOT / "benches" / "simulation" / "mapk.prism")
    yield "mapk 8", "simulate", simulation(mapk, "N=8", 'R{"activated"}=? [ I=30 ]', 20_000)


def simulation(model, constants, wanted, samples):
    given = ["--const", constants] if constants else []
    return ["simulate", model, "--prop", wanted, "--samples", str(samples), "--threads", "1", "--json", *given]


# Paths of published models: model, constants, property, samples.
PATHS = [
    ("client_server.sm", "", 'R{"ClientRequesting"}=? [ I=100 ]', 400_000),
    ("dtmc/brp/brp.prism", "N=64,MAX=5", "P=? [ F s=5 ]", 2_000_000),
    ("dtmc/crowds/crowds.prism", "TotalRuns=6,CrowdSize=20", "P=? [ F observe0>1 ]", 3_000_000),
    ("ctmc/tandem/tandem.prism", "c=255", "P=? [ F<=10 sc=c & sm=c & ph=2 ]", 40_000),
    ("ctmc/cluster/cluster.prism", "N=64", 'P=? [ F<=100 !"minimum" ]', 60_000),
]


def path_rows(corpus):
    for model, constants, wanted, samples in PATHS:
        found = next(iter(corpus.rglob(pathlib.Path(model).name)), None)
        if found:
            title = f"{pathlib.Path(model).stem} {constants}".strip()
            yield title, "simulate", simulation(str(found), constants, wanted, samples)


# Measuring


def compare(before, after, row, options):
    title, kind, arguments = row
    first = measured([before, *arguments], options.seconds)
    if first["late"]:
        return None
    other = measured([after, *arguments], 4 * options.seconds)
    same = not other["late"] and answers(first["output"]) == answers(other["output"])
    result = {"title": title, "kind": kind, "same": same and first["status"] == other["status"], "long": False}
    if first["cpu_s"] < options.least:
        return result
    runs = {before: [first], after: [other]}
    for _ in range(options.repeat - 1):
        for binary in (before, after):
            runs[binary].append(measured([binary, *arguments], 4 * options.seconds))
    for figure in ("cpu_s", "wall_s", "peak_bytes"):
        old, new = (statistics.median(run[figure] for run in runs[binary]) for binary in (before, after))
        result[figure] = (old, new, old / new if new else 1.0)
    result["long"] = True
    return result


def shown(result):
    mark = "" if result["same"] else "  DIFFERENT ANSWERS"
    if not result["long"]:
        return f"{result['kind']:9} {result['title']:52} answers compared{mark}"
    old, new, ratio = result["cpu_s"]
    memory = result["peak_bytes"]
    return (
        f"{result['kind']:9} {result['title']:52} {old:8.2f} s {new:8.2f} s  {ratio:5.2f}"
        f"   {memory[1] / 2**20:7.0f} MiB {memory[2]:5.2f}{mark}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--prism", type=pathlib.Path, help="folder of PRISM models with cases.tsv")
    parser.add_argument("--promela", type=pathlib.Path, help="folder of Promela models with cases.tsv")
    parser.add_argument("--kinds", default=",".join(KINDS), help="%(default)s")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--least", type=float, default=0.1, help="CPU seconds from which a row is measured")
    parser.add_argument("--seconds", type=float, default=20, help="rows that take longer are left out")
    parser.add_argument("--match", default="", help="only rows whose title matches this expression")
    options = parser.parse_args()
    rows = list(own_rows())
    if options.prism:
        rows += [*prism_rows(options.prism), *path_rows(options.prism)]
    if options.promela:
        rows += promela_rows(options.promela)
    kinds = options.kinds.split(",")
    results = []
    for row in rows:
        if row[1] not in kinds or not re.search(options.match, row[0]):
            continue
        result = compare(options.before, options.after, row, options)
        if result is None:
            continue
        results.append(result)
        if result["long"] or not result["same"]:
            print(shown(result), flush=True)
    print(f"\n{'kind':9} {'rows':>5} {'measured':>9} {'CPU: mean':>10} {'worst':>6} {'memory: mean':>13} {'worst':>6}")
    for kind in [*kinds, "all"]:
        these = [r for r in results if kind in (r["kind"], "all")]
        long = [r for r in these if r["long"]]
        if long:
            cpu, memory = ([r[figure][2] for r in long] for figure in ("cpu_s", "peak_bytes"))
            print(
                f"{kind:9} {len(these):5} {len(long):9} {geometric_mean(cpu):10.3f} {min(cpu):6.2f}"
                f" {geometric_mean(memory):13.3f} {min(memory):6.2f}"
            )
    different = [r for r in results if not r["same"]]
    print(f"\n{len(results)} rows, {len(different)} with different answers")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
