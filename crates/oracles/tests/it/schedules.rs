//! Certificates of determinacy against all schedules of generated programs.

use volvelle_determinacy::Question;
use volvelle_diagnostics::Sources;
use volvelle_kernel::BinaryOp;
use volvelle_model::{Domain, FieldId, Program};
use volvelle_oracles::{Agreement, Slices, Wanted, promela_schedules, promela_slices, schedules, slices};
use volvelle_promela::{Include, lower, parse};
use volvelle_promela_testing::{Choices, random_program};
use volvelle_random::Random;

struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// A program with what is asked: a goal, the cost `time`, and the parameter `p`.
fn asked(text: &str, random: &mut Random) -> (Program, Question) {
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
    let (finished, cost, parameter) = (field("FIN"), field("time"), field("p"));
    let numbers = ["x", "done", "cnt"].map(&mut field);
    let one = program.exprs.i64(1);
    let mut goal = program.exprs.binary(BinaryOp::Eq, finished, one);
    if random.one_in(4) {
        // Several variables, which may have these values only for a moment.
        let [a, b] = [random.below(3), random.below(3)].map(|n| {
            let value = program.exprs.i64(random.below(3) as i64);
            program.exprs.binary(BinaryOp::Eq, numbers[n], value)
        });
        goal = program.exprs.and(a, b);
    }
    let within = random.one_in(3).then(|| random.below(8) as i64);
    (program, Question { goal, cost, observed: vec![parameter], within })
}

