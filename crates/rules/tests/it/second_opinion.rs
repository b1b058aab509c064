//! The machine against the slow evaluator: outputs, failures with all that is said about them, and each step of derivations.

use crate::golden::cases;
use crate::second::value::{Stop, V};
use crate::second::{Second, Told, deep};
use crate::support::{example, limits};
use proptest::prelude::*;
use volvelle_diagnostics::Sources;
use volvelle_rules::machine::{Derived, Verdict, Watch};
use volvelle_rules::system::{Answer, Derivation, Finding, Loaded, Program, Reply};
use volvelle_rules::value::Value;

/// A system with the judgment about whole programs, and its golden cases.
pub const SYSTEMS: [(&str, &str, &str); 4] = [
    ("lambda.rules", "type", "lambda.json"),
    ("fj.rules", "main", "fj.json"),
    ("coerce.rules", "values", "coerce.json"),
    ("coerce-extended.rules", "values", "coerce.json"),
];

/// Programs for those who have no golden cases.
const PROGRAMS: [&[&str]; 4] = [
    &[
        "let f = \\x. (x, x) in (f 1, f \"a\")",
        "(\\f. \\x. f (f x)) (\\y. y) 3",
        "\\x. x x",
        "let a = \\x. x in let b = a a in b 2",
        "(\\x:int. x) true",
    ],
    &[
        "class A { A me() { return this; } } class B extends A { } (A) new B().me()",
        "class P { P first; P get() { return this.first; } } new P(new P(new P(new Object()))).get().get()",
        "class A extends B { } class B extends A { } new A()",
    ],
    &["int a = 1; b = a + 2; bool c = a == b; string d = \"x\" + a; e = !c && d == \"y\";"],
    &["int a = 1; b = a + 2; bool c = a == b; string d = \"x\" + a; int e = \"7\"; string f = a * 2;"],
];

fn programs(number: usize) -> Vec<String> {
    let golden = cases(SYSTEMS[number].2);
    let texts = golden.iter().map(|case| case["program"].as_str().unwrap_or_default().to_owned());
    texts.chain(PROGRAMS[number].iter().map(|&text| text.to_owned())).collect()
}

fn answer(second: &mut Second<'_>, value: &V) -> Answer {
    match value {
        V::Null => Answer::Null,
        V::Truth(truth) => Answer::Truth(*truth),
        V::Number(number) => Answer::Number(*number),
        V::List(items) => Answer::List(items.iter().map(|item| answer(second, item)).collect()),
        other => Answer::Text(second.text_of(other).expect("values have texts")),
    }
}

/// What is told of a finding; of one that broke, nothing.
fn told(finding: &Finding) -> Option<Told> {
    finding.rule.as_ref()?;
    Some((finding.rule.clone(), finding.data.clone(), finding.trace.clone()))
}

/// The machine, with kept results and without them, says what the evaluator says.
pub fn compare(system: &Loaded, sources: &Sources, program: &Program, judgment: &str) -> Result<(), String> {
    if !program.flaws.is_empty() {
        return Ok(());
    }
    let mut second = Second::new(&system.system, program, sources);
    let checked = second.check_all();
    let reports = [true, false].map(|caches| system.check(sources, program, limits(), caches));
    let all = |report: &volvelle_rules::system::Report| -> Vec<_> {
        report.findings.iter().map(|one| (one.diagnostic.clone(), told(one))).collect()
    };
    if all(&reports[0]) != all(&reports[1]) {
        return Err(format!("kept {:#?}\nis not\n{:#?}", all(&reports[0]), all(&reports[1])));
    }
    match checked {
        Ok(found) => {
            let mut found: Vec<Option<Told>> = found
                .into_iter()
                .map(|(number, _, _, (rule, data, trace))| {
                    let check = system.system.checks[number];
                    Some((rule.or_else(|| Some(system.system.routines[check].name.clone())), data, trace))
                })
                .collect();
            let mut ours: Vec<Option<Told>> = reports[0].findings.iter().map(told).collect();
            found.sort();
            ours.sort();
            if found != ours {
                return Err(format!("checks: {ours:#?}\nis not\n{found:#?}"));
            }
        }
        Err(Stop::Broke(_)) if reports[0].findings.iter().any(|one| told(one).is_none()) => {}
        Err(Stop::Spent) => return Ok(()),
        Err(other) => return Err(format!("the slow evaluator of checks {other}")),
    }
    let judgment = system.judgment(judgment).expect("it is declared");
    for caches in [true, false] {
        let watch = Watch { derivation: true, ..Watch::default() };
        let (reply, _, noted) =
            system.ask_watched(sources, program, (judgment, program.root), limits(), caches, watch);
        let mut second = Second::new(&system.system, program, sources);
        let alone = second.ask(judgment, program.root);
        match (&reply, alone) {
            (Reply::Holds(outputs), Ok(values)) => {
                let values: Vec<Answer> = values.iter().map(|value| answer(&mut second, value)).collect();
                if values != *outputs {
                    return Err(format!("{outputs:?} is not {values:?}"));
                }
                let derivation = noted.derivation.ok_or("there is no derivation")?;
                let replayed =
                    Second::new(&system.system, program, sources).replay(&derivation, judgment, program.root);
                if let Err(why) = replayed {
                    return Err(format!("the derivation {why}"));
                }
            }
            (Reply::Fails(finding), Err(Stop::Fail(failure))) => {
                let (rule, data, trace) = second.tell(&failure).map_err(|stop| format!("{stop:?}"))?;
                let rule = rule.or_else(|| finding.rule.clone());
                let wanted = Some((rule, data, trace));
                if told(finding) != wanted {
                    return Err(format!("{:#?} is not {wanted:#?}", told(finding)));
                }
            }
            (Reply::Fails(finding), Err(Stop::Broke(_))) if told(finding).is_none() => {}
            (_, Err(Stop::Spent)) => {}
            (reply, alone) => return Err(format!("{reply:?} is not {alone:?}")),
        }
    }
    Ok(())
}

