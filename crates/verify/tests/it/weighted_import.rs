//! The same random graph as a weighted structure, a model of each kind of modules, and a process: all have the same verdicts.

use std::fmt::Write as _;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_verify::weighted::{Comparison, WctlSettings, WeightedRelation, Weighting, compare_weighted};
use volvelle_verify::{Allowance, Session, Settings, Text};

/// Steps: source, weight (in halves), target.
struct Graph {
    states: usize,
    steps: Vec<(usize, usize, usize)>,
    /// The value of the variable in each state; may be negative.
    values: Vec<i64>,
    /// By how much one half is multiplied: 2 where weights have to be integers.
    halves: usize,
}

impl Graph {
    fn random(random: &mut Random) -> Self {
        let states = 1 + random.below(6);
        let steps = (0..states * 2)
            .map(|_| (random.below(states), random.pick(&[0, 1, 1, 2, 3, 7]), random.below(states)))
            .collect();
        let values = (0..states).map(|_| random.below(4) as i64 - 1).collect();
        Graph { states, steps, values, halves: if random.one_in(2) { 2 } else { 1 } }
    }

    fn weight(&self, weight: usize) -> String {
        if self.halves == 2 { weight.to_string() } else { format!("{weight}/2") }
    }

    fn structure(&self) -> String {
        let mut text = String::new();
        for state in 0..self.states {
            let _ = write!(text, "state s{state}");
            let value = self.values[state];
            if value != 0 {
                let _ = write!(text, " {{v*{value}}}");
            }
            let mut separator = ": ";
            for &(_, weight, target) in self.steps.iter().filter(|step| step.0 == state) {
                let _ = write!(text, "{separator}-{}-> s{target}", self.weight(weight));
                separator = ", ";
            }
            text.push_str(";\n");
        }
        text
    }

    /// Each step has an action of its own, which carries a part of the weight; where rewards of states are steps' weights, they carry the
    /// least weight of their steps.
    fn modules(&self, kind: &str) -> String {
        let first = self.values[0];
        let mut text = format!(
            "{kind}\nmodule graph\n  s : [0..{}] init 0;\n  v : [-1..2] init {first};\n",
            self.states.max(2) - 1
        );
        let mut rewards = String::from("rewards \"cost\"\n");
        let mut others = String::from("rewards \"other\"\n  true : 3;\nendrewards\n");
        let with_states = kind != "ctmc";
        let own = |state: usize| {
            let steps = self.steps.iter().filter(|step| with_states && step.0 == state);
            steps.map(|step| step.1).min().unwrap_or(0)
        };
        for state in 0..self.states {
            let _ = match own(state) {
                0 => Ok(()),
                least => writeln!(rewards, "  s={state} : {};", self.weight(least)),
            };
        }
        for (number, &(source, weight, target)) in self.steps.iter().enumerate() {
            let value = self.values[target];
            let chance = if kind == "ctmc" { "7 : " } else { "" };
            let _ = writeln!(text, "  [a{number}] s={source} -> {chance}(s'={target}) & (v'={value});");
            let _ = writeln!(rewards, "  [a{number}] true : {};", self.weight(weight - own(source)));
        }
        let _ = writeln!(text, "endmodule\n{rewards}endrewards");
        text.push_str(&std::mem::take(&mut others));
        text
    }

    /// Integer weights: one step each, which makes `cost` larger.
    fn process(&self) -> String {
        let mut text =
            format!("int cost = 3;\nshort v = {};\nactive proctype P() {{\n  byte s;\n", self.values[0]);
        let _ = writeln!(text, "end: do");
        for &(source, weight, target) in &self.steps {
            let value = self.values[target];
            let _ = writeln!(
                text,
                "  :: d_step {{ s == {source} -> s = {target}; v = {value}; cost = cost + {weight} }}"
            );
        }
        text.push_str("  :: false\n  od\n}\n");
        text
    }
}

fn open(name: &str, text: &str, weights: Option<&str>, observed: &[&str]) -> Session {
    let text = Text { name: name.to_owned(), text: text.to_owned() };
    let mut session = Session::open(text, Vec::new(), &[] as &[&str]);
    let observed = observed.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    session.run.weighting = Weighting {
        weights: weights.map(str::to_owned),
        observed: (!observed.is_empty()).then_some(observed),
    };
    session
}

