#!/usr/bin/env python3
"""Milliseconds that `volvelle check` takes for a multiplication of a vector by a matrix: on threads, and on devices.

    benches/sweeps.py CORPUS [--binary target/release/volvelle] [--device opencl:0 --device threads ...] [--runs 3]

CORPUS is a folder of models (`ctmc/tandem/tandem.prism`, ...). Each instance is checked with two horizons: the difference of their
times over the difference of their steps is what a step takes, without what it takes to set up a chain or to fill a device. The
machine has to be idle. Values on devices must be those on threads to the last digit, else the script fails.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Model, constants, property with a horizon H, and the two horizons.
INSTANCES = {
    "client_server": ("client_server.sm", "", 'R{{"ClientRequesting"}}=? [ I={H} ]', (2, 10)),
    "cluster N=128": ("ctmc/cluster/cluster.prism", "N=128", 'R{{"time_not_min"}}=? [ C<={H} ]', (4, 20)),
    "tandem c=1023": ("ctmc/tandem/tandem.prism", "c=1023", "P=? [ F<={H} sc=3 & sm=3 ]", (0.02, 0.1)),
    "consensus.6 K=2": ("mdp/consensus/consensus.6.prism", "K=2", 'Pmin=? [ F<={H} "finished" ]', (60, 110)),
}


def check(binary, corpus, instance, horizon, device):
    """Steps, seconds and value."""
    model, constants, text, _ = instance
    command = [binary, "check", str(corpus / model), "--prop", text.format(H=horizon), "--json", "--full-space"]
    command += ["--bisimulation", "off", "--steady-state-detection", "off", "--device", device]
    command += ["--const", constants] if constants else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    result = report["results"][0]
    if any("made no more sweeps" in d["message"] for d in report.get("diagnostics", [])):
        sys.exit(f"{device} failed: {report['diagnostics']}")
    steps = int(re.search(r"\((\d+) steps\)", result["method"])[1])
    return steps, result["seconds"], (result["lo"], result["hi"]), report["model"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--binary", default=str(ROOT / "target/release/volvelle"))
    parser.add_argument("--device", action="append", help="beside threads; by default opencl:0")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="instances whose name contains this")
    arguments = parser.parse_args()
    devices = ["threads", *(arguments.device or ["opencl:0"])]
    print("| instance | states | transitions | steps | " + " | ".join(f"{d} ms" for d in devices) + " |")
    print("|---|--:|--:|--:|" + "--:|" * len(devices))
    for name, instance in INSTANCES.items():
        if arguments.only not in name:
            continue
        known, cells = {}, []
        for device in devices:
            each = []
            for _ in range(arguments.runs):
                seconds, steps = [], []
                for horizon in instance[3]:
                    made, took, value, model = check(arguments.binary, arguments.corpus, instance, horizon, device)
                    if known.setdefault(horizon, value) != value:
                        sys.exit(f"{name}, {device}: {value} is not {known[horizon]}")
                    seconds.append(took)
                    steps.append(made)
                if steps[0] == steps[1]:
                    sys.exit(f"{name}: both horizons take {steps[0]} steps")
                each.append(1e3 * (seconds[1] - seconds[0]) / (steps[1] - steps[0]))
            cells.append(f"{statistics.median(each):.3f}")
        row = [name, f"{model['states']:,}", f"{model['transitions']:,}", f"{steps[1] - steps[0]:,}", *cells]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