#[test]
fn golden_programs() {
    deep(|| {
        for (number, (file, judgment, _)) in SYSTEMS.into_iter().enumerate() {
            let mut sources = Sources::new();
            let system = example(&mut sources, file);
            for text in programs(number) {
                let mut sources = sources.clone();
                let at = sources.add("program", text.clone());
                let program = system.read(&sources, at);
                if let Err(why) = compare(&system, &sources, &program, judgment) {
                    panic!("{file}: {text}\n{why}");
                }
            }
        }
    });
}

/// How a derivation is changed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Rule(usize),
    Output(usize),
    Verdict,
    Dropped,
    Swapped,
}

/// A derivation that is changed at a step; nothing where the change makes no difference.
fn changed(of: &Derivation, at: usize, change: Change, routines: usize) -> Option<Derivation> {
    let mut made = of.clone();
    let step = of.steps[at];
    match change {
        Change::Rule(other) => {
            let other = volvelle_rules::ir::RoutineId::from_index(other % routines);
            if other == step.routine {
                return None;
            }
            made.steps[at].routine = other;
        }
        Change::Output(number) => {
            let Verdict::Holds(from, to) = step.verdict else { return None };
            if from == to {
                return None;
            }
            let value = &mut made.values[from as usize + number % (to - from) as usize];
            *value = if *value == Value::Null { Value::Truth(true) } else { Value::Null };
        }
        Change::Verdict => {
            made.steps[at].verdict = match step.verdict {
                Verdict::Fails => Verdict::Holds(0, 0),
                _ => Verdict::Fails,
            };
        }
        Change::Dropped => {
            let count = step.end as usize - at;
            made.steps.drain(at..step.end as usize);
            for (number, one) in made.steps.iter_mut().enumerate() {
                if one.end as usize > at && (number < at || one.end as usize >= at + count) {
                    one.end -= count as u32;
                }
            }
        }
        Change::Swapped => {
            let next = step.end as usize;
            // The step behind it must be one beside it.
            let is_beside = (0..at).all(|around| {
                let end = of.steps[around].end as usize;
                end <= at || end > next
            });
            if !is_beside || next >= of.steps.len() || !differ(of, &step, &of.steps[next]) {
                return None;
            }
            let after = of.steps[next].end as usize;
            made.steps[at..after].rotate_left(next - at);
            for (number, one) in made.steps[at..after].iter_mut().enumerate() {
                if number < after - next {
                    one.end -= (next - at) as u32;
                } else {
                    one.end += (after - next) as u32;
                }
            }
        }
    }
    Some(made)
}

/// Whether steps are surely about something else.
fn differ(of: &Derivation, one: &Derived, other: &Derived) -> bool {
    let inputs = |step: &Derived| &of.values[step.inputs.0 as usize..step.inputs.1 as usize];
    let plain = |value: &Value| matches!(value, Value::Node(_) | Value::Text(_) | Value::Number(_));
    one.routine != other.routine
        || inputs(one).iter().zip(inputs(other)).any(|(a, b)| plain(a) && plain(b) && a != b)
}

/// What is changed in one place is refused.
#[test]
fn changed_derivations() {
    deep(|| {
        let mut tried = [0; 5];
        for (number, (file, judgment, _)) in SYSTEMS.into_iter().enumerate() {
            let mut sources = Sources::new();
            let system = example(&mut sources, file);
            let judgment = system.judgment(judgment).expect("it is declared");
            let mut derived = Vec::new();
            for text in programs(number) {
                let mut sources = sources.clone();
                let at = sources.add("program", text);
                let program = system.read(&sources, at);
                let watch = Watch { derivation: true, ..Watch::default() };
                let asked = (judgment, program.root);
                let (_, _, noted) = system.ask_watched(&sources, &program, asked, limits(), true, watch);
                if let (Some(derivation), true) = (noted.derivation, program.flaws.is_empty()) {
                    derived.push((sources, program, derivation));
                }
            }
            assert!(!derived.is_empty(), "{file}");
            let changes = prop_oneof![
                any::<usize>().prop_map(Change::Rule),
                any::<usize>().prop_map(Change::Output),
                Just(Change::Verdict),
                Just(Change::Dropped),
                Just(Change::Swapped),
            ];
            let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
                failure_persistence: None,
                ..ProptestConfig::with_cases(400)
            });
            let cell = std::cell::RefCell::new(&mut tried);
            let run = runner.run(&(any::<usize>(), any::<usize>(), changes), |(which, at, change)| {
                let (sources, program, derivation) = &derived[which % derived.len()];
                let at = at % derivation.steps.len();
                let routines = system.system.routines.len();
                let Some(made) = changed(derivation, at, change, routines) else { return Ok(()) };
                let kind = match change {
                    Change::Rule(_) => 0,
                    Change::Output(_) => 1,
                    Change::Verdict => 2,
                    Change::Dropped => 3,
                    Change::Swapped => 4,
                };
                cell.borrow_mut()[kind] += 1;
                let mut second = Second::new(&system.system, program, sources);
                let replayed = second.replay(&made, judgment, program.root);
                let is_refused = matches!(replayed, Err(Stop::Refused(_)));
                prop_assert!(is_refused, "{file} step {at} {change:?} gives {replayed:?}");
                Ok(())
            });
            if let Err(why) = run {
                panic!("{why}");
            }
        }
        assert!(tried.iter().all(|&count| count > 50), "{tried:?}");
    });
}