/// A statement of a worker.
fn statement(random: &mut Random, depth: usize, out: &mut String) {
    let tick = ["atomic { cur = time; cnt++; time == cur + 1 };", "cur = time; cnt++; time > cur;"];
    match random.below(if depth == 0 { 9 } else { 13 }) {
        0..=2 => out.push_str(tick[usize::from(random.one_in(4))]),
        3 => out.push_str(random.pick(&["a ! 1;", "a ! 2;", "a ! me;", "a ! i;"])),
        4 => out.push_str(random.pick(&["b ? v;", "b ? 1;", "b ? v;"])),
        5 => out.push_str(random.pick(&["x++;", "x = x + 2;", "x++;", "x = 1;"])),
        6 => out.push_str(random.pick(&["v = x;", "v = me;", "x > 1;", "v = time;", "skip;"])),
        7 => out.push_str("a ! 1; b ? v;"),
        8 => out.push_str(random.pick(&[
            "atomic { a ! 1; b ? v };",
            "d ! 1;",
            "v++;",
            "atomic { x++; v = x };",
            "d_step { v = 0; do :: v < 3 -> v++; x++ :: else -> break od };",
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
        11 => {
            // Some never end.
            let rounds = random.pick(&["255", "300", "p * 140"]);
            let tick = if random.one_in(4) { "skip;" } else { tick[0] };
            let all = [
                format!("if :: p == 2 -> do :: {tick} od :: else -> skip fi;"),
                format!("for (i : 1 .. {rounds}) {{ {tick} }};"),
                format!("v = 0; do :: v < {rounds} -> v++; {tick} :: else -> break od;"),
            ];
            out.push_str(&all[random.below(all.len())]);
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
    match random.below(6) {
        0 => {}
        5 => server.push_str(&format!(
            "do :: a ? v -> for (i : 2 .. {workers}) {{ a ? v }}; atomic {{ for (i : 1 .. {workers}) {{ b ! v }} }} od;"
        )),
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
    let condition = match random.below(3) {
        0 => "timeout".to_owned(),
        _ => format!("cnt == {least}"),
    };
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
         proctype clock() {{ do :: FIN -> break :: {condition} -> {clock} od }}\n\
         active proctype main() {{ {choice} atomic {{ {runs} run server(); run sink(); run clock() }}; done == {workers}; FIN = true }}\n"
    )
}

/// A small program, in which any process may spend time, and set the goal.
fn small_program(random: &mut Random) -> String {
    let mut processes = String::new();
    for number in 0..random.below(2) + 2 {
        let mut body = String::new();
        for _ in 0..random.below(4) + 1 {
            body.push_str(small_statement(random));
        }
        processes.push_str(&format!("active proctype q{number}() {{ byte v = 0; {body} skip }}\n"));
    }
    format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;\n\
         chan a = [0] of {{ byte }};\n{processes}"
    )
}

fn small_statement(random: &mut Random) -> &'static str {
    match random.below(10) {
        8 => random.pick(&[
            "timeout; ",
            "timeout -> time++; ",
            "do :: FIN -> break :: timeout -> time++ od; ",
            "do :: x > 1 -> break :: timeout -> x++; time++ od; ",
            "if :: timeout -> time++ :: a ? v -> done++ fi; ",
            "timeout -> atomic { cnt = 0; time++ }; ",
        ]),
        0 | 1 => random.pick(&["time++; ", "time++; ", "time = time + 2; ", "do :: time++ od; "]),
        2 => random.pick(&["x++; ", "x = 1; ", "done++; ", "cnt++; ", "cnt = 0; "]),
        3 => random.pick(&["x > 0; ", "x > 1; ", "done == 1; ", "cnt > 0; ", "time > 0; ", "time > 1; "]),
        4 => random.pick(&["FIN = true; ", "p = 1; ", "if :: p = 1 :: p = 2 fi; "]),
        5 => random.pick(&["a ! 1; ", "a ? v; ", "a ! x; "]),
        6 => random.pick(&[
            "atomic { FIN = true; a ! 1; time++ }; ",
            "atomic { FIN = true; a ! 1; x++ }; ",
            "atomic { a ? v; FIN = true; time++ }; ",
            "atomic { a ? v; x++; time++ }; ",
            "atomic { time++; x++ }; ",
            "atomic { x > 0; time++ }; ",
            "atomic { x++; a ! 1; time++ }; ",
        ]),
        7 => random.pick(&[
            "d_step { v = 0; do :: v < 2 -> v++; x++ :: else -> break od }; ",
            "d_step { do :: x > 0 -> x--; time++ :: else -> break od }; ",
            "d_step { do :: v < 3 -> v++; if :: x > 0 -> time++; break :: else -> skip fi :: else -> break od }; ",
            "d_step { cnt > 0; do :: cnt > 0 -> cnt--; done++ :: else -> break od }; ",
        ]),
        _ => random.pick(&[
            "do :: x < 2 -> x++; time++ :: else -> break od; ",
            "if :: x > 0 -> time++ :: else -> done++ fi; ",
            "do :: cnt > 0 -> break :: time++ od; ",
            "do :: time < 3 -> time++ :: FIN -> break od; ",
        ]),
    }
}

/// A clock that goes to the next moment at which somebody is done, or on by one.
fn clock(random: &mut Random) -> &'static str {
    random.pick(&[
        "proctype clock() { byte k; int next; do :: FIN -> break :: timeout -> d_step { next = 0; k = 0; \
         do :: k < 6 -> if :: due[k] > time && (next == 0 || due[k] < next) -> next = due[k] :: else fi; k++ \
         :: else -> break od; if :: next == 0 -> next = time + 1 :: else fi; time = next; next = 0; k = 0 } od }",
        "proctype clock() { do :: FIN -> break :: timeout -> time++ od }",
    ])
}

const PASS: &str =
    "inline pass(who, d) { if :: (d) > 0 -> due[who] = time + (d); time >= due[who] :: else fi }";

/// Units that take jobs from a channel, or from a buffer, which may take equally long or not.
fn units(random: &mut Random) -> String {
    let units = random.below(2) + 2;
    let jobs = random.below(3) + if random.one_in(3) { 2 } else { 1 };
    let mut capacity = |n: usize| if random.chance(60) { 0 } else { random.below(n) + 1 };
    let (queue, results) = (capacity(3), capacity(2));
    let duration: &str = random.pick(&[
        "1",
        "2",
        "1",
        "me + 1",
        "j",
        "j % 2 + 1",
        "j % 2",
        "(j == 1 -> 2 : 1)",
        "(x > 1 -> 2 : 1)",
    ]);
    let mut body = format!("pass(me, {duration}); ");
    let has_element = random.one_in(4);
    if has_element {
        body = random.pick(&["s ! j; f ? v; ", "s ! 1; f ? v; ", "pass(me, 1); s ! j; f ? v; "]).to_string();
    }
    if random.one_in(4) {
        body.push_str(random.pick(&["x++; ", "x = j; ", "x = me; ", "v = x; ", "x > 0; ", "x++; x > 1; "]));
    }
    let answers = random.chance(70);
    body.push_str(if answers {
        random.pick(&["r ! 1; ", "r ! 1; ", "r ! j; ", "r ! me; "])
    } else {
        "done++; "
    });
    if random.one_in(5) {
        body.push_str("pass(me, 1); ");
    }
    let mut element = format!(
        "proctype element(byte me; chan s; chan f) {{ byte j = 0; do :: s ? j -> pass(me, {duration}); f ! 1 od }}"
    );
    let own = if has_element {
        format!("chan s = [0] of {{ byte }}; chan f = [0] of {{ byte }}; run element(me + {units}, s, f);")
    } else {
        element.clear();
        String::new()
    };
    let stops = random.one_in(2);
    let stop = if stops { "if :: j == 0 -> break :: else fi; " } else { "" };
    let unit_loop = match random.below(4) {
        0 => format!("atomic {{ do :: q ? j -> {stop}{body} od }}"),
        1 if !stops => format!("q ? j; {body}"),
        _ => format!("do :: q ? j -> {stop}{body} od"),
    };
    let job = random.pick(&["i", "i", "1", "i % 2 + 1", "p"]);
    let sends = format!("for (i : 1 .. {jobs}) {{ q ! {job} }}; ");
    let receives = match answers {
        true => format!(
            "for (i : 1 .. {jobs}) {{ r ? v{} }}; ",
            random.pick(&["", "", "; x = v", "; pass(5, 1)", "; x++"])
        ),
        false => format!("done == {jobs}; "),
    };
    let mut host = match random.below(4) {
        0 if answers => format!("for (i : 1 .. {jobs}) {{ q ! {job}; r ? v }}; "),
        1 | 2 if answers => format!(
            "i = 1; do :: i <= {jobs} && busy < {units} -> q ! {job}; i++; busy++ :: r ? v -> busy-- \
             :: i > {jobs} && busy == 0 -> break od; "
        ),
        _ => format!("{sends}{receives}"),
    };
    host.push_str(random.pick(&[
        "FIN = true; ",
        "FIN = true; ",
        "if :: x > 1 -> pass(5, 1) :: else fi; FIN = true; ",
    ]));
    if stops {
        host.push_str(&format!("for (i : 1 .. {units}) {{ q ! 0 }}; "));
    }
    if random.one_in(2) {
        host = format!("atomic {{ {host} }}");
    }
    let other = if random.one_in(6) { "proctype other() { byte v; q ! 1; r ? v }" } else { "" };
    let run_other = if other.is_empty() { "" } else { "run other();" };
    let runs: String = (0..units).map(|unit| format!("run unit({unit}); ")).collect();
    let choice = if random.one_in(3) { "if :: p = 1 :: p = 2 fi; " } else { "p = 1; " };
    let clock = clock(random);
    format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false; int due[6];\n\
         chan q = [{queue}] of {{ byte }}; chan r = [{results}] of {{ byte }};\n{PASS}\n{element}\n\
         proctype unit(byte me) {{ byte j = 0; byte v = 0; {own} {unit_loop} }}\n{other}\n\
         proctype host() {{ byte i = 0; byte v = 0; byte busy = 0; {host} }}\n{clock}\n\
         active proctype main() {{ {choice} atomic {{ {runs} run host(); {run_other} run clock() }} }}\n"
    )
}

/// Processes that send and receive through buffers.
fn buffers(random: &mut Random) -> String {
    let capacities = [random.below(3) + 1, random.below(3) + 1];
    let mut processes = String::new();
    let number = random.below(2) + 2;
    for process in 0..number {
        let mut body = String::new();
        for _ in 0..random.below(4) + 1 {
            if random.one_in(3) {
                body.push_str(&format!(
                    "for (i : 1 .. {}) {{ {} }}; ",
                    random.below(3) + 2,
                    buffered(random)
                ));
            } else {
                body.push_str(buffered(random));
            }
        }
        if random.one_in(3) {
            body = format!("atomic {{ {body} skip }}; ");
        }
        let end = if process == 0 { "FIN = true" } else { "done++" };
        processes
            .push_str(&format!("active proctype q{process}() {{ byte v = 0; byte i = 0; {body} {end} }}\n"));
    }
    format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;\n\
         chan c = [{}] of {{ byte }}; chan d = [{}] of {{ byte }}; chan a = [0] of {{ byte }};\n{processes}\
         active proctype ticks() {{ do :: FIN -> break :: timeout -> time++ od }}\n",
        capacities[0], capacities[1]
    )
}

