#!/usr/bin/env python3
"""Steps a second of `volvelle simulate` on one thread, by tier: against simulators written by hand, and PRISM's.

    benches/simulation/run.py CORPUS [--binary target/release/volvelle] [--seconds 2]

CORPUS is a folder of models (`dtmc/brp/brp.prism`, ...); `mapk.prism` lies here. Seconds are those of sampling, as the run reports them, with the code that is made
meanwhile: reading the model and making the first code are told apart, in the last column (`whole.py` has whole times). The machine has to be idle. The simulators by hand (`handwritten.rs`) are compiled
here with `rustc -O -C target-cpu=native`; their means must agree with ours. What PRISM's simulator does was measured with
PRISM 4.8, likewise, on another day: its figures are there for orientation.
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Model and properties, constants, property, name of the simulator by hand, millions of steps a second of PRISM's simulator.
INSTANCES = {
    "client_server t=100": ("client_server.sm", "", 'R{"ClientRequesting"}=? [ I=100 ]', "client_server", 1.00),
    "client_server t=2000": ("client_server.sm", "", 'R{"ClientRequesting"}=? [ I=2000 ]', None, 0.87),
    "brp 64/5": ("dtmc/brp/brp.prism", "N=64,MAX=5", "P=? [ F s=5 ]", "brp", 0.64),
    "crowds 6/20": ("dtmc/crowds/crowds.prism", "TotalRuns=6,CrowdSize=20", "P=? [ F observe0>1 ]", None, 0.40),
    "tandem 255 T=10": ("ctmc/tandem/tandem.prism", "c=255", "P=? [ F<=10 sc=c & sm=c & ph=2 ]", "tandem", 1.01),
    "cluster 64 T=100": ("ctmc/cluster/cluster.prism", "N=64", 'P=? [ F<=100 !"minimum" ]', "cluster", 0.41),
    "mapk 8 T=30": (HERE / "mapk.prism", "N=8", 'R{"activated"}=? [ I=30 ]', None, 0.14),
    "embedded 8 T=12": ("ctmc/embedded/embedded.prism", "MAX_COUNT=8", 'P=? [ !"down" U<=43200 "fail_main" ]', None, 0.14),
}
TIERS = ["scalar", "vector", "auto"]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command):
    """What a command prints, and its seconds of processor time."""
    start = processor_seconds()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout, processor_seconds() - start


class Ours:
    """`volvelle simulate` on one instance and tier."""

    def __init__(self, binary, corpus, instance, tier):
        model, constants, prop = instance[:3]
        self.command = [binary, "simulate", corpus / model, "--prop", prop, "--threads", "1", "--json", "--tier", tier]
        if constants:
            self.command += ["--const", constants]

    def paths(self, count):
        """Steps, the mean, and seconds for so many paths."""
        start = time.monotonic()
        text, _ = run([*self.command, "--samples", str(count)])
        whole = time.monotonic() - start
        found = json.loads(text)["results"][0]
        seconds = found["statistics"]["seconds"]
        return found["statistics"]["steps"], found["value"], seconds, whole - seconds


def ours(binary, corpus, instance, tier, wanted):
    """Millions of steps a second, the mean, of how many paths, and the seconds that were no sampling."""
    runner = Ours(binary, corpus, instance, tier)
    count = 4000
    while (found := runner.paths(count))[2] < wanted:
        count *= 4
    steps, mean, seconds, rest = found
    return steps / seconds / 1e6, mean, count, rest


def by_hand(binary, model, wanted):
    """Millions of steps a second and the mean."""
    count = 2000
    while True:
        steps, mean, seconds = (float(word) for word in run([binary, model, str(count), "1"])[0].split())
        if seconds > wanted / 2:
            return steps / seconds / 1e6, mean, count
        count *= 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/volvelle")
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--only", help="instances whose name contains this")
    args = parser.parse_args()
    print("| M steps/s | by hand | " + " | ".join(TIERS) + " | best / by hand | best / PRISM | start |")
    print("|---|--:|" + "--:|" * len(TIERS) + "--:|--:|--:|", flush=True)
    against_prism = []
    with tempfile.TemporaryDirectory() as folder:
        hand = pathlib.Path(folder) / "handwritten"
        source = HERE / "handwritten.rs"
        subprocess.run(
            ["rustc", "--edition", "2024", "-O", "-C", "target-cpu=native", "-o", hand, source], check=True
        )
        for name, instance in INSTANCES.items():
            if args.only and args.only not in name:
                continue
            model, prism = instance[3:]
            reference = by_hand(hand, model, args.seconds) if model else None
            found = [ours(args.binary, args.corpus, instance, tier, args.seconds) for tier in TIERS]
            if reference:
                for _, mean, count, _ in found:
                    spread = 6 * max(abs(mean), 1 / count) / math.sqrt(min(count, reference[2]))
                    assert abs(mean - reference[1]) < max(spread, 20 / min(count, reference[2])), (name, mean, reference)
            best = max(found)[0]
            against_prism.append(best / prism)
            cells = [f"{reference[0]:.0f}" if reference else "-"]
            cells += [f"{speed:.0f}" for speed, *_ in found]
            cells += [f"{best / reference[0]:.2f}" if reference else "-", f"{best / prism:.0f}", f"{1000 * found[-1][3]:.0f} ms"]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    mean = math.exp(sum(map(math.log, against_prism)) / len(against_prism))
    print(f"\nAgainst PRISM's simulator: geometric mean {mean:.0f}.")


if __name__ == "__main__":
    main()
