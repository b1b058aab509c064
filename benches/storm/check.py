#!/usr/bin/env python3
"""Answers: `volvelle check` against Storm's sparse engine, behind a process boundary.

    benches/storm/check.py                   all cases with a reference value up to 2,000,000 states
    benches/storm/check.py --quick           cases up to 20,000 states
    benches/storm/check.py --help            all options

For every case of the corpus: from the text of the model to the value, with Storm's classical settings (no guarantee;
those of its command line), with its sound settings (the default of stormpy), where it is small with Storm's exact
engine, and with Volvelle, whose answers are sound. All are asked for a relative 1e-6. Storm builds what the property
needs and stops exploring where it is decided; its time counts from parsing, without the start of Python, while for
Volvelle the whole process counts. Values are compared with the corpus' references: a wrong answer is marked as such,
on either side, and is no time to compare with.
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

from common import HERE, ROOT, built, each, geometric_mean, last_line, measured, name, processor
from common import put_into_docs, python_with_storm, storm

BEGIN, END = "<!-- storm check: begin -->", "<!-- storm check: end -->"
SIDES = ("classical", "sound", "exact", "volvelle")
PRECISION = 1e-6

# Below this many states what a process holds from its start is most of its memory.
LARGE = 100_000


# Cases


def cases(corpus, least, most, unreferenced):
    """Rows with a numeric reference, or those without any; smallest models first."""
    rows = [line.split("\t") for line in (corpus / "cases.tsv").read_text().splitlines()[1:]]
    found = []
    for kind, model, properties, constants, prop, reference, exact, states, *_ in rows:
        if not states or not least <= int(states) <= most or reference in ("True", "False"):
            continue
        if unreferenced != (reference == ""):
            continue
        spelt = constants.replace("True", "true").replace("False", "false")
        found.append({
            "kind": kind, "model": model, "properties": properties, "constants": spelt, "property": prop,
            "reference": float(reference) if reference else None, "rational": exact == "exact", "states": int(states),
        })  # fmt: skip
    return sorted(found, key=lambda case: case["states"])


def title(case):
    return f"{name(case)} {case['property']}"


# Measuring


def by_storm(options, python, case, mode):
    files = [str(options.corpus / case[key]) for key in ("model", "properties")]
    return storm(python, "storm_check.py", [mode, files[0], case["constants"], files[1], case["property"]], options.timeout)


def by_volvelle(options, binary, case):
    files = [str(options.corpus / case[key]) for key in ("model", "properties")]
    command = [str(binary), "check", *files, "--prop", case["property"], "--json", "--threads", str(options.threads)]
    if case["constants"]:
        command += ["--const", case["constants"]]
    run = measured(command, options.timeout)
    if run["late"]:
        return {"failure": f"more than {options.timeout:g} s"}
    try:
        result = json.loads(run["output"])["results"][0]
        value = {"inf": float("inf"), True: 1.0, False: 0.0}.get(result["value"], result["value"])
        return {"value": value} | {key: run[key] for key in ("cpu_s", "wall_s", "peak_bytes")}
    except (ValueError, LookupError):
        return {"failure": last_line(run["errors"]) or f"exit status {run['status']}"}


def median_of(runs):
    for run in runs:
        if "failure" in run:
            return run
    return runs[0] | {key: statistics.median(r[key] for r in runs) for key in ("cpu_s", "wall_s", "peak_bytes")}


def error_of(case, value):
    """Relative error; the references that are not exact are rounded themselves."""
    if value == case["reference"]:
        return 0.0
    return abs(value - case["reference"]) / max(abs(case["reference"]), 1e-300)


def compare(options, python, binary, case):
    modes = ["classical", "sound"] + ["exact"] * (case["states"] <= options.exact_most)
    runs = {side: [] for side in [*modes, "volvelle"]}
    for _ in range(options.runs):
        # Interleaved, so that a disturbance meets all of them.
        runs["volvelle"].append(by_volvelle(options, binary, case))
        for mode in modes:
            if not any("failure" in run for run in runs[mode]):
                runs[mode].append(by_storm(options, python, case, mode))
    result = case | {side: median_of(of_side) for side, of_side in runs.items()}
    if result["reference"] is None:
        # The tools are compared with each other: Storm's values with the sound one of Volvelle.
        result["reference"] = result["volvelle"].get("value", float("nan"))
    for side in runs:
        found = result[side]
        if "failure" not in found:
            found["error"] = error_of(result, found["value"])
            found["wrong"] = found["error"] > PRECISION * (1.0 if case["rational"] else 10.0)
    return result


def line(result):
    cells = "  ".join(f"{side} {cell(result, side)}" for side in SIDES if side in result)
    return f"{title(result):50} {result['states']:>10,}  {cells}"


# Reporting


def usable(result, side):
    return side in result and "failure" not in result[side]


def ratios(results, side, key="cpu_s"):
    """The other's figure over ours, where both have a result."""
    both = [r for r in results if usable(r, side) and usable(r, "volvelle")]
    return [(r[side][key] / r["volvelle"][key], title(r)) for r in both]


