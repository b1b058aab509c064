//! Options that depend on the language of the model.
//!
//! An option that means nothing for a model is refused, with the reason and a way out: to ignore it would answer another question than the
//! one that was asked. What a language knows, its models say ([`Offers`]); this table says which options these are.

use crate::given::GivenOptions;
use volvelle_diagnostics::Diagnostic;
use volvelle_session::Model;
use volvelle_session::language::LanguageOption::{self, *};
use volvelle_session::language::Offers;

/// Options that a language knows or not.
struct Dependent {
    /// Names of their fields, and what a user writes.
    options: &'static [(&'static str, &'static str)],
    /// What the language has to know.
    known: LanguageOption,
    /// Why they mean nothing elsewhere.
    why: &'static str,
    /// What to do instead.
    help: &'static str,
}

/// The table; options that are not in it depend on no language.
const DEPENDENT: &[Dependent] = &[
    Dependent {
        options: &[("constants", "--const")],
        known: Constants,
        why: "Promela uses macros instead of constants without a value",
        help: "define a macro: -D N=4",
    },
    Dependent {
        options: &[("properties", "a property file")],
        known: PropertyFiles,
        why: "Promela models have claims instead of properties",
        help: "write a claim in the model, `ltl name { ... }`, or give a formula: volvelle check MODEL --ltl '[] (x < 4)'",
    },
    Dependent {
        options: &[("define", "--define")],
        known: Macros,
        why: "macros belong to the Promela preprocessor",
        help: "give a constant a value: --const N=4",
    },
    Dependent {
        options: &[
            ("labels", "--labels"),
            ("state_values", "--state-values"),
            ("observations", "--observations"),
            ("state_rewards", "--state-rewards"),
            ("transition_rewards", "--transition-rewards"),
        ],
        known: Parts,
        why: "such files accompany a transition file",
        help: "give the transition file as the model: volvelle check model.tra",
    },
    Dependent {
        options: &[("read_as", "--as")],
        known: Kind,
        why: "only models with probabilities or rates are read as another kind",
        help: "leave it out",
    },
    Dependent {
        options: &[("no_probability_check", "--no-probability-check")],
        known: Sums,
        why: "only the commands of modules have sums of probabilities that may be wrong",
        help: "leave it out",
    },
    Dependent {
        options: &[("no_fix_deadlocks", "--no-fix-deadlocks")],
        known: Deadlocks,
        why: "only states of stochastic models are given self-loops",
        help: "look for deadlocks: volvelle check MODEL --safety",
    },
    Dependent {
        options: &[("reduce", "--reduce")],
        known: Reduction,
        why: "it selects the states of modules that are explored",
        help: "leave it out",
    },
    Dependent {
        options: &[("symmetry", "--symmetry")],
        known: Symmetry,
        why: "it exploits interchangeable modules or processes",
        help: "leave it out; `--bisimulation` makes any model smaller",
    },
    Dependent {
        options: &[("shorten", "--shorten")],
        known: Shortening,
        why: "searches of modules are breadth first: what they find is not long",
        help: "leave it out, or use --no-reduction for a shortest counterexample",
    },
    Dependent {
        options: &[("weights", "--weights"), ("observe", "--observe")],
        known: Weights,
        why: "it makes a weighted structure of a PRISM or Promela model",
        help: "leave it out: a weighted system has weights of its own",
    },
];

/// Options that mean nothing for the language of a model.
pub fn refusals(given: &GivenOptions, model: &Model) -> Vec<Diagnostic> {
    model.offers().map_or_else(Vec::new, |offers| refused(given, &offers))
}

/// Options that mean nothing for a model that offers this.
fn refused(given: &GivenOptions, offers: &Offers) -> Vec<Diagnostic> {
    let foreign = DEPENDENT.iter().filter(|dependent| !offers.knows(dependent.known));
    let models = offers.models();
    foreign
        .flat_map(|dependent| given.refuse(dependent.options, models, dependent.why, dependent.help))
        .collect()
}

/// Whether models that offer one of these take an option, by the name of its field.
pub fn is_taken(option: &str, offers: &[Offers]) -> bool {
    let of = |dependent: &&Dependent| dependent.options.iter().any(|(name, _)| *name == option);
    let mut dependent = DEPENDENT.iter().filter(of);
    dependent.all(|dependent| offers.iter().any(|offers| offers.knows(dependent.known)))
}

#[cfg(test)]
mod tests {
    use super::DEPENDENT;

    #[test]
    fn each_option_is_there_once() {
        let mut names: Vec<&str> =
            DEPENDENT.iter().flat_map(|dependent| dependent.options).map(|(name, _)| *name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
