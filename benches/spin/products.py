#!/usr/bin/env python3
"""What never claims are worth: the same searches by SPIN with its own claims, and with those of Volvelle.

    benches/spin/products.py MODEL.pml p='(leaders == 0)' q='(leaders == 1)' r='(len(c) > 0)'

MODEL is Promela without claims of its own that apply (`ltl` lines are left out); the definitions give the propositions
p, q, r ... of the formulas of `claims.py`, of which those are taken that need no others. The claims accept what the formulas
say. For every formula both claims are compiled into a verifier without partial-order reduction; whether an accepting
run exists must be the same for both, and states of the product are compared. Needs `spin` and `gcc` in the path.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from claims import LITERATURE, PATTERNS, ROOT, drawn


def searched(model, claim, definitions, folder, seconds):
    """States and transitions of the product, and whether a run accepts; `None` where the time does not suffice."""
    claim = re.sub(r"/\*.*?\*/", "", claim)
    names = "|".join(map(re.escape, definitions))
    claim = re.sub(rf"\b({names})\b", lambda found: definitions[found[1]], claim)
    (folder / "model.pml").write_text(f"{model}\n{claim}")
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
    compiler = ["gcc", "-O1", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"]
    subprocess.run(compiler, cwd=folder, check=True, capture_output=True)
    command = ["./pan", "-a", "-n", "-m1000000", "-w22"]
    try:
        text = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds).stdout
    except subprocess.TimeoutExpired:
        return None
    # With a search inside the search there are states that it visited too.
    states = re.search(r"(\d+) states, stored(?: \((\d+) visited\))?", text)
    transitions, errors = re.search(r"(\d+) transitions", text), re.search(r"errors: (\d+)", text)
    return int(states[2] or states[1]), int(transitions[1]), errors[1] != "0"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("definitions", nargs="+", metavar="NAME=EXPRESSION")
    parser.add_argument("--formulas", type=int, default=20, help="how many, half of them random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one search")
    parser.add_argument("--binary", default=ROOT / "target/release/examples/never", help="the example `never`, built")
    args = parser.parse_args()
    definitions = dict(d.split("=", 1) for d in args.definitions)
    model = re.sub(r"^ltl\b.*$", "", args.model.read_text(), flags=re.MULTILINE)
    draw = random.Random(args.seed)
    known = [f for f in LITERATURE + PATTERNS + [f"!({f})" for f in PATTERNS if f] if f]
    known = [f for f in known if set(re.findall(r"[a-z]\w*", f)) <= set(definitions)]
    chosen = draw.sample(known, min(len(known), args.formulas // 2))
    chosen += [drawn(draw, draw.randint(3, 9)) for _ in range(args.formulas - len(chosen))]
    print("| formula | accepting run | Volvelle: states | transitions | SPIN: states | transitions |")
    print("|---|---|--:|--:|--:|--:|")
    sums = [0] * 4
    with tempfile.TemporaryDirectory() as folder:
        for formula in chosen:
            ours = subprocess.run([args.binary], input=formula, capture_output=True, text=True, check=True).stdout
            theirs = subprocess.run(["spin", "-f", formula], capture_output=True, text=True, check=True).stdout
            results = [searched(model, c, definitions, pathlib.Path(folder), args.timeout) for c in (ours, theirs)]
            if None in results:
                print(f"| `{formula}` | not within {args.timeout} s | | | | |", flush=True)
                continue
            if results[0][2] != results[1][2]:
                sys.exit(f"the answers differ: {formula}: {results}")
            row = [*results[0][:2], *results[1][:2]]
            sums = [a + b for a, b in zip(sums, row)]
            print(f"| `{formula}` | {results[0][2]} |", " | ".join(map(str, row)), "|", flush=True)
    print("| in all | |", " | ".join(map(str, sums)), "|")


if __name__ == "__main__":
    main()
