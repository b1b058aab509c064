#!/usr/bin/env python3
"""Would adaptive uniformisation pay? For every CTMC of the corpus: how soon are fast states reached?

    benches/adaptive_rates.py --binary target/release/volvelle

Adaptive uniformisation (van Moorsel and Sanders, 1994) takes for step k the largest exit rate within k steps of the
initial state instead of the largest of all, q. It saves steps only until fast states are reached; from the exported
transitions this script counts how many at most, of the `q t` that uniformisation takes to reach the time t.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def instances(corpus, most):
    """Model and those of the constants that the model itself declares."""
    seen = set()
    for line in (corpus / "cases.tsv").read_text().splitlines()[1:]:
        kind, model, _, constants, *_, states, _ = line.split("\t")
        if kind != "ctmc" or not states or int(states) > most or (model, constants) in seen:
            continue
        seen.add((model, constants))
        text = (corpus / model).read_text()
        own = [c for c in constants.split(",") if c and re.search(rf"const\s+(\w+\s+)?{c.split('=')[0]}\b", text)]
        yield corpus / model, constants, own


def rates(binary, model, constants, folder):
    file = pathlib.Path(folder) / "model.tra"
    command = [binary, "explore", model, "--export", file] + (["--const", ",".join(constants)] if constants else [])
    subprocess.run(command, check=True, capture_output=True)
    first, *lines = file.read_text().splitlines()
    successors, exit_rate = [[] for _ in range(int(first.split()[0]))], [0.0] * int(first.split()[0])
    for line in lines:
        source, target, rate = line.split()[:3]
        if source != target:
            successors[int(source)].append(int(target))
            exit_rate[int(source)] += float(rate)
    return successors, exit_rate


def saved(successors, exit_rate):
    """q, steps until nine tenths of it are reached, and how many steps of uniformisation that time takes."""
    q, depth, queue, largest = max(exit_rate), {0: 0}, collections.deque([0]), collections.Counter()
    while queue:
        s = queue.popleft()
        largest[depth[s]] = max(largest[depth[s]], exit_rate[s])
        for t in successors[s]:
            if t not in depth:
                depth[t] = depth[s] + 1
                queue.append(t)
    current = time = steps = 0
    while (current := max(current, largest[steps])) < 0.9 * q:
        time, steps = time + 1 / current, steps + 1
    return q, steps, q * time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT.parent / "shared" / "corpus" / "prism")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--most", type=float, default=6e4, help="states (6e4)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for model, constants, own in instances(options.corpus, options.most):
            q, steps, uniform = saved(*rates(options.binary, model, own, folder))
            print(f"{model.stem:12} {constants:24} q {q:9.4g}  nine tenths after {steps} steps, saves {uniform - steps:8.1f}")


if __name__ == "__main__":
    main()
