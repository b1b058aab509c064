#!/usr/bin/env python3
"""Transient analysis: `volvelle check` against Storm's sparse engine with its classical settings.

    benches/storm/stiff.py                   all cases
    benches/storm/stiff.py --only gene       those in whose title this regular expression occurs

Markov chains whose rates differ by four to eight orders of magnitude, at times at which the slow ones matter, and some mild
ones: instantaneous and cumulated rewards, and reachability within a time. The models are in `benches/storm/stiff`; client_server,
tandem and polling come from the corpus. Storm's time counts from parsing, without the start of Python, while for Volvelle the whole process counts. Values
are compared: both are asked for a relative 1e-6, and Volvelle's answers are sound.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import time

from common import HERE, ROOT, built, each, last_line, measured, processor, put_into_docs, python_with_storm, storm

BEGIN, END = "<!-- storm stiff: begin -->", "<!-- storm stiff: end -->"
MODELS = HERE / "stiff"

# Model, property, time.
CASES = [
    ("client_server", "Cr", 20),
    ("client_server", "Cr", 2000),
    ("client_server", "CrC", 2000),
    ("client_server", "allbroken", 2000),
    ("repair", "bad_at_t", 5),
    ("repair", "bad_at_t", 1000),
    ("repair", "down_at_t", 1000),
    ("enzyme", "product_at_t", 100),
    ("enzyme", "half_at_t", 250),
    ("gene", "high_at_t", 1000),
    ("gene", "proteins_at_t", 100),
    ("buffer", "held_at_t", 100),
    ("delay", "fast_at_t", 20),
    ("cascade", "third_at_t", 500),
    ("retrial", "orbit_at_t", 10),
    ("retrial", "crowd_at_t", 100),
    ("retrial", "orbit_until_t", 1000),
    ("birth_death", "length_at_t", 1),
    ("birth_death", "length_at_t", 100),
    ("birth_death", "length_until_t", 10000),
    # Mild ones, for which uniformisation is right.
    ("lattice", "full_at_t", 100),
    ("lattice", "sum_at_t", 100),
    ("lattice", "sum_at_t", 1000),
    ("lattice", "sum_until_t", 1000),
    ("tandem", "customers_at_t", 1),
    ("tandem", "customers_at_t", 10),
    ("tandem", "full_at_t", 10),
    ("tandem", "customers_at_t", 100),
    ("polling", "served_at_t", 10),
    ("polling", "waiting_at_t", 10),
]

# Models of the corpus, with the constants that they need besides.
CORPUS = {"client_server": ("client_server.sm", ""), "tandem": ("ctmc/tandem/tandem.prism", "c=255"), "polling": ("ctmc/polling/polling.15.prism", "")}


def files(options, case):
    model = case[0]
    if model == "client_server":
        return [options.corpus / "client_server.sm", options.corpus / "client_server.csl"]
    text = options.corpus / CORPUS[model][0] if model in CORPUS else MODELS / f"{model}.prism"
    return [text, MODELS / f"{model}.props"]


def constants(case):
    others = CORPUS.get(case[0], ("", ""))[1]
    return ",".join(filter(None, [others, f"t={case[2]}"]))


def by_volvelle(options, binary, case):
    model, properties = files(options, case)
    command = [str(binary), "check", str(model), str(properties), "--prop", case[1], "--const", constants(case)]
    run = measured([*command, "--json", "--threads", "1"], options.timeout)
    if run["late"]:
        return {"failure": f"more than {options.timeout:g} s"}
    try:
        report = json.loads(run["output"])
        result = report["results"][0]
        found = {key: result[key] for key in ("value", "lo", "hi", "method")}
        return found | {"states": report["model"]["states"], "cpu_s": run["cpu_s"], "peak_bytes": run["peak_bytes"]}
    except (ValueError, LookupError):
        return {"failure": last_line(run["errors"]) or f"exit status {run['status']}"}


def compare(options, python, binary, case):
    model, properties = (str(path) for path in files(options, case))
    title = f"{case[0]} {case[1].removesuffix('_at_t')} t={case[2]}"
    peer = storm(python, "storm_check.py", ["classical", model, constants(case), properties, case[1]], options.timeout)
    own = by_volvelle(options, binary, case)
    differ = None
    if "failure" not in own and "failure" not in peer:
        differ = abs(own["value"] - peer["value"]) / abs(own["value"])
    return {"title": title, "storm": peer, "volvelle": own, "difference": differ}


def cell(options, side):
    if "failure" in side:
        return f"> {options.timeout:g}" if side["failure"].startswith("more than") else side["failure"]
    return f"{side['cpu_s']:.2f}"


def row(options, result):
    peer, own = result["storm"], result["volvelle"]
    known = "failure" not in own
    ratio, difference = "", ""
    if known and "failure" not in peer:
        ratio = f"**{peer['cpu_s'] / own['cpu_s']:.0f}**"
        difference = f"{result['difference']:.0e}"
    states = f"{own['states']:,}" if known else ""
    method = own["method"] if known else ""
    return f"| {result['title']} | {states} | {cell(options, peer)} | {cell(options, own)} | {ratio} | {difference} | {method} |"


def markdown(options, report):
    lines = [
        f"{report['date']}, {report['processor']}, one thread; CPU seconds, `{report['command']}`; Storm {report['storm_version']} with its "
        f"classical settings, at most {options.timeout:g} s on the clock. The difference of the values is relative.",
        "",
        "| case | states | Storm | Volvelle | Storm / Volvelle | difference | method |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    return "\n".join(lines + [row(options, result) for result in report["results"]]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus" / "prism")
    parser.add_argument("--binary", type=pathlib.Path, help="a built volvelle; without it, it is built")
    parser.add_argument("--python", help="a Python that has stormpy")
    parser.add_argument("--only", help="only cases in whose title this regular expression occurs")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run of one tool (120)")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results", help="folder for stiff.json")
    parser.add_argument("--update-docs", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    python, binary = python_with_storm(options.python), built(options.binary)
    baseline = storm(python, "storm_build.py", ["--baseline"], 60)
    chosen = [c for c in CASES if not options.only or re.search(options.only, " ".join(map(str, c)))]
    results = each(
        chosen,
        1e9,
        "cases",
        lambda case: compare(options, python, binary, case),
        lambda result: row(options, result),
    )
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "command": "benches/storm/stiff.py" + (f" --timeout {options.timeout:g}" if options.timeout != 120 else ""),
        "processor": processor(),
        "cores": os.cpu_count(),
        "storm_version": baseline.get("version", "?"),
        "results": results,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "stiff.json").write_text(json.dumps(report, indent=1) + "\n")
    text = markdown(options, report)
    if options.update_docs:
        put_into_docs(text, BEGIN, END)
    print(text)
    # Storm stops by a criterion that is not a bound of its error.
    return 0 if results and all((r["difference"] or 0) < 1e-4 for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
