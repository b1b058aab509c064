//! Random systems and random texts of formulas.

use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

/// Labels that generated formulas mention.
pub const LABELS: [&str; 4] = ["i", "a", "b", "c !1"];

/// A system with a few states, some of which are deadlocks.
pub fn lts(random: &mut Random, most_states: usize) -> Lts {
    let states = 1 + random.below(most_states) as u32;
    let mut labels = Labels::new();
    LABELS.iter().for_each(|label| {
        labels.number(label);
    });
    let density = 1 + random.below(3);
    let transitions: Vec<(u32, u32, u32)> = (0..states as usize * density)
        .map(|_| {
            let end = |random: &mut Random| random.below(states as usize) as u32;
            (end(random), random.below(LABELS.len()) as u32, end(random))
        })
        .collect();
    Lts::from_transitions(states, random.below(states as usize) as u32, labels, &transitions)
}

/// The text of a closed formula.
pub fn text(random: &mut Random, depth: usize) -> String {
    state(random, depth, &mut Vec::new())
}

/// The text of a formula with fixpoints in one another, whose variables its body uses freely.
pub fn alternating(random: &mut Random) -> String {
    let variables: Vec<String> = (0..2 + random.below(3)).map(|n| format!("X{n}")).collect();
    let binders: String =
        variables.iter().map(|x| format!("{} {x} . (", random.pick(&["mu", "nu"]))).collect();
    let mut bound: Bound = variables.iter().map(|x| (x.clone(), false)).collect();
    let depth = 2 + random.below(3);
    let modal = |random: &mut Random, bound: &mut Bound| {
        let inner = state(random, depth, bound);
        random.pick(&["<true>", "[true]", "<\"a\">", "[not \"a\"]"]).to_owned() + " " + &inner
    };
    let (first, second) = (modal(random, &mut bound), modal(random, &mut bound));
    let operator = random.pick(&["and", "or"]);
    format!("{binders}{first} {operator} {second}{}", ")".repeat(variables.len()))
}

/// A variable, and whether it stands under an odd number of negations.
type Bound = Vec<(String, bool)>;

fn state(random: &mut Random, depth: usize, bound: &mut Bound) -> String {
    if depth == 0 || random.one_in(8) {
        let usable: Vec<&(String, bool)> = bound.iter().filter(|(_, negated)| !negated).collect();
        if !usable.is_empty() && !random.one_in(4) {
            return usable[random.below(usable.len())].0.clone();
        }
        return random.pick(&["true", "false", "<\"a\"> true", "[true] false"]).to_owned();
    }
    let depth = depth - 1;
    match random.below(12) {
        0 => {
            flip(bound);
            let inner = state(random, depth, bound);
            flip(bound);
            format!("not ({inner})")
        }
        1 => format!("({} and {})", state(random, depth, bound), state(random, depth, bound)),
        2 => format!("({} or {})", state(random, depth, bound), state(random, depth, bound)),
        3 => {
            flip(bound);
            let left = state(random, depth, bound);
            flip(bound);
            format!("({left} implies {})", state(random, depth, bound))
        }
        4 if random.one_in(2) => {
            let mut none = Vec::new();
            format!("({} equ {})", state(random, depth, &mut none), state(random, depth, &mut none))
        }
        5 | 6 => format!("<{}> {}", regular(random, 3), state(random, depth, bound)),
        7 | 8 => format!("[{}] {}", regular(random, 3), state(random, depth, bound)),
        9 if random.one_in(2) => format!("@({})", regular(random, 3)),
        n => {
            let name = random.pick(&["X", "Y", "Z", "W"]).to_owned();
            let hidden: Bound = bound.iter().filter(|(other, _)| *other != name).cloned().collect();
            let mut inner = hidden;
            inner.push((name.clone(), false));
            let word = if n % 2 == 0 { "mu" } else { "nu" };
            format!("{word} {name} . ({})", state(random, depth, &mut inner))
        }
    }
}

fn flip(bound: &mut Bound) {
    bound.iter_mut().for_each(|(_, negated)| *negated = !*negated);
}

fn regular(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(3) {
        return action(random, 2);
    }
    let depth = depth - 1;
    match random.below(9) {
        0 => "nil".to_owned(),
        1 | 2 => format!("({} . {})", regular(random, depth), regular(random, depth)),
        3 => format!("({} | {})", regular(random, depth), regular(random, depth)),
        4 | 5 => format!("({})*", regular(random, depth)),
        6 => format!("({})+", regular(random, depth)),
        7 => format!("({})?", regular(random, depth)),
        _ => {
            let least = random.below(3);
            let most = ["".to_owned(), format!("..{}", least + random.below(3)), "..".to_owned()];
            let most = &most[random.below(3)];
            format!("({}){{{least}{most}}}", regular(random, depth))
        }
    }
}

fn action(random: &mut Random, depth: usize) -> String {
    if depth == 0 || !random.one_in(3) {
        let leaves = ["true", "\"a\"", "\"b\"", "\"i\"", "\"c !1\"", "'[ab]'", "'c.*'", "false"];
        return random.pick(&leaves).to_owned();
    }
    let depth = depth - 1;
    match random.below(5) {
        0 | 1 => format!("not ({})", action(random, depth)),
        2 => format!("({} or {})", action(random, depth), action(random, depth)),
        3 => format!("({} and {})", action(random, depth), action(random, depth)),
        _ => format!(
            "({} equ ({} implies {}))",
            action(random, depth),
            action(random, depth),
            action(random, depth)
        ),
    }
}
