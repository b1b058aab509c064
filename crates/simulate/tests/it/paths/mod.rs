//! Compiled paths against paths walked step by step, measured by definition.

mod curves;
mod definition;
mod devices;
mod exchanged;
mod incremental;
mod random;
mod reference_monitor;
mod scheduled;
mod tables;

use crate::support::plan;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, Kernel};
use volvelle_native::{Native, Options};
use volvelle_simulate::path::{self, IncrementalLimits, Limits, Plan, Shape};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_streams::Generator;

const MAX_STEPS: u32 = 2000;

/// Weights are kept wherever they can be, and the code does not become too large.
const ALWAYS: IncrementalLimits = IncrementalLimits { width: 8, share: 1.0, reevaluated: 2_000 };

/// A way to run paths.
struct Way {
    name: &'static str,
    runner: Runner,
}

/// Ways to run paths: with the interpreter, and in machine code.
fn ways(plan: &Plan, native: bool) -> Vec<Way> {
    let names = |names: [&'static str; 7], compiler: &dyn Compiler| {
        let mut ways =
            vec![Way { name: names[0], runner: Runner::scalar(plan, compiler).expect("compiles") }];
        let made = |kernel: &Kernel| Runner::lanes(plan, compiler.compile_well(kernel).expect("compiles"), 1);
        ways.push(Way { name: names[1], runner: made(&path::path(plan, Shape::Flat)) });
        for (name, locations) in [(names[2], 4), (names[3], 32), (names[4], 1000)] {
            let limits = Limits { locations, statements: 1 << 20 };
            if let Some(located) = path::locations(plan, Shape::Nested, limits) {
                ways.push(Way { name, runner: made(&located.kernel) });
            }
        }
        for (name, width) in [(names[5], 2), (names[6], 8)] {
            if let Some(kept) = path::incremental(plan, IncrementalLimits { width, ..ALWAYS }) {
                ways.push(Way { name, runner: made(&kept.kernel) });
            }
        }
        ways
    };
    let interpreted = [
        "interpreter, nested",
        "interpreter, flat",
        "interpreter, 4 locations",
        "interpreter, 32 locations",
        "interpreter, 1000 locations",
        "interpreter, weights kept, pairs",
        "interpreter, weights kept",
    ];
    let mut ways = names(interpreted, &Interpreter);
    if native {
        let options = Options { max_register_uses: u32::MAX, ..Options::default() };
        let native = Native::new(options).expect("native code");
        let compiled = [
            "native, nested",
            "native, flat",
            "native, 4 locations",
            "native, 32 locations",
            "native, 1000 locations",
            "native, weights kept, pairs",
            "native, weights kept",
        ];
        ways.extend(names(compiled, &native));
    }
    ways
}

/// All ways to run paths `0..count`.
fn all_ways(plan: &Plan, seed: u64, count: u64) -> Vec<(&'static str, Paths)> {
    ways(plan, true)
        .into_iter()
        .map(|Way { name, runner }| {
            let mut paths = Paths::default();
            runner.run(seed, 0..count, MAX_STEPS, &mut paths).expect("does not fail");
            (name, paths)
        })
        .collect()
}

/// Runs paths all ways, and compares each with its definition.
fn check(model: &str, properties: &str, count: u64) {
    for generator in [Generator::Xoshiro128PlusPlus, Generator::Philox4x32] {
        let (plan, asked) = plan(model, properties, generator);
        let ways = all_ways(&plan, 7, count);
        let (_, reference) = &ways[0];
        for (name, paths) in &ways[1..] {
            same_values(reference, paths, &format!("{name}\n{model}"));
            assert_eq!(reference.status, paths.status, "{name}");
        }
        for path in 0..count as usize {
            let status = reference.status[path];
            let told = reference.row(path);
            reference_monitor::check(&plan, 7, path as u64, MAX_STEPS, told, status);
            let record = definition::record(&plan, 7, path as u64, (status >> 1) as u32).expect("no failure");
            for (k, (asked, seen)) in asked.iter().zip(plan.monitors.values(told)).enumerate() {
                match definition::value(&plan, &record, &asked.measure) {
                    Some(value) => assert_eq!(
                        value.to_bits(),
                        seen.to_bits(),
                        "path {path}, measure {k} {:?}: {seen} instead of {value}\n{record:?}",
                        asked.measure
                    ),
                    None => {
                        assert_eq!(status & 1, 1, "path {path}, measure {k}: ended undecided\n{record:?}")
                    }
                }
            }
        }
    }
}

