"""Weighted systems for the benchmark of weighted structures: protocols as weighted CCS, families of large structures as `.wks`.

The protocols are those of Jensen, Larsen, Srba and Oestergaard, "Efficient model-checking of weighted CTL with upper-bound constraints"
(STTT 18, 2016): their transition systems, so that numbers of configurations can be compared with the published ones. The first definition of each
text is the system.
"""

import math
import random


def leader_election(processes):
    """A ring of processes with ranks 1..n: each tells its neighbour below (the first one the last) the greatest rank that it knows, at cost 1;
    who hears its own rank leads and stops. The answer `leader > 1` asks for two leaders."""
    ranks = range(1, processes + 1)
    names = [f"to{place}_{rank}" for place in ranks for rank in ranks]
    lines = [f"System := ({' | '.join(f'Best{place}_{place}' for place in ranks)}) \\ {{{', '.join(names)}}};"]
    for place in ranks:
        neighbour = (place - 2) % processes + 1
        for best in range(place, processes + 1):
            steps = [f"<to{neighbour}_{best}!,1>.Best{place}_{best}"]
            for heard in ranks:
                after = "leader:0" if heard == place else f"Best{place}_{max(best, heard)}"
                steps.append(f"<to{place}_{heard}>.{after}")
            lines.append(f"Best{place}_{best} := {' + '.join(steps)};")
    return "\n".join(lines) + "\n"


