//! Which options apply to which models and tasks.
//!
//! An option that means nothing for a model is refused, with the reason and a way out: to ignore it would answer another
//! question than the one that was asked. [`RULES`] is the one table of this; options that are not in it always apply.

use crate::given::GivenOptions;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Session;
use volvelle_session::language::Formalism;

/// What a command does with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Values of properties.
    Compute,
    /// Violations, by search.
    Search,
    /// Estimates from sampled paths.
    Sample,
    /// One run of processes.
    Run,
    /// One path of a model of probabilities.
    Trace,
    /// The state space.
    Explore,
    /// What the model consists of.
    Outline,
    /// Dead statements.
    Lint,
    /// The labelled transition system: reduction, comparison.
    System,
    /// Formulas of the mu-calculus about it.
    Formulas,
    /// Throughputs and times of a labelled transition system with rates.
    Performance,
    /// The weighted Kripke structure: weighted CTL, weighted relations, distances.
    Weighted,
}

impl Task {
    fn what(self) -> &'static str {
        match self {
            Task::Compute => "computed properties",
            Task::Search => "a search",
            Task::Sample => "sampled paths",
            Task::Run => "a run of a Promela model",
            Task::Trace => "a single path",
            Task::Explore => "a state space",
            Task::Outline => "`volvelle info`",
            Task::Lint => "`volvelle lint`",
            Task::System => "a labelled transition system",
            Task::Formulas => "formulas of the mu-calculus",
            Task::Performance => "the performance of a transition system",
            Task::Weighted => "a weighted structure",
        }
    }
}

/// The models of a formalism, for people.
fn models_of(formalism: Formalism) -> &'static str {
    match formalism {
        Formalism::Modules => "a PRISM model",
        Formalism::Processes => "a Promela model",
        Formalism::Explicit => "an explicit model",
        Formalism::Behaviours => "a LOTOS specification",
        Formalism::Weighted => "a weighted system",
    }
}

/// Options, and where they apply.
pub struct Rule {
    /// Names of their fields, and what a user writes.
    pub options: &'static [(&'static str, &'static str)],
    /// The models to which they apply.
    pub formalisms: &'static [Formalism],
    /// What they apply to.
    pub tasks: &'static [Task],
    /// Why they mean nothing elsewhere.
    pub why: &'static str,
    /// What to do instead.
    pub help: &'static str,
}

const ANY_FORMALISM: &[Formalism] = &[
    Formalism::Modules,
    Formalism::Processes,
    Formalism::Explicit,
    Formalism::Behaviours,
    Formalism::Weighted,
];
const ANY_TASK: &[Task] = &[
    Task::Compute,
    Task::Search,
    Task::Sample,
    Task::Run,
    Task::Trace,
    Task::Explore,
    Task::Outline,
    Task::Lint,
    Task::System,
    Task::Formulas,
    Task::Performance,
    Task::Weighted,
];

