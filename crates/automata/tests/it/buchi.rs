//! Büchi automata against the definition of LTL.

use crate::words::*;
use volvelle_automata::buchi::{
    Buchi, BuchiEdge, BuchiState, Strength, buchi, has_no_next, ignores_stuttering,
    is_known_stutter_invariant, is_stutter_invariant, never,
};
use volvelle_automata::{Formulas, UNBOUNDED};
use volvelle_random::attack_cases;

/// Whether an automaton accepts a word: a search for a cycle through an accepting state in its product with the word.
fn accepted(automaton: &Buchi, word: &Word) -> bool {
    let n = word.letters.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { word.back };
    let successors = |&(s, i): &(u32, usize)| -> Vec<(u32, usize)> {
        let letter = u64::from(word.letters[i]);
        let edges = automaton.states[s as usize].edges.iter();
        let enabled = edges.filter(|e| letter & e.must == e.must && letter & e.must_not == 0);
        enabled.map(|e| (e.target, next(i))).collect()
    };
    let reachable = |from: Vec<(u32, usize)>| {
        let mut seen = std::collections::BTreeSet::new();
        let mut work = from;
        while let Some(pair) = work.pop() {
            if seen.insert(pair) {
                work.extend(successors(&pair));
            }
        }
        seen
    };
    reachable(vec![(automaton.initial, 0)])
        .iter()
        .filter(|&&(s, _)| automaton.states[s as usize].accepting)
        .any(|pair| reachable(successors(pair)).contains(pair))
}

fn both(raw: &Raw) -> Option<[Buchi; 2]> {
    let mut formulas = Formulas::new();
    let id = build(&mut formulas, raw);
    let not = formulas.not(id);
    Some([buchi(&mut formulas, id).ok()?, buchi(&mut formulas, not).ok()?])
}

/// All words whose prefix and cycle have at most two letters, over two propositions.
fn short_words() -> Vec<Word> {
    let mut result = Vec::new();
    for (back, length) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4)] {
        for code in 0..1u32 << (2 * length) {
            result.push(Word { letters: (0..length).map(|i| code >> (2 * i) & 3).collect(), back });
        }
    }
    result
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let short = short_words();
    for (seed, formulas, size, propositions) in
        [(1, 160, 4, 2), (2, 120, 8, 2), (3, 40, 10, 3), (4, 12, 24, 4)]
    {
        let mut random = volvelle_random::Random(seed);
        let (mut words, mut held, mut largest, mut too_large) = (0, 0, 0, 0);
        for _ in 0..formulas {
            let size = 1 + random.below(size);
            let raw = random.formula(size, propositions, seed == 2);
            let Some([yes, no]) = both(&raw) else {
                too_large += 1;
                continue;
            };
            let mut drawn: Vec<Word> = (0..60).map(|_| random.word(propositions)).collect();
            if propositions == 2 {
                drawn.extend((0..40).map(|_| short[random.below(short.len())].clone()));
            }
            for word in drawn {
                let truth = holds(&raw, &word)[0];
                assert_eq!(accepted(&yes, &word), truth, "{raw:?} on {word:?}: {yes:?}");
                assert_eq!(accepted(&no, &word), !truth, "not {raw:?} on {word:?}: {no:?}");
                words += 1;
                held += usize::from(truth);
            }
            largest = largest.max(yes.states.len()).max(no.states.len());
        }
        assert!(held * 5 > words && held * 5 < 4 * words && largest > 3 && 20 * too_large <= formulas);
    }
}

