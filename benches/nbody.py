"""Particle systems against REBOUND: direct sums, in one run on one core.

    cargo build --release -p volvelle-nbody --example direct_sum
    pip install rebound
    python3 benches/nbody.py [--sizes 8192,16384] [--program target/release/examples/direct_sum]

Both compute all forces of N bodies by pairs in double precision; all N^2 pairs count, though REBOUND uses the symmetry of pairs. Rates are
interactions per CPU second; of volvelle's kernels, the program prints each. Without REBOUND only volvelle runs. Beside it: trees
(`benches/nbody/trees.py`), the cost of the runtime (`overhead.py`), and several ranks (`ranks.py`).
"""

import argparse
import os
import random
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def rebound_rate(size, repeat):
    """10^9 interactions per CPU second of REBOUND's basic gravity, with the leapfrog."""
    import rebound

    simulation = rebound.Simulation()
    simulation.integrator = "leapfrog"
    simulation.gravity = "basic"
    simulation.softening = 0.01
    simulation.dt = 1e-6
    draw = random.Random(1)
    for _ in range(size):
        x, y, z = (draw.uniform(-1, 1) for _ in range(3))
        simulation.add(m=1 / size, x=x, y=y, z=z)
    simulation.steps(1)
    rates = []
    for _ in range(repeat):
        start, steps = time.process_time(), 0
        while time.process_time() - start < 0.5:
            simulation.steps(1)
            steps += 1
        rates.append(steps * size * size / (time.process_time() - start) / 1e9)
    return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="8192,16384")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--program", default=os.path.join(ROOT, "target/release/examples/direct_sum"))
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    print(subprocess.run([args.program, str(max(sizes))], check=True, capture_output=True, text=True).stdout, end="")
    try:
        import rebound
    except ImportError:
        print("REBOUND is not installed: pip install rebound")
        return
    rates = "".join(f"{rebound_rate(size, args.repeat):9.3f}" for size in sizes)
    print(f"{'REBOUND ' + rebound.__version__ + ', basic':<40}{rates}   (N = {args.sizes})")


if __name__ == "__main__":
    main()
