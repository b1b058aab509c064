#!/usr/bin/env python3
"""Reading explicit models of ten million transitions: Volvelle against Storm, behind a process boundary.

    benches/explicit/read.py                  ten million transitions, median of 3 runs
    benches/explicit/read.py --quick          one million, one run
    benches/explicit/read.py --help           all options

Both tools read the same file and hold the model afterwards: for Storm, the time of the reading function inside a fresh
process counts, without the start of Python and the library; for Volvelle from the bytes of the file to what engines
take, loading the file included. `wall` is time on the clock, `cpu` that of all threads: on a busy machine the latter is
the fairer one. Storm reads DRN, UMB and its own variant of `.tra` and `.lab` (a type in the first line, no counts), which
this script derives from PRISM's. Numbers of states and transitions must agree: a wrong answer cannot be a fast answer.
Needs `cargo build --release -p volvelle-explicit --example exchange` and `pip install stormpy`.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

STORM = """
import json, resource, sys, time
import stormpy
form, path = sys.argv[1:]
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
wall, cpu = time.perf_counter(), used()
if form == "drn":
    model = stormpy.build_model_from_drn(path)
elif form == "umb":
    model = stormpy.build_model_from_umb(path)
else:
    model = stormpy.build_model_from_explicit(path, path.replace(".tra", ".lab"))
print(json.dumps({
    "wall_s": time.perf_counter() - wall, "cpu_s": used() - cpu,
    "states": model.nr_states, "transitions": model.nr_transitions,
}))
"""


def storm(form, path):
    run = subprocess.run([sys.executable, "-c", STORM, form, path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"Storm does not read {path}:\n{run.stderr[-2000:]}")
    return json.loads(run.stdout.splitlines()[-1])


def volvelle(binary, path, threads):
    before = os.times()
    run = subprocess.run([binary, "read", path, str(threads)], capture_output=True, text=True)
    after = os.times()
    if run.returncode != 0:
        sys.exit(f"{path} is not read:\n{run.stderr[-2000:]}")
    report = json.loads(run.stdout)
    report["wall_s"] = report["space_s"]
    used = lambda times: times.children_user + times.children_system
    report["cpu_s"] = used(after) - used(before)
    return report


def variant_for_storm(transitions, states, folder):
    """Storm's own variant of PRISM's files; the labels are those that `make` gives."""
    target = folder / "storm.tra"
    with open(transitions) as source, open(target, "w") as out:
        next(source)
        out.write("dtmc\n")
        out.writelines(source)
    with open(folder / "storm.lab", "w") as out:
        out.write("#DECLARATION\ninit goal\n#END\n0 init goal\n")
        out.writelines(f"{state} goal\n" for state in range(97, states, 97))
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/examples/exchange")
    parser.add_argument("--states", type=float, default=1e6, help="states, with ten transitions each (1e6)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each; medians are shown (3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of Volvelle (all)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, one run")
    options = parser.parse_args()
    states = int(options.states / 10 if options.quick else options.states)
    runs = 1 if options.quick else options.runs
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = {form: folder / f"chain.{form}" for form in ("umb", "drn", "tra")}
        subprocess.run([str(options.binary), "make", "dtmc", str(states), "10", *files.values()], check=True)
        theirs = dict(files, tra=variant_for_storm(files["tra"], states, folder))
        print(f"{'format':8}{'MB':>6}{'Volvelle wall':>16}{'cpu':>8}{'Storm wall':>14}{'cpu':>8}{'wall':>9}{'cpu':>8}")
        for form, path in files.items():
            ours, others = [], []
            # In turn, so that both meet the same machine.
            for _ in range(runs):
                ours.append(volvelle(str(options.binary), path, options.threads))
                others.append(storm(form, str(theirs[form])))
            sizes = {(run["states"], run["transitions"]) for run in ours + others}
            if len(sizes) != 1:
                sys.exit(f"{form}: the tools disagree about states and transitions: {sizes}")
            median = lambda all, key: statistics.median(run[key] for run in all)
            (a, b), (c, d) = [(median(all, "wall_s"), median(all, "cpu_s")) for all in (ours, others)]
            size = path.stat().st_size / 1e6
            print(f"{form:8}{size:6.0f}{a:14.2f} s{b:6.2f} s{c:12.2f} s{d:6.2f} s{c / a:8.1f}x{d / b:7.1f}x")


if __name__ == "__main__":
    main()
