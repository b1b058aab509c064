#!/usr/bin/env python3
"""State-space construction: Volvelle against Storm's sparse engine, behind a process boundary.

    benches/storm/run.py                     all instances above 100,000 states, median of 3 runs
    benches/storm/run.py --quick             a few smaller ones, one run
    benches/storm/run.py --help              all options

Both tools parse the same file and build the same state space with all labels and reward structures. For Storm, the
time of parsing and building inside a fresh process counts, without the start of Python and the library; for Volvelle
the whole process counts, start and code generation included. Peak memory is that of the process; what a process of
Storm holds that has only loaded the library is given too. Numbers of states, choices and transitions must agree: a
wrong answer cannot be a fast answer. Needs a folder with `cases.tsv` (`--corpus`) and `pip install stormpy`: where that
is missing, an environment of its own is made in `benches/storm/venv`.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import sys
import time

from common import HERE, ROOT, built, declared, each, geometric_mean, last_line, measured, name, processor
from common import put_into_docs, python_with_storm, storm

BEGIN, END = "<!-- storm: begin -->", "<!-- storm: end -->"


# Instances


def instances(corpus, least, most):
    """Models with their constants, each once, smallest first."""
    rows = [line.split("\t") for line in (corpus / "cases.tsv").read_text().splitlines()[1:]]
    found = {}
    for kind, model, _, constants, _, _, _, states, *_ in rows:
        if not states or not least < int(states) <= most:
            continue
        constants = declared(corpus / model, constants)
        found[model, constants] = {
            "kind": kind,
            "model": model,
            "constants": constants,
            "states": int(states),
        }
    return sorted(found.values(), key=lambda i: i["states"])


# Measuring


def volvelle(binary, corpus, instance, threads, timeout):
    command = [str(binary), "explore", str(corpus / instance["model"]), "--json", "--threads", str(threads)]
    if instance["constants"]:
        command += ["--const", instance["constants"]]
    run = measured(command, timeout)
    if run["late"]:
        return {"failure": f"more than {timeout} s"}
    if run["status"] != 0:
        return {"failure": last_line(run["errors"]) or last_line(run["output"]) or f"exit status {run['status']}"}
    model = json.loads(run["output"])["model"]
    # Models without nondeterminism have one choice per state.
    counts = {
        "states": model["states"],
        "choices": model.get("choices", model["states"]),
        "transitions": model["transitions"],
    }
    return counts | {key: run[key] for key in ("cpu_s", "wall_s", "peak_bytes")}


COUNTS = ("states", "choices", "transitions")
COSTS = ("cpu_s", "wall_s", "peak_bytes")


def median_of(runs):
    """One result out of several: counts must agree, costs are medians; the first failure decides."""
    for run in runs:
        if "failure" in run:
            return run
    if any(run[key] != runs[0][key] for run in runs for key in COUNTS):
        return {"failure": "runs disagree on counts"}
    return {key: runs[0][key] for key in COUNTS} | {key: statistics.median(r[key] for r in runs) for key in COSTS}


def compare(options, python, binary, instance):
    model = str(options.corpus / instance["model"])
    runs = {"storm": [], "one": [], "two": []}
    for _ in range(options.runs):
        # Interleaved, so that a disturbance meets all of them.
        runs["storm"].append(storm(python, "storm_build.py", [model, instance["constants"]], options.timeout))
        runs["one"].append(volvelle(binary, options.corpus, instance, 1, options.timeout))
        runs["two"].append(volvelle(binary, options.corpus, instance, 2, options.timeout))
        if any("failure" in side[-1] for side in runs.values()):
            break
    result = instance | {side: median_of(of_side) for side, of_side in runs.items()}
    result["problem"] = problem(result)
    if not result["problem"]:
        s, one, two = result["storm"], result["one"], result["two"]
        result["ratio_cpu"] = s["cpu_s"] / one["cpu_s"]
        result["ratio_wall_two"] = s["wall_s"] / two["wall_s"]
        result["ratio_memory"] = s["peak_bytes"] / one["peak_bytes"]
    return result


def problem(result):
    for side in ("storm", "one", "two"):
        if "failure" in result[side]:
            return f"{side}: {result[side]['failure']}"
    for key in COUNTS:
        found = [result[side][key] for side in ("storm", "one", "two")]
        if len(set(found)) > 1:
            return f"{key} differ: Storm {found[0]:,}, Volvelle {found[1]:,} and {found[2]:,}"
    if result["one"]["states"] != result["states"]:
        return f"{result['states']:,} states expected, {result['one']['states']:,} found"
    return ""


def line(result):
    shown = result["problem"] or f"{result['ratio_cpu']:.1f} x faster, {result['ratio_memory']:.1f} x less memory"
    return f"{name(result):40} {result['states']:>12,}  {shown}"


def startup(options, binary):
    """Wall milliseconds from start to result on the smallest instance of each kind."""
    smallest = {}
    for instance in instances(options.corpus, 0, 5000):
        smallest.setdefault(instance["kind"], instance)
    found = []
    for instance in smallest.values():
        runs = [volvelle(binary, options.corpus, instance, 2, 30) for _ in range(15)]
        result = median_of(runs)
        if "failure" not in result:
            found.append({"name": name(instance), "states": instance["states"], "wall_ms": result["wall_s"] * 1000})
    return found


# Reporting


def summary(results):
    good = [r for r in results if not r["problem"]]
    if not good:
        return {}
    ratios = {key: [r[key] for r in good] for key in ("ratio_cpu", "ratio_wall_two", "ratio_memory")}
    means = {key: {"geometric_mean": geometric_mean(v), "minimum": min(v)} for key, v in ratios.items()}
    return {"instances": len(good), "without_result": len(results) - len(good)} | means


def markdown(report):
    mega = 1 << 20
    lines = [
        f"{report['date']}, {report['processor']}, {report['cores']} cores; Storm through stormpy {report['storm_version']}, "
        f"sparse engine; median of {report['runs']} runs. Command: `{report['command']}`.",
        "",
        "| instance | states | transitions | Storm CPU s | 1 thread CPU s | ratio | Storm wall s | 2 threads wall s | ratio "
        "| Storm MB | MB | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report["results"]:
        title = f"{r['kind']} {name(r)}"
        if r["problem"]:
            lines.append(f"| {title} | {r['states']:,} | {r['problem']} |" + " |" * 9)
            continue
        s, one, two = r["storm"], r["one"], r["two"]
        lines.append(
            f"| {title} | {r['states']:,} | {one['transitions']:,} "
            f"| {s['cpu_s']:.2f} | {one['cpu_s']:.3f} | **{r['ratio_cpu']:.1f}** "
            f"| {s['wall_s']:.2f} | {two['wall_s']:.3f} | {r['ratio_wall_two']:.1f} "
            f"| {s['peak_bytes'] / mega:.0f} | {one['peak_bytes'] / mega:.0f} | {r['ratio_memory']:.1f} |"
        )
    total = report["summary"]
    if total:
        both = lambda key: f"{total[key]['geometric_mean']:.1f} (least: {total[key]['minimum']:.1f})"
        lines += [
            "",
            f"Storm's figure over ours, geometric mean of {total['instances']} instances: CPU time on one thread "
            f"{both('ratio_cpu')}, wall time on two threads {both('ratio_wall_two')}, memory {both('ratio_memory')}. "
            f"A process that has only loaded Storm holds {report['storm_baseline_bytes'] / mega:.0f} MB, which is part of its figures.",
        ]
    if report["startup"]:
        started = "; ".join(f"{s['name']} ({s['states']:,} states) {s['wall_ms']:.1f} ms" for s in report["startup"])
        lines += ["", f"From start to result on small models, whole process: {started}."]
    return "\n".join(lines) + "\n"


def write(report, options):
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "storm.json").write_text(json.dumps(report, indent=1) + "\n")
    text = markdown(report)
    (options.output / "storm.md").write_text(text)
    if options.update_docs:
        put_into_docs(text, BEGIN, END)
    return text


# The command line


def repeatable(options):
    """The command line, without the places of files on this machine."""
    words = ["benches/storm/run.py"]
    for option in ("runs", "least", "most", "only", "timeout", "budget"):
        value, usual = getattr(options, option), DEFAULTS[option]
        if value != usual and not (options.quick and option in QUICK):
            words.append(f"--{option} {value:g}" if isinstance(value, float) else f"--{option} '{value}'")
    return " ".join(words + ["--quick"] * options.quick)


DEFAULTS = {"runs": 3, "least": 100_000.0, "most": 3_000_000.0, "only": None, "timeout": 300.0, "budget": 3600.0}
QUICK = {"runs": 1, "least": 10_000.0, "most": 200_000.0}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus" / "prism")
    parser.add_argument("--binary", type=pathlib.Path, help="a built volvelle; without it, it is built")
    parser.add_argument("--python", help="a Python that has stormpy")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--least", type=float, help="only instances above this many states (100,000)")
    parser.add_argument("--most", type=float, help="and up to this many (3,000,000)")
    parser.add_argument("--only", help="only instances in whose name this regular expression occurs")
    parser.add_argument("--timeout", type=float, help="seconds for one run of one tool (300)")
    parser.add_argument("--budget", type=float, help="seconds after which no further instance is begun (3600)")
    parser.add_argument("--quick", action="store_true", help="one run of instances from 10,000 to 200,000 states")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results", help="folder for storm.json and storm.md")
    parser.add_argument("--update-docs", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    for option, usual in (DEFAULTS | (QUICK if options.quick else {})).items():
        if getattr(options, option) is None:
            setattr(options, option, usual)
    return options


def main():
    options = arguments()
    python, binary = python_with_storm(options.python), built(options.binary)
    baseline = storm(python, "storm_build.py", ["--baseline"], 60)
    chosen = instances(options.corpus, options.least, options.most)
    chosen = [i for i in chosen if not options.only or re.search(options.only, name(i))]
    results = each(chosen, options.budget, "instances", lambda one: compare(options, python, binary, one), line)
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "command": repeatable(options),
        "processor": processor(),
        "cores": os.cpu_count(),
        "storm_version": baseline.get("version", "?"),
        "storm_baseline_bytes": baseline.get("peak_bytes", 0),
        "runs": options.runs,
        "summary": summary(results),
        "startup": startup(options, binary),
        "results": results,
    }
    print(write(report, options))
    return 1 if not results or any(r["problem"] for r in results) else 0


if __name__ == "__main__":
    # The runner itself stays small: a child's peak memory starts at that of the process it was forked from.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 64 * 1024
    sys.exit(main())
