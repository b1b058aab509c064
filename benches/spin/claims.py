#!/usr/bin/env python3
"""Sizes of Büchi automata: never claims of Volvelle against those of `spin -f`.

    benches/spin/claims.py                   literature and 300 random formulas
    benches/spin/claims.py --random 1000     more of them
    benches/spin/claims.py --all             every formula, not only those where SPIN is smaller

Both translate the same formulas in the same run; the formulas have no "next", as SPIN is usually built without it. States and
transitions of SPIN are counted in the claim that it prints, where `accept_all` counts as a state with one transition
if something leads to it. Needs `spin` in the path.
"""

import argparse
import pathlib
import random
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# K. Etessami, G. Holzmann, Optimizing Büchi Automata, CONCUR 2000 (those without "next"); F. Somenzi, R. Bloem,
# Efficient Büchi Automata from LTL Formulae, CAV 2000 (likewise); P. Gastin, D. Oddoux, CAV 2001: families.
LITERATURE = """
p U (q && []r)
p U (q U r)
p U (q && (r U s))
<>(p && []q)
<>(p && <>(q && <>r))
<>(p && (q U r))
<>[]p || []<>q
[](p -> (q U r))
[](p && <>(q && <>(r && <>s)))
[]<>p && []<>q && []<>r
[]<>p && []<>q && []<>r && []<>s
(p U (q U r)) || (q U (r U p)) || (r U (p U q))
[](p -> (q U ([]r || []s)))
p U q
!(p U q)
!(p U (q U r))
[]<>p -> []<>q
!([]<>p -> []<>q)
<>p U []q
[]p U q
!(<>p U []q)
!(<><>p <-> <>p)
!([]<>p -> [](q -> <>p))
!([]<>p <-> [](q -> <>p))
!((<>p && []!q) || (<>q && []!p))
(<>p && []!q) || (<>q && []!p)
[]<>p && <>[]q
([]<>p && <>[]!q) || ([]<>q && <>[]!p)
p V (p || q)
[](p -> <>q)
!([](p -> <>q))
<>p && <>!p
[]<>!p && []<>!q
[](<>p && <>q)
[]p || []q || ([](p || []<>r) && [](q || []<>!r))
[]p || []q || ([](p || <>[]r) && [](q || <>[]!r))
<>!p && <>!q && (<>(!p && <>[]!r) || <>(!q && <>[]r))
<>!p && <>!q && (<>(!p && []<>!r) || <>(!q && []<>r))
p || (q U p)
!([]<>p && []<>q -> [](r -> <>s))
!([]<>p && []<>q && []<>r -> [](s -> <>t))
!([]<>p && []<>q && []<>r && []<>s -> [](t -> <>u))
p1 U (p2 U (p3 U p4))
((p1 U p2) U p3) U p4
p1 V (p2 V (p3 V p4))
((p1 V p2) V p3) V p4
[](p -> <>q) && [](r -> <>s)
!([](p -> <>q) && [](r -> <>s))
<>[]p && <>[]q
<>[]p || <>[]q || []<>r
([]<>p || <>[]q) && ([]<>r || <>[]s)
[]<>(p && <>q)
[](p || <>(q && [](r || <>s)))
<>(p && []<>q)
[](p -> []q)
[](p -> <>[]q)
[](p -> []<>q)
!([](p -> <>[]q))
!([](p -> []<>q))
[](p U q)
<>(p U q) && []<>r
(p U q) && []<>r
[]p && <>q
[](p -> (r V (q || r)))
!([](p -> (r V (q || r))))
([]<>p) U q
(p U q) || (r U s)
(p U q) && (r U s)
(p V q) && (r U s)
(p U q) -> (r U s)
""".split("\n")

# M. Dwyer, G. Avrunin, J. Corbett, Property Specification Patterns for Finite-State Verification, FMSP 1998:
# patterns in their scopes, as they are and negated, as claims want them. `a W b` is written `b V (a || b)`: SPIN's
# option -f takes `a W b` for a proposition.
PATTERNS = """
[](!p)
<>r -> (!p U r)
[](q -> [](!p))
[]((q && !r && <>r) -> (!p U r))
[](q && !r -> (r V (!p || r)))
<>p
(p && !r) V (!r || (p && !r))
[](!q) || <>(q && <>p)
[](q && !r -> ((p && !r) V (!r || (p && !r))))
[](q && !r -> (!r U (p && !r)))
<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))
[]!p || (!p U ([]p || (p U ([]!p || (!p U ([]p || (p U []!p)))))))
[]p
<>r -> (p U r)
[](q -> []p)
[]((q && !r && <>r) -> (p U r))
[](q && !r -> (r V (p || r)))
s V (!p || s)
<>r -> (!p U (s || r))
[]!q || <>(q && (s V (!p || s)))
[]((q && !r && <>r) -> (!p U (s || r)))
[](q && !r -> ((s || r) V (!p || s || r)))
[](p -> <>s)
<>r -> (p -> (!r U (s && !r))) U r
[](q -> [](p -> <>s))
[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))
[](q && !r -> (r V ((p -> (!r U (s && !r))) || r)))
[](p -> <>(s && <>t))
[](q -> [](p -> (s && <>t)))
""".split("\n")


