//! Certificates of determinacy against all schedules of generated programs.

use std::collections::BTreeSet;
use volvelle_control::{Control, Limits};
use volvelle_determinacy::{Question, Runs, runs};
use volvelle_diagnostics::Sources;
use volvelle_explore::{Processes, States};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{Domain, FieldId, Label, Program};
use volvelle_promela::{Include, lower, parse};
use volvelle_random::Random;
use volvelle_space::StateId;

struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// A program with what is asked: the goal `FIN`, the cost `time`, and the parameter `p`.
fn asked(text: &str) -> (Program, Question) {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", text);
    let parsed = parse(&mut sources, file, &mut NoFiles, &[]);
    let (lowered, diagnostics) = lower(&parsed.model);
    let mut program = lowered.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}")).program;
    volvelle_model::merge::merge(&mut program);
    let mut field = |name: &str| {
        let field = FieldId(program.fields.iter().position(|f| f.name == name).expect("declared") as u32);
        let value = program.field(field);
        match program.fields[field.index()].domain {
            Domain::Bool => program.exprs.convert(volvelle_kernel::Type::I64, value),
            _ => value,
        }
    };
    let (goal, cost, parameter) = (field("FIN"), field("time"), field("p"));
    let zero = program.exprs.i64(0);
    let goal = program.exprs.binary(BinaryOp::Ne, goal, zero);
    (program, Question { goal, cost, observed: vec![parameter] })
}

const BITS: i64 = 14;

/// By exploring all schedules: the values of parameter and cost where the goal is first reached. `None` if there are too many states.
fn explored(program: &Program, question: &Question) -> Option<BTreeSet<(i64, i64)>> {
    let mut program = program.clone();
    program.labels.clear();
    let label = |expr: ExprId| Label { name: None, expr, origin: None };
    program.labels.push(label(question.goal));
    for number in [question.cost, question.observed[0]] {
        for bit in 0..BITS {
            let e = &mut program.exprs;
            let (by, one) = (e.i64(bit), e.i64(1));
            let shifted = e.binary(BinaryOp::Shr, number, by);
            let low = e.binary(BinaryOp::BitAnd, shifted, one);
            let set = e.binary(BinaryOp::Eq, low, one);
            program.labels.push(label(set));
        }
    }
    let labels: Vec<usize> = (0..program.labels.len()).collect();
    let names: Vec<String> = labels.iter().map(|l| format!("l{l}")).collect();
    let options = NetworkOptions { labels, ..NetworkOptions::default() };
    let system = Processes::new(&program, options, &Interpreter, u64::MAX).expect("a small model is made");
    let control =
        Control { limits: Limits { states: Some(60_000), ..Limits::default() }, ..Control::unlimited() };
    let (_, table) = system.tabulated(&names, States::Stored, &control).expect("few processes");
    let space = table.ok()?.space;
    let holds = |label: usize, state: u32| space.labels[label].1.contains(state as usize);
    let number = |first: usize, state: u32| {
        (0..BITS as usize).map(|bit| i64::from(holds(first + bit, state)) << bit).sum::<i64>()
    };
    let mut found = BTreeSet::new();
    for state in 0..space.num_states() {
        if holds(0, state as u32) {
            continue;
        }
        for &next in space.successors(StateId(state as u32).index()) {
            if holds(0, next) {
                found.insert((number(1 + BITS as usize, next), number(1, next)));
            }
        }
    }
    Some(found)
}

/// A statement of a worker.
fn statement(random: &mut Random, depth: usize, out: &mut String) {
    let tick = ["atomic { cur = time; cnt++; time == cur + 1 };", "cur = time; cnt++; time > cur;"];
    match random.below(if depth == 0 { 9 } else { 12 }) {
        0..=2 => out.push_str(tick[usize::from(random.one_in(4))]),
        3 => out.push_str(random.pick(&["a ! 1;", "a ! 2;", "a ! me;"])),
        4 => out.push_str(random.pick(&["b ? v;", "b ? 1;", "b ? v;"])),
        5 => out.push_str(random.pick(&["x++;", "x = x + 2;", "x++;", "x = 1;"])),
        6 => out.push_str(random.pick(&["v = x;", "v = me;", "x > 1;", "v = time;", "skip;"])),
        7 => out.push_str("a ! 1; b ? v;"),
        8 => out.push_str(random.pick(&[
            "atomic { a ! 1; b ? v };",
            "d ! 1;",
            "v++;",
            "atomic { x++; v = x };",
        ])),
        9 => {
            // Enough for loops that are passed in one go, and some in loops.
            let rounds = if random.one_in(5) { random.below(30) + 8 } else { random.below(5) + 1 };
            out.push_str(&format!("for (i : 1 .. {rounds}) {{ "));
            statement(random, 0, out);
            if random.one_in(2) {
                statement(random, 0, out);
            }
            if random.one_in(3) {
                let inner = random.below(12) + 1;
                out.push_str(&format!("v = 0; do :: v < {inner} -> v++; {} :: else -> break od; ", tick[0]));
            }
            out.push_str(" }; ");
        }
        10 => {
            out.push_str(random.pick(&[
                "if :: v > 1 -> ",
                "if :: me == 1 -> ",
                "if :: x > 1 -> ",
                "if :: v == 0 -> ",
            ]));
            statement(random, 0, out);
            out.push_str(" :: else -> ");
            statement(random, 0, out);
            out.push_str(" fi; ");
        }
        _ => {
            let length = random.below(4) + 1;
            out.push_str(&format!(
                "start = time; do :: time > start + {length} -> break :: else -> {} od; ",
                tick[0]
            ));
        }
    }
    out.push(' ');
}

