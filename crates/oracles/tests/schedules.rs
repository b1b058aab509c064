//! Certificates of determinacy against all schedules of generated programs.

use volvelle_determinacy::Question;
use volvelle_diagnostics::Sources;
use volvelle_kernel::BinaryOp;
use volvelle_model::{Domain, FieldId, Program};
use volvelle_oracles::{Agreement, Slices, promela_schedules, promela_slices, schedules, slices};
use volvelle_promela::testing::{Choices, random_program};
use volvelle_promela::{Include, lower, parse};
use volvelle_random::Random;

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

/// What a certificate says is what all schedules have in common.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let mut counts = [0; 4];
    for seed in seeds {
        let text = program(&mut Random(seed));
        let (program, question) = asked(&text);
        let Some(compared) = schedules(&program, &question, &text) else { continue };
        let held = [true, compared.is_alike, compared.is_certified, compared.reaches];
        counts.iter_mut().zip(held).for_each(|(count, held)| *count += usize::from(held));
    }
    counts
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

/// Programs with all that the language has, and questions about any of their variables.
#[test]
fn any_program() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let first = number("VOLVELLE_SEED", 1);
    let seeds = first..first + number("VOLVELLE_CASES", 150);
    let compared: Vec<Agreement> = seeds
        .filter_map(|seed| promela_schedules(&random_program(&mut Choices::from_seed(seed)), seed))
        .collect();
    let with = |f: fn(&Agreement) -> bool| compared.iter().filter(|c| f(c)).count();
    let told = format!(
        "{} programs, {} alike, {} certified, {} reach the goal",
        compared.len(),
        with(|c| c.is_alike),
        with(|c| c.is_certified),
        with(|c| c.reaches)
    );
    assert!(with(|c| c.reaches) > 0, "{told}");
}

/// Every cost, dead end and failure that a search finds without a reduction, it finds with one.
fn reduced(texts: impl Iterator<Item = String>) -> Vec<Slices> {
    let one = |text: String| {
        let (program, question) = asked(&text);
        let parameters = question.observed.clone();
        let question =
            volvelle_tune::search::Question { goal: question.goal, cost: question.cost, parameters };
        slices(&program, &question, &text)
    };
    texts.filter_map(one).collect()
}

#[test]
fn reductions_change_no_cost() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let first = number("VOLVELLE_SEED", 1);
    let seeds = first..first + number("VOLVELLE_CASES", 120);
    let found = reduced(seeds.map(|seed| program(&mut Random(seed))));
    let sum = |f: fn(&Slices) -> u64| found.iter().map(f).sum::<u64>();
    let told = format!(
        "{} programs with {} states, {} with a reduction; {} reach the goal, {} with several costs, {} end without it",
        found.len(),
        sum(|s| s.states[0]),
        sum(|s| s.states[1]),
        sum(|s| s.reached as u64),
        sum(|s| s.different as u64),
        sum(|s| s.dead_ends as u64)
    );
    assert!(2 * sum(|s| s.states[1]) < sum(|s| s.states[0]), "{told}");
    assert!(sum(|s| s.different as u64) > 0 && sum(|s| s.dead_ends as u64) > 0, "{told}");
}

/// Programs with all that the language has, and questions about any of their variables.
#[test]
fn reductions_of_any_program() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let first = number("VOLVELLE_SEED", 1);
    let seeds = first..first + number("VOLVELLE_CASES", 50);
    let text = |seed| random_program(&mut Choices::from_seed(seed));
    let found: Vec<Slices> = seeds.filter_map(|seed| promela_slices(&text(seed), seed)).collect();
    let sum = |f: fn(&Slices) -> u64| found.iter().map(f).sum::<u64>();
    let (all, some, reached) = (sum(|s| s.states[0]), sum(|s| s.states[1]), sum(|s| s.reached as u64));
    let told =
        format!("{} programs, {all} states, {some} with a reduction; {reached} reach the goal", found.len());
    assert!(some < all && reached > 0, "{told}");
}
