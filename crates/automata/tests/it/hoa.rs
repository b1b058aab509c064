//! Automata written in many ways are read as the same; mistakes are named with their places.

use volvelle_automata::hoa::{HoaError, parse};
use volvelle_logic::{Acceptance, Among, Cube, OmegaAutomaton};
use volvelle_random::Random;

/// A deterministic automaton: for every state and letter a target and sets; `None`: no transition.
struct Table {
    propositions: usize,
    sets: u32,
    rows: Vec<Vec<Option<(usize, u64)>>>,
}

fn table(random: &mut Random) -> Table {
    let (propositions, sets) = (random.below(4), 1 + random.below(4) as u32);
    let states = 1 + random.below(5);
    let rows = (0..states).map(|_| {
        let of_state = random.below(1 << sets) as u64;
        let letters = (0..1usize << propositions).map(|_| {
            let sets = if random.one_in(2) { of_state } else { random.below(1 << sets) as u64 };
            (!random.one_in(8)).then(|| (random.below(states), sets))
        });
        letters.collect()
    });
    Table { propositions, sets, rows: rows.collect() }
}

/// A label that one letter satisfies.
fn letter(letter: usize, propositions: usize, random: &mut Random) -> String {
    if propositions == 0 {
        return "t".to_string();
    }
    let literals = (0..propositions).map(|p| match (letter >> p & 1 == 1, random.below(3)) {
        (true, 0) => format!("@p{p}"),
        (false, 0) => format!("!@p{p}"),
        (true, 1) => format!("!(!{p} | f)"),
        (false, 1) => format!("(t & !{p})"),
        (true, _) => p.to_string(),
        (false, _) => format!("! {p}"),
    });
    literals.collect::<Vec<_>>().join(" & ")
}

