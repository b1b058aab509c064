//! The least bound at which two states are related.
//!
//! The relation changes only at the deviations `|W - w| / w`, of which there are finitely many, though far too many to list. Every test that
//! succeeds moves the upper end down to the largest deviation that its answers use, which is such a number; a test for bounds strictly
//! below it either proves that it is the distance, or moves it down again. In between the interval is split at the simplest fraction in
//! its middle half (Stern-Brocot); when the simplest fraction left inside has a denominator that no weight has, no candidate is left.
//! The number of tests is logarithmic in the weights.

use super::answer::Arena;
use super::bound::{Bound, Kind, Ratio, simplest_between};
use super::game::{Game, Known};
use crate::Failure;
use volvelle_control::Control;

/// The distance, or `None` where it is infinite. `largest` bounds weights of paths, see [`super::bound::check_weights`].
pub(crate) fn distance(
    arena: &Arena,
    kind: Kind,
    pair: (u32, u32),
    largest: u64,
    control: &Control,
) -> Result<Option<Ratio>, Failure> {
    if arena.structure.valuation_of(pair.0) != arena.structure.valuation_of(pair.1) {
        return Ok(None);
    }
    if pair.0 == pair.1 {
        return Ok(Some(Ratio::ZERO));
    }
    let mut search = Search { arena, kind, pair, known: Known::default(), control };
    let (mut low, mut high) = match kind {
        Kind::Ebd => {
            if search.test(Bound::AtMost(Ratio::ZERO))?.is_some() {
                return Ok(Some(Ratio::ZERO));
            }
            let Some(high) = search.test(Bound::Finite)? else { return Ok(None) };
            (Ratio::ZERO, high)
        }
        Kind::Wbd => {
            // EBD <= WBD <= max(1, EBD): at bounds of one and more, both are the same.
            let below = match distance(arena, Kind::Ebd, pair, largest, control)? {
                Some(below) if below < Ratio::ONE => below,
                large => return Ok(large),
            };
            if search.test(Bound::AtMost(below))?.is_some() {
                return Ok(Some(below));
            }
            let high = search.test(Bound::AtMost(Ratio::ONE))?.expect("EBD and WBD agree at one");
            (below, high)
        }
    };
    let steps = 0..arena.structure.num_steps();
    let widest = steps.map(|step| arena.attack(step)).max().unwrap_or(0);
    loop {
        match search.test(Bound::Below(high))? {
            None => return Ok(Some(high)),
            Some(lower) => high = lower,
        }
        let Some(middle) = between(low, high, widest, largest) else { return Ok(Some(high)) };
        match search.test(Bound::AtMost(middle))? {
            Some(lower) => high = lower,
            None => low = middle,
        }
    }
}

/// A fraction to split an interval at, or `None` if no candidate lies strictly inside: candidates have a weight of a step as denominator.
fn between(low: Ratio, high: Ratio, widest: u64, largest: u64) -> Option<Ratio> {
    let of = |ratio: Ratio| (u128::from(ratio.top), u128::from(ratio.bottom));
    let ((a, b), (c, d)) = (of(low), of(high));
    let quarter = |left: u128, right: u128| {
        let top = (left * a).checked_mul(d)?.checked_add((right * c).checked_mul(b)?)?;
        Some((top, (4 * b).checked_mul(d)?))
    };
    let middle = quarter(3, 1).zip(quarter(1, 3)).and_then(|(low, high)| simplest_between(low, high));
    let fits = |ratio: &Ratio| ratio.bottom <= 4 * widest && ratio.top <= 4 * largest;
    middle
        .filter(fits)
        .or_else(|| simplest_between((a, b), (c, d)).filter(|r| r.bottom <= widest && r.top <= largest))
}

struct Search<'a> {
    arena: &'a Arena<'a>,
    kind: Kind,
    pair: (u32, u32),
    known: Known,
    control: &'a Control<'a>,
}

impl Search<'_> {
    /// Whether the pair is related at a bound: then with the largest deviation that answers use. Later bounds must be smaller if it is.
    fn test(&mut self, bound: Bound) -> Result<Option<Ratio>, Failure> {
        let mut game = Game::local(self.arena, self.kind, bound, &self.known);
        let root = game.require(self.pair.0, self.pair.1).expect("two states");
        game.run(Some(root), self.control)?;
        if game.refutation(self.pair.0, self.pair.1).is_some() {
            return Ok(None);
        }
        let deviation = game.largest_deviation(root);
        let refuted: Vec<u64> = game.all_refuted().collect();
        self.known.extend(refuted);
        Ok(Some(deviation))
    }
}