fn buffered(random: &mut Random) -> &'static str {
    match random.below(10) {
        0 | 1 => random.pick(&["c ! 1; ", "c ! 2; ", "c ! i; ", "c ! v; "]),
        2 | 3 => random.pick(&["c ? v; ", "c ? v; ", "c ? 1; ", "c ? v; v > 1; "]),
        4 => random.pick(&["d ! v; ", "d ! 1; ", "d ! 2; "]),
        5 => random.pick(&["d ? v; ", "d ? 1; ", "do :: c ? v :: d ? v -> break od; "]),
        6 => random.pick(&["x++; ", "x = v; ", "v = x; ", "x > 0; "]),
        7 => random.pick(&["a ! 1; ", "a ? v; ", "if :: a ? v :: c ? v fi; "]),
        8 => random.pick(&[
            "len(c) > 0; ",
            "full(c); ",
            "empty(d); ",
            "c ? [1]; ",
            "c ?? 1; ",
            "c !! 1; ",
            "v = len(c); ",
        ]),
        _ => random.pick(&[
            "i = time; time > i; ",
            "v = time; ",
            "p = 1; ",
            "if :: p = 1 :: p = 2 fi; ",
            "time = time + v; ",
        ]),
    }
}

/// Processes that meet at several channels, and choose between them.
fn meetings(random: &mut Random) -> String {
    let mut processes = String::new();
    for process in 0..random.below(2) + 3 {
        let mut body = String::new();
        for _ in 0..random.below(3) + 1 {
            body.push_str(random.pick(&[
                "a ! 1; ",
                "a ! 2; ",
                "b ! 1; ",
                "c ! v; ",
                "a ? v; ",
                "b ? v; ",
                "c ? v; ",
                "if :: a ? v :: b ? v fi; ",
                "if :: b ? v :: c ? v; x = v fi; ",
                "if :: a ! 1 :: b ! 2 fi; ",
                "if :: a ? v :: c ! 1 fi; ",
                "if :: x > 0 -> a ! 1 :: b ? v fi; ",
                "x++; ",
                "x = v; ",
            ]));
            body.push_str(random.pick(&[
                "",
                "",
                &format!("pass({process}, v); "),
                &format!("pass({process}, 1); "),
            ]));
        }
        let end = if process == 0 { "FIN = true" } else { "done++" };
        processes.push_str(&format!("active proctype q{process}() {{ byte v = 0; {body} {end} }}\n"));
    }
    format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false; int due[6];\n{PASS}\n\
         chan a = [0] of {{ byte }}; chan b = [0] of {{ byte }}; chan c = [{}] of {{ byte }};\n{processes}\
         active proctype clock() {{ do :: FIN -> break :: timeout -> time++ od }}\n",
        random.below(2)
    )
}