fn sets(sets: u64) -> String {
    let numbers: Vec<String> = (0..64).filter(|s| sets >> s & 1 == 1).map(|s| s.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

/// The text of a file, with a way of writing drawn for each state.
fn written(table: &Table, random: &mut Random) -> String {
    let names: Vec<String> = (0..table.propositions).map(|p| format!("\"p\\\"{p}\"")).collect();
    let mut header = vec![
        format!("AP: {} {}", table.propositions, names.join(" ")),
        format!("Acceptance: {} Inf(0)", table.sets),
        "Start: 0".to_string(),
        "name: \"any /* name */\" /* a /* nested */ comment */".to_string(),
        "acc-name: Buchi 1 x t f".to_string(),
        "properties: explicit-labels trans-acc".to_string(),
    ];
    header.extend((0..table.propositions).map(|p| format!("Alias: @p{p} {p}")));
    if random.one_in(2) {
        header.push(format!("States: {}", table.rows.len()));
    }
    let mut text = "HOA: v1\n".to_string();
    while !header.is_empty() {
        text += &header.remove(random.below(header.len()));
        text += "\n";
    }
    text += "--BODY--\n";
    let mut order: Vec<usize> = (0..table.rows.len()).collect();
    while !order.is_empty() {
        let state = order.remove(random.below(order.len()));
        let row = &table.rows[state];
        let all = row.iter().all(Option::is_some);
        let same = row.iter().flatten().map(|e| e.1).collect::<Vec<_>>();
        let shared = if same.iter().all(|s| *s == same[0]) { same.first().copied() } else { None };
        let shared = shared.filter(|_| random.one_in(2));
        let own = |of: u64| if shared.is_some() { String::new() } else { sets(of) };
        let one_target =
            all && row.iter().all(|edge| edge.map(|e| e.0) == row[0].map(|e| e.0)) && shared.is_some();
        let of_state = if one_target { "[t | 0] " } else { "" };
        let of_state = if table.propositions == 0 { "" } else { of_state };
        text +=
            &format!("State: {of_state}{state} \"state {state}\"{}\n", shared.map(sets).unwrap_or_default());
        if !of_state.is_empty() {
            text += &format!("{}\n", row[0].map_or(0, |e| e.0));
        } else if all && random.one_in(2) {
            row.iter().flatten().for_each(|&(target, of)| text += &format!("{target}{}\n", own(of)));
        } else {
            for (i, edge) in row.iter().enumerate() {
                let Some((target, of)) = edge else { continue };
                text += &format!("[{}] {target}{}\n", letter(i, table.propositions, random), own(*of));
            }
        }
    }
    text + "--END--\n"
}

#[test]
fn all_ways_of_writing_mean_the_same() {
    let mut random = Random(31);
    for case in 0..400 {
        let table = table(&mut random);
        let text = written(&table, &mut random);
        let automaton = parse(&text).unwrap_or_else(|error| panic!("{case}: {error:?}\n{text}"));
        assert_eq!(automaton.propositions.len(), table.propositions);
        assert_eq!(automaton.acceptance, Acceptance::Infinitely(Among { set: 0, inside: true }));
        // Where each state of the table is.
        let mut place = vec![None; table.rows.len()];
        place[0] = automaton.initial;
        let mut work = vec![0];
        while let Some(state) = work.pop() {
            let here = place[state].expect("known");
            for (letter, edge) in table.rows[state].iter().enumerate() {
                let found = automaton.edge(here, letter as u64);
                assert_eq!(found.map(|e| e.sets), edge.map(|e| e.1), "{case}: {state} {letter}\n{text}");
                let (Some(found), Some((target, _))) = (found, edge) else { continue };
                match place[*target] {
                    Some(known) => assert_eq!(found.target, known, "{text}"),
                    None => {
                        place[*target] = Some(found.target);
                        work.push(*target);
                    }
                }
            }
        }
    }
}

fn with(header: &str, body: &str) -> Result<OmegaAutomaton, HoaError> {
    parse(&format!("HOA: v1 {header} --BODY-- {body} --END--"))
}

#[test]
fn mistakes_are_named() {
    let two = "States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 2 Inf(0) & Fin(!1)";
    assert!(with(two, "State: 0 [0] 1 {0}").is_ok());
    for (header, body, message) in [
        (two, "State: 0 [0] 1 [0 & 1] 0", "not deterministic: state 0 has two transitions for one letter"),
        (two, "State: 0 [0] 1 {0} [1] 1", "not deterministic: state 0 has two transitions for one letter"),
        (two, "State: 0 [0] 1&0", "the automaton is alternating: it is in several states at once"),
        (two, "State: 2", "there is no state 2: `States:` says 2"),
        (two, "State: 0 [t] 2", "there is no state 2: `States:` says 2"),
        (two, "State: 0 [2] 1", "there is no proposition 2: `AP:` has 2"),
        (two, "State: 0 [@x] 1", "there is no alias `@x` before"),
        (two, "State: 0 [0] 1 {2}", "there is no acceptance set 2: there are 2"),
        (
            two,
            "State: 0 1 0 1",
            "the state 0 has 3 transitions without labels, one for each letter is expected",
        ),
        (two, "State: 0 1 0 1 0 1", "this state has more transitions than there are letters"),
        (two, "State: 0 [0] 1 1", "some transitions of this state have labels of their own, others not"),
        (two, "State: [0] 0 [1] 1", "some transitions of this state have labels of their own, others not"),
        (two, "State: 0 State: 0", "the state 0 is defined twice"),
        (two, "State: 0 [0 1", "expected `]`, found `1`"),
        (
            two,
            "State: 0 [0 |] 1",
            "expected a label: a number of a proposition, `t`, `f`, `!`, `(` or an alias, found `]`",
        ),
        (two, "State:", "expected the number of a state, found `--END--`"),
        (two, "0 1", "expected `State:` or `--END--`, found `0`"),
        (two, "--ABORT--", "the tool that wrote the automaton gave up"),
        (two, "--END-- HOA: v1", "something follows after the automaton: a file holds one"),
        ("Start: 0 AP: 0 Start: 1 Acceptance: 0 t", "", "the automaton has several initial states"),
        ("Start: 0&1 Acceptance: 0 t", "", "the automaton is alternating: it is in several states at once"),
        ("Start: 3 States: 1 Acceptance: 0 t", "", "there is no state 3: `States:` says 1"),
        ("Start: 0", "", "expected `Acceptance:` in the header, before the body, found `--BODY--`"),
        ("Acceptance: 1 Inf(1)", "", "there is no acceptance set 1: there are 1"),
        ("Acceptance: 65 Inf(1)", "", "an automaton with more than 64 acceptance sets"),
        (
            "Acceptance: 1 Inf(0) &",
            "",
            "expected an acceptance condition: `Inf(...)`, `Fin(...)`, `t`, `f` or `(`, found `--BODY--`",
        ),
        ("Acceptance: 1 Inf 0", "", "expected `(`, found `0`"),
        ("AP: 65", "", "an automaton with more than 64 propositions"),
        ("AP: 2 \"a\"", "", "expected the name of proposition 1 in quotes, found `--BODY--`"),
        ("AP: 1 \"a\" \"b\"", "", "`AP:` says that there are 1 propositions"),
        ("AP: 2 \"a\" \"a\"", "", "two propositions have the name \"a\""),
        ("States: 99999999999999999999", "", "this number is too large"),
        ("States: 99999999", "", "an automaton with more than 16777216 states"),
        ("States: 1 States: 1", "", "`States:` is given twice"),
        ("Alias: @a 0 Alias: @a 0 AP: 1 \"a\" Acceptance: 0 t", "", "the alias `@a` is given twice"),
        ("Alias: a 0", "", "expected the name of an alias, as in `@a`, found `a`"),
        ("Weights: 3 Acceptance: 0 t", "", "the header item `Weights:` is not supported"),
        ("Acceptance: 0 t 7", "", "expected an item of the header or `--BODY--`, found `7`"),
        ("name: \"x", "", "this text does not end"),
        ("/* name", "", "this comment does not end"),
        ("Start: #", "", "an automaton does not contain `#`"),
    ] {
        let error = with(header, body).expect_err(message);
        assert_eq!(error.message, message, "{header} {body}");
    }
    for text in ["", "HOA", "HOA: v2 Acceptance: 0 t --BODY-- --END--", "never { }"] {
        assert!(parse(text).expect_err(text).message.starts_with("expected `"), "{text}");
    }
    assert_eq!(parse("HOA: v1 Acceptance: 0 t").expect_err("no body").message, "there is no `--BODY--`");
    let deep = format!("{}0{}", "(".repeat(100_000), ")".repeat(100_000));
    let error = with(two, &format!("State: 0 [{deep}] 0")).expect_err("deep");
    assert_eq!(error.message, "this label is nested too deeply");
    let error = with(&format!("Acceptance: 1 {}", deep.replace('0', "t")), "").expect_err("deep");
    assert_eq!(error.message, "this condition is nested too deeply");
    // A disjunction of many parts.
    let names: String = (0..60).map(|i| format!(" \"{i}\"")).collect();
    let label: Vec<String> = (0..30).map(|i| format!("({} | {})", 2 * i, 2 * i + 1)).collect();
    let header = format!("AP: 60{names} Acceptance: 0 t Start: 0");
    let error = with(&header, &format!("State: 0 [{}] 0", label.join("&"))).expect_err("large");
    assert_eq!(error.message, "as a disjunction this label has more than 4096 parts");
}

#[test]
fn what_is_not_defined_rejects() {
    let empty = with("AP: 1 \"a\" Acceptance: 0 t", "").unwrap();
    assert_eq!(empty.initial, None);
    let dangling = with("Start: 0 AP: 1 \"a\" Acceptance: 0 t", "State: 0 [0] 7").unwrap();
    let edge = dangling.edge(dangling.initial.unwrap(), 1).unwrap();
    assert_eq!(dangling.edges_of(edge.target), []);
    assert_eq!(dangling.edge(0, 0), None);
    assert_eq!(edge.letters, Cube { mask: 1, value: 1 });
}

/// Sums of products stay what they are, though their opposites would be large; names that double are evaluated once.
#[test]
fn large_labels() {
    let names: String = (0..60).map(|i| format!(" \"{i}\"")).collect();
    let products: Vec<String> = (0..30).map(|i| format!("{} & {}", 2 * i, 2 * i + 1)).collect();
    let mut aliases = "Alias: @a0 0 ".to_string();
    aliases.extend((0..64).map(|i| format!("Alias: @a{} @a{i} | @a{i} & !@a{i} ", i + 1)));
    let header = format!("AP: 60{names} Acceptance: 0 t Start: 0 {aliases}");
    let body = format!("State: 0 [{}] 0 State: 1 [@a64] 0 [!@a64] 1", products.join(" | "));
    let automaton = with(&header, &body).unwrap();
    assert_eq!(automaton.edges_of(0).len(), 30);
    assert_eq!(automaton.edge(1, 1).map(|edge| edge.target), Some(0));
    assert_eq!(automaton.edge(1, 2).map(|edge| edge.target), Some(1));
}
