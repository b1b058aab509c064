//! Networks against their definition, strategies of reduction against one another, and the text form.

use std::collections::BTreeMap;
use volvelle_control::{Control, Limits, Stop};
use volvelle_diagnostics::{FileId, Sources, applied};
use volvelle_labels::{Hiding, Pattern, Renaming};
use volvelle_lts::{
    Gate, Network, NetworkError, Node, ReduceError, Relation, Strategy, SyncVector, Together, compare,
    compose, parse_network,
};
use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

fn cases(default: u64) -> u64 {
    std::env::var("VOLVELLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

const LABELS: [&str; 6] = ["i", "A", "B !1", "B !2", "C", "exit"];

fn leaf(random: &mut Random, rates: bool) -> Lts {
    let states = 1 + random.below(4) as u32;
    let mut labels = Labels::new();
    let transitions: Vec<(u32, u32, u32)> = (0..random.below(2 * states as usize + 2))
        .map(|_| {
            let text = if rates && random.chance(30) {
                random.pick(&["rate 1", "rate 2"])
            } else {
                random.pick(&LABELS)
            };
            (random.below(states as usize) as u32, labels.number(text), random.below(states as usize) as u32)
        })
        .collect();
    Lts::from_transitions(states, random.below(states as usize) as u32, labels, &transitions)
}

fn together(random: &mut Random, count: usize) -> Together {
    let gates = ["A", "B", "C", "B !1", "D"];
    match random.below(5) {
        0 => Together::All,
        1 | 2 => {
            let mut found = Vec::new();
            for gate in gates {
                let operands: Vec<usize> = (0..count).filter(|_| random.chance(60)).collect();
                if random.chance(50) && !operands.is_empty() {
                    found.push(Gate { text: gate.to_owned(), operands });
                }
            }
            Together::Gates(found)
        }
        kind => {
            let by_gate = kind == 3;
            let names = if by_gate { ["A", "B", "C", "exit"] } else { ["A", "B !1", "B !2", "C"] };
            let mut vectors = Vec::new();
            for _ in 0..1 + random.below(6) {
                let mut parts: Vec<Option<String>> =
                    (0..count).map(|_| random.chance(60).then(|| random.pick(&names).to_owned())).collect();
                let place = random.below(count);
                parts[place] = Some(random.pick(&names).to_owned());
                vectors.push(SyncVector { parts, result: random.pick(&["A", "B", "D", "i"]).to_owned() });
            }
            // Two vectors that are the same are one, which the definition below does not know.
            vectors.sort_by_key(|vector| format!("{vector:?}"));
            vectors.dedup();
            Together::Vectors { vectors, by_gate }
        }
    }
}

/// A random network over `leaves` systems, each used at most once.
fn network(random: &mut Random, leaves: usize) -> Network {
    let mut nodes: Vec<Node> = (0..leaves).map(Node::Leaf).collect();
    let mut roots: Vec<usize> = (0..leaves).collect();
    loop {
        if random.chance(40) {
            let place = random.below(roots.len());
            let of = roots[place];
            let node = if random.chance(50) {
                let patterns = vec![Pattern::new(random.pick(&["A", "B", "B !1", "C|D"])).unwrap()];
                Node::Hide { of, hiding: Hiding::new(random.one_in(4), patterns) }
            } else {
                let rule = random.pick(&["/A/C/", r"/B !(.)/A !\1/", "/C/i/", "/exit/B !1/"]);
                Node::Rename { of, rules: vec![Renaming::read(rule).unwrap()] }
            };
            nodes.push(node);
            roots[place] = nodes.len() - 1;
        } else if roots.len() > 1 {
            let count = 2 + random.below(roots.len() - 1);
            let operands: Vec<usize> = roots.drain(..count).collect();
            nodes.push(Node::Parallel { together: together(random, count), operands });
            roots.push(nodes.len() - 1);
        } else {
            // The root comes last.
            return if roots[0] + 1 == nodes.len() {
                Network { nodes }
            } else {
                Network { nodes: nodes[..=roots[0]].to_vec() }
            };
        }
    }
}

/// A system by its definition: transitions by the texts of their labels.
struct Plain {
    states: Vec<Vec<u32>>,
    transitions: Vec<(usize, String, usize)>,
}

impl Plain {
    fn into_lts(self) -> Lts {
        let mut labels = Labels::new();
        let transitions: Vec<(u32, u32, u32)> =
            self.transitions.iter().map(|(s, l, t)| (*s as u32, labels.number(l), *t as u32)).collect();
        Lts::from_transitions(self.states.len() as u32, 0, labels, &transitions)
    }
}

fn reachable(lts: &Lts) -> Vec<u32> {
    let mut found = vec![lts.initial];
    let mut next = 0;
    while let Some(&state) = found.get(next) {
        next += 1;
        for edge in lts.outgoing(state) {
            if !found.contains(&edge.target) {
                found.push(edge.target);
            }
        }
    }
    found
}

fn steps(lts: &Lts, state: u32) -> Vec<(String, u32)> {
    lts.outgoing(state).iter().map(|edge| (lts.labels.text(edge.label).to_owned(), edge.target)).collect()
}

/// What operands do together with these labels (one or none for each): the label of it, if they may.
fn joint(together: &Together, count: usize, taken: &[Option<&str>]) -> Vec<String> {
    let acting: Vec<usize> = (0..count).filter(|&k| taken[k].is_some()).collect();
    let first = taken[acting[0]].unwrap();
    let is_alone = acting.len() == 1;
    if first == "i" || first.starts_with("rate ") {
        return if is_alone { vec![first.to_owned()] } else { Vec::new() };
    }
    let gate = |label: &str| label.split(' ').next().unwrap().to_owned();
    match together {
        Together::Vectors { vectors, by_gate } => {
            let fits = |vector: &&SyncVector| {
                let mut values: Vec<String> = Vec::new();
                let all = vector.parts.iter().zip(taken).all(|(part, label)| match (part, label) {
                    (None, None) => true,
                    (Some(part), Some(label)) if *by_gate => {
                        values.push(label[gate(label).len()..].to_owned());
                        gate(label) == *part
                    }
                    (Some(part), Some(label)) => part == label,
                    _ => false,
                });
                values.dedup();
                all && values.len() <= 1
            };
            let result = |vector: &SyncVector| match *by_gate && vector.result != "i" {
                true => format!("{}{}", vector.result, &first[gate(first).len()..]),
                false => vector.result.clone(),
            };
            let mut found: Vec<String> = vectors.iter().filter(fits).map(result).collect();
            found.sort();
            found.dedup();
            found
        }
        Together::All | Together::Gates(_) => {
            if acting.iter().any(|&k| taken[k] != Some(first)) {
                return Vec::new();
            }
            let of = |operand: usize| -> Vec<usize> {
                if let Together::Gates(gates) = together {
                    let of =
                        |text: &str| gates.iter().find(|g| g.text == text && g.operands.contains(&operand));
                    if let Some(found) = of(first).or_else(|| of(&gate(first))) {
                        return found.operands.clone();
                    }
                }
                match (together, gate(first).as_str()) {
                    (Together::All, _) | (_, "exit") => (0..count).collect(),
                    _ => vec![operand],
                }
            };
            let is_joint = acting.iter().all(|&k| of(k) == acting);
            if is_joint { vec![first.to_owned()] } else { Vec::new() }
        }
    }
}

fn naive_parallel(operands: &[Lts], together: &Together) -> Lts {
    let count = operands.len();
    let mut plain =
        Plain { states: vec![operands.iter().map(|lts| lts.initial).collect()], transitions: Vec::new() };
    let mut numbers: BTreeMap<Vec<u32>, usize> = BTreeMap::from([(plain.states[0].clone(), 0)]);
    let mut next = 0;
    while next < plain.states.len() {
        let state = plain.states[next].clone();
        // All choices of a transition or none for each operand.
        let options: Vec<Vec<(String, u32)>> = (0..count).map(|k| steps(&operands[k], state[k])).collect();
        let total: usize = options.iter().map(|o| o.len() + 1).product();
        for mut code in 1..total {
            let mut taken: Vec<Option<&str>> = Vec::new();
            let mut target = state.clone();
            for k in 0..count {
                let choice = code % (options[k].len() + 1);
                code /= options[k].len() + 1;
                taken.push(choice.checked_sub(1).map(|c| {
                    target[k] = options[k][c].1;
                    options[k][c].0.as_str()
                }));
            }
            for label in joint(together, count, &taken) {
                let fresh = plain.states.len();
                let number = *numbers.entry(target.clone()).or_insert(fresh);
                if number == fresh {
                    plain.states.push(target.clone());
                }
                plain.transitions.push((next, label, number));
            }
        }
        next += 1;
    }
    plain.into_lts()
}

fn naive_network(network: &Network, leaves: &[Lts]) -> Lts {
    let mut done: Vec<Lts> = Vec::new();
    for node in &network.nodes {
        let relabelled = |of: usize, new: &dyn Fn(&str) -> String| {
            let lts: &Lts = &done[of];
            let mut labels = Labels::new();
            let new = |text: &str| if text == "i" { text.to_owned() } else { new(text) };
            let numbers: Vec<u32> = lts.labels.texts().iter().map(|text| labels.number(&new(text))).collect();
            lts.clone().relabelled(labels, &numbers)
        };
        let lts = match node {
            Node::Leaf(leaf) => leaves[*leaf].clone(),
            Node::Parallel { operands, together } => {
                let operands: Vec<Lts> = operands.iter().map(|&of| done[of].clone()).collect();
                naive_parallel(&operands, together)
            }
            Node::Hide { of, hiding } => relabelled(*of, &|text| hiding.apply(text)),
            Node::Rename { of, rules } => relabelled(*of, &|text| Renaming::first(rules, text)),
            Node::Reduce { .. } => unreachable!("the networks here have none"),
        };
        done.push(lts);
    }
    done.pop().unwrap()
}

#[test]
fn products_agree_with_the_definition() {
    let mut weighted = 0;
    for seed in 0..cases(1500) {
        let mut random = Random(seed);
        let leaves: Vec<Lts> = (0..1 + random.below(4)).map(|_| leaf(&mut random, seed % 3 == 0)).collect();
        let network = network(&mut random, leaves.len());
        let expected = naive_network(&network, &leaves);
        let states = reachable(&expected).len();
        let found = compose(&network, &leaves, &Control::unlimited()).unwrap().lts;
        assert_eq!(reachable(&found).len(), found.num_states(), "seed {seed}");
        let labels = |lts: &Lts| {
            let states = reachable(lts);
            let mut all: Vec<String> =
                states.iter().flat_map(|&s| steps(lts, s)).map(|(label, _)| label).collect();
            all.sort();
            all
        };
        assert_eq!(
            (found.num_states(), labels(&found)),
            (states, labels(&expected)),
            "seed {seed}\n{network:?}"
        );
        let same =
            compare(found.clone(), expected, Relation::StochasticStrong, &Control::unlimited()).unwrap();
        assert!(same.equivalent, "seed {seed}\n{network:?}\n{leaves:?}\n{found:?}");
        weighted += usize::from(found.labels.texts().iter().any(|text| text.starts_with("rate")));
    }
    assert!(weighted > 50, "{weighted}");
}

#[test]
fn strategies_give_the_same_quotient() {
    for seed in 0..cases(250) {
        let mut random = Random(seed + 1_000_000);
        for of in Relation::ALL {
            let leaves: Vec<Lts> =
                (0..2 + random.below(3)).map(|_| leaf(&mut random, of.is_stochastic())).collect();
            let network = network(&mut random, leaves.len());
            let plain = compose(&network, &leaves, &Control::unlimited()).unwrap().lts;
            let mut sizes = Vec::new();
            for strategy in [Strategy::Root, Strategy::Leaf, Strategy::Node, Strategy::Smart] {
                let mut reducing = network.clone();
                let root = network.nodes.len() - 1;
                reducing.nodes.push(Node::Reduce { of: root, options: of.into(), strategy });
                let found = compose(&reducing, &leaves, &Control::unlimited()).unwrap().lts;
                let same = compare(found.clone(), plain.clone(), of, &Control::unlimited()).unwrap();
                assert!(
                    same.equivalent,
                    "seed {seed} {of:?} {strategy:?}\n{network:?}\n{leaves:?}\n{found:?}"
                );
                sizes.push((found.num_states(), found.num_transitions()));
            }
            assert!(
                sizes.iter().all(|size| *size == sizes[0]),
                "seed {seed} {of:?} {sizes:?}\n{network:?}\n{leaves:?}"
            );
        }
    }
}

fn system(states: u32, transitions: &[(u32, &str, u32)]) -> Lts {
    let mut labels = Labels::new();
    let transitions: Vec<(u32, u32, u32)> =
        transitions.iter().map(|&(s, l, t)| (s, labels.number(l), t)).collect();
    Lts::from_transitions(states, 0, labels, &transitions)
}

/// A chain of buffers with one place each.
fn chain(length: usize, how: &str) -> (Network, Vec<Lts>) {
    let operand =
        |k: usize| format!(r#"M{k}, M{} -> rename GET -> M{k}, PUT -> M{} in "cell.aut""#, k + 1, k + 1);
    let operands: Vec<String> = (0..length).map(operand).collect();
    let text = format!("{how} hide all but M0, M{length} in par\n{}\nend par", operands.join("\n|| "));
    let (found, diagnostics) = parse_network(FileId(0), &text);
    let network = found.unwrap_or_else(|| panic!("{diagnostics:?}")).network;
    (network, vec![system(2, &[(0, "GET", 1), (1, "PUT", 0)])])
}

#[test]
fn smart_reduction_keeps_a_chain_of_buffers_small() {
    let run = |how: &str| {
        let (network, leaves) = chain(12, how);
        compose(&network, &leaves, &Control::unlimited()).unwrap()
    };
    let (root, smart) = (run("root branching reduction of"), run("smart branching reduction of"));
    let largest = |found: &volvelle_lts::Composed| found.products.iter().map(|p| p.states).max().unwrap();
    assert_eq!(root.products.len(), 1);
    assert_eq!(largest(&root), 1 << 12);
    assert_eq!(smart.products.len(), 11);
    assert!(smart.products.iter().all(|product| product.members == 2));
    // A chain of k buffers is a buffer of k places, with k + 1 states.
    assert!(largest(&smart) <= 7 * 7, "{:?}", smart.products);
    assert_eq!((root.lts.num_states(), smart.lts.num_states()), (13, 13));
    assert!(compare(root.lts, smart.lts, Relation::Branching, &Control::unlimited()).unwrap().equivalent);
}

#[test]
fn rates_that_come_of_common_actions_add_up_whatever_the_strategy() {
    let text = |strategy: &str| {
        format!(
            r#"{strategy} stochastic strong reduction of rename "A" -> "rate 2" in "two.aut" || "one.aut""#
        )
    };
    // Two ways to states that are alike.
    let two = system(3, &[(0, "A", 1), (0, "A", 2)]);
    let one = system(2, &[(0, "A", 1)]);
    for strategy in ["root", "leaf", "node", "smart"] {
        let network = parse_network(FileId(0), &text(strategy)).0.unwrap().network;
        let found = compose(&network, &[two.clone(), one.clone()], &Control::unlimited()).unwrap().lts;
        assert_eq!(steps(&found, 0), [("rate 4".to_owned(), 1)], "{strategy}");
    }
}

#[test]
fn rates_are_not_synchronised() {
    let network = parse_network(FileId(0), r#""a.aut" |[A]| "b.aut""#).0.unwrap().network;
    let leaves = [system(1, &[(0, "A; rate 2", 0)]), system(1, &[(0, "A", 0), (0, "rate 1", 0)])];
    let error = compose(&network, &leaves, &Control::unlimited()).unwrap_err();
    let (gate, label) = ("A".to_owned(), "A; rate 2".to_owned());
    assert_eq!(error, NetworkError::Weighted { node: 2, gate, label });
}

#[test]
fn gates_on_which_nobody_acts_are_told() {
    let network = parse_network(FileId(0), r#""a.aut" |[A, X]| "b.aut""#).0.unwrap().network;
    let leaves = [system(1, &[(0, "A", 0)]), system(1, &[(0, "B", 0)])];
    let found = compose(&network, &leaves, &Control::unlimited()).unwrap();
    let idle: Vec<_> =
        found.idle.iter().map(|idle| (idle.gate.as_str(), idle.operand, idle.blocks)).collect();
    assert_eq!(idle, [("A", 1, true), ("X", 0, false), ("X", 1, false)]);
}

#[test]
fn limits_hold() {
    let (network, leaves) = chain(16, "");
    let limits = Limits { states: Some(5_000), ..Limits::default() };
    let stopped = compose(&network, &leaves, &Control { limits, ..Control::unlimited() }).unwrap_err();
    assert_eq!(stopped, NetworkError::Reduce(ReduceError::Stopped(Stop::States)));
}

const TEXTS: [&str; 7] = [
    r#""a.aut""#,
    r#"-- two
       (("a.aut" ||| "b.aut") |[A, "B !1"]| "a.aut") (* c *) || "b.aut""#,
    r#"smart divbranching reduction of hide all but A, ".*X" in par A in B -> "a.aut" || B, C -> "b.aut" || "a.aut" end par"#,
    r#"label.par "A !1" * _ -> "C", _ * B -> i, A * A -> A in "a.aut" || leaf weak reduction of "b.aut" end par"#,
    r#"gate.par A * B -> C in "a.aut" || "b.aut" end par"#,
    r#"hide A in rename A -> B, "C !\(.*\)" -> "D !\1" in "a.aut" end rename end hide"#,
    r#"par hide A in ("a.aut" |[]| "b.aut") end hide || node stochastic branching reduction of "b.aut" end par"#,
];

#[test]
fn texts_are_read() {
    for text in TEXTS {
        let (found, diagnostics) = parse_network(FileId(0), text);
        assert!(found.is_some() && diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    }
    let network = parse_network(FileId(0), TEXTS[1]).0.unwrap();
    assert_eq!(network.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a.aut", "b.aut"]);
    let right_most = Node::Parallel { operands: vec![5, 6], together: Together::All };
    assert_eq!(
        network.network.nodes.last().map(|node| format!("{node:?}").len()),
        Some(format!("{right_most:?}").len())
    );
    let gates = |text: &str| match parse_network(FileId(0), text).0.unwrap().network.nodes.pop() {
        Some(Node::Parallel { together: Together::Gates(gates), .. }) => gates,
        other => panic!("{other:?}"),
    };
    let gate = |text: &str, operands: &[usize]| Gate { text: text.to_owned(), operands: operands.to_vec() };
    assert_eq!(
        gates(r#"par A in B, A -> "a" || B, C -> "b" || "c" end par"#),
        [gate("A", &[0, 1, 2]), gate("B", &[0, 1]), gate("C", &[1])]
    );
}

#[test]
fn errors_are_told_and_nothing_panics() {
    for (text, count) in [
        ("", 1),
        (r#""a.aut" ||"#, 1),
        (r#"par "a.aut" || || "b.aut" end"#, 2),
        (r#"hide in "a.aut""#, 1),
        (r#"hide "A(" in rename "B" -> "\1" in "a.aut""#, 2),
        (r#"label.par A -> B, i * A -> B, _ * _ -> C in "a.aut" || "b.aut" end par"#, 3),
        (r#"weak of "a.aut" & ; ( "b"#, 5),
        (&"(".repeat(100_000), 1),
        (&"hide A in ".repeat(100_000), 1),
    ] {
        let (found, diagnostics) = parse_network(FileId(0), text);
        let shown = &text[..text.len().min(60)];
        assert!(found.is_none(), "{shown}");
        assert_eq!(diagnostics.len(), count, "{shown} {diagnostics:?}");
    }
    // Texts that are cut, and texts with words in other places.
    let words: Vec<&str> = TEXTS.iter().flat_map(|text| text.split_inclusive([' ', '"', ',', '|'])).collect();
    for seed in 0..cases(3000) {
        let mut random = Random(seed);
        let text = random.pick(&TEXTS);
        let end = (0..=random.below(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap();
        let mut mixed = text[..end].to_owned();
        for _ in 0..random.below(8) {
            mixed.push_str(random.pick(&words));
        }
        let (found, diagnostics) = parse_network(FileId(0), &mixed);
        assert_eq!(found.is_some(), diagnostics.is_empty(), "{mixed}");
        if let Some(found) = found {
            let leaves = vec![system(1, &[(0, "A", 0)]); found.files.len()];
            // A product of many may reach the limit; nothing else may happen.
            let limits = Limits { states: Some(1_000), ..Limits::default() };
            let _ = compose(&found.network, &leaves, &Control { limits, ..Control::unlimited() });
        }
    }
}

/// Each word of a network, misspelt, is one mistake, whose fix restores the text; the rest is read as before.
#[test]
fn misspelt_words() {
    const WORDS: &[&str] = &[
        "par",
        "in",
        "end",
        "hide",
        "all",
        "but",
        "rename",
        "root",
        "leaf",
        "node",
        "smart",
        "reduction",
        "of",
        "strong",
        "branching",
        "divbranching",
        "weak",
        "stochastic",
        "label",
        "gate",
    ];
    let texts = [
        r#"branching reduction of hide PUT, "GET !1" in "a.aut" |[PUT, DONE]| ("b.aut" ||| "c.aut")"#,
        r#"rename "/DONE/STOP/" -> "x", PUT -> IN in
par DONE in PUT -> "a.aut" || PUT, GET -> leaf strong reduction of "b.aut" || hide all but GET in "c.aut" end hide end par
end rename"#,
        r#"smart weak reduction of
label.par "PUT !1" * "PUT !1" * _ -> "SEND !1", DONE * DONE * _ -> DONE in "a.aut" || "b.aut" || "c.aut" end par"#,
        r#"root stochastic branching reduction of gate.par A * A -> A in "a.aut" || node divbranching reduction of "b.aut" end par"#,
        r#"stochastic strong reduction of par "a.aut" || par "b.aut" || "c.aut" end par end par"#,
    ];
    let mut tried = 0;
    for text in texts {
        let before = parse_network(FileId(0), text).0.expect("it is right").network;
        let is_part = |c: char| c.is_ascii_alphabetic();
        for word in WORDS {
            for (at, _) in text.match_indices(word) {
                let is_whole =
                    !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part);
                // Within quotes nothing is a word.
                if !is_whole || text[..at].matches('"').count() % 2 == 1 {
                    continue;
                }
                let middle = word.len() / 2;
                for other in [
                    format!("{word}{}", &word[word.len() - 1..]),
                    format!("{}{}{}", &word[..middle], &word[middle..=middle], &word[middle..]),
                ] {
                    let broken = format!("{}{other}{}", &text[..at], &text[at + word.len()..]);
                    let mut sources = Sources::new();
                    let file = sources.add("n.exp", broken.as_str());
                    let (_, mistakes) = parse_network(file, &broken);
                    let [one] = mistakes.as_slice() else { panic!("{broken}: {mistakes:#?}") };
                    let fix = one.fixes.first().unwrap_or_else(|| panic!("{broken}: {one:#?}"));
                    let restored = applied(&sources, &[fix]).text(&sources, file);
                    assert_eq!(restored.as_deref(), Some(text), "{broken}");
                    tried += 1;
                }
            }
        }
        assert_eq!(parse_network(FileId(0), text).0.unwrap().network, before);
    }
    assert!(tried > 80, "{tried}");
}

/// Gates that are near to words are gates.
#[test]
fn gates_near_to_words() {
    for text in [
        r#"hide inn, ends, al in "a.aut""#,
        r#"rename als -> enf in "a.aut" || "b.aut""#,
        r#"par inn, pars in "a.aut" || ends -> "b.aut" end par"#,
        r#"gate.par inn * _ -> off in "a.aut" || "b.aut" end par"#,
        r#""a.aut" |[inn, parr]| "b.aut""#,
    ] {
        let (network, mistakes) = parse_network(FileId(0), text);
        assert!(network.is_some() && mistakes.is_empty(), "{text}: {mistakes:#?}");
    }
}
