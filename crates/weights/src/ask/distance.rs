//! `volvelle distance`

use super::{Pair, Question, Way, answer, pairs};
use crate::options::Distance;
use crate::{Goal, bound, document, weighted_distance, weighted_optimum};
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_diagnostics::{Diagnostic, codes};

impl Ask for Distance {
    const NAME: &'static str = "distance";
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "how far another system is from it";
        let command = format!("distance {} OTHER", subject.model());
        Suggestion::only_if(super::is_weighted(subject), about, command)
    };
    const FILES: &'static [(&'static str, FileUse)] = &[("file", FileUse::Written)];
    const NEEDS: &'static [Need] = &[
        Need {
            options: &[("file", "--output")],
            acts: |given| given.has("within"),
            why: "groups of states are written, and the distance between two states has none",
            help: "group the states of one model: volvelle distance MODEL --within 5% --output groups.dot",
        },
        Need {
            options: &[("tolerance", "--tolerance")],
            acts: |given| given.has("minimize"),
            why: "it is the accuracy of the least distance",
            help: "ask for that: --minimize",
        },
    ];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Computes the distance between the initial states of two weighted systems, or between states that are named; or those between all states of
/// one.
pub fn run(args: &Distance, given: &GivenOptions, output: &Output) -> u8 {
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.macros.define,
        limits: &args.limits,
    };
    let Some(other) = &args.other else { return pairs::run(args, way, given, output) };
    let question = Question { way, other, answer: &args.answer };
    let goal = match goal(args) {
        Ok(goal) => goal,
        Err(diagnostic) => return super::refuse(&[diagnostic], args.answer.output.json, output),
    };
    match goal {
        Some(goal) => optimum(args, &question, &goal, given, output),
        None => plain(args, &question, given, output),
    }
}

/// The distance at fixed values of parameters.
fn plain(args: &Distance, question: &Question<'_>, given: &GivenOptions, output: &Output) -> u8 {
    let computed = |pair: Pair<'_>| {
        let kind = args.kind.kind();
        let remarks = pair.assumed();
        let found = weighted_distance(pair.models, pair.names, kind, pair.allowance, pair.control)?;
        Ok((found, remarks))
    };
    answer(
        question,
        given,
        output,
        computed,
        crate::json::of_distance,
        |found| document::distance(found, args.log),
        |_| 0,
    )
}

/// Parts of the ranges of parameters that are examined at most, unless the user says otherwise.
const BOXES: u64 = 10_000;

/// The best values of parameters.
fn optimum(
    args: &Distance,
    question: &Question<'_>,
    goal: &Goal,
    given: &GivenOptions,
    output: &Output,
) -> u8 {
    let boxes = args.boxes.unwrap_or(BOXES);
    let computed = |pair: Pair<'_>| {
        let kind = args.kind.kind();
        let found =
            weighted_optimum(pair.models, pair.names, kind, goal, boxes, pair.allowance, pair.control)?;
        let mut remarks = Vec::new();
        if !found.is_settled(goal) {
            let message = format!("the answer is open after {boxes} parts of the ranges");
            remarks.push(
                Diagnostic::warning(codes::WKS_WEIGHT, message)
                    .help("examine more of them: --boxes N")
                    .help("or allow for a tolerance: --tolerance 1e-3"),
            );
        }
        Ok((found, remarks))
    };
    answer(
        question,
        given,
        output,
        computed,
        crate::json::of_optimum,
        |found| document::optimum(found, goal),
        |found| match found.exists {
            _ if !found.is_settled(goal) => 3,
            Some(false) => 1,
            _ => 0,
        },
    )
}

/// What is wanted of parameters, if something is.
fn goal(args: &Distance) -> Result<Option<Goal>, Diagnostic> {
    if let Some(text) = &args.at_most {
        return Ok(Some(Goal::AtMost(bound("--at-most", text)?)));
    }
    let tolerance = bound("--tolerance", &args.tolerance)?;
    Ok(args.minimize.then_some(Goal::Least(tolerance)))
}