def memory_beyond(results, baseline):
    """Ratios of peak memory where Storm's is taken without what Python holds that has only loaded it."""
    large = [r for r in results if r["states"] >= LARGE and usable(r, "classical") and usable(r, "volvelle")]
    return [((r["classical"]["peak_bytes"] - baseline) / r["volvelle"]["peak_bytes"], title(r)) for r in large]


def summary(results, baseline):
    found = {"cases": len(results)}
    beyond = memory_beyond(results, baseline)
    if beyond:
        found["memory beyond the start"] = {
            "geometric_mean": geometric_mean([max(r, 0.01) for r, _ in beyond]),
            "cases": len(beyond),
            "least": min(beyond)[0],
            "where": min(beyond)[1],
        }
    for side in SIDES[:-1]:
        for key in ("cpu_s", "wall_s", "peak_bytes"):
            measured_ratios = ratios(results, side, key)
            if measured_ratios:
                least = min(measured_ratios)
                found[f"{side} {key}"] = {
                    "geometric_mean": geometric_mean([r for r, _ in measured_ratios]),
                    "cases": len(measured_ratios),
                    "least": least[0],
                    "where": least[1],
                }
    for side in SIDES:
        known = [r for r in results if side in r]
        found[f"{side} wrong"] = sum(1 for r in known if usable(r, side) and r[side]["wrong"])
        found[f"{side} without result"] = sum(1 for r in known if not usable(r, side))
        found[f"{side} total"] = sum(r[side]["cpu_s"] for r in known if usable(r, side))
    return found


def cell(result, side):
    if side not in result:
        return ""
    found = result[side]
    if "failure" in found:
        return "> limit" if found["failure"].startswith("more than") else "refused"
    text = f"{found['cpu_s']:.2f}"
    return f"{text} (off by {found['error']:.0e})" if found["wrong"] else text


