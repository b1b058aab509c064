//! Random systems of weighted CCS, all of which are guarded.

use volvelle_random::Random;

/// A text of a few definitions.
pub fn random_system(random: &mut Random) -> String {
    let processes = 1 + random.below(4);
    let mut text = String::new();
    for process in 0..processes {
        let depth = 2 + random.below(3);
        // Names without a step before them belong to later definitions, so recursion is guarded.
        let free = process + 1..processes;
        let mut body = term(random, depth, free.clone(), processes);
        if process == 0 && !random.one_in(4) {
            body = format!("({body} | {}) \\ {{a}}", term(random, 2 + depth, free, processes));
        }
        text += &format!("P{process} := {body};\n");
    }
    text
}

fn action(random: &mut Random) -> &'static str {
    random.pick(&["a", "b", "c"])
}

fn proposition(random: &mut Random) -> &'static str {
    random.pick(&["p", "q"])
}

/// A term whose unguarded names are in the range.
fn term(random: &mut Random, depth: usize, free: std::ops::Range<usize>, all: usize) -> String {
    if depth == 0 || random.one_in(15) {
        return match random.below(3) {
            0 if !free.is_empty() => format!("P{}", free.start + random.below(free.len())),
            1 => format!("{}:0", proposition(random)),
            _ => "0".to_owned(),
        };
    }
    let inner = |random: &mut Random| term(random, depth - 1, free.clone(), all);
    match random.below(12) {
        0..5 => {
            let name = random.pick(&["a", "b", "c", "a", "b", "tau"]);
            let sign = if name != "tau" && random.one_in(2) { "!" } else { "" };
            let weight = random.pick(&["", ",1", ",2", ",1/2"]);
            let next = if random.one_in(2) {
                format!("P{}", random.below(all))
            } else {
                format!("({})", term(random, depth - 1, 0..all, all))
            };
            format!("<{name}{sign}{weight}>.{next}")
        }
        5..7 => format!("({} + {})", inner(random), inner(random)),
        7..9 => format!("({} | {})", inner(random), inner(random)),
        9 => format!("{}:({})", proposition(random), inner(random)),
        10 => format!("({}) \\ {{{}}}", inner(random), action(random)),
        _ => {
            let (old, new) = (action(random), action(random));
            let propositions = random.pick(&["", ", p => q", ", p => q, q => p"]);
            format!("({})[{old} -> {new}{propositions}]", inner(random))
        }
    }
}