fn condition(random: &mut Random) -> String {
    match random.below(4) {
        0 => "v".to_owned(),
        1 => "true".to_owned(),
        _ => format!("v {} {}", random.pick(&["<", ">=", "==", "!="]), random.below(4) as i64 - 1),
    }
}

fn formula(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return condition(random);
    }
    let low = random.below(5);
    let interval = match random.below(4) {
        0 => String::new(),
        1 => format!("[<={low}]"),
        2 => format!("[>={low}]"),
        _ => format!("[{low},{}]", low + random.below(4)),
    };
    let quantifier = random.pick(&["E", "A"]);
    let inner = formula(random, depth - 1);
    match random.below(4) {
        0 => format!("{quantifier}X{interval} ({inner})"),
        1 => format!("not ({inner})"),
        _ => format!("{quantifier}(({}) U{interval} ({inner}))", condition(random)),
    }
}

fn verdicts(session: &mut Session, formulas: &[String], settings: &WctlSettings) -> Vec<Option<bool>> {
    let texts = formulas.iter().map(|text| Text { name: "formula".to_owned(), text: text.clone() }).collect();
    let control = Control::unlimited();
    let found =
        volvelle_verify::check_wctl(session, texts, &Vec::new(), *settings, &Settings::default(), &control);
    assert!(!found.formulas.is_empty(), "{:?}", found.report.diagnostics);
    found.formulas.iter().map(|formula| formula.holds).collect()
}

#[test]
fn all_notations_of_a_graph_have_the_same_verdicts() {
    let (mut counted, mut differing) = ([0u32; 2], 0);
    for seed in 0..400u64 {
        let mut random = Random(seed);
        let graph = Graph::random(&mut random);
        let mut texts = vec![("g.wks", graph.structure(), None)];
        for kind in ["mdp", "dtmc", "ctmc"] {
            texts.push(("g.prism", graph.modules(kind), Some("cost")));
        }
        if graph.halves == 2 {
            texts.push(("g.pml", graph.process(), Some("cost")));
        }
        // A name that no state has is an error of weighted structures.
        let is_named = graph.values.iter().any(|&value| value != 0);
        let formulas: Vec<String> =
            (0..4).map(|_| formula(&mut random, 2)).filter(|text| is_named || !text.contains('v')).collect();
        if formulas.is_empty() {
            continue;
        }
        let settings = WctlSettings { sink: random.one_in(2), global: random.one_in(2) };
        let mut expected: Option<Vec<Option<bool>>> = None;
        for (name, text, weights) in &texts {
            let found = verdicts(&mut open(name, text, *weights, &[]), &formulas, &settings);
            assert!(found.iter().all(Option::is_some));
            let expected = expected.get_or_insert_with(|| found.clone());
            assert_eq!(found, *expected, "seed {seed}: {formulas:?}\n{}\n{text}", texts[0].1);
            found.iter().for_each(|&holds| counted[usize::from(holds == Some(true))] += 1);
        }
        // States that are told apart by the variable are bisimilar in all notations, and those with other weights hardly ever.
        let control = Control::unlimited();
        for (name, text, weights) in &texts[1..] {
            let related = |weights: Option<&str>| {
                let observed = ["v"];
                let mut sessions =
                    [open("g.wks", &texts[0].1, None, &[]), open(name, text, weights, &observed)];
                let models = sessions.each_mut().map(|session| {
                    let (report, model) =
                        volvelle_verify::weighted_model(session, &Vec::new(), &Settings::default(), &control);
                    model.unwrap_or_else(|| panic!("{:?}", report.diagnostics))
                });
                let names = ["a", "b"].map(str::to_owned);
                let relation = Comparison::literal(WeightedRelation::Bisimulation);
                compare_weighted(&models, names, relation, &Allowance::default(), &control)
                    .expect("no limit is reached")
                    .related
            };
            assert!(related(*weights), "seed {seed}: {}\n{text}", texts[0].1);
            // A process would count for ever.
            differing += u32::from(*name != "g.pml" && !related(Some("steps")));
        }
    }
    assert!(counted.iter().all(|&count| count > 800), "{counted:?}");
    assert!(differing > 600, "{differing}");
}