/// The same bits.
fn same_values(a: &Paths, b: &Paths, context: &str) {
    assert_eq!(a.values.len(), b.values.len(), "{context}");
    for (i, (a, b)) in a.values.iter().zip(&b.values).enumerate() {
        assert_eq!(a.to_bits(), b.to_bits(), "{i}: {b} instead of {a}: {context}");
    }
}

const DIE: &str = "dtmc
module die
  s : [0..7] init 0;
  d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> (s'=7);
endmodule
rewards \"flips\" [] s<7 : 1; endrewards
rewards \"where\" true : s; endrewards
";

#[test]
fn a_die() {
    check(
        DIE,
        "P=? [ F s=7 & d=3 ]; P=? [ F<=3 s=7 ]; P=? [ X s=1 ]; P=? [ G s!=2 ]; P=? [ F[3,5] d=6 ];
         P=? [ s<3 W[2,9] s=4 ]; P=? [ d=4 R s<7 ];
         R{\"flips\"}=? [ F s=7 ]; R{\"where\"}=? [ C<=12 ]; R{\"where\"}=? [ I=4 ]; R{\"flips\"}=? [ F d=1 ]",
        300,
    );
    check(DIE, "P=? [ F s=7 & d=3 ]", 300);
    check(DIE, "R{\"flips\"}=? [ F s=7 ]", 300);
    check(DIE, "R{\"flips\"}=? [ C<=5 ]", 300);
}

const TANDEM: &str = "ctmc
const int c = 4;
module first
  x : [0..c] init 0;
  p : [1..2] init 1;
  [] x<c -> 4*c : (x'=x+1);
  [route] x>0 & p=1 -> 0.2 : (x'=x-1);
  [] x>0 & p=1 -> 1.8 : (p'=2);
  [route] x>0 & p=2 -> 2 : (p'=1) & (x'=x-1);
endmodule
module second
  y : [0..c] init 0;
  [route] y<c -> 1 : (y'=y+1);
  [] y>0 -> 4*min(y,2)/2 : (y'=y-1);
endmodule
rewards \"jobs\" true : x+y; [route] true : 1; endrewards
";

#[test]
fn combinations_of_temporal_operators() {
    check(
        DIE,
        "P=? [ (F d=1) | (G s!=2) ]; P=? [ F (s=1 & (X s=4)) ]; P=? [ G F s=7 ]; P=? [ F G d=2 ]; P=? [ (F<=3 s=7) & !(F d=6) ];
         R{\"flips\"}=? [ F (s=7 & (X s=7)) ]; R{\"where\"}=? [ (s<7) U (s=7 & (X X d>0)) ]; P=? [ (X s=1) => (F d<=3 & d>0) ]",
        64,
    );
    let model = "ctmc
module m
  x : [0..3] init 0;
  [] x=0 -> 1 : (x'=1) + 2 : (x'=2);
  [] x=2 -> 5 : (x'=0);
endmodule
rewards true : 2; endrewards";
    check(
        model,
        "P=? [ F (x=2 & (X x=0)) ]; P=? [ (G x!=3) & (F x=1) ]; R=? [ F (x=1 & (X x=1)) ]; R=? [ F (x=2 & (F x=1)) ]",
        100,
    );
}

#[test]
fn a_tandem_queue() {
    check(
        TANDEM,
        "P=? [ F<=1.5 x=c & y=c ]; P=? [ y<2 U[0.5,2] x=c ]; P=? [ X[0.05,0.1] x=1 ]; P=? [ G[0.2,0.9] x>0 ];
         R{\"jobs\"}=? [ C<=2 ]; R{\"jobs\"}=? [ I=1 ]; R{\"jobs\"}=? [ F x=c ]; P=? [ F y=3 ]; P=? [ F>=2 y=1 ]",
        100,
    );
    check(TANDEM, "P=? [ F x=c & y=c ]", 100);
    check(TANDEM, "R{\"jobs\"}=? [ I=0.7 ]", 100);
    check(TANDEM, "P=? [ F<=0.7 y=2 ]", 100);
}

#[test]
fn states_that_are_never_left() {
    let model = "ctmc
module m
  x : [0..3] init 0;
  [] x=0 -> 1 : (x'=1) + 2 : (x'=2);
  [] x=2 -> 5 : true;
  [] x=2 -> 1 : (x'=2);
endmodule
rewards x=2 : 3; x=1 : 0.5; endrewards";
    check(
        model,
        "P=? [ F x=3 ]; P=? [ F[2,3] x=1 ]; P=? [ G x!=1 ]; R=? [ C<=10 ]; R=? [ I=10 ]; R=? [ F x=3 ];
         P=? [ F>=100 x=2 ]; P=? [ X x=2 ]; P=? [ F<=1 x=1 ]; P=? [ F (\"deadlock\" & !\"init\") ]",
        100,
    );
    let model = "dtmc
module m
  x : [0..3] init 0;
  b : bool init false;
  [] x=0 -> 0.3 : (x'=1) + 0.7 : (x'=2) & (b'=true);
  [] x=2 -> 0.5 : (x'=2) + 0.5 : (b'=b);
endmodule
rewards x=2 : 3; x=1 : 0.5; endrewards";
    check(
        model,
        "P=? [ F x=3 ]; P=? [ F[2,3] x=1 ]; P=? [ G x!=1 ]; R=? [ C<=10 ]; R=? [ I=10 ]; R=? [ F x=3 ];
         P=? [ F>=100 x=2 ]; P=? [ X x=2 ]; P=? [ b W x=1 ]; P=? [ X X=1 ]"
            .replace("; P=? [ X X=1 ]", "")
            .as_str(),
        100,
    );
}

#[test]
fn integers_without_bounds() {
    // `x` comes to values that exploration has no room for at first. Setting it to nought may change nothing.
    let model = "dtmc
module m
  x : int init 2;
  y : [-1000..1000] init 0;
  s : [0..2] init 0;
  [] s=0 -> 0.9 : (x'=x+300) + 0.1 : (s'=1);
  [] s=1 -> 0.5 : (y'=x) & (s'=2) + 0.5 : (s'=2);
  [] s=2 -> (x'=mod(3*(s-2), 7));
endmodule
";
    let (plan, _) = plan(model, "P=? [ F y>500 ]", Generator::default());
    let (mut failed, mut ended) = (0, 0);
    for number in 0..100 {
        let (walk, _, walked) = volvelle_simulate::reference::follow(&plan, 7, number, MAX_STEPS);
        failed += u32::from(walked.is_err());
        ended += u32::from(walked.is_ok() && walk.state()[0] == 0);
        for Way { name, runner } in ways(&plan, true) {
            let mut paths = Paths::default();
            let run = runner.run(7, number..number + 1, MAX_STEPS, &mut paths);
            assert_eq!(run.map_err(|failure| failure.site), walked, "{name}, path {number}");
            if walked.is_ok() {
                reference_monitor::check(&plan, 7, number, MAX_STEPS, paths.row(0), paths.status[0]);
            }
        }
    }
    assert!(failed > 10 && ended > 10, "{failed} and {ended}");
}

#[test]
fn parts_that_draw_independently() {
    let module = |i: usize| {
        format!(
            "module m{i}\n x{i} : [0..1] init 1;\n [step] x{i}=x{} -> 0.5 : (x{i}'=0) + 0.5 : (x{i}'=1);\n \
             [step] x{i}!=x{} -> (x{i}'=x{});\nendmodule\n",
            (i + 6) % 7,
            (i + 6) % 7,
            (i + 6) % 7
        )
    };
    let model = format!("dtmc\n{}", (0..7).map(module).collect::<String>());
    check(&model, "P=? [ F<=4 x0+x1+x2+x3+x4+x5+x6=1 ]", 50);
}
