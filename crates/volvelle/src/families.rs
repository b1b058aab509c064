//! Families: the commands that ask several questions.

use volvelle_console::family::{Entry, Family};
use volvelle_numbers::options::{
    ComputeDistributions, ComputeProperties, ExploreStates, FindThreshold, SamplePaths,
};
use volvelle_paths::options::StepPaths;
use volvelle_searches::options::{RunProcesses, SearchErrors, StepProcesses};
#[cfg(feature = "systems")]
use volvelle_systems::options::{
    CheckFormulas, CompareSystems, ExploreProcesses, ExploreSystem, ReduceSystem, StepSystem,
};
#[cfg(feature = "weights")]
use volvelle_weights::options::{
    CheckWeighted, CompareWeighted, ExploreWeighted, ReduceWeighted, StepWeighted,
};

/// Properties, claims and formulas.
pub static CHECK: Family = Family {
    name: "check",
    about: "Check properties of a model; every answer states its guarantee",
    after_help: "\
Examples:
  volvelle check dice.prism dice.props                    every property of the file
  volvelle check dice.prism dice.props --prop p1          by name
  volvelle check dice.prism dice.props --prop '#3'        by number
  volvelle check dice.prism --prop 'P=? [ F d=6 ]'        as text
  volvelle check cluster.prism cluster.props --const N=64,T=2000 --prop qos1 --json
  volvelle check queue.prism queue.props --const T=0:10:200 --plot full.svg
  volvelle check queue.prism --prop 'S=? [ \"full\" ]' --const rate=0.1,0.2,0.5 --csv -
  volvelle check queue.prism --find N=1:1000 --such-that 'P<0.01 [ F<=60 \"full\" ]'
  volvelle check queue.prism --transient 10 --by 'min(q, 5)'
  volvelle check dice.prism --prop 'P<=0.1 [ F d=6 ]' --witness
  volvelle check maze.prism --prop 'Pmax=? [ F x=9 ]' --export-scheduler best.txt
  volvelle check maze.prism --prop 'Pmax=? [ F<=8 x=9 ]' --export-induced chain.umb
  volvelle check maze.prism --prop 'P=? [ F x=7 ]' --scheduler best.txt
  volvelle check protocol.pml                             assertions, end states, all claims
  volvelle check protocol.aut --mcl '[true* . \"SEND\"] <true* . \"RECV\"> true'
  volvelle check protocol.pml --ltl '[] (req -> <> ack)'
  volvelle check system.wks --wctl 'E(p U[2,5] q)'        weighted CTL
  volvelle check protocol.pml --html found.html           a page, with a message sequence chart
  volvelle check protocol.pml --trail t.json              save the counterexample, then replay it:
  volvelle simulate protocol.pml --trail t.json

Exit codes: 0 all results were computed and no property is false, 1 a property is false, 2 bad usage
or an error in the input, 3 a limit was reached or the run was interrupted.",
    members: &[
        Entry::of::<ComputeProperties>(),
        Entry::of::<FindThreshold>(),
        Entry::of::<ComputeDistributions>(),
        Entry::of::<SearchErrors>(),
        #[cfg(feature = "systems")]
        Entry::of::<CheckFormulas>(),
        #[cfg(feature = "weights")]
        Entry::of::<CheckWeighted>(),
    ],
    with_input: true,
    as_system: false,
};

/// State spaces.
pub static EXPLORE: Family = Family {
    name: "explore",
    about: "Build the state space of a model: count it, export it for other tools",
    after_help: "\
Examples:
  volvelle explore queue.prism --const N=10
  volvelle explore queue.prism --const N=10 --export queue.tra,queue.sta,queue.lab
  volvelle explore queue.umb --export queue.drn           convert an explicit model
  volvelle explore network.exp --export system.aut        the product of transition systems

Export formats, by extension (Promela models: all except rewards; networks: .aut and .dot):
  .umb   everything, for PRISM, Storm and Modest
  .drn   everything, for Storm
  .pexp  everything, for PRISM
  .tra   transitions, for PRISM
  .sta   variable values, for PRISM
  .lab   labels, for PRISM
  .srew  state rewards, one file per structure, for PRISM
  .trew  transition rewards, one file per structure, for PRISM
  .aut   labelled transition system, for CADP and mCRL2
  .dot   graph, for Graphviz",
    members: &[
        Entry::of::<ExploreStates>(),
        #[cfg(feature = "systems")]
        Entry::of::<ExploreProcesses>(),
        #[cfg(feature = "systems")]
        Entry::of::<ExploreSystem>(),
        #[cfg(feature = "weights")]
        Entry::of::<ExploreWeighted>(),
    ],
    with_input: true,
    as_system: false,
};