/// What a certificate says is what all schedules have in common.
fn compare(make: fn(&mut Random) -> String, seeds: std::ops::Range<u64>) -> [usize; 4] {
    let mut counts = [0; 4];
    for seed in seeds {
        let mut random = Random(seed);
        let text = make(&mut random);
        let (program, question) = asked(&text, &mut random);
        let Some(compared) = schedules(&program, &question, true, &text) else { continue };
        let held = [true, compared.is_certified, compared.reaches, compared.is_cut];
        counts.iter_mut().zip(held).for_each(|(count, held)| *count += usize::from(held));
    }
    counts
}

/// A number from the environment, to try more.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Compares programs, and looks whether enough of them have certificates, also with runs that are cut off.
fn compare_enough(make: fn(&mut Random) -> String, usual: u64) {
    let first = number("VOLVELLE_SEED", 1);
    let [total, certified, reached, cut] = compare(make, first..first + number("VOLVELLE_CASES", usual));
    let told = format!(
        "{total} programs, {certified} with certificates, {reached} reach the goal, {cut} are cut off"
    );
    assert!(reached > total / 40 && cut > total / 60, "{told}");
}

#[test]
fn certificates_hold_for_all_schedules() {
    compare_enough(program, 120);
}

#[test]
fn small_programs() {
    compare_enough(small_program, 350);
}

