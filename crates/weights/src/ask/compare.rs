//! `volvelle compare` with a relation of weighted systems.

use super::{Pair, Question, Way, answer, is_related};
use crate::options::{CompareWeighted, relation};
use crate::{compare_weighted, document};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::refusal::Refused;
use volvelle_session::language::Offers;

impl Member for CompareWeighted {
    const WHAT: &'static str = "relations of weighted systems";
    const CHOSEN: Chosen = Chosen::ByValues(is_related);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = super::OF_RELATIONS;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        Ok(run(self, asked.given, output))
    }
}

/// Compares the initial states of two weighted systems, or states that are named.
fn run(args: &CompareWeighted, given: &GivenOptions, output: &Output) -> u8 {
    let comparison = args.divergence.comparison(relation(args.relation.relation));
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.macros.define,
        limits: &args.limits,
    };
    let question = Question { way, other: &args.other.other, answer: &args.answer };
    let compared = |pair: Pair<'_>| {
        let mut remarks = pair.assumed();
        let found = compare_weighted(pair.models, pair.names, comparison, pair.allowance, pair.control)?;
        remarks.extend(found.diagnostics.clone());
        Ok((found, remarks))
    };
    answer(&question, given, output, compared, crate::json::of_comparison, document::compared, |found| {
        u8::from(!found.related)
    })
}
