//! Weights that are kept from step to step, on models of many combinations: the same paths as without.

use crate::paths::{ALWAYS, reference_monitor};
use crate::support::{self, read};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::{Native, Options};
use volvelle_prism::testing::Choices;
use volvelle_simulate::path::{self, IncrementalLimits, Plan};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::weights::Arithmetic;
use volvelle_streams::Generator;

/// What was seen over all models.
#[derive(Debug, Default)]
struct Tally {
    kept: usize,
    steps: u64,
    /// Models whose tree has several levels.
    deep: usize,
    /// Paths that came to states that nothing leaves.
    ended: usize,
    given_up: usize,
}

/// A network of reactions: molecules are made of others. Some reactions need a catalyst, whose module moves with them; some
/// change nothing; and molecules run out.
fn reactions(choices: &mut Choices<'_>, float: bool) -> String {
    let species = choices.between(4, 12);
    let number = |choices: &mut Choices<'_>| choices.between(0, species - 1);
    let mut text = String::from(
        "ctmc\nconst double odd = pow(2, 0.5);\nconst double few = pow(3, 0.5)/1000;\nmodule tank\n",
    );
    for i in 0..species {
        text += &format!(" s{i} : [0..9] init {};\n", choices.between(0, 9));
    }
    for _ in 0..choices.between(9, 60) {
        let [from, to, other] = [number(choices), number(choices), number(choices)];
        let action = *choices.pick(&["", "", "cold", "warm"]);
        let rate = if float {
            format!("{}*{}", choices.between(1, 9), choices.pick(&["odd", "few"]))
        } else {
            format!("{}*s{from}/{}", choices.between(1, 9), choices.between(1, 4))
        };
        let update = match choices.below(5) {
            0 => "true".to_owned(),
            1 => format!("(s{from}'=s{from}-1)"),
            _ if from == to => format!("(s{from}'=s{from})"),
            _ => format!("(s{from}'=s{from}-1) & (s{to}'=s{to}+1)"),
        };
        text += &format!(
            " [{action}] s{from}>0 & s{to}<9 & s{other}<{} -> {rate} : {update};\n",
            choices.between(1, 12)
        );
    }
    text += "endmodule\nmodule catalyst\n c : [0..2] init 1;\n d : bool init false;\n";
    text +=
        " [cold] c>0 -> 0.5 : (c'=c-1);\n [warm] c<2 & !d -> 2 : (c'=c+1);\n [warm] d -> 1 : (d'=false);\n";
    text += " [] !d -> 0.25 : (d'=true);\nendmodule\n";
    text + "rewards \"first\" true : s0; [cold] true : 1; endrewards\n"
}

/// Machines that move alone; some also together with a neighbour. In a step of all machines, each draws its
/// own outcome.
fn machines(choices: &mut Choices<'_>, kind: &str) -> String {
    let count = choices.between(3, 12);
    let mut text = format!("{kind}\n");
    for i in 0..count {
        let next = (i + 1) % count;
        text += &format!("module m{i}\n x{i} : [0..3] init {};\n", choices.between(0, 2));
        text += &format!(" [] x{i}=0 & x{next}!=2 -> 0.5 : (x{i}'=1) + 0.25 : (x{i}'=2) + 0.25 : true;\n");
        text += &format!(" [] x{i}=1 -> (x{i}'=x{next});\n");
        text += &format!(" [hand{i}] x{i}=2 -> 0.3 : (x{i}'=0) + 0.7 : (x{i}'=3);\n");
        text += &format!(" [hand{next}] x{i}<2 -> 0.5 : (x{i}'=x{i}+1) + 0.5 : (x{i}'=x{next});\n");
        text += &format!(" [all] x{i}>0 -> 0.125 : (x{i}'=0) + 0.375 : (x{i}'=1) + 0.5 : (x{i}'=3);\n");
        text += "endmodule\n";
    }
    text + "rewards \"first\" true : x0; [all] true : 2; endrewards\n"
}