fn refused(name: &str, text: &str, weights: Option<&str>, formula: &str) -> String {
    let texts = vec![Text { name: "formula".to_owned(), text: formula.to_owned() }];
    let control = Control::unlimited();
    let mut session = open(name, text, weights, &[]);
    let found = volvelle_verify::check_wctl(
        &mut session,
        texts,
        &Vec::new(),
        WctlSettings::default(),
        &Settings::default(),
        &control,
    );
    let texts = found.report.diagnostics.iter().map(|diagnostic| format!("{diagnostic:?}"));
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_has_no_weights_is_refused_with_a_reason() {
    let ctmc = "ctmc\nmodule M\n x : [0..1] init 0;\n [a] x=0 -> 2:(x'=1);\nendmodule\nrewards\n x=0 : 2;\nendrewards\n";
    assert!(refused("m.prism", ctmc, None, "EF x").contains("earned over time"));
    assert!(refused("m.prism", ctmc, Some("energy"), "EF x").contains("no reward structure `energy`"));
    assert_eq!(refused("m.prism", ctmc, Some("steps"), "EF x"), "");
    let mdp = "mdp\nmodule M\n x : [0..1] init 0;\n [a] x=0 -> (x'=1);\n [b] x=1 -> (x'=0);\nendmodule\n";
    assert!(refused("m.prism", mdp, None, "EF x").contains("no rewards"));
    assert!(refused("m.prism", mdp, Some("steps"), "EF y").contains("no state has the proposition `y`"));
    let negative = format!("{mdp}rewards\n x=1 : 1-2;\nendrewards\n");
    assert!(refused("m.prism", &negative, None, "EF x").contains("weights are not negative"));
    let power = format!("{mdp}rewards\n x=1 : pow(2,1/2);\nendrewards\n");
    assert!(refused("m.prism", &power, None, "EF x").contains("no exact weight"));
    let shrinking = "int cost;\nactive proctype P() { cost++; cost-- }\n";
    assert!(refused("m.pml", shrinking, Some("cost"), "EF true").contains("weights are not negative"));
    assert!(refused("m.pml", shrinking, None, "EF true").contains("say which variable"));
    let hidden = "hidden int cost;\nbyte x;\nactive proctype P() { cost++; x = 1 }\n";
    assert!(refused("m.pml", hidden, Some("cost"), "EF x").contains("hidden"));
}

/// A counter is left out of the state where nothing depends on it, and only there.
#[test]
fn counters_make_no_states() {
    let states = |body: &str, formula: &str| {
        let text = format!("int cost;\nbyte x;\nbyte a[2];\nactive proctype P() {{ do {body} od }}\n");
        let mut session = open("m.pml", &text, Some("cost"), &[]);
        let texts = vec![Text { name: "formula".to_owned(), text: formula.to_owned() }];
        let limits = volvelle_control::Limits { states: Some(200), ..Default::default() };
        let mut control = Control::unlimited();
        control.limits = limits;
        let settings = Settings::default();
        let found = volvelle_verify::check_wctl(
            &mut session,
            texts,
            &Vec::new(),
            WctlSettings::default(),
            &settings,
            &control,
        );
        found.report.model.filter(|model| model.complete).map(|model| model.states)
    };
    assert_eq!(states(":: cost = cost + 2 :: cost++", "EF[7,7] true"), Some(1));
    assert_eq!(states(":: cost = cost + 2*x + 1; x = 1 - x", "EF[4,4] true"), Some(4));
    assert_eq!(states(":: cost = cost + a[x]; x = 1 - x", "EF[4,4] true"), Some(4));
    // Guards, other variables, and the amount itself depend on it; or the formula does.
    assert_eq!(states(":: cost < 1000 -> cost++", "EF true"), None);
    assert_eq!(states(":: cost++; x = cost % 2", "EF true"), None);
    assert_eq!(states(":: cost = 2*cost + 1", "EF true"), None);
    assert_eq!(states(":: cost = cost + cost + 1", "EF true"), None);
    assert_eq!(states(":: cost++", "EF cost == 3"), None);
    // A stored value is no growth.
    assert_eq!(states(":: cost = 5", "EF true"), Some(2));
}
