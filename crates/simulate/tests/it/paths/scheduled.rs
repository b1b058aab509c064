//! Choices made by chance and by schedulers: compiled paths against walks, and chances against those that are known.

use crate::paths::{Way, reference_monitor, ways};
use crate::support::read;
use volvelle_kernel::interp::{Interpreter, eval};
use volvelle_kernel::{Compiler, Const};
use volvelle_native::{Native, Options};
use volvelle_simulate::error::MismatchKind;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::{self, Measure};
use volvelle_simulate::path::Plan;
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::scheduler::{Decision, Resolution};
use volvelle_streams::Generator;

/// Two walkers that may wait, and meet; many choices where both may move.
const MEETING: &str = "mdp
module left
  x : [-3..4] init -3;
  b : bool init false;
  [] x<4 -> 0.5 : (x'=x+1) + 0.5 : (b'=!b);
  [] x>-3 -> (x'=x-1);
  [both] x<3 -> 0.25 : (x'=x+2) + 0.75 : true;
endmodule
module right
  y : [0..9] init 5;
  [] y<9 & b -> (y'=y+1);
  [both] y>0 -> (y'=y-1);
endmodule
";

fn plan(model: &str, properties: &str, resolution: &Resolution) -> Result<Plan, Unsupported> {
    let (mut program, properties) = read(model, properties);
    let mut automata = Vec::new();
    let measures: Result<Vec<Measure>, Unsupported> =
        properties.iter().map(|p| Ok(measure::measure(&mut program, &mut automata, p)?.measure)).collect();
    Plan::resolved(program, measures?, automata, Generator::default(), resolution)
}

/// All ways to run paths agree with the reference.
fn check(plan: &Plan, count: u64) -> Paths {
    const MOST: u32 = 300;
    let mut last = Paths::default();
    for Way { name, runner } in ways(plan, true) {
        let mut paths = Paths::default();
        runner.run(3, 0..count, MOST, &mut paths).expect("does not fail");
        for number in 0..count as usize {
            let told = paths.row(number);
            let given_up = paths.status[number] & 1 != 0;
            assert!(told.iter().all(|value| given_up || !value.is_nan()), "{name}");
            reference_monitor::check(plan, 3, number as u64, MOST, told, paths.status[number]);
        }
        last = paths;
    }
    last
}

/// Every state of [`MEETING`] with a choice that depends on it.
fn decisions(plan: &Plan) -> Vec<Decision> {
    let mut all = Vec::new();
    for (x, b, y) in (-3i64..=4).flat_map(|x| (0..2).flat_map(move |b| (0..10).map(move |y| (x, b, y)))) {
        // By the text of the model: silent choices of the left come first, then of the right, then the meeting.
        let enabled = [x < 4, x > -3, y < 9 && b == 1, x < 3 && y > 0];
        let actions: Vec<&str> =
            enabled.iter().zip(["", "", "", "both"]).filter(|(e, _)| **e).map(|(_, a)| a).collect();
        let choice = (x + 7 * y + b).unsigned_abs() as usize % actions.len();
        all.push(Decision {
            state: vec![x, b, y],
            choice: choice as u32,
            action: actions[choice].to_owned(),
        });
    }
    assert_eq!(plan.program.fields.len(), 3);
    all
}

#[test]
fn choices_by_chance() {
    let plan =
        plan(MEETING, "Pmax=? [ F<=9 x=4 ]; Pmin=? [ F y=0 ]", &Resolution::Uniform).expect("simulated");
    check(&plan, 200);
    // One of two, then one of two.
    let model = "mdp\nmodule m\n x : [0..3] init 0;\n [a] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=2);\n [b] x=0 -> (x'=3);\nendmodule\n";
    let plan = self::plan(model, "Pmax=? [ F x=1 ]", &Resolution::Uniform).expect("simulated");
    let paths = check(&plan, 4000);
    let hits = paths.values.iter().sum::<f64>();
    // Five standard deviations around a quarter.
    assert!((hits - 1000.0).abs() < 5.0 * (4000.0f64 * 0.25 * 0.75).sqrt(), "{hits}");
}

#[test]
fn choices_by_a_scheduler() {
    let properties = "Pmax=? [ F<=9 x=4 ]; Pmin=? [ F y=0 ]";
    let uniform = plan(MEETING, properties, &Resolution::Uniform).expect("simulated");
    let decisions = decisions(&uniform);
    let plan = plan(MEETING, properties, &Resolution::Scheduler(decisions.clone())).expect("simulated");
    let scheduler = plan.scheduler.as_ref().expect("there is one");
    assert!(scheduler.entries < 1024);
    check(&plan, 200);
    // Every decision where there is one to make is found, and no other.
    let mut walk = volvelle_simulate::reference::ReferenceSimulator::new(&plan, 3, 0);
    for _ in 0..100 {
        let stay = walk.stay().expect("weights");
        if stay.for_ever {
            break;
        }
        let taken = walk.draw().expect("a decision");
        let decision = decisions.iter().find(|d| d.state == walk.state()).expect("listed");
        let weights = walk.weights().expect("weights");
        let enabled: Vec<usize> =
            (0..weights.len()).filter(|&combination| weights[combination] > 0.0).collect();
        assert_eq!(enabled[decision.choice as usize], taken);
        walk.take(taken, None, &stay).expect("a step");
    }
}

#[test]
fn states_without_a_decision_fail() {
    let uniform = plan(MEETING, "Pmax=? [ F y=0 ]", &Resolution::Uniform).expect("simulated");
    let mut decisions = decisions(&uniform);
    decisions.retain(|decision| decision.state[2] != 2);
    let plan = plan(MEETING, "Pmax=? [ F y=0 ]", &Resolution::Scheduler(decisions)).expect("simulated");
    let site = plan.scheduler.as_ref().expect("there is one").site;
    let native = Native::new(Options::default()).expect("native code");
    let mut failed = 0;
    for compiler in [&Interpreter as &dyn Compiler, &native] {
        let runner = Runner::scalar(&plan, compiler).expect("compiles");
        for number in 0..50 {
            let mut paths = Paths::default();
            let (walk, _, result) = volvelle_simulate::reference::follow(&plan, 3, number, 300);
            let run = runner.run(3, number..number + 1, 300, &mut paths);
            assert_eq!(run.map_err(|failure| failure.site), result, "path {number}");
            if result == Err(site) {
                assert_eq!(walk.state()[2], 2);
                failed += 1;
            }
        }
    }
    assert!(failed > 0, "no path comes to a state without a decision");
}

#[test]
fn decisions_that_do_not_fit() {
    let uniform = plan(MEETING, "Pmax=? [ F y=0 ]", &Resolution::Uniform).expect("simulated");
    let good = decisions(&uniform);
    let mismatch = |change: &dyn Fn(&mut Vec<Decision>)| {
        let mut decisions = good.clone();
        change(&mut decisions);
        match plan(MEETING, "Pmax=? [ F y=0 ]", &Resolution::Scheduler(decisions)) {
            Err(Unsupported::Mismatch(mismatch)) => mismatch,
            other => panic!("{:?}", other.map(|_| ())),
        }
    };
    let several = good.iter().position(|d| d.state == [0, 0, 5]).expect("listed");
    let found = mismatch(&|all| all[several].choice = 3);
    assert_eq!((found.decision, found.why), (several, MismatchKind::NoSuchChoice(3)));
    let found = mismatch(&|all| all[several].action = "up".to_owned());
    assert_eq!(found.decision, several);
    assert!(matches!(found.why, MismatchKind::OtherAction(_)));
    let found = mismatch(&|all| all.push(good[several].clone()));
    assert_eq!((found.decision, found.why), (good.len(), MismatchKind::Twice));
}

#[test]
fn only_what_leaves_choices_has_them_made() {
    let dtmc = "dtmc\nmodule m\n x : [0..1];\n [] true -> (x'=1-x);\nendmodule\n";
    assert_eq!(plan(dtmc, "P=? [ F x=1 ]", &Resolution::Uniform).map(|_| ()), Err(Unsupported::NoChoices));
    let refused = plan(MEETING, "Pmax=? [ F y=0 ]", &Resolution::Model).map(|_| ());
    assert_eq!(refused, Err(Unsupported::Nondeterministic(volvelle_model::Kind::Mdp)));
}

/// Neither chance nor a scheduler says whether time passes before the next choice.
#[test]
fn markov_automata_are_refused_by_name() {
    use volvelle_model::{Choice, Kind};
    let (mut program, _) = read(MEETING, "Pmax=? [ F y=0 ]");
    program.groups[0].choice = Some(Choice::Race);
    assert_eq!(program.kind(), Kind::MarkovAutomaton);
    for resolution in [Resolution::Model, Resolution::Uniform] {
        let unsupported =
            Plan::resolved(program.clone(), vec![], vec![], Generator::default(), &resolution).err();
        assert_eq!(unsupported, Some(Unsupported::Nondeterministic(Kind::MarkovAutomaton)));
        let text = unsupported.map(|why| why.to_string()).unwrap_or_default();
        assert_eq!(text, "there is no engine for paths of models of type Markov automaton");
    }
}

#[test]
fn many_states_of_several_words_are_found() {
    // Two wide fields do not fit into one word.
    let model = "mdp\nmodule m\n x : [-1000000000..1000000000] init 0;\n y : int init 0;\n z : [0..1000] init 0;\n \
                 [up] z<1000 -> (x'=x+1000000) & (y'=y-3) & (z'=z+1);\n [stay] z<1000 -> (z'=z+1);\nendmodule\n";
    let decision = |z: i64, ups: i64| {
        let up = (z * 7 + ups) % 3 != 0;
        let (choice, action) = if up { (0, "up") } else { (1, "stay") };
        Decision { state: vec![ups * 1_000_000, -3 * ups, z], choice, action: action.to_owned() }
    };
    let decisions: Vec<Decision> = (0..150).flat_map(|z| (0..=z).map(move |ups| decision(z, ups))).collect();
    let resolution = Resolution::Scheduler(decisions);
    let plan =
        plan(model, "Pmax=? [ F<=150 x=70000000 ]; Pmax=? [ F<=149 z=149 ]", &resolution).expect("simulated");
    assert!(plan.scheduler.as_ref().is_some_and(|s| s.words.len() == 2));
    let paths = check(&plan, 2);
    assert_eq!(paths.values[1], 1.0);
    // The same by hand.
    let mut ups = 0;
    let mut reached = false;
    for z in 0..150 {
        reached |= ups == 70;
        ups += i64::from((z * 7 + ups) % 3 != 0);
    }
    assert_eq!(paths.values[0] == 1.0, reached || ups == 70);
}

#[test]
fn states_that_differ_in_few_bits_are_told_apart() {
    // States on grids are the worst case of hash functions: fields of two values next to wide ones, up to the
    // last bit.
    for (fields, wide) in [(1, 1), (8, 2), (10, 8), (10, 50), (3, 61), (12, 63), (5, 1000)] {
        let mut model = String::from("mdp\nmodule m\n");
        for i in 0..fields {
            model += &format!(" b{i} : [0..1] init 0;\n");
        }
        let words = wide / 30;
        for i in 0..=words {
            model += &format!(" w{i} : [0..{}] init 0;\n", (1i64 << 30) - 1);
        }
        model += " [go] true -> (b0'=1-b0);\n [stay] true -> true;\nendmodule\n";
        let decision = |number: usize| {
            let mut state: Vec<i64> = (0..fields).map(|i| (number >> i & 1) as i64).collect();
            // Powers of two, the highest ones too.
            state.extend((0..=words).map(|i| 1i64 << ((7 * number + i) % 30)));
            let choice = (number % 2) as u32;
            Decision { state, choice, action: ["go", "stay"][number % 2].to_owned() }
        };
        let decisions: Vec<Decision> = (0..1 << fields).map(decision).collect();
        let resolution = Resolution::Scheduler(decisions.clone());
        let plan = plan(&model, "Pmax=? [ F b0=1 ]", &resolution).expect("simulated");
        let scheduler = plan.scheduler.as_ref().expect("there is one");
        let known = |state: &[i64]| {
            let locals: Vec<Const> = state.iter().map(|&value| Const::i64(value)).collect();
            let word = |&word| eval(&plan.program.exprs, word, &locals).expect("no failure").bits;
            scheduler.choice(&scheduler.words.iter().map(word).collect::<Vec<u64>>())
        };
        for decision in &decisions {
            assert_eq!(known(&decision.state), Some(decision.choice.into()), "{decision:?}");
            let mut other = decision.state.clone();
            other[fields] ^= 3;
            assert_eq!(known(&other), None, "{other:?}");
        }
    }
}