#[test]
fn programs_of_units_that_share_a_channel() {
    compare_many(units, 75, 3);
}

#[test]
fn programs_that_choose_between_channels() {
    compare_many(meetings, 70, 25);
}

#[test]
fn programs_with_buffers() {
    compare_many(buffers, 75, 10);
}

/// Compares programs, and looks whether one of so many has a certificate and reaches the goal.
fn compare_many(make: fn(&mut Random) -> String, usual: u64, one_of: usize) {
    let first = number("VOLVELLE_SEED", 1);
    let [total, certified, reached, _] = compare(make, first..first + number("VOLVELLE_CASES", usual));
    let told = format!("{total} programs, {certified} with certificates, {reached} reach the goal");
    assert!(reached > total / one_of, "{told}");
}

/// A server waits for what the first of its clients does behind the handshake: if the second one comes first, all are stuck until a
/// `timeout` helps, and the goal is reached later.
#[test]
fn a_server_that_waits_for_one_of_its_clients() {
    let text = "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;
        chan a = [0] of { byte };
        active proctype first() { a ! 1; x++ }
        active proctype second() { a ! 1 }
        active proctype server() { byte v; a ? v; x > 0; a ? v; FIN = true }
        active proctype clock() { do :: FIN -> break :: timeout -> time++; x++ od }";
    for seed in 0..20 {
        let (program, question) = asked(text, &mut Random(seed));
        assert!(schedules(&program, &question, true, text).is_some());
    }
}

/// The channel at which a process waits changes while it waits: before that, it may meet somebody at the other one.
#[test]
fn a_channel_that_changes_while_a_process_waits_there() {
    let text = "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;
        chan c[2] = [0] of { byte };
        active proctype writer() { x = 1 }
        active proctype taker() { byte v; c[x] ? v; FIN = true }
        active proctype giver() { c[0] ! 1 }";
    for seed in 0..20 {
        let (program, question) = asked(text, &mut Random(seed));
        assert!(schedules(&program, &question, true, text).is_some());
    }
}

/// A program with the question when it has finished.
fn finished(text: &str) -> (Program, Question) {
    let (mut program, question) = asked(text, &mut Random(1));
    let field = program.fields.iter().position(|f| f.name == "FIN").expect("declared");
    let goal = program.field(FieldId(field as u32));
    (program, Question { goal, within: None, ..question })
}

/// Whether there is a certificate, which is compared with all schedules.
fn is_certified(processes: &str) -> bool {
    let text = format!(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false; int due[6];\n{PASS}\n{processes}\n\
         active proctype clock() {{ do :: FIN -> break :: timeout -> time++ od }}\n"
    );
    let (program, question) = finished(&text);
    let compared = schedules(&program, &question, true, &text).expect("few states");
    assert_eq!(compared.is_certified, compared.reaches, "{text}");
    compared.is_certified
}

/// A host with some jobs, and units with a number each, that take them from one channel.
fn shared(queue: &str, host: &str, unit: &str, units: [u32; 2]) -> String {
    let [one, other] = units;
    format!(
        "chan q = {queue} of {{ byte }}; chan r = [0] of {{ byte }};\n\
         proctype unit(byte me) {{ byte j = 0; {unit} }}\n\
         active proctype host() {{ byte i = 0; byte v = 0; byte busy = 0; atomic {{ run unit({one}); run unit({other}) }}; {host} }}"
    )
}