/// Reduction.
#[cfg(any(feature = "systems", feature = "weights"))]
pub static REDUCE: Family = Family {
    name: "reduce",
    about: "Find the smallest labelled transition system that is equivalent",
    after_help: "\
Examples:
  volvelle reduce model.aut -o small.aut                          branching bisimulation
  volvelle reduce protocol.lotos --hide 'all but PUT.*, GET.*' -o small.aut
  volvelle reduce model.aut --rename '/LATENCY !(.*)/\\1; rate 2.5/' --relation stochastic-branching
  volvelle reduce queue.prism --const N=10 --relation lumping     sizes only
  volvelle reduce system.wks --relation wbb -o quotient.wks       a weighted system

The model is an ALDEBARAN file (.aut, perhaps with .gz, .xz or .zst), a network of such files (.exp) or a
model in any language. Written are .aut files, compressed by the same endings, and .dot.

Exit codes: 0 reduced, 2 bad usage or an error in the input, 3 a limit was reached.",
    members: &[
        #[cfg(feature = "systems")]
        Entry::of::<ReduceSystem>(),
        #[cfg(feature = "weights")]
        Entry::of::<ReduceWeighted>(),
    ],
    with_input: true,
    as_system: false,
};

/// Comparison.
#[cfg(any(feature = "systems", feature = "weights"))]
pub static COMPARE: Family = Family {
    name: "compare",
    about: "Compare two systems; a trace or a formula shows what tells them apart",
    after_help: "\
Examples:
  volvelle compare protocol.lotos service.lotos                   branching bisimulation
  volvelle compare a.aut b.aut --relation strong
  volvelle compare a.aut b.aut --hide 'all but PUT.*, GET.*' --relation weak
  volvelle compare a.wks:s b.wks:t --relation ebs         states of weighted systems

Both models are ALDEBARAN files, networks of them (.exp) or models in any language.

Exit codes: 0 equivalent, 1 not equivalent, 2 bad usage or an error in the input, 3 a limit was reached.",
    members: &[
        #[cfg(feature = "systems")]
        Entry::of::<CompareSystems>(),
        #[cfg(feature = "weights")]
        Entry::of::<CompareWeighted>(),
    ],
    with_input: false,
    as_system: false,
};

/// Sampled paths, and single runs.
pub static SIMULATE: Family = Family {
    name: "simulate",
    about: "Estimate properties from random paths; or run a Promela model",
    after_help: "\
Examples:
  volvelle simulate queue.prism queue.props               an interval for every property of the file
  volvelle simulate queue.prism --prop 'P=? [ F<=T \"full\" ]' --const T=10 --samples 1e6 --seed 7
  volvelle simulate queue.prism queue.props --const T=0:10:200 --plot full.svg
  volvelle simulate queue.prism --prop 'P=? [ F<=9 \"full\" ]' --width 1e-3 --confidence 0.99
  volvelle simulate queue.prism --prop 'P>=0.9 [ F<=9 \"full\" ]' --method sprt --indifference 1e-3
  volvelle simulate protocol.pml                          a random run
  volvelle simulate protocol.pml --seed 3 --steps 50      another one, shorter
  volvelle simulate protocol.pml --trail t.json           replay a trail of `check --trail t.json`

Exit codes: 0 no error was found, 1 a property is false (Promela: the run violated an assertion or
ended in an invalid end state), 2 bad usage, an error in the input, or a trail that does not match
the model, 3 a limit was reached or the run was interrupted.",
    members: &[Entry::of::<SamplePaths>(), Entry::of::<RunProcesses>()],
    with_input: false,
    as_system: false,
};

/// Walks.
pub static STEP: Family = Family {
    name: "step",
    about: "Step through any model: choose, go back, run until something holds",
    after_help: "\
Examples:
  volvelle step dice.prism                                a list of steps, and a prompt: ? explains the commands
  volvelle step dice.prism dice.props                     says on the way which properties are decided
  volvelle step protocol.pml --trail t.json               begins with a trail of `check --trail t.json`
  volvelle step protocol.lotos                            LOTOS, networks, labelled transition systems (.aut)
  volvelle step spec.wks                                  weighted systems: steps have weights, the walk their sum
  volvelle step dice.prism --weights cost                 the same, with the rewards of a PRISM model as weights
  printf 'r 10\nsave walk.json\n' | volvelle step dice.prism --csv walk.csv

Exit codes: 0 the walk was shown, 1 it ended with an error of a Promela model, 2 bad usage, an error in
the input, or a trail that does not fit the model, 3 a limit was reached or the run was interrupted.",
    members: &[
        Entry::of::<StepPaths>(),
        Entry::of::<StepProcesses>(),
        #[cfg(feature = "weights")]
        Entry::of::<StepWeighted>(),
        #[cfg(not(feature = "weights"))]
        Entry::of::<crate::left_out::StepWeighted>(),
        #[cfg(feature = "systems")]
        Entry::of::<StepSystem>(),
        #[cfg(not(feature = "systems"))]
        Entry::of::<crate::left_out::StepSystem>(),
    ],
    with_input: false,
    as_system: true,
};