def formulas(args):
    groups = {"literature": [f for f in LITERATURE if f]}
    patterns = [f for f in PATTERNS if f]
    groups["patterns"] = patterns
    groups["patterns, negated"] = [f"!({f})" for f in patterns]
    draw = random.Random(args.seed)
    groups["random"] = [drawn(draw, draw.randint(*args.size)) for _ in range(args.random)]
    return groups


def drawn(draw, size):
    """A formula with so many operators over three propositions."""
    if size == 0:
        return draw.choice("pqr")
    kind = draw.choice(["!", "[]", "<>", "[]", "<>", "&&", "||", "->", "U", "U", "V"])
    if kind in ("!", "[]", "<>"):
        return f"{kind}({drawn(draw, size - 1)})"
    left = draw.randint(0, size - 1)
    return f"({drawn(draw, left)}) {kind} ({drawn(draw, size - 1 - left)})"


def of_spin(formula, seconds):
    """States, transitions, seconds."""
    before = time.perf_counter()
    try:
        text = subprocess.run(["spin", "-f", formula], capture_output=True, text=True, timeout=seconds).stdout
    except subprocess.TimeoutExpired:
        return None
    took = time.perf_counter() - before
    if "never" not in text:
        return None
    labels = re.findall(r"^(\w+):", text, re.MULTILINE)
    states = [l for l in labels if l != "accept_all"]
    if "accept_init" in states and "T0_init" in states:
        states.remove("T0_init")  # two labels of one state
    transitions = len(re.findall(r"^\s*::", text, re.MULTILINE))
    if "accept_all" in labels and ("assert" in text or "goto accept_all" in text):
        states.append("accept_all")
        transitions += 1
    return len(states), transitions, took


def of_volvelle(binary, formulas):
    lines = subprocess.run([binary, "--sizes"], input="\n".join(formulas), capture_output=True, text=True, check=True)
    result = []
    for line in lines.stdout.splitlines():
        if line.startswith("error"):
            result.append(None)
            continue
        states, transitions, deterministic, strength, seconds = line.split("\t")
        result.append((int(states), int(transitions), float(seconds), deterministic == "true", strength))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=300, help="how many random formulas")
    parser.add_argument("--size", type=int, nargs=2, default=(3, 9), help="operators that they have")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=10, help="seconds for SPIN and one formula")
    parser.add_argument("--binary", help="the example `never`, built; else cargo builds it")
    parser.add_argument("--all", action="store_true", help="show every formula")
    args = parser.parse_args()
    binary = args.binary
    if not binary:
        command = ["cargo", "build", "--release", "-p", "volvelle-automata", "--example", "never"]
        subprocess.run(command, cwd=ROOT, check=True)
        binary = ROOT / "target/release/examples/never"
    print("| formulas | | Volvelle: states | transitions | s | SPIN: states | transitions | s | SPIN smaller |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    remarks = []
    for group, texts in formulas(args).items():
        pairs = [(f, ours, of_spin(f, args.timeout)) for f, ours in zip(texts, of_volvelle(binary, texts), strict=True)]
        for formula, ours, _ in pairs:
            if not ours:
                remarks.append(f"{formula}: no automaton")
        silent = sum(1 for _, _, spin in pairs if not spin)
        if silent:
            remarks.append(f"{group}: {silent} formulas without an answer of SPIN within {args.timeout} s are left out")
        both = [p for p in pairs if p[1] and p[2]]
        worse = [p for p in both if p[2][0] < p[1][0]]
        ours, spin = [[sum(p[k][i] for p in both) for i in range(3)] for k in (1, 2)]
        print(f"| {group} | {len(both)} | {ours[0]} | {ours[1]} | {ours[2]:.2f} | {spin[0]} | {spin[1]} | {spin[2]:.2f} | {len(worse)} |")
        for formula, a, b in both if args.all else worse:
            remarks.append(f"{formula}: {a[0]} states, {a[1]} transitions; SPIN {b[0]}, {b[1]}")
        slowest = max(both, key=lambda p: p[1][2])
        remarks.append(f"{group}: slowest {slowest[1][2]:.3f} s: {slowest[0]}")
    print(*remarks, sep="\n")


if __name__ == "__main__":
    main()