#[test]
fn units_that_may_take_each_others_jobs() {
    let all = "for (i : 1 .. 4) { q ! i }; for (i : 1 .. 4) { r ? v }; FIN = true";
    let alike = "do :: q ? j -> pass(me, 2); r ! 1 od";
    let several = "for (i : 1 .. 3) { q ! i }; done == 3; FIN = true";
    let mixed = "atomic { i = 1; do :: i <= 5 && busy < 2 -> q ! i; i++; busy++ :: r ? v -> busy-- \
                 :: i > 5 && busy == 0 -> break od }; FIN = true";
    // Two jobs at a time, but the host stops to give jobs while it waits for results.
    assert!(is_certified(&shared("[0]", mixed, alike, [0, 1])));
    assert!(is_certified(&shared("[0]", several, "do :: q ? j -> pass(me, 2); done++ od", [0, 1])));
    assert!(is_certified(&shared("[2]", all, alike, [0, 1])));
    // A job takes as long as its number says, whoever does it.
    assert!(is_certified(&shared("[0]", mixed, "do :: q ? j -> pass(me, j % 2 + 1); r ! 1 od", [0, 1])));
    // The second unit comes later, so that only one of them is free.
    let late = "pass(me, me + 1); do :: q ? j -> pass(me, 2); done++ od";
    assert!(is_certified(&shared("[0]", several, late, [0, 1])));
    // Each with an element of its own, behind channels of its own.
    let element = "chan s = [0] of { byte }; chan f = [0] of { byte }; run element(me + 2, s, f); \
                   do :: q ? j -> s ! j; f ? j; done++ od";
    let own = "proctype element(byte me; chan s; chan f) { byte j; do :: s ? j -> pass(me, 2); f ! 1 od }";
    assert!(is_certified(&format!("{own}\n{}", shared("[0]", several, element, [0, 1]))));
}

#[test]
fn units_that_must_not_take_each_others_jobs() {
    let sends = "for (i : 1 .. 3) { q ! i }; done == 3; FIN = true";
    // One is slower than the other, and both are free when the last job comes.
    let four = "for (i : 1 .. 4) { q ! i }; done == 4; FIN = true";
    assert!(!is_certified(&shared("[0]", four, "do :: q ? j -> pass(me, me + 1); done++ od", [0, 1])));
    // A job takes longer for one of them.
    let choosy = "do :: q ? j -> pass(me, (j == 1 && me == 1 -> 3 : 1)); done++ od";
    assert!(!is_certified(&shared("[0]", sends, choosy, [0, 1])));
    // Who came first shows in a variable, on which the time depends later.
    let tells = "do :: q ? j -> x = me; done++ od";
    let later = "for (i : 1 .. 2) { q ! i }; done == 2; pass(5, x + 1); FIN = true";
    assert!(!is_certified(&shared("[0]", later, tells, [0, 1])));
    assert!(!is_certified(&shared("[2]", later, tells, [0, 1])));
    // The second job comes when one unit may be free, or both.
    let slow = "for (i : 1 .. 2) { q ! i; pass(5, 1) }; done == 2; FIN = true";
    assert!(!is_certified(&shared("[0]", slow, "do :: q ? j -> pass(me, me); done++ od", [1, 2])));
    // The element of one of them is slower.
    let element = "chan s = [0] of { byte }; chan f = [0] of { byte }; run element(me + 2, s, f); \
                   do :: q ? j -> s ! j; f ? j; done++ od";
    let own =
        "proctype element(byte me; chan s; chan f) { byte j; do :: s ? j -> pass(me, me - 1); f ! 1 od }";
    assert!(!is_certified(&format!("{own}\n{}", shared("[0]", four, element, [0, 1]))));
}

/// Several processes give at one channel, and somebody at another one where the same process takes.
#[test]
fn a_process_that_takes_from_two_channels() {
    let taker = |second: u32| {
        format!(
            "chan a = [0] of {{ byte }}; chan b = [0] of {{ byte }};
             active proctype one() {{ a ! 1 }} active proctype two() {{ a ! 1 }} active proctype three() {{ b ! {second} }}
             active proctype taker() {{ byte v; if :: a ? v :: b ? v fi; pass(0, v); FIN = true }}"
        )
    };
    assert!(is_certified(&taker(1)));
    assert!(!is_certified(&taker(2)));
    // One at each channel is enough.
    assert!(!is_certified(&taker(2).replace("active proctype two() { a ! 1 }", "")));
}

