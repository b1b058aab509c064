//! Interchangeable processes, and clocks of which only differences matter: which programs have them, and that searches for the least cost
//! find what they find without.

use volvelle_diagnostics::Sources;
use volvelle_kernel::{BinaryOp, Type};
use volvelle_model::{Domain, FieldId, Program};
use volvelle_oracles::{Slices, Wanted, slices};
use volvelle_promela::{Include, lower, parse};
use volvelle_random::Random;
use volvelle_tune::search::{Prepared, Question};

struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// A program with what is asked: the goal `finished`, the cost `time` (or `LIMIT - left`), and the parameter `p`.
fn asked(text: &str) -> (Program, Question) {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", text);
    let parsed = parse(&mut sources, file, &mut NoFiles, &[]);
    let (lowered, diagnostics) = lower(&parsed.model);
    let mut program = lowered.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}")).program;
    let mut field = |name: &str| {
        let field = FieldId(program.fields.iter().position(|f| f.name == name)? as u32);
        let value = program.field(field);
        Some(match program.fields[field.index()].domain {
            Domain::Bool => program.exprs.convert(Type::I64, value),
            _ => value,
        })
    };
    let (finished, time, left, parameter) = (field("finished"), field("time"), field("left"), field("p"));
    let e = &mut program.exprs;
    let (one, limit) = (e.i64(1), e.i64(100));
    let goal = e.binary(BinaryOp::Eq, finished.expect("declared"), one);
    let cost = time.unwrap_or_else(|| e.binary(BinaryOp::Sub, limit, left.expect("declared")));
    (program, Question { goal, cost, parameters: parameter.into_iter().collect() })
}

fn is_relative(body: &str) -> bool {
    let (program, question) = asked(body);
    Prepared::new(program, &question, false).is_relative()
}

/// A model with a process that does something, beside one that works.
fn with(statements: &str) -> String {
    format!(
        "int time; byte p; byte x; int stamp; int times[2]; bool finished; chan c = [0] of {{ byte, int }}; chan q = [2] of {{ int }};
        proctype P() {{ int until; int other; byte v; {statements} }}
        active proctype Main() {{ select (p : 1 .. 2); run P(); do :: time++ :: x > 1 -> break od; finished = true }}"
    )
}

#[test]
fn clocks_that_matter_by_differences() {
    for statements in [
        "time = time + x",
        "time = time + x * p; time++; time = (x > 1 -> time + 1 : time)",
        "until = time + x; time >= until; x++",
        "until = time; time > until + 2",
        "other = time; until = time + 1; until = (other > until -> other : until); other = time",
        "stamp = time; time - stamp > 2 -> x = time - stamp",
        "times[v] = time + 3; times[1 - v] < time + 1",
        "c ! 1, time; c ? v, until",
        "until = time; until = 0; until = time; time > until",
        "until = time + 1; time == until; until = 0",
        "d_step { do :: v < 3 -> v++; time = time + v :: else -> break od }",
        "other = - time; time + other > 0",
    ] {
        assert!(is_relative(&with(statements)), "{statements}");
    }
}

#[test]
fn clocks_that_matter_by_themselves() {
    for statements in [
        "time > 3 -> x++",
        "x = time",
        "time % 2 == 0",
        "time != 0",
        "times[time] = 1",
        "v = time * 2",
        "until < time; until = time",
        "until = time; until = 0; time > until",
        "other = time + until; until = time; time > other",
        "stamp = 1; stamp = time; time > stamp",
        "stamp = time; times[1] = 3; times[0] = stamp",
        "q ! time",
        "until = time; time > until; c ? v, until; time > until",
        "assert(time < 9)",
        "until = (x > 1 -> time : 0); time > until",
    ] {
        assert!(!is_relative(&with(statements)), "{statements}");
    }
}

#[test]
fn costs_that_are_counted_down() {
    let text = |statement: &str| {
        format!(
            "int left = 100; byte p; bool finished;
            active proctype P() {{ byte n; select(p : 1 .. 2); do :: n < p -> {statement}; n++ :: else -> break od; finished = true }}"
        )
    };
    assert!(is_relative(&text("left = left - n")));
    assert!(!is_relative(&text("left > 5 -> left = left - n")));
}