def markdown(report):
    total = report["summary"]
    lines = [
        f"{report['date']}, {report['processor']}, {report['cores']} cores; Storm through stormpy {report['storm_version']}, "
        f"sparse engine; CPU seconds, median of {report['runs']}. Command: `{report['command']}`.",
        "",
        f"All {total['cases']} cases:",
        "",
        "| Storm's settings | Storm's CPU time over ours, geometric mean | least | where | memory | wrong | no result within the limit or refused |",
        "|---|--:|--:|---|--:|--:|--:|",
    ]
    for side in SIDES[:-1]:
        cpu, memory = total.get(f"{side} cpu_s"), total.get(f"{side} peak_bytes")
        if cpu:
            lines.append(
                f"| {side} ({cpu['cases']} cases) | {cpu['geometric_mean']:.1f} | {cpu['least']:.2f} | {cpu['where']} "
                f"| {memory['geometric_mean']:.1f} | {total[f'{side} wrong']} | {total[f'{side} without result']} |"
            )
    beyond = total.get("memory beyond the start")
    if beyond:
        lines += [
            "",
            f"Memory of the {beyond['cases']} cases above {LARGE:,} states, Storm's (classical) without the "
            f"{report['baseline_bytes'] / 2**20:.0f} MB of a Python that has only loaded it, over all of ours: "
            f"{beyond['geometric_mean']:.1f} on the geometric mean, least {beyond['least']:.1f} ({beyond['where']}).",
        ]
    lines += [
        "",
        f"Volvelle: {total['volvelle wrong']} wrong, {total['volvelle without result']} without a result.",
        "",
        f"Cases that take one of the tools more than {report['shown']:g} s:",
        "",
        "| case | states | classical | sound | exact | Volvelle | classical / Volvelle |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report["results"]:
        if any(not usable(r, side) or r[side]["cpu_s"] > report["shown"] for side in ("classical", "sound", "volvelle")):
            both = usable(r, "classical") and usable(r, "volvelle")
            ratio = f"**{r['classical']['cpu_s'] / r['volvelle']['cpu_s']:.1f}**" if both else ""
            cells = " | ".join(cell(r, side) for side in SIDES)
            lines.append(f"| {title(r)} | {r['states']:,} | {cells} | {ratio} |")
    return "\n".join(lines) + "\n"


# The command line


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus" / "prism")
    parser.add_argument("--binary", type=pathlib.Path, help="a built volvelle; without it, it is built")
    parser.add_argument("--python", help="a Python that has stormpy")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="threads for Volvelle (1: Storm has one)")
    parser.add_argument("--least", type=float, default=0, help="only cases from this many states")
    parser.add_argument("--most", type=float, default=2e6, help="and up to this many (2e6)")
    parser.add_argument("--exact-most", type=float, default=5e3, help="Storm's exact engine up to this many states (5e3)")
    parser.add_argument(
        "--unreferenced", action="store_true", help="cases without a reference: values are compared with Volvelle's"
    )
    parser.add_argument("--only", help="only cases in whose title this regular expression occurs")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run of one tool (120)")
    parser.add_argument("--budget", type=float, default=7200, help="seconds after which no further case is begun")
    parser.add_argument("--shown", type=float, default=0.5, help="cases above this many seconds have a line (0.5)")
    parser.add_argument("--quick", action="store_true", help="cases up to 20,000 states")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results", help="folder for check.json and check.md")
    parser.add_argument("--update-docs", action="store_true", help="put the tables into docs/performance.md")
    options = parser.parse_args()
    if options.quick:
        options.most = 2e4
    return options


def repeatable(options):
    words = ["benches/storm/check.py"]
    for option, usual in (("runs", 1), ("threads", 1), ("least", 0), ("most", 2e6), ("only", None), ("timeout", 120)):
        value = getattr(options, option)
        if value != usual:
            words.append(f"--{option} '{value}'" if isinstance(value, str) else f"--{option} {value:g}")
    return " ".join(words + ["--unreferenced"] * options.unreferenced)


def main():
    options = arguments()
    python, binary = python_with_storm(options.python), built(options.binary)
    baseline = storm(python, "storm_build.py", ["--baseline"], 60)
    chosen = cases(options.corpus, options.least, options.most, options.unreferenced)
    chosen = [c for c in chosen if not options.only or re.search(options.only, title(c))]
    results = each(chosen, options.budget, "cases", lambda one: compare(options, python, binary, one), line)
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "command": repeatable(options),
        "processor": processor(),
        "cores": os.cpu_count(),
        "storm_version": baseline.get("version", "?"),
        "runs": options.runs,
        "shown": options.shown,
        "baseline_bytes": baseline["peak_bytes"],
        "summary": summary(results, baseline["peak_bytes"]),
        "results": results,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "check.json").write_text(json.dumps(report, indent=1) + "\n")
    text = markdown(report)
    (options.output / "check.md").write_text(text)
    if options.update_docs:
        put_into_docs(text, BEGIN, END)
    print(text)
    return 1 if not results or any(usable(r, "volvelle") and r["volvelle"]["wrong"] for r in results) else 0


if __name__ == "__main__":
    # The runner itself stays small: a child's peak memory starts at that of the process it was forked from.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 64 * 1024
    sys.exit(main())
