//! How the blocks of formulas are solved.

use volvelle_diagnostics::FileId;
use volvelle_mcl::automaton::{Automaton, Kind};
use volvelle_mcl::parse;

/// The blocks of a formula that hold circles, from the lowest on, and the number of vertices in all.
fn blocks(text: &str) -> (Vec<(Kind, bool)>, usize) {
    let (formula, diagnostics) = parse(FileId(0), text);
    let automaton = Automaton::new(&formula.unwrap_or_else(|| panic!("{diagnostics:?}")));
    let has_circle = |block: usize| {
        let of_block = automaton.vertices.iter().filter(|v| v.block as usize == block);
        of_block.clone().any(|v| v.priority != 0 && v.inner < v.end)
    };
    let found = (0..automaton.blocks.len()).filter(|&block| has_circle(block));
    let found = found.map(|block| (automaton.blocks[block].kind, automaton.blocks[block].goal)).collect();
    (found, automaton.vertices.len())
}

#[test]
fn common_formulas_are_searches() {
    // One vertex for the star, one for `<true> true`, and the constant.
    assert_eq!(blocks("[true*] <true> true"), (vec![(Kind::Reach, false)], 3));
    assert_eq!(blocks("<true* . \"a\"> true"), (vec![(Kind::Reach, true)], 2));
    assert_eq!(blocks("<((\"a\"* | \"b\")* . nil)*> true"), (vec![(Kind::Reach, true)], 4));
    assert_eq!(blocks("mu X . (<true> true and [not \"a\"] X)").0, [(Kind::Circle, false)]);
    assert_eq!(blocks("mu X . (<\"a\"> true or (<true> true and [true] X))").0, [(Kind::Circle, false)]);
    assert_eq!(blocks("@(\"i\")").0, [(Kind::Circle, true)]);
    assert_eq!(
        blocks("[true* . \"a\"] mu X . (<true> true and [not \"b\"] X)").0,
        [(Kind::Circle, false), (Kind::Reach, false)]
    );
}

#[test]
fn others_are_solved_with_counters_or_as_games() {
    assert_eq!(blocks("mu X . (<\"a\"> X or [\"b\"] X)").0, [(Kind::Mixed, true)]);
    assert_eq!(blocks("nu X . (<\"a\"> X and [\"b\"] X)").0, [(Kind::Mixed, false)]);
    assert_eq!(blocks("nu X . mu Y . ([\"a\"] X and [not \"a\"] Y)").0, [(Kind::Game, true)]);
    // Closed parts do not mix.
    assert_eq!(
        blocks("nu X . (mu Y . <true> Y and [true] X)").0,
        [(Kind::Reach, true), (Kind::Reach, false)]
    );
}
