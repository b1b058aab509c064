//! Tuning of random models: branch and bound, bisection and swarm against a search that knows nothing of slices, configurations or
//! bounds; and the published optima of a study.

use std::collections::{BTreeMap, HashSet};
use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{Sources, codes};
use volvelle_explore::Processes;
use volvelle_kernel::ExprId;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::{NetworkLayout, Place, Program};
use volvelle_promela::{Include, Observed, lower_observing, parse, parse_formula};
use volvelle_random::Random;
use volvelle_search::{Exit, Expander, Successors, System};
use volvelle_tune::{Evidence, Proof, Tuning, Value};
use volvelle_verify::{Session, Text, TuneMethod, TuneQuestion, TuneReport, TuneSettings};

fn question() -> TuneQuestion {
    TuneQuestion {
        minimize: "time".to_owned(),
        until: "done == 2".to_owned(),
        parameters: vec!["p".to_owned(), "q".to_owned()],
    }
}

fn tune_with(model: &str, question: &TuneQuestion, settings: TuneSettings, threads: usize) -> TuneReport {
    let text = Text { name: "m.pml".to_owned(), text: model.to_owned() };
    let control = Control { threads, ..Control::unlimited() };
    volvelle_verify::tune(&mut Session::open::<&str>(text, Vec::new(), &[]), question, &settings, &control)
}

fn tune(model: &str, settings: TuneSettings) -> TuneReport {
    tune_with(model, &question(), settings, 2)
}

/// A statement of a worker.
fn statement(random: &mut Random) -> String {
    match random.below(12) {
        0 => "time++".to_owned(),
        1 => "time = time + p".to_owned(),
        2 => "atomic { time = time + q; x = 1 - x }".to_owned(),
        3 => format!("x = {}", random.below(2)),
        4 => "if :: x == 0 -> time++ :: else fi".to_owned(),
        5 => "if :: time = time + 2 :: p > 1 -> time++; x = 1 fi".to_owned(),
        6 => "for (i : 1 .. q) { x = 1 - x; time++ }".to_owned(),
        7 => "i = x; x == i".to_owned(),
        8 => "if :: x == 1 -> x = 0 :: q > 1 -> time = time + 3 fi".to_owned(),
        9 => format!("if :: c!{} :: c?i :: time++ fi", random.below(2)),
        10 => "d_step { i = p; time = time + i }".to_owned(),
        _ => "atomic { x == 0 -> time++; x == 1 -> time++ }".to_owned(),
    }
}

/// A model that chooses `p` and `q` and runs two workers. Some runs may get stuck.
fn model(random: &mut Random) -> String {
    let kind = ["[0]", "[1]"][random.below(2)];
    let mut text = format!("int time;\nbyte p, q, x, done;\nchan c = {kind} of {{ byte }};\n");
    // Some models have one worker: their schedules agree more often.
    let workers = 1 + random.below(2);
    for worker in 0..2 {
        text.push_str(&format!("proctype W{worker}() {{\n  byte i;\n"));
        for _ in 0..1 + random.below(4) {
            text.push_str(&format!("  {};\n", statement(random)));
        }
        text.push_str(if workers == 1 { "  done = 2\n}\n" } else { "  done++\n}\n" });
    }
    text.push_str("active proctype Main() {\n");
    text.push_str(&format!("  select(p : 1 .. {});\n", 1 + random.below(3)));
    text.push_str(match random.below(3) {
        0 => "  if :: q = 1 :: q = 3 fi;\n",
        1 => "  select(q : 0 .. 2); q = (q > p -> p : q);\n",
        _ => "  if :: p > 1 -> q = 2; time++ :: q = 1 fi;\n",
    });
    text.push_str(if workers == 1 { "  run W0()\n}\n" } else { "  run W0(); run W1()\n}\n" });
    text
}

struct NoFiles;