/// A statement of a worker; most keep to differences of the clock.
fn statement(random: &mut Random, (depth, stamps): (usize, bool), out: &mut String) {
    let length = random.below(3) + 1;
    match random.below(if depth == 0 { 11 } else { 14 }) {
        0 | 1 => out.push_str(&format!(
            "atomic {{ until = time + {length}; busy++ }}; atomic {{ time >= until -> busy-- }}; "
        )),
        2 => out.push_str(&format!("until = time + {length}; busy++; time >= until; busy--; ")),
        3 => out.push_str("atomic { free > 0 -> free-- }; "),
        4 => out.push_str("free++; "),
        5 => out.push_str(random.pick(&["q ? v; ", "q ? v; ", "q ! 1; ", "if :: q ? v :: empty(q) fi; "])),
        6 if stamps => out.push_str(random.pick(&[
            "stamp = time; ",
            "times[v % 2] = time; ",
            "if :: time == stamp + 2 -> x++ :: stamp < time - v -> x = 2 :: else fi; ",
            "if :: time > stamp + 1 -> x++ :: else fi; ",
            "if :: times[0] < times[1] -> x = 1 :: else -> x = 0 fi; ",
            "until = stamp; time > until; ",
            "x = time - stamp; ",
        ])),
        7 => out.push_str(random.pick(&[
            "time = time + v; ",
            "time = time + p; ",
            "if :: time++ :: time = time + 2 :: x > 0 fi; ",
            "if :: x++; time++ :: time = time + 3 fi; ",
        ])),
        6 | 8 => out.push_str(random.pick(&["x++; ", "v = x; ", "x = v; ", "x = 0; ", "x > 0; ", "skip; "])),
        9 => out.push_str(random.pick(&[
            "until = time; until = 0; ",
            "v = 0; ",
            "until = time; ",
            "until = time; until = until + v; ",
        ])),
        10 => {
            let rare = ["time > 2; ", "v = time; ", "x = 4 / v; ", "assert(x < 2); ", "timeout -> x++; "];
            out.push_str(if random.one_in(6) { random.pick(&rare) } else { "skip; " });
        }
        11 => {
            out.push_str("if :: ");
            statement(random, (0, stamps), out);
            out.push_str(" :: ");
            statement(random, (0, stamps), out);
            out.push_str(" fi; ");
        }
        12 => {
            out.push_str("do :: v < 2 -> v++; ");
            statement(random, (0, stamps), out);
            out.push_str(" :: else -> break od; ");
        }
        _ => {
            out.push_str("atomic { ");
            statement(random, (0, stamps), out);
            statement(random, (0, stamps), out);
            out.push_str(" }; ");
        }
    }
}

/// A program with workers, some of them equal, that share resources and a queue, and a clock.
fn program(random: &mut Random, ends: bool) -> String {
    // What was stamped long ago keeps states apart.
    let has_stamps = random.one_in(4);
    let mut types = String::new();
    let mut runs = String::new();
    let mut all = 0;
    for ty in 0..random.below(2) + 1 {
        let mut body = String::new();
        for _ in 0..random.below(4) + 1 {
            statement(random, (1, has_stamps), &mut body);
        }
        let count = if ty > 0 { 1 } else { random.below(3) + 1 };
        all += count;
        types.push_str(&format!("proctype W{ty}() {{ int until; byte v; {body} done++ }}\n"));
        runs.push_str(&format!("run W{ty}(); ").repeat(count));
    }
    let clock = random.pick(&["int", "int", "int", "short", "byte"]);
    let first = if clock == "byte" { random.pick(&["0", "100", "250"]) } else { random.pick(&["0", "5"]) };
    let tick = match random.below(if ends { 2 } else { 4 }) {
        0 => "do :: finished -> break :: timeout && busy > 0 -> time++ od",
        1 => "byte n; do :: finished -> break :: n < 5 -> n++; time++ od",
        2 => "do :: finished -> break :: timeout -> time++ od",
        _ => random.pick(&[
            "do :: finished -> break :: time++ od",
            "do :: finished -> break :: busy > 0 -> time++ od",
        ]),
    };
    let stamps = if random.one_in(6) { "byte" } else { "int" };
    let first_stamps = if has_stamps { "stamp = time; times[0] = time; times[1] = time;" } else { "" };
    format!(
        "{clock} time = {first}; byte p; byte x; byte busy; byte free = 1; byte done; {stamps} stamp; int times[2]; bool finished;
        chan q = [2] of {{ byte }};
        {types}
        proctype Clock() {{ {tick} }}
        active proctype Main() {{ if :: p = 1 :: p = 2 fi; {first_stamps} atomic {{ q ! 1; q ! p; {runs} run Clock() }}; done == {all}; finished = true }}"
    )
}

/// States of a search, at most.
const STATES: u64 = 10_000;

/// A number from the environment, to try more.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn compared(wanted: Wanted, usual: u64) -> Vec<Slices> {
    let first = number("VOLVELLE_SEED", 1);
    let one = |seed| {
        let text = program(&mut Random(seed), wanted == Wanted::All);
        let (program, question) = asked(&text);
        slices(&program, &question, wanted, STATES, &text)
    };
    (first..first + number("VOLVELLE_CASES", usual)).filter_map(one).collect()
}

/// Looks whether enough programs have what is compared.
fn are_enough(found: &[Slices]) {
    let sum = |f: fn(&Slices) -> u64| found.iter().map(f).sum::<u64>();
    let with = |f: fn(&Slices) -> bool| found.iter().filter(|one| f(one)).count();
    let dominated = with(|one| one.is_dominated);
    let told = format!(
        "{} programs with {} states, {} of them looked at; {} symmetric, {} relative, {dominated} with states left out for a smaller cost; \
         {} reach the goal, {} end without it",
        found.len(),
        sum(|one| one.states[0]),
        sum(|one| one.states[1]),
        with(|one| one.is_symmetric),
        with(|one| one.is_relative),
        sum(|one| one.reached as u64),
        sum(|one| one.dead_ends as u64),
    );
    let few = 3 * sum(|one| one.states[1]) < sum(|one| one.states[0]);
    assert!(few && 2 * with(|one| one.is_symmetric) > found.len() && 20 * dominated > found.len(), "{told}");
}

#[test]
fn every_configuration_has_the_same_least_cost() {
    are_enough(&compared(Wanted::All, 150));
}

#[test]
fn the_best_configurations_are_the_same() {
    are_enough(&compared(Wanted::Best, 150));
}