const NOT_OF_SYSTEMS: &[Task] = &[
    Task::Compute,
    Task::Search,
    Task::Sample,
    Task::Run,
    Task::Trace,
    Task::Explore,
    Task::Outline,
    Task::Lint,
];

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        options: &[("constants", "--const")],
        formalisms: &[Formalism::Modules, Formalism::Explicit, Formalism::Behaviours, Formalism::Weighted],
        tasks: ANY_TASK,
        why: "Promela uses macros instead of constants without a value",
        help: "define a macro: -D N=4",
    },
    Rule {
        options: &[("properties", "a property file")],
        formalisms: &[Formalism::Modules, Formalism::Explicit],
        tasks: ANY_TASK,
        why: "Promela models have claims instead of properties",
        help: "write a claim in the model, `ltl name { ... }`, or give a formula: volvelle check MODEL --ltl '[] (x < 4)'",
    },
    Rule {
        options: &[("prop", "--prop")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Search, Task::Sample, Task::Trace],
        why: "it selects the properties to check",
        help: "use `volvelle check`",
    },
    Rule {
        options: &[("define", "--define")],
        formalisms: &[Formalism::Processes],
        tasks: ANY_TASK,
        why: "macros belong to the Promela preprocessor",
        help: "give a constant a value: --const N=4",
    },
    Rule {
        options: &[
            ("labels", "--labels"),
            ("state_values", "--state-values"),
            ("observations", "--observations"),
            ("state_rewards", "--state-rewards"),
            ("transition_rewards", "--transition-rewards"),
        ],
        formalisms: &[Formalism::Explicit],
        tasks: ANY_TASK,
        why: "such files accompany a transition file",
        help: "give the transition file as the model: volvelle check model.tra",
    },
    Rule {
        options: &[("full_space", "--full-space")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Formulas],
        why: "it selects the states that are explored for computed properties and for formulas of the mu-calculus",
        help: "leave it out",
    },
    Rule {
        options: &[("reduce", "--reduce")],
        formalisms: &[Formalism::Modules],
        tasks: &[Task::Compute],
        why: "it selects the states of modules that are explored to compute properties",
        help: "leave it out",
    },
    Rule {
        options: &[("precision", "--precision"), ("states", "--states")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Performance],
        why: "it applies to computed values only",
        help: "leave it out",
    },
    Rule {
        options: &[("csv", "--csv")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Sample, Task::Trace, Task::Performance],
        why: "it applies to values only",
        help: "leave it out",
    },
    Rule {
        options: &[("epsilon", "--epsilon")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute],
        why: "it applies to computed properties only",
        help: "leave it out",
    },
    Rule {
        options: &[("rounding", "--rounding")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::System],
        why: "it applies to sums of rates and probabilities in transition systems",
        help: "leave it out",
    },
    Rule {
        options: &[("wctl", "--wctl"), ("blocking", "--blocking"), ("global", "--global")],
        formalisms: &[Formalism::Modules, Formalism::Processes, Formalism::Weighted],
        tasks: &[Task::Weighted],
        why: "formulas of weighted CTL are about steps with weights",
        help: "give a weighted Kripke structure (.wks), terms of weighted CCS (.wccs), or a PRISM or Promela model",
    },
    Rule {
        options: &[("divergence", "--divergence")],
        formalisms: &[Formalism::Modules, Formalism::Processes, Formalism::Weighted],
        tasks: &[Task::Weighted],
        why: "it is about steps of weight 0",
        help: "divergence-preserving branching bisimulation of transition systems is --relation divbranching",
    },
    Rule {
        options: &[("weights", "--weights"), ("observe", "--observe")],
        formalisms: &[Formalism::Modules, Formalism::Processes],
        tasks: &[Task::Weighted],
        why: "it makes a weighted structure of a PRISM or Promela model",
        help: "ask for a property of weighted structures: --wctl 'EF[<=5] done'",
    },
    Rule {
        options: &[("rename", "--rename"), ("hide", "--hide")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::System, Task::Formulas, Task::Performance],
        why: "labels matter to formulas of the mu-calculus, reductions and comparisons",
        help: "give a formula: --mcl '[true*] <true> true'",
    },
    Rule {
        options: &[("safety", "--safety"), ("ltl", "--ltl")],
        formalisms: ANY_FORMALISM,
        tasks: NOT_OF_SYSTEMS,
        why: "it does not apply together with formulas of the mu-calculus",
        help: "leave it out",
    },
    Rule {
        options: &[("explain", "--explain")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Search, Task::Sample],
        why: "it tells of methods, and of the code that runs paths",
        help: "leave it out",
    },
    Rule {
        options: &[("symmetry", "--symmetry")],
        formalisms: &[Formalism::Modules, Formalism::Processes],
        tasks: &[Task::Compute, Task::Search, Task::Explore],
        why: "it exploits interchangeable modules or processes",
        help: "leave it out; `--bisimulation` makes any model smaller",
    },
    Rule {
        options: &[("read_as", "--as")],
        formalisms: &[Formalism::Modules, Formalism::Explicit],
        tasks: ANY_TASK,
        why: "processes have no probabilities or rates",
        help: "leave it out",
    },
    Rule {
        options: &[("no_probability_check", "--no-probability-check")],
        formalisms: &[Formalism::Modules],
        tasks: ANY_TASK,
        why: "only the commands of modules have sums of probabilities that may be wrong",
        help: "leave it out",
    },
    Rule {
        options: &[("no_fix_deadlocks", "--no-fix-deadlocks")],
        formalisms: &[Formalism::Modules, Formalism::Explicit],
        tasks: &[Task::Compute, Task::Explore],
        why: "a search adds no self-loops: a run that ends stays in its last state",
        help: "look for deadlocks: volvelle check MODEL --safety",
    },
    Rule {
        options: &[
            ("exact", "--exact"),
            ("absolute", "--absolute"),
            ("strict_precision", "--strict-precision"),
            ("max_iterations", "--max-iterations"),
            ("omega", "--omega"),
            ("steady_state_detection", "--steady-state-detection"),
            ("bisimulation", "--bisimulation"),
            ("verify", "--verify"),
            ("verify_time", "--verify-time"),
            ("verify_samples", "--verify-samples"),
            ("verify_width", "--verify-width"),
            ("verify_repair", "--verify-repair"),
            ("verify_seed", "--verify-seed"),
            ("transient", "--transient"),
            ("steady_state", "--steady-state"),
            ("by", "--by"),
            ("find", "--find"),
            ("such_that", "--such-that"),
            ("greatest", "--greatest"),
            ("every_value", "--every-value"),
            ("witness", "--witness"),
            ("export_scheduler", "--export-scheduler"),
            ("export_induced", "--export-induced"),
        ],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute],
        why: "it applies to computed properties only",
        help: "leave it out",
    },
    Rule {
        options: &[
            ("method", "--method"),
            ("device", "--device"),
            ("device_config", "--device-config"),
            ("plot", "--plot"),
            ("log_axes", "--log-axes"),
        ],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Sample, Task::Trace, Task::Performance],
        why: "it applies to values only",
        help: "leave it out",
    },
    Rule {
        options: &[
            ("acceptance", "--acceptance"),
            ("progress", "--progress"),
            ("fair", "--fair"),
            ("all_errors", "--all-errors"),
            ("no_reduction", "--no-reduction"),
            ("search", "--search"),
            ("max_depth", "--max-depth"),
        ],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Search],
        why: "it applies to searches only",
        help: "request a search: --safety, or --ltl 'G F \"ready\"'",
    },
    Rule {
        options: &[("shorten", "--shorten")],
        formalisms: &[Formalism::Processes],
        tasks: &[Task::Search],
        why: "searches of modules are breadth first: what they find is not long",
        help: "leave it out, or use --no-reduction for a shortest counterexample",
    },
    Rule {
        options: &[("shard", "--shard"), ("checkpoint", "--checkpoint")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Sample],
        why: "parts have paths, or values at points of a grid",
        help: "leave it out",
    },
    Rule {
        options: &[("round", "--round")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Sample],
        why: "rounds have paths",
        help: "leave it out",
    },
    Rule {
        options: &[("trail", "--trail")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Search, Task::Run],
        why: "trails are counterexamples found by a search",
        help: "use `volvelle trace` to show a single path",
    },
    Rule {
        options: &[("steps", "--steps"), ("interactive", "--interactive")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Run, Task::Trace],
        why: "it applies to a single run only",
        help: "use `volvelle trace` to show a single path",
    },
    Rule {
        options: &[("scheduler", "--scheduler")],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Compute, Task::Sample, Task::Trace],
        why: "it makes the choices of stochastic models only",
        help: "leave it out",
    },
    Rule {
        options: &[
            ("rng", "--rng"),
            ("samples", "--samples"),
            ("confidence", "--confidence"),
            ("width", "--width"),
            ("relative", "--relative"),
            ("alpha", "--alpha"),
            ("beta", "--beta"),
            ("indifference", "--indifference"),
            ("rare", "--rare"),
            ("max_path_length", "--max-path-length"),
            ("tier", "--tier"),
            ("print_code", "--print-code"),
        ],
        formalisms: ANY_FORMALISM,
        tasks: &[Task::Sample, Task::Trace],
        why: "it applies to sampled paths of stochastic models only",
        help: "leave it out",
    },
];

/// Options that mean nothing for the model, or for what is done with it.
pub fn refusals(options: &GivenOptions, task: Task, session: &Session) -> Vec<Diagnostic> {
    let Some(formalism) = session.formalism() else { return Vec::new() };
    let given = |(name, _): &&(&str, &str)| options.has(name);
    let broken = RULES.iter().filter_map(|rule| {
        let of = match (rule.formalisms.contains(&formalism), rule.tasks.contains(&task)) {
            (true, true) => return None,
            (false, _) => models_of(formalism),
            (true, false) => task.what(),
        };
        Some(rule.options.iter().filter(given).map(move |(_, option)| {
            let message = format!("{option} does not apply to {of}");
            Diagnostic::error(codes::BAD_USAGE, message).note(rule.why).help(rule.help)
        }))
    });
    broken.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn each_option_has_one_rule() {
        let mut names: Vec<&str> =
            RULES.iter().flat_map(|rule| rule.options).map(|(name, _)| *name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