/// Every word of at most two letters before and two in the cycle, for every formula of a list.
#[test]
fn automata_accept_the_right_short_words() {
    let short = short_words();
    let formulas = [
        "a U b",
        "GFa",
        "FGa",
        "GFa & FGb",
        "G(!a | Fb)",
        "F(a & XGb)",
        "(a U b) | G!a",
        "X(a | Xb)",
        "Ga R Fb",
        "GFa | FGb",
        "G(a | Xb)",
        "F(a & GFb)",
        "(a R b) U a",
        "Fa & F!a",
        "G(!a | XFb)",
        "FG(a | XXb)",
        "GF(a & Xb)",
        "a W b",
        "b M a",
        "G(a | Fb) & G(b | Fa)",
        "(GFa & GFb) | FG!a",
    ];
    for text in formulas {
        let raw = parse(text);
        let [yes, no] = both(&raw).unwrap();
        for word in &short {
            let truth = holds(&raw, word)[0];
            assert_eq!(accepted(&yes, word), truth, "{text} on {word:?}");
            assert_eq!(accepted(&no, word), !truth, "not {text} on {word:?}");
        }
    }
}

/// The strength that is reported is looked at again, state by state: whatever a terminal automaton reaches, it accepts
/// all words from there on.
#[test]
fn strengths_are_true() {
    let short = short_words();
    let mut random = volvelle_random::Random(7);
    let mut found = std::collections::BTreeMap::new();
    for _ in 0..300 {
        let size = 1 + random.below(6);
        let raw = random.formula(size, 2, false);
        let Some([yes, _]) = both(&raw) else { panic!("{raw:?} is too large") };
        *found.entry(yes.strength()).or_insert(0) += 1;
        for s in (0..yes.states.len() as u32).filter(|&s| yes.states[s as usize].accepting) {
            let from = Buchi { initial: s, ..yes.clone() };
            match yes.strength() {
                Strength::Terminal => {
                    assert!(short.iter().all(|w| accepted(&from, w)), "{raw:?}: {yes:?}");
                }
                Strength::Weak => {
                    // No cycle through the state meets one that does not accept.
                    let reach = |from: u32| {
                        let mut seen = std::collections::BTreeSet::new();
                        let mut work = vec![from];
                        while let Some(t) = work.pop() {
                            for edge in &yes.states[t as usize].edges {
                                if seen.insert(edge.target) {
                                    work.push(edge.target);
                                }
                            }
                        }
                        seen
                    };
                    let on_cycle = |t: &u32| reach(*t).contains(&s);
                    assert!(
                        reach(s).iter().filter(|t| on_cycle(t)).all(|&t| yes.states[t as usize].accepting)
                    );
                }
                Strength::Strong => {}
            }
        }
    }
    assert!(found.len() == 3 && found.values().all(|&n| n > 20), "{found:?}");
}

#[test]
fn strengths_of_known_formulas() {
    for (text, strength) in [
        ("Fa", Strength::Terminal),
        ("a U (b U c)", Strength::Terminal),
        ("F(a & XFb) | X(a & b)", Strength::Terminal),
        ("Ga", Strength::Weak),
        ("F(a & XG!b)", Strength::Weak),
        ("FGa | Gb", Strength::Weak),
        ("GFa", Strength::Strong),
        ("FGa & GFb", Strength::Strong),
    ] {
        assert_eq!(both(&parse(text)).unwrap()[0].strength(), strength, "{text}");
    }
}

/// Words with letters repeated: if a formula is said to be invariant they are all alike; if it is not, some are not.
#[test]
fn stuttering() {
    let mut random = volvelle_random::Random(9);
    let short = short_words();
    let (mut invariant, mut variant, mut beyond_syntax) = (0, 0, 0);
    for case in 0..250 {
        let size = 1 + random.below(5);
        let raw = random.formula(size, 2, case % 4 == 0);
        let mut formulas = Formulas::new();
        let id = build(&mut formulas, &raw);
        let Some([yes, no]) = both(&raw) else { panic!("{raw:?} is too large") };
        let answer = is_stutter_invariant(&yes, &no).unwrap();
        assert!(answer || !has_no_next(&formulas, id), "{raw:?}");
        assert_eq!(ignores_stuttering(&mut formulas, id), Some(answer), "{raw:?}");
        // Each letter twice: an automaton that tells how often letters come can tell some word from its double, or two
        // words with the same double.
        let double = |word: &Word| Word {
            letters: word.letters.iter().flat_map(|&l| [l, l]).collect(),
            back: 2 * word.back,
        };
        let more = |word: &Word, at: usize| {
            let mut letters = word.letters.clone();
            letters.insert(at, letters[at]);
            Word { letters, back: if at < word.back { word.back + 1 } else { word.back } }
        };
        let mut differs = false;
        for word in &short {
            let truth = holds(&raw, word)[0];
            differs |= holds(&raw, &double(word))[0] != truth;
            for at in 0..word.letters.len() {
                differs |= holds(&raw, &more(word, at))[0] != truth;
                let twice = more(&more(word, at), at);
                differs |= holds(&raw, &twice)[0] != truth;
            }
        }
        assert_eq!(differs, !answer, "{raw:?}");
        if answer {
            invariant += 1
        } else {
            variant += 1
        }
        beyond_syntax += usize::from(answer && !has_no_next(&formulas, id));
    }
    assert!(invariant > 50 && variant > 20 && beyond_syntax > 0, "{invariant} {variant} {beyond_syntax}");
}

