//! The least bound at which two states are related.
//!
//! The relation changes only at the deviations `|W - w| / w`, of which there are finitely many, though far too many to list. Every test that
//! succeeds moves the upper end down to the largest deviation that its answers use, which is such a number; a test for bounds strictly
//! below it either proves that it is the distance, or moves it down again. In between the interval is split at the simplest fraction in
//! its middle half (Stern-Brocot); when the simplest fraction left inside has a denominator that no weight has, no candidate is left.
//! The number of tests is logarithmic in the weights.

use crate::Failure;
use crate::game::answer::Arena;
use crate::game::bound::{Bound, Kind, Ratio, simplest_between};
use crate::game::classes::{Dominance, refine};
use crate::game::invariants::Invariants;
use crate::game::play::{Aids, Game, Known};
use crate::game::rule::Rule;
use crate::game::stages::{Computed, PATIENCE, played, short};
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
    let classes = classes(arena, kind, control)?;
    if classes.as_ref().is_some_and(|of| of[pair.0 as usize] == of[pair.1 as usize]) {
        return Ok(Some(Ratio::ZERO));
    }
    let mut search = Search {
        arena,
        kind,
        pair,
        known: Known::default(),
        classes,
        invariants: None,
        shape: None,
        control,
    };
    let (mut low, mut high) = match kind {
        Kind::Ebd => {
            if search.test(Bound::AtMost(Ratio::ZERO))?.is_some() {
                return Ok(Some(Ratio::ZERO));
            }
            // Large bounds relate almost everything, and such games are long: small ones come first, unless the game is short.
            match search.short_test(Bound::Finite)? {
                Some(None) => return Ok(None),
                Some(Some(high)) => (Ratio::ZERO, high),
                None => match search.climb(Ratio::ZERO, &[(1, 16), (1, 4), (1, 1), (4, 1), (16, 1)])? {
                    (low, Some(high)) => (low, high),
                    (low, None) => match search.test(Bound::Finite)? {
                        Some(high) => (low, high),
                        None => return Ok(None),
                    },
                },
            }
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
            let (low, high) = search.climb(below, &[(1, 16), (1, 4), (1, 2), (1, 1)])?;
            (low, high.expect("EBD and WBD agree at one"))
        }
    };
    let steps = 0..arena.structure.num_steps();
    let widest = steps.map(|step| arena.weights(step).1).max().unwrap_or(0);
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

/// Classes of states at distance 0 from each other, from both sides; not for intervals of weights.
pub(super) fn classes(arena: &Arena, kind: Kind, control: &Control) -> Result<Option<Vec<u32>>, Failure> {
    let dominance = match kind {
        Kind::Ebd => Dominance::Least,
        Kind::Wbd => Dominance::All,
    };
    let is_exact = arena.relaxed.is_none();
    is_exact.then(|| refine(arena.structure, dominance, control)).transpose()
}

struct Search<'a, 's> {
    arena: &'a Arena<'s>,
    kind: Kind,
    pair: (u32, u32),
    known: Known,
    classes: Option<Vec<u32>>,
    /// See [`Aids::shape`].
    shape: Option<Vec<u32>>,
    /// Those of a bound that is not smaller than those that are tested later.
    invariants: Option<(Bound, Invariants<'s>)>,
    control: &'a Control<'a>,
}

impl Search<'_, '_> {
    /// Tests bounds that become larger, those above `low`, until one succeeds. Returns the largest one that failed, and what the test found.
    fn climb(&mut self, mut low: Ratio, bounds: &[(u64, u64)]) -> Result<(Ratio, Option<Ratio>), Failure> {
        for &(top, bottom) in bounds {
            let bound = Ratio { top, bottom };
            if bound > low {
                match self.test(Bound::AtMost(bound))? {
                    Some(high) => return Ok((low, Some(high))),
                    None => low = bound,
                }
            }
        }
        Ok((low, None))
    }

    /// Like [`Self::test`]; `None` if the game is not a short one.
    fn short_test(&mut self, bound: Bound) -> Result<Option<Option<Ratio>>, Failure> {
        let rule = Rule::Distance(self.kind, bound);
        let aids = Aids {
            known: Some(&self.known),
            classes: self.classes.as_deref(),
            patience: 4,
            ..Aids::default()
        };
        let Some(game) = short(self.arena, &rule, aids, self.pair, self.control)? else { return Ok(None) };
        Ok(Some(self.outcome(&game)))
    }

    fn outcome(&self, game: &Game) -> Option<Ratio> {
        let root = game.number(self.pair.0, self.pair.1).expect("it was asked for");
        (!game.is_refuted(root)).then(|| game.largest_deviation(root))
    }

    /// Whether the pair is related at a bound: then with the largest deviation that answers use. Later bounds must be smaller if it is.
    fn test(&mut self, bound: Bound) -> Result<Option<Ratio>, Failure> {
        let rule = Rule::Distance(self.kind, bound);
        let usable =
            self.invariants.as_ref().filter(|(of, _)| of.covers(bound)).map(|(_, invariants)| invariants);
        let aids = Aids {
            known: Some(&self.known),
            classes: self.classes.as_deref(),
            invariants: usable,
            shape: self.shape.as_deref(),
            stay: None,
            patience: PATIENCE,
        };
        let mut computed = Computed::default();
        let game = played(self.arena, &rule, aids, self.pair, true, &mut computed, self.control)?;
        let deviation = self.outcome(&game);
        let refuted: Vec<u64> = if deviation.is_some() && !game.is_restricted {
            game.all_refuted().collect()
        } else {
            Vec::new()
        };
        drop(game);
        self.known.extend(refuted);
        if let Some(shape) = computed.shape {
            self.shape = Some(shape);
        }
        if let Some(computed) = computed.all {
            self.invariants = Some((bound, computed));
        }
        Ok(deviation)
    }
}
