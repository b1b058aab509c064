//! `volvelle compare` with a relation of weighted systems.

use super::{Pair, Question, Way, answer};
use crate::args::Compare;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_weights::{WeightedRelation, compare_weighted, document};

/// Compares the initial states of two weighted systems, or states that are named.
pub fn run(args: &Compare, relation: WeightedRelation, given: &GivenOptions, output: &Output) -> u8 {
    let comparison = args.divergence.comparison(relation);
    let way =
        Way { model: &args.model, weighting: &args.weighting, defines: &args.define, limits: &args.limits };
    let question = Question { way, other: &args.other, page: &args.page, output: &args.output };
    let compared = |pair: Pair<'_>| {
        let mut remarks = pair.assumed();
        let found = compare_weighted(pair.models, pair.names, comparison, pair.allowance, pair.control)?;
        remarks.extend(found.diagnostics.clone());
        Ok((found, remarks))
    };
    answer(
        &question,
        given,
        output,
        compared,
        volvelle_weights::json::of_comparison,
        document::compared,
        |found| u8::from(!found.related),
    )
}