/// The constructors of operators that are made of others.
#[test]
fn operators_made_of_others() {
    use Raw::*;
    let mut random = volvelle_random::Random(13);
    for case in 0..100 {
        let (a, b) = (random.formula(2, 2, false), random.formula(2, 2, false));
        let (left, right) = (Box::new(a.clone()), Box::new(b.clone()));
        let mut formulas = Formulas::new();
        let (x, y) = (build(&mut formulas, &a), build(&mut formulas, &b));
        let not = |raw: &Raw| Box::new(Not(Box::new(raw.clone())));
        let (id, raw) = match case % 5 {
            0 => (formulas.always(x), Not(Box::new(Until(Box::new(Bool(true)), not(&a), 0, UNBOUNDED)))),
            1 => (formulas.eventually(x), Until(Box::new(Bool(true)), left, 0, UNBOUNDED)),
            2 => (formulas.weak_until(x, y), Weak(left, right, 0, UNBOUNDED)),
            3 => (formulas.implies(x, y), Or(not(&a), right)),
            _ => {
                let both = Box::new(And(left, right));
                (formulas.iff(x, y), Or(both, Box::new(And(not(&a), not(&b)))))
            }
        };
        let automaton = buchi(&mut formulas, id).unwrap();
        for _ in 0..40 {
            let word = random.word(2);
            assert_eq!(accepted(&automaton, &word), holds(&raw, &word)[0], "{raw:?} on {word:?}");
        }
    }
}

#[test]
fn claims_accept_violations() {
    let mut formulas = Formulas::new();
    let raw = parse("G(!a | Fb)");
    let id = build(&mut formulas, &raw);
    let not = formulas.not(id);
    let claim = never(&mut formulas, id).unwrap();
    assert_eq!(claim, buchi(&mut formulas, not).unwrap());
    assert_eq!(
        claim.never_claim(|p| ["(x > 1)", "done"][p as usize].to_owned()),
        "\
never {
T0_init:
	do
	:: ((x > 1) && !done) -> goto accept_S1
	:: (true) -> goto T0_init
	od;
accept_S1:
	do
	:: (!done) -> goto accept_S1
	od;
}
"
    );
    let all = buchi(&mut formulas, Formulas::TRUE).unwrap();
    assert_eq!(all.never_claim(|_| String::new()), "never {\naccept_all:\n\tskip\n}\n");
    let nothing = buchi(&mut formulas, Formulas::FALSE).unwrap();
    assert_eq!(
        nothing.never_claim(|_| String::new()),
        "never {\nT0_init:\n\tdo\n\t:: (false) -> goto T0_init\n\tod;\n}\n"
    );
    let until = build(&mut formulas, &parse("a U c"));
    assert_eq!(
        buchi(&mut formulas, until).unwrap().hoa(|p| format!("\"{p}\\")),
        r#"HOA: v1
States: 2
Start: 0
AP: 2 "\"0\\" "\"2\\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc deterministic
--BODY--
State: 0
[1] 1
[0&!1] 0
State: 1 {0}
[t] 1
--END--
"#
    );
}

