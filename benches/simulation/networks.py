#!/usr/bin/env python3
"""Writes models with many commands, each of which a step changes few of: for benchmarks of what is weighed again.

    benches/simulation/networks.py ring MACHINES > ring.prism
    benches/simulation/networks.py net SPECIES REACTIONS > net.prism

`ring`: machines of four commands in a ring, each of which waits for its neighbour. `net`: random reactions of a few molecules each;
the same numbers give the same network. Both have a reward structure `x`: `R{"x"}=? [ C<=10 ]`.
"""

import random
import sys


def ring(machines):
    lines = [
        "ctmc",
        "module m1",
        "  x1 : [0..2] init 0;",
        "  [] x1=0 -> 1 : (x1'=1);",
        "  [] x1=1 & x2=0 -> 2 : (x1'=2);",
        "  [] x1=2 -> 3 : (x1'=0);",
        "  [] x1=1 -> 0.5 : (x1'=0);",
        "endmodule",
    ]
    for i in range(2, machines + 1):
        lines.append(f"module m{i} = m1 [x1=x{i},x2=x{i % machines + 1}] endmodule")
    return lines + ['rewards "x" x1=2 : 1; endrewards']


def net(species, reactions):
    choice = random.Random(1)
    lines = ["ctmc", "module net"]
    lines += [f"  s{i} : [0..20] init {choice.randint(2, 10)};" for i in range(species)]
    for _ in range(reactions):
        a, b, c, _ = choice.sample(range(species), 4)
        rate = choice.choice([1, 2, 3, 5]) / 10
        if choice.random() < 0.5:
            guard, weight = f"s{a}>0 & s{b}>0 & s{c}<20", f"{rate / 10:.3f}*s{a}*s{b}"
            effect = f"(s{a}'=s{a}-1) & (s{b}'=s{b}-1) & (s{c}'=s{c}+1)"
        else:
            guard, weight = f"s{a}>0 & s{c}<20 & s{b}<20", f"{rate}*s{a}"
            effect = f"(s{a}'=s{a}-1) & (s{b}'=s{b}+1) & (s{c}'=s{c}+1)"
        lines.append(f"  [] {guard} -> {weight} : {effect};")
    return lines + ["endmodule", 'rewards "x" true : s0; endrewards']


def main():
    match sys.argv[1:]:
        case ["ring", machines]:
            lines = ring(int(machines))
        case ["net", species, reactions]:
            lines = net(int(species), int(reactions))
        case _:
            sys.exit(__doc__)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
