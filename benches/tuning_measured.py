#!/usr/bin/env python3
"""Measurements until one is within 5 % of the best: Volvelle's strategies and Kernel Tuner's, on the same measured spaces.

    pip install kernel_tuner
    cargo build --release -p volvelle-verify --example replay
    volvelle calibrate --device opencl:0 -o this.toml
    python3 benches/tuning_measured.py --platform this.toml [--replay target/release/examples/replay] [--seeds 15]

The spaces are those of examples/kernels, measured completely (`benches/tuning/*.json`, caches in Kernel Tuner's format, written by
`volvelle tune KERNEL.cl --measure --measurements FILE`; each time is the least of several passes over the space, 9 to 25 runs each). Strategies
are replayed: Volvelle's by `crates/verify/examples/replay.rs`, Kernel Tuner's in its simulation mode. Figures are means,
medians and worst cases over seeds; a seed that does not get there counts as all configurations.
"""

import argparse
import contextlib
import io
import json
import pathlib
import random
import statistics
import subprocess
import warnings

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACES = {"minimum": 2**20, "reduction": 2**20, "matmul": 256, "gemm": 256}
STRATEGIES = ["random_sample", "greedy_ils", "greedy_mls", "simulated_annealing", "genetic_algorithm", "pso", "diff_evo", "dual_annealing"]


def kernel_tuner(path, strategy, seed):
    """Configurations that a strategy runs until one is within 5 % of the best."""
    import kernel_tuner as kt
    import numpy
    from kernel_tuner import util

    random.seed(seed)
    numpy.random.seed(seed)
    cache = util.read_cache(str(path), open_cache=False)
    best = min(entry["time"] for entry in cache["cache"].values() if not isinstance(entry["time"], str))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found, _ = kt.tune_kernel(
            cache["kernel_name"],
            "__kernel void %s() {}" % cache["kernel_name"],
            cache["problem_size"],
            [],
            cache["tune_params"],
            restrictions=util.infer_restrictions_from_cache(cache),
            simulation_mode=True,
            cache=str(path),
            strategy=strategy,
            strategy_options={"max_fevals": len(cache["cache"])},
            block_size_names=[cache["tune_params_keys"][0]],
            lang="OpenCL",
            quiet=True,
        )
    seen = set()
    for result in found:
        key = tuple(result[name] for name in cache["tune_params_keys"])
        seen.add(key)
        if not isinstance(result["time"], str) and result["time"] <= 1.05 * best:
            return len(seen)
    return len(cache["cache"])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--replay", default="target/release/examples/replay")
    options.add_argument("--platform", required=True)
    options.add_argument("--seeds", type=int, default=15)
    options = options.parse_args()
    for name, size in SPACES.items():
        path = ROOT / "benches" / "tuning" / f"{name}.json"
        kernel = ROOT / "examples" / "kernels" / f"{name}.cl"
        words = [options.replay, path, kernel, size, options.platform, options.seeds]
        print(f"== {name}", flush=True)
        print(subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout, end="", flush=True)
        for strategy in STRATEGIES:
            try:
                efforts = sorted(kernel_tuner(path, strategy, seed) for seed in range(options.seeds))
            except Exception as error:  # a strategy that this space breaks
                print(f"kernel tuner {strategy}: {type(error).__name__}: {error}")
                continue
            mean = statistics.mean(efforts)
            print(f"kernel tuner {strategy} mean {mean:.1f} median {efforts[len(efforts) // 2]} worst {efforts[-1]}", flush=True)


if __name__ == "__main__":
    main()