/// The same on every run, and whatever else the formulas have been used for.
#[test]
fn the_same_formula_gives_the_same_automaton() {
    let mut random = volvelle_random::Random(11);
    for _ in 0..100 {
        let raw = random.formula(6, 3, false);
        assert_eq!(both(&raw), both(&raw));
    }
}

#[test]
fn what_is_too_large_is_said() {
    let mut formulas = Formulas::new();
    let far = formulas.literal(62, true);
    assert_eq!(buchi(&mut formulas, far).unwrap_err().what, "propositions in a formula");
    let last = formulas.literal(61, true);
    assert_eq!(buchi(&mut formulas, last).unwrap().states[0].edges[0].must, 1 << 61);
    let distant = formulas.until(Formulas::TRUE, last, 1_000_000_000_000, 1_000_000_000_000);
    assert_eq!(buchi(&mut formulas, distant).unwrap_err().what, "states of a Büchi automaton");
    // As deep as formulas may be, and deeper, on a small stack.
    for levels in [299, 400] {
        let deep = move || {
            let mut formulas = Formulas::new();
            let mut id = formulas.literal(0, true);
            for level in 0..levels {
                let literal = formulas.literal(level % 7, level % 3 == 0);
                id = match level % 4 {
                    0 => formulas.until(literal, id, 0, UNBOUNDED),
                    1 => formulas.release(id, literal, 0, UNBOUNDED),
                    2 => formulas.and(literal, id),
                    _ => formulas.next(id),
                };
            }
            (formulas.too_deep(), buchi(&mut formulas, id).map_err(|error| error.what))
        };
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(deep).unwrap();
        let (too_deep, result) = thread.join().unwrap();
        assert_eq!(too_deep, levels > 300);
        assert_eq!(too_deep, result == Err("nested operators in a formula"), "{levels}");
    }
    let mut all = Formulas::TRUE;
    for p in 0..40 {
        let literal = formulas.literal(p, true);
        let often = formulas.infinitely_often(literal);
        all = formulas.and(all, often);
    }
    assert_eq!(buchi(&mut formulas, all).unwrap_err().what, "edges of a Büchi automaton");
}

/// States and edges. The numbers are kept so that a change for the worse is noticed.
fn check_sizes(title: &str, negated: bool, formulas: &[(&str, usize, usize)]) {
    let mut worse = Vec::new();
    for &(text, states, edges) in formulas {
        let automaton = &both(&parse(text)).unwrap()[usize::from(negated)];
        let found = (automaton.states.len(), automaton.states.iter().map(|s| s.edges.len()).sum::<usize>());
        if found != (states, edges) {
            worse.push(format!("            (\"{text}\", {}, {}),", found.0, found.1));
        }
    }
    assert!(worse.is_empty(), "{title}:\n{}", worse.join("\n"));
}

#[test]
fn sizes_of_etessami_and_holzmann() {
    check_sizes(
        "K. Etessami, G. Holzmann, Optimizing Büchi Automata, CONCUR 2000",
        false,
        &[
            ("a U (b & Gc)", 2, 3),
            ("a U (b & X(c U d))", 3, 5),
            ("a U (b & X(c & F(d & XF(e & XF(f & XFg)))))", 7, 13),
            ("F(a & XGb)", 2, 3),
            ("F(a & X(b & XFc))", 4, 6),
            ("F(a & X(b U c))", 3, 5),
            ("FGa | GFb", 3, 7),
            ("G(!a | (b U c))", 2, 5),
            ("G(a & XF(b & XF(c & XFd)))", 4, 8),
            ("GFa & GFb & GFc & GFd & GFe", 6, 12),
            ("(a U (b U c)) | (b U (c U a)) | (c U (a U b))", 2, 4),
            ("G(!a | (b U (Gc | Gd)))", 4, 9),
        ],
    );
}