/// Ways to keep weights: with trees of several widths, in registers and in memory.
fn keeping_ways(plan: &Plan, native: bool) -> Vec<(&'static str, Runner)> {
    let mut ways = Vec::new();
    let mut add = |name, compiler: &dyn Compiler, width| {
        if let Some(made) = path::incremental(plan, IncrementalLimits { width, ..ALWAYS }) {
            let code = compiler.compile_well(&made.kernel).expect("compiles");
            ways.push((name, Runner::lanes(plan, code, 1)));
        }
    };
    add("interpreter, pairs", &Interpreter, 2);
    add("interpreter, eights", &Interpreter, 8);
    if native {
        for (name, max_register_uses, width) in [("in registers", u32::MAX, 3), ("in memory", 8, 8)] {
            let options = Options { max_register_uses, ..Options::default() };
            add(name, &Native::new(options).expect("native code"), width);
        }
    }
    ways
}

/// Runs paths of a model in ways that keep weights, and compares each with a walk.
fn compare(text: &str, properties: &str, resolution: &Resolution, seed: u64, tally: &mut Tally) -> Plan {
    const MOST: u32 = 120;
    const COUNT: u64 = 8;
    let (mut program, asked) = read(text, properties);
    let mut automata = Vec::new();
    let measures = asked
        .iter()
        .map(|p| {
            volvelle_simulate::measure::measure(&mut program, &mut automata, p).expect("simulated").measure
        })
        .collect();
    let plan =
        Plan::resolved(program, measures, automata, Generator::default(), resolution).expect("simulated");
    tally.deep += usize::from(plan.combinations.len() > 16);
    for (name, runner) in keeping_ways(&plan, seed.is_multiple_of(6)) {
        let mut paths = Paths::default();
        runner
            .run(seed, 0..COUNT, MOST, &mut paths)
            .unwrap_or_else(|failure| panic!("{name}: {failure:?}\n{text}"));
        let measures = plan.measures.len();
        for number in 0..COUNT as usize {
            let values = &paths.values[number * measures..(number + 1) * measures];
            reference_monitor::check(&plan, seed, number as u64, MOST, values, paths.status[number]);
            let (mut walk, ..) = volvelle_simulate::reference::follow(&plan, seed, number as u64, MOST);
            tally.ended += usize::from(walk.stay().is_ok_and(|stay| stay.for_ever));
            tally.given_up += usize::from(paths.status[number] & 1 != 0);
        }
        tally.steps += paths.steps();
        tally.kept += 1;
    }
    plan
}

#[test]
fn reactions_with_integer_weights() {
    let mut tally = Tally::default();
    for seed in 0..60 {
        let text = reactions(&mut Choices::from_seed(seed), false);
        let properties =
            "P=? [ F<=1.5 s0=0 ]; R{\"first\"}=? [ C<=2 ]; R{\"first\"}=? [ I=0.5 ]; P=? [ s1>0 U s2=9 ]";
        let plan = compare(&text, properties, &Resolution::Model, seed, &mut tally);
        assert!(plan.weights.arithmetic != Arithmetic::Float);
    }
    assert!(
        tally.kept > 20 && tally.deep > 20 && tally.steps > 20_000 && tally.ended > 20 && tally.given_up > 50,
        "{tally:?}"
    );
}

#[test]
fn reactions_with_weights_that_are_rounded() {
    let mut tally = Tally::default();
    for seed in 0..40 {
        let text = reactions(&mut Choices::from_seed(seed), true);
        let properties = "P=? [ F<=1.5 s0=0 ]; R{\"first\"}=? [ C<=1 ]; P=? [ s1>0 U s2=9 ]";
        let plan = compare(&text, properties, &Resolution::Model, seed, &mut tally);
        assert!(plan.weights.arithmetic == Arithmetic::Float, "{text}");
    }
    assert!(tally.kept > 20 && tally.steps > 20_000, "{tally:?}");
}