/// A program with a clock, some workers, and a server; most have races.
fn program(random: &mut Random) -> String {
    let workers = random.below(2) + 2;
    let same = random.chance(70);
    let mut body = String::new();
    let mut types = String::new();
    let mut runs = String::new();
    let mut sends = 0;
    for worker in 0..workers {
        if worker == 0 || !same {
            body.clear();
            for _ in 0..random.below(4) + 1 {
                statement(random, 1, &mut body);
            }
        }
        types.push_str(&format!(
            "proctype w{worker}(byte me) {{ int cur = 0; int start = 0; byte v = 0; byte i = 0; {body} done++ }}\n"
        ));
        runs.push_str(&format!("run w{worker}({worker}); "));
        sends += body.matches("a !").count();
    }
    let mut server = String::new();
    match random.below(5) {
        0 => {}
        3 => server.push_str("do :: a ? v -> x++; b ! 1 :: x > 1 -> break :: d ? v -> x = x + v od;"),
        1 => server.push_str(&format!(
            "for (i : 1 .. {sends}) {{ a ? v }}; for (i : 1 .. {}) {{ b ! 1 }};",
            body.matches("b ?").count() * workers
        )),
        2 => server.push_str("do :: a ? v -> b ! v od;"),
        _ => server.push_str(&format!(
            "do :: a ? v -> for (i : 2 .. {workers}) {{ a ? v }}; atomic {{ for (i : 1 .. {workers}) {{ b ! 1 }} }} od;"
        )),
    }
    let least = if random.one_in(6) { workers - 1 } else { workers };
    let choice = if random.one_in(3) { "if :: p = 1 :: p = 2 fi;" } else { "" };
    let clock = match random.below(3) {
        0 => "atomic { cnt = 0; time++ }",
        1 => "cnt = 0; time++",
        _ => "d_step { cnt = 0; time++ }",
    };
    format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;\n\
         chan a = [0] of {{ byte }}; chan b = [0] of {{ byte }}; chan d = [0] of {{ byte }};\n\
         {types}\
         proctype server() {{ byte v = 0; byte i = 0; {server} skip }}\n\
         proctype sink() {{ do :: d ? _ od }}\n\
         proctype clock() {{ do :: FIN -> break :: cnt == {least} -> {clock} od }}\n\
         active proctype main() {{ {choice} atomic {{ {runs} run server(); run sink(); run clock() }}; done == {workers}; FIN = true }}\n"
    )
}

fn certified(program: &Program, question: &Question) -> Option<Runs> {
    runs(program, question, Default::default(), &Control::unlimited()).ok().filter(|runs| runs.are_certified)
}

/// What a certificate says is what all schedules have in common.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let (mut total, mut alike, mut with_certificate, mut with_goal) = (0, 0, 0, 0);
    for seed in seeds {
        let mut random = Random(seed);
        let text = program(&mut random);
        let (program, question) = asked(&text);
        let Some(found) = explored(&program, &question) else { continue };
        total += 1;
        let costs = |p: i64| found.iter().filter(|(parameter, _)| *parameter == p).count();
        let is_alike = found.iter().all(|&(p, _)| costs(p) == 1);
        alike += usize::from(is_alike && !found.is_empty());
        let Some(runs) = certified(&program, &question) else { continue };
        with_certificate += 1;
        let told: BTreeSet<(i64, i64)> = runs
            .runs
            .iter()
            .filter_map(|run| run.reached.as_ref())
            .map(|reached| (reached.observed[0], reached.cost))
            .collect();
        with_goal += usize::from(!told.is_empty());
        assert_eq!(told, found, "seed {seed}\n{text}");
    }
    [total, alike, with_certificate, with_goal]
}

#[test]
fn certificates_hold_for_all_schedules() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let first = number("VOLVELLE_SEED", 1);
    let [total, alike, certified, reached] = compare(first..first + number("VOLVELLE_CASES", 250));
    let told =
        format!("{total} programs, {alike} alike, {certified} with certificates, {reached} reach the goal");
    assert!(reached > total / 20, "{told}");
}