#[test]
fn sizes_of_somenzi_and_bloem() {
    check_sizes(
        "F. Somenzi, R. Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000",
        false,
        &[
            ("a U b", 2, 3),
            ("a U (b U c)", 3, 6),
            ("!a R (!b R !c)", 3, 6),
            ("GFa | FG!b", 3, 7),
            ("Fa U Gb", 3, 7),
            ("Ga U b", 4, 6),
            ("(Fa & G!b) | (Fb & G!a)", 5, 10),
            ("GFa & FG!b", 3, 6),
            ("(GFa & FG!b) | (GFb & FG!a)", 5, 11),
            ("a R (a | b)", 2, 3),
            ("(Xa U Xb) | X(!a R !b)", 1, 1),
            ("(Xa U b) | X(!a R (!a | !b))", 1, 1),
            ("((Xa U b) | X(!a R (!a | !b))) & G(!a | Fb)", 2, 5),
            ("((Xa U Xb) | X(!a R !b)) & G(!a | Fb)", 2, 5),
            ("G(!a | Fb)", 2, 5),
            ("F(a & X(!b U !c))", 3, 5),
            ("GF!a & GF!b", 3, 6),
            ("G(Fa & Fb)", 3, 6),
            ("Fa & F!a", 4, 7),
            ("(a & Xb) R X(((c U d) R a) U (c R a))", 5, 9),
            ("Ga | Gb | (G(a | GFc) & G(b | GF!c))", 6, 11),
            ("Ga | Gb | (G(a | FGc) & G(b | FG!c))", 3, 4),
            ("F!a & F!b & (F(!a & FG!c) | F(!b & FGc))", 6, 13),
            ("F!a & F!b & (F(!a & GF!c) | F(!b & GFc))", 4, 9),
            ("G(a | XGb) & G(c | XG!b)", 3, 5),
            ("G(a | (Xb & X!b))", 1, 1),
            ("a | (b U a)", 2, 3),
        ],
    );
}

#[test]
fn sizes_of_dwyer_avrunin_and_corbett() {
    check_sizes(
        "M. Dwyer, G. Avrunin, J. Corbett, Property Specification Patterns, FMSP 1998, negated",
        true,
        &[
            ("G!a", 2, 3),
            ("!(Fc) | ((!a U c))", 3, 5),
            ("G(!(b) | (G!a))", 3, 6),
            ("G(!((b & !c & Fc)) | ((!a U c)))", 4, 8),
            ("G(!(b & !c) | ((!a W c)))", 3, 6),
            ("Fa", 1, 1),
            ("!c W (a & !c)", 2, 3),
            ("G!b | F(b & Fa)", 2, 3),
            ("G(!(b & !c) | ((!c W (a & !c))))", 3, 5),
            ("G(!(b & !c) | ((!c U (a & !c))))", 3, 5),
            ("!a W d", 2, 3),
            ("!(Fc) | ((!a U (d | c)))", 3, 5),
            ("G!b | F(b & (!a W d))", 3, 8),
            ("G(!((b & !c & Fc)) | ((!a U (d | c))))", 4, 8),
            ("G(!(b & !c) | ((!a W (d | c))))", 3, 6),
            ("G(!(a) | (Fd))", 2, 3),
            ("!(Fc) | ((!(a) | ((!c U (d & !c)))) U c)", 3, 5),
            ("G(!(b) | (G(!(a) | (Fd))))", 3, 6),
            ("G(!((b & !c & Fc)) | ((!(a) | ((!c U (d & !c)))) U c))", 4, 8),
            ("G(!(b & !c) | (((!(a) | ((!c U (d & !c)))) W c)))", 4, 8),
            ("!(Fa) | ((!a U (d & !a & X(!a U e))))", 3, 6),
            ("G(!(d & XFe) | (X(F(e & Fa))))", 3, 5),
            ("G(!(a) | (F(d & XFe)))", 3, 6),
        ],
    );
}