#[test]
fn machines_with_outcomes_of_their_own() {
    let mut tally = Tally::default();
    for seed in 0..40 {
        let mut choices = Choices::from_seed(seed);
        let text = machines(&mut choices, "dtmc");
        let properties = "P=? [ F<=20 x0=3 ]; R{\"first\"}=? [ C<=30 ]; P=? [ x1<3 U x2=3 ]";
        compare(&text, properties, &Resolution::Model, seed, &mut tally);
        let text = machines(&mut choices, "mdp");
        compare(
            &text,
            "Pmax=? [ F<=20 x0=3 ]; Pmin=? [ x1<3 U x2=3 ]",
            &Resolution::Uniform,
            seed,
            &mut tally,
        );
    }
    assert!(tally.kept > 20 && tally.deep > 20 && tally.steps > 20_000, "{tally:?}");
}

/// Machines in a ring, three combinations each; a step changes what its own machine and the one before it may do.
fn ring(count: usize) -> String {
    let machine = |i: usize| {
        let next = (i + 1) % count;
        format!(
            "module m{i}\n x{i} : [0..2] init 0;\n [] x{i}=0 -> {} : (x{i}'=1);\n [] x{i}=1 & x{next}=0 -> 2 : (x{i}'=2);\n \
             [] x{i}=2 -> 3 : (x{i}'=0);\nendmodule\n",
            i % 5 + 1
        )
    };
    format!("ctmc\n{}", (0..count).map(machine).collect::<String>())
}

#[test]
fn trees_of_many_levels() {
    let mut tally = Tally::default();
    let properties = "P=? [ F<=0.2 x0=2 ]; P=? [ x7<2 U[0.05,0.3] x9=1 ]";
    // Two levels of eights, seven of pairs.
    compare(&ring(24), properties, &Resolution::Model, 6, &mut tally);
    assert!(tally.kept == 4 && tally.steps > 500, "{tally:?}");
}

#[test]
fn only_what_may_change_is_weighed_again() {
    let (plan, _) = support::plan(&ring(50), "P=? [ F<=1 x0=2 ]", Generator::default());
    let kept = path::incremental(&plan, IncrementalLimits::default()).expect("few weights are weighed again");
    assert_eq!((kept.weights, kept.branches), (150, 150));
    // The three weights of the machine that moves, and the one that waits for it.
    assert_eq!(kept.reevaluated, 150 * 4);
    let small = IncrementalLimits { reevaluated: 150 * 4 - 1, ..IncrementalLimits::default() };
    assert!(path::incremental(&plan, small).is_none());
}

#[test]
fn where_everything_changes_nothing_is_kept() {
    let (plan, _) = support::plan(&ring(2), "P=? [ F<=1 x0=2 ]", Generator::default());
    assert!(path::incremental(&plan, IncrementalLimits::default()).is_none());
    assert!(path::incremental(&plan, ALWAYS).is_some());
}

#[test]
fn of_a_single_slot_nothing_is_kept() {
    let model = "ctmc\nmodule m\n x : [0..9] init 0;\n [] x<9 -> 9-x : (x'=x+1);\nendmodule\n";
    let (plan, _) = support::plan(model, "P=? [ F<=1 x=3 ]", Generator::default());
    assert!(path::incremental(&plan, ALWAYS).is_none());
}

#[test]
fn weights_that_may_fail_are_not_kept() {
    let model = "ctmc\nmodule m\n x : [0..3] init 0;\n y : [0..3] init 0;\n [] x<3 -> 1-x : (x'=x+1);\n \
                 [] y<3 -> 1 : (y'=y+1);\nendmodule\n";
    let (plan, _) = support::plan(model, "P=? [ F<=1 y=3 ]", Generator::default());
    assert!(path::incremental(&plan, ALWAYS).is_none());
}
