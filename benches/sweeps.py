#!/usr/bin/env python3
"""Milliseconds that `volvelle check` takes for a multiplication of a vector by a matrix: on threads, and on devices.

    benches/sweeps.py CORPUS [--binary target/release/volvelle] [--device opencl:0 --device threads ...] [--runs 3]

CORPUS is a folder of models (`ctmc/tandem/tandem.prism`, ...). Each instance is checked with two horizons: the difference of their
times over the difference of their steps is what a step takes, without what it takes to set up a chain or to fill a device. The
machine has to be idle. Values on devices must be those on threads to the last digit, else the script fails.

A second table has properties without a bound: seconds and sweeps, of Gauss and Seidel's method on threads and of Jacobi's on devices.
Their bounds must have something in common.
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


# Model, constants, property.
UNBOUNDED = {
    "consensus.6 K=2, least chance": ("mdp/consensus/consensus.6.prism", "K=2", 'Pmin=? [ F "finished" & "all_coins_equal_1" ]'),
    "consensus.6 K=2, most steps": ("mdp/consensus/consensus.6.prism", "K=2", 'R{"steps"}max=? [ F "finished" ]'),
    "tandem c=511, time until full": ("ctmc/tandem/tandem.prism", "c=511", 'R{"customers"}=? [ F sc=c ]'),
}


def ask(binary, corpus, model, constants, text, device):
    """A result, and the model."""
    command = [binary, "check", str(corpus / model), "--prop", text, "--json", "--full-space"]
    command += ["--bisimulation", "off", "--steady-state-detection", "off", "--device", device]
    command += ["--const", constants] if constants else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    result = report["results"][0]
    if any("made no more sweeps" in d["message"] for d in report.get("diagnostics", [])):
        sys.exit(f"{device} failed: {report['diagnostics']}")
    return result, report["model"]


def check(binary, corpus, instance, horizon, device):
    """Steps, seconds and value."""
    model, constants, text, _ = instance
    result, model = ask(binary, corpus, model, constants, text.format(H=horizon), device)
    steps = int(re.search(r"\((\d+) steps\)", result["method"])[1])
    return steps, result["seconds"], (result["lo"], result["hi"]), model


def unbounded(arguments, devices):
    """The second table."""
    print("\n| instance | states | transitions | " + " | ".join(f"{d} s | sweeps" for d in devices) + " |")
    print("|---|--:|--:|" + "--:|--:|" * len(devices))
    for name, (model, constants, text) in UNBOUNDED.items():
        if arguments.only not in name:
            continue
        bounds, cells = [], []
        for device in devices:
            seconds = []
            for _ in range(arguments.runs):
                result, about = ask(arguments.binary, arguments.corpus, model, constants, text, device)
                seconds.append(result["seconds"])
            bounds.append((result["lo"], result["hi"]))
            sweeps = re.search(r"at most (\d+) sweeps", result["method"])
            cells += [f"{statistics.median(seconds):.2f}", sweeps[1] if sweeps else "none"]
        if max(lo for lo, _ in bounds) > min(hi for _, hi in bounds):
            sys.exit(f"{name}: {bounds} have nothing in common")
        print("| " + " | ".join([name, f"{about['states']:,}", f"{about['transitions']:,}", *cells]) + " |", flush=True)


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
    unbounded(arguments, devices)


if __name__ == "__main__":
    main()
