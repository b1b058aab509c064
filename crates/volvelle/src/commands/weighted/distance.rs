//! `volvelle distance`

use super::{Pair, Question, Way, answer};
use crate::applicable::GivenOptions;
use crate::args::Distance;
use crate::output::Output;
use crate::screen::weighted;
use volvelle_verify::json::Document;
use volvelle_verify::weighted::weighted_distance;

/// Computes the distance between the initial states of two weighted systems, or between states that are named.
pub fn run(args: &Distance, given: &GivenOptions, output: &Output) -> u8 {
    let way =
        Way { model: &args.model, weighting: &args.weighting, defines: &args.define, limits: &args.limits };
    let question = Question { way, other: &args.other, output: &args.output };
    let computed = |pair: Pair<'_>| {
        let kind = args.kind.kind();
        let found = weighted_distance(pair.models, pair.names, kind, pair.allowance, pair.control)?;
        Ok((found, Vec::new()))
    };
    answer(
        &question,
        given,
        output,
        computed,
        |report, found, sources| Document::of_distance(report, found, sources),
        |found| weighted::distance(found, args.log, output.style),
        |_| 0,
    )
}