const SPIN: &[(&str, usize)] = &[
    ("GFa", 2),
    ("FGa", 2),
    ("GFa & FGb", 3),
    ("a U (b U c)", 3),
    ("G(!a | Fb)", 4),
    ("F(a & G!b)", 2),
    ("GFa & GFb & GFc", 4),
    ("FGa | GFb", 5),
    ("G(a & F(b & Fc))", 8),
    ("(a U (b U c)) | (b U (c U a)) | (c U (a U b))", 8),
    ("Fa U Gb", 4),
    ("Ga U b", 4),
    ("(Fa & G!b) | (Fb & G!a)", 5),
    ("G(!a | (b U c))", 4),
    ("(!(GFa & GFb) | GFd)", 6),
    ("!(!(GFa & GFb) | G(!c | Fd))", 4),
    ("(a R b) R c", 4),
    ("F(a & GFb)", 3),
];

/// What `spin -f` (6.5.2) makes of the same formula, counted as in `benches/spin`: never larger than that.
#[test]
fn no_larger_than_claims_of_spin() {
    for (text, states) in SPIN {
        let automaton = &both(&parse(text)).unwrap()[0];
        assert!(
            automaton.states.len() <= *states,
            "{text}: {} states, SPIN {states}",
            automaton.states.len()
        );
    }
}

/// A word with one letter once more.
fn repeated(word: &Word, at: usize) -> Word {
    let mut letters = word.letters.clone();
    letters.insert(at, letters[at]);
    Word { letters, back: if at < word.back { word.back + 1 } else { word.back } }
}

/// Automata as users might write them: those said to be invariant accept a word or not, however often letters come.
#[test]
fn stuttering_of_automata_without_an_opposite() {
    let mut random = volvelle_random::Random(17);
    let short = short_words();
    let mut known = 0;
    for case in attack_cases(1000) {
        let states = 1 + random.below(3);
        // Deterministic ones: one edge at most for each letter. Others: cubes.
        let deterministic = case % 2 == 0;
        let mut edge = |letter: u64| {
            let target = random.below(states) as u32;
            let (must, must_not) = if deterministic {
                (letter, 3 & !letter)
            } else {
                let must = random.bits() & random.bits() & 3;
                (must, random.bits() & random.bits() & 3 & !must)
            };
            (!random.one_in(4)).then_some(BuchiEdge { must, must_not, target })
        };
        let edges: Vec<Vec<BuchiEdge>> =
            (0..states).map(|_| (0..4).filter_map(&mut edge).collect()).collect();
        let states =
            edges.into_iter().map(|edges| BuchiState { accepting: random.one_in(2), edges }).collect();
        let automaton = Buchi { states, initial: 0 };
        if !is_known_stutter_invariant(&automaton) {
            continue;
        }
        let truths: Vec<bool> = short.iter().map(|word| accepted(&automaton, word)).collect();
        // Those that accept all or nothing are no test.
        known += u32::from(truths.contains(&true) && truths.contains(&false));
        for (word, &truth) in short.iter().zip(&truths) {
            for at in 0..word.letters.len() {
                assert_eq!(
                    accepted(&automaton, &repeated(word, at)),
                    truth,
                    "{automaton:?}, {word:?} at {at}"
                );
            }
        }
    }
    assert!(known > 30, "{known}");
    let alternating = |accepting, target, must| BuchiState {
        accepting,
        edges: vec![BuchiEdge { must, must_not: 0, target }],
    };
    let every_other = Buchi { states: vec![alternating(true, 1, 1), alternating(false, 0, 0)], initial: 0 };
    assert!(!is_known_stutter_invariant(&every_other));
}

/// Automata of formulas: whatever is said to be invariant is, and most of what is gets recognised.
#[test]
fn stuttering_of_automata_by_their_shape() {
    let mut random = volvelle_random::Random(29);
    let (mut known, mut invariant) = (0, 0);
    for case in 0..400 {
        let size = 1 + random.below(6);
        let raw = random.formula(size, 2, case % 4 == 0);
        let Some([yes, no]) = both(&raw) else { panic!("{raw:?} is too large") };
        let answer = is_stutter_invariant(&yes, &no).unwrap();
        let told = is_known_stutter_invariant(&yes);
        assert!(answer || !told, "{raw:?}");
        known += u32::from(told);
        invariant += u32::from(answer);
    }
    assert!(known * 10 > invariant * 9, "{known} of {invariant}");
}
