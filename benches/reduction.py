"""Reduction of labelled transition systems: volvelle against MERC, on generated systems.

    cargo build --release
    cargo build --release --manifest-path benches/merc/Cargo.toml --target-dir target/merc
    python3 benches/reduction.py [--size 1.0] [--repeat 3]

Three shapes: random transitions, half of them internal; six ten-valued counters; layers of long internal chains. For each shape and
relation both tools read the same file, reduce it with one thread, and write nothing. Printed are the medians of user CPU seconds and the peak
memory, and the ratios; quotients must have the same size once MERC's is reduced again by volvelle, which leaves out what cannot be reached.
"""

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# What a run may take: seconds and bytes.
LIMIT_S = 120
LIMIT_BYTES = 16 << 30


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


def write(path, states, transitions):
    with open(path, "w") as file:
        file.write(f"des (0, {len(transitions)}, {states})\n")
        for source, label, target in transitions:
            file.write(f"({source}, {label}, {target})\n")


def random_system(path, size):
    draw = random.Random(1)
    states, labels = int(1_000_000 * size), ["i"] * 5 + [f'"a{k}"' for k in range(5)]
    transitions = [
        (draw.randrange(states), draw.choice(labels), draw.randrange(states)) for _ in range(4 * states)
    ]
    write(path, states, sorted(transitions, key=lambda transition: transition[0]))


def counters(path, size):
    digits = 6 if size >= 1 else 5
    transitions = []
    for state in range(10**digits):
        for digit in range(digits):
            value = state // 10**digit % 10
            step = (-9 if value == 9 else 1) * 10**digit
            label = "i" if digit < 3 else f'"INC !{digit}"'
            transitions.append((state, label, state + step))
    write(path, 10**digits, transitions)


def layers(path, size):
    draw = random.Random(2)
    length, states = 50, int(2_000_000 * size)
    chains, transitions = states // length, []
    for state in range(chains * length):
        place = state % length
        if place < length - 1:
            transitions.append((state, "i", state + 1))
        else:
            transitions.append((state, f'"b{draw.randrange(3)}"', draw.randrange(chains) * length))
        if place == 0:
            transitions.append((state, f'"a{draw.randrange(4)}"', draw.randrange(chains) * length))
        else:
            transitions.append((state, "i", min(state - place + length - 1, state + draw.randrange(2, 5))))
    write(path, chains * length, transitions)


def measured(words, repeat):
    """Median of user seconds, peak memory in MB, the last output, median of elapsed seconds; `None` where it failed."""
    seconds, walls, peak, out = [], [], 0, ""
    for _ in range(repeat):
        timed = ["/usr/bin/time", "-f", "%U %e %M", *words]
        try:
            run = subprocess.run(timed, capture_output=True, text=True, timeout=LIMIT_S, preexec_fn=limited)
        except subprocess.TimeoutExpired:
            return None
        if run.returncode != 0:
            return None
        user, elapsed, kilobytes = run.stderr.split()[-3:]
        out = run.stdout
        seconds.append(float(user))
        walls.append(float(elapsed))
        peak = max(peak, int(kilobytes) / 1024)
    return statistics.median(seconds), peak, out, statistics.median(walls)


def size_of(out):
    found = re.findall(r"([\d,]+) states?\W+([\d,]+) transitions?", out)
    return tuple(int(number.replace(",", "")) for number in found[-1])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--size", type=float, default=1.0)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--volvelle", default=os.path.join(ROOT, "target/release/volvelle"))
    arguments.add_argument("--merc", default=os.path.join(ROOT, "target/merc/release/merc-peer"))
    options = arguments.parse_args()
    print("| system | relation | MERC | volvelle | ratio | gain of two threads (elapsed) | MERC | volvelle | quotient |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in [("random", random_system), ("counters", counters), ("layers", layers)]:
            path = os.path.join(folder, f"{name}.aut")
            make(path, options.size)
            for relation in ["strong", "branching"]:
                words = [options.volvelle, "reduce", path, "--relation", relation]
                ours = measured([*words, "--threads", "1"], options.repeat)
                both = measured([*words, "--threads", "2"], options.repeat)
                quotient = os.path.join(folder, "merc.aut")
                theirs = measured([options.merc, path, relation, quotient], options.repeat)
                if ours is None or both is None:
                    sys.exit(f"volvelle failed on {name}")
                shown = f"{size_of(ours[2])[0]:,} / {size_of(ours[2])[1]:,}"
                if theirs is None:
                    print(f"| {name} | {relation} | failed | {ours[0]:.2f} s | | {ours[3] / both[3]:.2f} | | {ours[1]:.0f} MB | {shown} |")
                    continue
                again = measured([options.volvelle, "reduce", quotient, "--relation", relation], 1)
                if size_of(again[2]) != size_of(ours[2]):
                    sys.exit(f"{name} {relation}: {size_of(again[2])} by MERC, {size_of(ours[2])} by volvelle")
                print(
                    f"| {name} | {relation} | {theirs[0]:.2f} s | {ours[0]:.2f} s | {theirs[0] / ours[0]:.1f} "
                    f"| {ours[3] / both[3]:.2f} | {theirs[1]:.0f} MB | {ours[1]:.0f} MB | {shown} |",
                    flush=True,
                )


main()