def alternating_bit(cells, messages):
    """The alternating bit protocol over a lossy shift register of so many cells; leaving a cell costs 1. Cells are joined in halves, the
    smaller one first; so many users wait for a message each."""
    sync = "send0 send1 heard0 heard1 arrived0 arrived1 answer0 answer1 deliver".split()
    lines = [f"System := (Source | Channels | Sink | Users) \\ {{{', '.join(sync)}}};", "Source := Fresh0;"]
    for bit in (0, 1):
        other = 1 - bit
        lines += [
            f"Fresh{bit} := <next>.Busy{bit};",
            f"Busy{bit} := <send{bit}!>.send{bit}:(<heard{bit}>.Fresh{other} + <heard{other}>.Busy{bit} + <tau>.Busy{bit});",
            f"Expect{bit} := <arrived{bit}>.<deliver!>.deliver{bit}:<answer{bit}!>.Expect{other}"
            f" + <arrived{other}>.<answer{other}!>.Expect{bit} + <tau>.<answer{other}!>.Expect{bit};",
        ]
    lines.append("Sink := Expect0;")
    lines.append("Cells1 := <in0>.(<out0!,1>.Cells1 + Cells1) + <in1>.(<out1!,1>.Cells1 + Cells1);")
    wanted, sizes = {cells}, set()
    while wanted:
        size = wanted.pop()
        if size > 1 and size not in sizes:
            sizes.add(size)
            wanted |= {size // 2, size - size // 2}
    for size in sorted(sizes):
        few, rest = size // 2, size - size // 2
        lines.append(
            f"Cells{size} := (Cells{few}[out0 -> shift0, out1 -> shift1] | Cells{rest}[in0 -> shift0, in1 -> shift1]) \\ {{shift0, shift1}};"
        )
    lines += [
        "Channels := Forward | Back;",
        f"Forward := (Entry | Cells{cells} | Exit) \\ {{in0, in1, out0, out1}};",
        "Entry := <send0>.<in0!>.Entry + <send1>.<in1!>.Entry;",
        "Exit := <out0>.<arrived0!>.Exit + <out1>.<arrived1!>.Exit;",
        "Back := <answer0>.(<heard0!>.Back + Back) + <answer1>.(<heard1!>.Back + Back);",
        "User := <deliver>.delivered:0;",
        f"Users := {' | '.join(['User'] * messages)};",
    ]
    return "\n".join(lines) + "\n"


def semaphore(places, threads):
    """So many threads share a semaphore of so many places; a lock costs 1."""
    return (
        "System := (Semaphore | Threads) \\ {lock, unlock};\n"
        f"Semaphore := {' | '.join(['Place'] * places)};\n"
        "Place := <lock>.<unlock>.Place;\n"
        f"Threads := {' | '.join(['Thread'] * threads)};\n"
        "Thread := <lock!,1>.critical:<unlock!>.Thread;\n"
    )


# --- Structures ---------------------------------------------------------------------------------------------------------------------------------
#
# A structure here is a pair: the label of each state, and for each state its transitions (weight, target).


def _random(states, draw):
    labels = [draw.randrange(3) for _ in range(states)]
    return labels, [[(draw.randrange(1, 11), draw.randrange(states)) for _ in range(draw.randrange(1, 4))] for _ in range(states)]


def _chain(states, draw):
    return [place // 10 % 3 for place in range(states)], [
        [(draw.randrange(1, 6), place + 1)] if place + 1 < states else [] for place in range(states)
    ]


def _grid(states, draw):
    width = int(states**0.5)
    labels, steps = [], []
    for place in range(width * width):
        row, column = divmod(place, width)
        labels.append((row // 8 + column // 8) % 3)
        right = [(draw.randrange(1, 4), place + 1)] if column + 1 < width else []
        down = [(draw.randrange(1, 4), place + width)] if row + 1 < width else []
        steps.append(right + down)
    return labels, steps


def _layered(states, draw):
    width, labels, steps = 100, [], []
    for place in range(states // width * width):
        layer = place // width
        labels.append(layer // 4 % 3)
        below = (layer + 1) * width
        steps.append([(draw.randrange(1, 7), below + draw.randrange(width)) for _ in range(3)] if below < states // width * width else [])
    return labels, steps


FAMILIES = {"random": _random, "chain": _chain, "grid": _grid, "layered": _layered}


def family(name, states, seed=1):
    return FAMILIES[name](states, random.Random(seed))


def doubled(structure, seed=2):
    """Every state twice, each step to one of the two of its target: state s is equivalent to 2 s and to 2 s + 1 here under every relation."""
    labels, steps = structure
    draw = random.Random(seed)
    return [label for label in labels for _ in (0, 1)], [
        [(weight, 2 * target + draw.randrange(2)) for weight, target in out] for out in steps for _ in (0, 1)
    ]


def shuffled(structure, seed=3):
    """The same structure with the steps of each state in another order, of which nothing may depend but time."""
    labels, steps = structure
    draw = random.Random(seed)
    return labels, [draw.sample(out, len(out)) for out in steps]


def reweighted(structure, change):
    """The same structure with other weights: `change` is called with each weight."""
    labels, steps = structure
    return labels, [[(change(weight), target) for weight, target in out] for out in steps]


def visible(structure):
    """The same steps, but neighbours on a chain carry different labels: each step must be answered by one step alone."""
    labels, steps = structure
    return [place % 2 for place in range(len(labels))], steps


def write_structures(path, parts):
    """Several structures in one file; `parts` names the prefix of the states of each. Weights are integers or fractions."""
    with open(path, "w") as file:
        for prefix, (labels, steps) in parts.items():
            for place, (label, out) in enumerate(zip(labels, steps)):
                arrows = ", ".join(f"-{weight}-> {prefix}{target}" for weight, target in out)
                file.write(f"state {prefix}{place} {{l{label}}}" + (f": {arrows};\n" if out else ";\n"))


def knapsack(weights, goal):
    """Figure 2 of Foshammer, Larsen, Mardare and Xue: s and t are equivalent exactly if `goal` is a sum of the weights with multiplicities."""
    loops = {name: [f"-{weight}-> {name}" for weight in weights] for name in "stu"}
    loops["t"].append(f"-{goal}-> u")
    return "".join(f"state {name}: {', '.join(arrows)};\n" for name, arrows in loops.items())


def representable(weights, goal):
    """Whether `goal` is a sum of the three weights, without tables of residues: for every multiple z of the last the equation
    x a + y b = rest is solved by the least y >= 0, which a modular inverse gives. The first two have no common divisor that the third lacks."""
    if goal % (divisor := math.gcd(*weights)):
        return False
    a, b, c, goal = (number // divisor for number in (*weights, goal))
    inverse = pow(b, -1, a)
    for z in range(min(goal // c, a - 1) + 1):
        rest = goal - z * c
        if rest * inverse % a * b <= rest:
            return True
    return False
