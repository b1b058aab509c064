#!/usr/bin/env python3
"""Bounds on rewards: `volvelle check` against Storm's engine for several bounds, behind a process boundary.

    benches/storm/bounded.py --corpus FOLDER               all questions below
    benches/storm/bounded.py --corpus FOLDER --update-docs and the table in docs/performance.md

The corpus has the models of the PRISM benchmark suite in `mdp/consensus`, `mdp/csma`, `mdp/wlan` and `mdp/firewire_abst`.
Storm is asked with its classical and its sound settings; its time counts from parsing, for Volvelle the whole process
counts. Values have to agree within a relative 1e-5.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

from common import built, last_line, measured, processor, put_into_docs, python_with_storm, storm

BEGIN, END = "<!-- storm bounded: begin -->", "<!-- storm bounded: end -->"

# Model, constants, question.
QUESTIONS = [
    ("mdp/consensus/consensus.2.prism", "K=8", 'Pmax=? [ F{"steps"}<=500 "finished" ]'),
    ("mdp/consensus/consensus.4.prism", "K=2", 'Pmin=? [ F{"steps"}<=200 "finished" ]'),
    ("mdp/csma/csma.2-4.prism", "", 'Pmax=? [ F{"time"}<=100 "all_delivered" ]'),
    ("mdp/csma/csma.2-6.prism", "", 'Pmin=? [ F{"time"}<=200 "all_delivered" ]'),
    ("mdp/csma/csma.2-6.prism", "", 'quantile(min B, Pmax>=0.99 [ F{"time"}<=B "all_delivered" ])'),
    ("mdp/csma/csma.3-2.prism", "", 'Pmax=? [ F^{rew{"time"}<=100, steps<=250} "all_delivered" ]'),
    ("mdp/wlan/wlan.2.prism", "COL=2", 'Pmax=? [ F{"cost"}<=10000 s1=12&s2=12 ]'),
    ("mdp/wlan/wlan.2.prism", "COL=2", 'Pmin=? [ F{"collisions"}<=2 s1=12&s2=12 ]'),
    ("mdp/wlan/wlan.2.prism", "COL=2", 'Pmax=? [ F{"cost"}<=10000,{"time"}<=3000 s1=12&s2=12 ]'),
    ("mdp/firewire_abst/firewire_abst.prism", "delay=36", 'Pmin=? [ F{"time"}<=2000 "done" ]'),
]


def by_volvelle(binary, model, constants, question, timeout):
    command = [str(binary), "check", str(model), "--prop", question, "--json"]
    run = measured(command + (["--const", constants] if constants else []), timeout)
    if run["late"]:
        return {"failure": f"more than {timeout:g} s"}
    try:
        return {"value": json.loads(run["output"])["results"][0]["value"], "cpu_s": run["cpu_s"]}
    except (ValueError, LookupError):
        return {"failure": last_line(run["errors"])}


def by_storm(python, mode, model, constants, question, timeout):
    with tempfile.NamedTemporaryFile("w", suffix=".props") as file:
        file.write(f'"asked": {question};\n')
        file.flush()
        return storm(python, "storm_check.py", [mode, str(model), constants, file.name, "asked"], timeout)


def shown(side):
    return side["failure"][:40] if "failure" in side else f"{side['cpu_s']:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--update-docs", action="store_true")
    options = parser.parse_args()
    python, binary = python_with_storm(options.python), built(options.binary)
    lines = [
        f"{time.strftime('%Y-%m-%d')}, {processor()}, {os.cpu_count()} cores; Storm through stormpy; CPU seconds.\n",
        "| model | property | value | Storm, classical | Storm, sound | Volvelle |",
        "|---|---|---|---|---|---|",
    ]
    wrong = 0
    for file, constants, question in QUESTIONS:
        model = options.corpus / file
        own = by_volvelle(binary, model, constants, question, options.timeout)
        others = [by_storm(python, m, model, constants, question, options.timeout) for m in ("classical", "sound")]
        values = [side["value"] for side in [own, *others] if "failure" not in side]
        if values and max(values) - min(values) > 1e-5 * max(map(abs, values)):
            wrong += 1
            print(f"the values differ: {values}", file=sys.stderr)
        title = f"{pathlib.PurePath(file).stem} {constants}".strip()
        value = f"{own['value']:.6g}" if "value" in own else ""
        cells = [title, f"`{question}`", value, *map(shown, others), shown(own)]
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if options.update_docs:
        put_into_docs(text, BEGIN, END)
    print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