impl Include for NoFiles {
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// What the slow way finds about a configuration: the least and the greatest time.
type Times = BTreeMap<(i64, i64), (i64, i64)>;

/// All states one by one, as the interpreter gives them; a state where the goal holds ends its runs. `None` if the model is refused.
fn slowly(model: &str) -> Option<Times> {
    let mut sources = Sources::new();
    let file = sources.add("m.pml", model);
    let mut parsed = parse(&mut sources, file, &mut NoFiles, &[]).model;
    let mut observed = Vec::new();
    for (text, is_condition) in [("done == 2", true), ("time", false), ("p", false), ("q", false)] {
        let file = sources.add("question", text);
        let (expr, _) = parse_formula(&mut sources, file, &mut parsed);
        observed.push(Observed { expr, is_condition });
    }
    let lowered = lower_observing(&parsed, &observed).0?;
    let program = &lowered.program;
    let mut system = Processes::new(program, NetworkOptions::default(), &Interpreter, u64::MAX).ok()?;
    let field = |name: &str| program.fields.iter().position(|field| field.name == name).expect("declared");
    let fields = ["done", "time", "p", "q"].map(field);
    loop {
        match times(&system, fields) {
            Some(times) => return Some(times),
            None => system = system.grow().ok()?,
        }
    }
}

/// `None` if a state has no room in the layout.
fn times(system: &Processes<'_>, fields: [usize; 4]) -> Option<Times> {
    let layout: &NetworkLayout = system.layout();
    let [done, time, p, q] = fields;
    let of = |state: &[u64], field: usize| layout.get(state, volvelle_model::FieldId(field as u32), 0, 0);
    let mut found = Times::new();
    let mut expander: Box<dyn Expander + '_> = system.small_expander();
    let mut open: Vec<(Vec<u64>, bool)> = vec![(system.initial(), false)];
    let mut seen: HashSet<(Vec<u64>, bool)> = open.iter().cloned().collect();
    let mut out = Successors::default();
    while let Some((state, inside)) = open.pop() {
        // States inside atomic sequences are not observed.
        if !inside && of(&state, done) == 2 {
            let time = of(&state, time);
            let entry = found.entry((of(&state, p), of(&state, q))).or_insert((time, time));
            *entry = (entry.0.min(time), entry.1.max(time));
            continue;
        }
        if let Exit::LayoutOverflow { .. } = expander.expand(&state, &mut out) {
            return None;
        }
        for (target, step) in out.states.chunks_exact(system.words()).zip(&out.steps) {
            let target = (target.to_vec(), step & volvelle_search::TRANSIENT != 0);
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    Some(found)
}

fn pair(values: &[Value]) -> (i64, i64) {
    match values {
        [Value::Int(p), Value::Int(q)] => (*p, *q),
        other => panic!("{other:?}"),
    }
}

/// The bounds of a table hold, and what is proven is so.
fn agrees(tuning: &Tuning, times: &Times, model: &str) {
    let best = times.values().map(|times| times.0).min();
    for row in &tuning.rows {
        let known = times.get(&pair(&row.values));
        let least = known.map_or(f64::INFINITY, |times| times.0 as f64);
        assert!(row.lo <= least && least <= row.hi, "{row:?} {known:?}\n{model}");
        if let Some(greatest) = row.greatest {
            assert_eq!(Some(greatest), known.map(|times| times.1 as f64), "{row:?}\n{model}");
        }
        if row.all_alike == Some(true) {
            assert!(known.is_some_and(|times| times.0 == times.1), "{row:?} {known:?}\n{model}");
        }
    }
    for configuration in times.keys() {
        let is_one = |row: &&volvelle_tune::Row| pair(&row.values) == *configuration;
        assert_eq!(tuning.rows.iter().filter(is_one).count(), 1, "{configuration:?}\n{model}");
    }
    if tuning.is_proven() {
        assert_eq!(tuning.time(), best.map(|best| best as f64), "{model}");
    }
}

#[test]
fn random_models_have_the_times_of_a_slow_search() {
    let (mut decided, mut differing, mut stuck, mut certificates) = (0, 0, 0, 0);
    for seed in 0..120 {
        let mut random = Random(seed);
        let model = model(&mut random);
        let Some(times) = slowly(&model) else { panic!("seed {seed} is refused:\n{model}") };
        let settings = |method| TuneSettings { method, seed, no_confluence: true, ..TuneSettings::default() };
        let branch = settings(TuneMethod::BranchAndBound);
        let certified = TuneSettings { no_confluence: false, ..branch };
        for settings in
            [branch, certified, TuneSettings { all: true, ..branch }, settings(TuneMethod::Bisection)]
        {
            let report = tune(&model, settings);
            let tuning = report.tuning.unwrap_or_else(|| panic!("{:?}\n{model}", report.diagnostics));
            assert!(tuning.is_proven(), "{tuning:?}\n{model}");
            agrees(&tuning, &times, &model);
            certificates += tuning.rows.iter().filter(|row| row.evidence == Evidence::Certified).count();
            if settings.all {
                assert_eq!(tuning.decided(), tuning.rows.len() as u64, "{tuning:?}\n{model}");
            }
            let refused = report.diagnostics.iter().any(|d| d.code == codes::GOAL_NOT_REACHED);
            assert_eq!(refused, times.is_empty(), "{model}");
        }
        let swarm = tune(&model, settings(TuneMethod::Swarm)).tuning.expect("a result");
        agrees(&swarm, &times, &model);
        assert!(!swarm.is_proven() || swarm.time().is_none(), "a swarm proves nothing: {swarm:?}");
        decided += times.len();
        differing += times.values().filter(|times| times.0 < times.1).count();
        stuck += usize::from(times.is_empty());
    }
    // The cases are of all kinds.
    let kinds = format!("{decided} {differing} {stuck} {certificates}");
    assert!(decided > 250 && differing > 50 && (5..100).contains(&stuck) && certificates > 15, "{kinds}");
}

#[test]
fn any_number_of_threads_finds_the_same() {
    for seed in 200..215 {
        let model = model(&mut Random(seed));
        for method in [TuneMethod::BranchAndBound, TuneMethod::Bisection, TuneMethod::Swarm] {
            let settings = TuneSettings { method, seed, no_confluence: true, ..TuneSettings::default() };
            let [one, three] = [1, 3].map(|threads| tune_with(&model, &question(), settings, threads).tuning);
            assert_eq!(one, three, "{model}");
        }
    }
}

#[test]
fn a_limit_leaves_what_is_known() {
    let model = "int time; byte p; bool fin;
active [3] proctype W() { byte i; p > 0; for (i : 1 .. 40) { atomic { time++ } } }
active proctype Main() { select(p : 1 .. 3); time == 120 + p; fin = true }";
    let question = TuneQuestion {
        minimize: "time".to_owned(),
        until: "fin".to_owned(),
        parameters: vec!["p".to_owned()],
    };
    let text = Text { name: "m.pml".to_owned(), text: model.to_owned() };
    let limits = Limits { states: Some(2000), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let settings = TuneSettings { no_confluence: true, ..TuneSettings::default() };
    let report = volvelle_verify::tune(
        &mut Session::open::<&str>(text, Vec::new(), &[]),
        &question,
        &settings,
        &control,
    );
    let tuning = report.tuning.expect("what is known");
    assert!(report.is_stopped && !tuning.is_proven(), "{tuning:?}");
    assert!(matches!(&tuning.proof, Proof::Unproven(why) if why.contains("state limit")));
    assert_eq!(tuning.rows.len(), 3);
    assert!(report.diagnostics.iter().any(|d| d.code == codes::STATE_LIMIT));
}

#[test]
fn a_swarm_tells_what_it_covered() {
    let mut all = 0;
    for seed in 0..20 {
        let settings = TuneSettings { method: TuneMethod::Swarm, seed, ..TuneSettings::default() };
        let Some(tuning) = tune(&model(&mut Random(seed)), settings).tuning else { continue };
        for row in &tuning.rows {
            assert_eq!(row.hi.is_finite(), row.evidence == Evidence::Found, "{row:?}");
            all += 1;
        }
        if tuning.time().is_some() {
            assert!(
                matches!(&tuning.proof, Proof::Unproven(why) if why.contains("proves nothing")),
                "{tuning:?}"
            );
        }
    }
    assert!(all > 50);
}

/// The expressions of a question that cannot be answered.
#[test]
fn questions_without_an_answer_are_refused() {
    let model = "int time; byte p; bool fin; hidden byte unset;
active proctype Main() { select(p : 1 .. 2); time = 5; time = time - p; fin = true }";
    let ask = |minimize: &str, until: &str, parameter: &str| {
        let question = TuneQuestion {
            minimize: minimize.to_owned(),
            until: until.to_owned(),
            parameters: vec![parameter.to_owned()],
        };
        let settings = TuneSettings { no_confluence: true, ..TuneSettings::default() };
        let report = tune_with(model, &question, settings, 1);
        report.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(ask("time", "fin", "p"), [codes::COST_DECREASES]);
    assert_eq!(ask("tme", "fin", "p"), [codes::UNKNOWN_NAME]);
    assert_eq!(ask("5 - time", "false", "p").last(), Some(&codes::COST_DECREASES));
    assert_eq!(ask("p", "fin", "unset"), [codes::PARAMETER_NOT_CHOSEN]);
    assert_eq!(ask("p", "fin", "p + 1"), [codes::PARAMETER_NOT_CHOSEN]);
    assert_eq!(ask("p", "<> fin", "p"), [codes::PROMELA_SYNTAX]);
    assert_eq!(ask("0", "time > 9", "p"), [codes::GOAL_NOT_REACHED]);
    assert!(ask("0", "fin", "p").is_empty());
    assert_eq!(ask("0", "fin", "time"), []);
}

/// Where one state stands for others, the step that decreases the cost is still named.
#[test]
fn a_decrease_by_one_of_several_equal_processes() {
    let model = "int time = 9; byte p, ready, done;
        proctype Worker() { byte v; if :: v = 1 :: v = 2 fi; ready++; ready == 3; time = time - v; done++ }
        active proctype Main() { select (p : 1 .. 2); atomic { run Worker(); run Worker(); run Worker() }; done == 3 }";
    let question = TuneQuestion { until: "done == 3".to_owned(), ..question() };
    let question = TuneQuestion { parameters: vec!["p".to_owned()], ..question };
    for no_reduction in [false, true] {
        let settings = TuneSettings { no_reduction, no_confluence: true, ..TuneSettings::default() };
        let report = tune_with(model, &question, settings, 1);
        let told: Vec<&str> = report.diagnostics.iter().map(|one| one.message.as_str()).collect();
        assert!(told.len() == 1 && told[0].contains("time = time - v"), "{told:?}");
    }
}

/// A dinner whose clock may tick for ever, and a clock of a byte, which has no room for states that stand for later ones.
#[test]
fn clocks_that_tick_for_ever() {
    let path = format!("{}/../../examples/tuning/kitchen.pml", env!("CARGO_MANIFEST_DIR"));
    let model = std::fs::read_to_string(path).expect("the example");
    let question = TuneQuestion {
        minimize: "time".to_owned(),
        until: "served".to_owned(),
        parameters: vec!["cooks".to_owned(), "ovens".to_owned()],
    };
    let all = tune_with(&model, &question, TuneSettings { all: true, ..TuneSettings::default() }, 2);
    let tuning = all.tuning.expect("a result");
    // With one oven, the dishes are baked one after the other, from when the first is prepared until the last has to be finished.
    let times: BTreeMap<(i64, i64), Option<f64>> =
        tuning.rows.iter().map(|row| (pair(&row.values), row.time())).collect();
    assert!(tuning.is_proven() && times.values().all(Option::is_some), "{times:?}");
    assert_eq!(times[&(4, 1)], Some((3 + 8 + 8 + 4 + 4 + 1) as f64));
    let short = "byte time = 100; byte p; bool served;
        active proctype P() { byte until; select (p : 1 .. 2); until = time + 30 * p; do :: time++ :: time >= until -> break od; served = true }";
    let question = TuneQuestion { parameters: vec!["p".to_owned()], ..question };
    let tuning = tune_with(short, &question, TuneSettings::default(), 1).tuning.expect("a result");
    assert_eq!(tuning.time(), Some(130.0));
}

/// One run stands for all interleavings: certificates say the same as an exploration of all of them.
#[test]
fn certificates_agree_with_all_interleavings() {
    for (name, time) in [("platform.pml", 48.0), ("minimum.pml", 15.0)] {
        let path = format!("{}/../../examples/tuning/{name}", env!("CARGO_MANIFEST_DIR"));
        let model = std::fs::read_to_string(path).expect("the example");
        let question = TuneQuestion {
            minimize: "time".to_owned(),
            until: "finished".to_owned(),
            parameters: vec!["WG".to_owned(), "TS".to_owned()],
        };
        let tuned = |no_confluence| {
            let settings = TuneSettings { no_confluence, all: true, ..TuneSettings::default() };
            tune_with(&model, &question, settings, 2).tuning.expect("a result")
        };
        let [certified, explored] = [false, true].map(tuned);
        assert!(certified.is_proven() && explored.is_proven() && certified.time() == Some(time));
        assert!(certified.rows.iter().all(|row| row.evidence == Evidence::Certified), "{certified:?}");
        let table = |tuning: &Tuning| -> Vec<_> {
            tuning
                .rows
                .iter()
                .map(|row| (row.values.clone(), row.time(), row.greatest, row.all_alike))
                .collect()
        };
        assert_eq!(table(&certified), table(&explored), "{name}");
    }
}

/// The expressions of the observed question are the program's own.
#[test]
fn observed_expressions_are_kept() {
    let mut sources = Sources::new();
    let file = sources.add("m.pml", "hidden int time; active proctype P() { time++ }");
    let mut parsed = parse(&mut sources, file, &mut NoFiles, &[]).model;
    let file = sources.add("question", "time");
    let (expr, _) = parse_formula(&mut sources, file, &mut parsed);
    let lowered = lower_observing(&parsed, &[Observed { expr, is_condition: false }]).0.expect("a program");
    let program: &Program = &lowered.program;
    let [observed]: [ExprId; 1] = lowered.observed.clone().try_into().expect("one");
    let place = program.place_read(&program.exprs.node(observed));
    let Some(Place::Field(field)) = place else { panic!("{place:?}") };
    let domain = program.fields[field.index()].domain.bounds();
    assert!(domain.1 > 1, "a hidden variable that is observed is part of the state: {domain:?}");
}