#[test]
fn buffers_with_one_sender_and_one_receiver() {
    for capacity in 1..4 {
        let channels = format!("chan c = [{capacity}] of {{ byte }}; chan d = [1] of {{ byte }};");
        assert!(is_certified(&format!(
            "{channels} active proctype first() {{ byte i; for (i : 1 .. 9) {{ c ! i % 3 }} }}
             active proctype second() {{ byte i; byte v; for (i : 1 .. 9) {{ c ? v; pass(1, v); d ! v }} }}
             active proctype third() {{ byte i; byte v; for (i : 1 .. 9) {{ d ? v; pass(2, 2) }}; FIN = true }}"
        )));
        // The messages of two senders come in any order.
        let two = |a: u32, b: u32| {
            format!(
                "{channels} active proctype first() {{ c ! {a} }} active proctype second() {{ c ! {b} }}
                 active proctype third() {{ byte v; c ? v; pass(2, v); FIN = true }}"
            )
        };
        assert!(is_certified(&two(1, 1)));
        assert!(!is_certified(&two(1, 2)));
        // Whether it is empty depends on the schedule, and so does which of two comes first.
        for looks in ["len(c) > 0 -> x = 1", "nempty(c) -> x = 1", "full(c) -> x = 1"] {
            assert!(!is_certified(&format!(
                "{channels} active proctype first() {{ c ! 1 }} active proctype second() {{ byte v; c ? v; done = 1 }}
                 active proctype third() {{ if :: {looks} :: timeout -> skip fi; done == 1; pass(2, x); FIN = true }}"
            )));
        }
        assert!(!is_certified(&format!(
            "{channels} active proctype first() {{ c ! 1 }} active proctype second() {{ d ! 2 }}
             active proctype third() {{ byte v; if :: c ? v :: d ? v fi; pass(2, v); FIN = true }}"
        )));
    }
}

/// A loop through a buffer is passed in one go.
#[test]
fn many_messages_through_a_buffer() {
    let (program, question) = finished(
        "int time = 0; byte cnt = 0; byte x = 0; byte done = 0; byte p = 0; bool FIN = false;
        chan c = [3] of { byte };
        active proctype first() { int i; for (i : 1 .. 100000) { c ! 7 } }
        active proctype second() { int i; byte v; for (i : 1 .. 100000) { c ? v; time = time + v }; FIN = true }",
    );
    let runs = volvelle_determinacy::runs(
        &program,
        &question,
        volvelle_determinacy::Limits::default(),
        &volvelle_control::Control::unlimited(),
    );
    let runs = runs.expect("analysed");
    assert!(runs.are_certified && runs.runs.len() == 1, "{runs:?}");
    let run = &runs.runs[0];
    assert_eq!(run.reached.as_ref().map(|reached| reached.cost), Some(700_000));
    assert!(run.executed < 1_000, "{run:?}");
}

/// Programs with all that the language has, and questions about any of their variables.
#[test]
fn any_program() {
    let first = number("VOLVELLE_SEED", 1);
    let seeds = first..first + number("VOLVELLE_CASES", 150);
    let compared: Vec<Agreement> = seeds
        .filter_map(|seed| promela_schedules(&random_program(&mut Choices::from_seed(seed)), seed))
        .collect();
    let with = |f: fn(&Agreement) -> bool| compared.iter().filter(|c| f(c)).count();
    let told = format!(
        "{} programs, {} certified, {} reach the goal",
        compared.len(),
        with(|c| c.is_certified),
        with(|c| c.reaches)
    );
    assert!(with(|c| c.reaches) > 0, "{told}");
}

/// Every cost, dead end and failure that a search finds without a reduction, it finds with one.
fn reduced(texts: impl Iterator<Item = String>) -> Vec<Slices> {
    let one = |text: String| {
        let (program, question) = asked(&text, &mut Random(1));
        let parameters = question.observed.clone();
        let question =
            volvelle_tune::search::Question { goal: question.goal, cost: question.cost, parameters };
        slices(&program, &question, Wanted::All, 60_000, &text)
    };
    texts.filter_map(one).collect()
}

#[test]
fn reductions_change_no_cost() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let first = number("VOLVELLE_SEED", 1100);
    let seeds = first..first + number("VOLVELLE_CASES", 50);
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
