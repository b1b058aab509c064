//! The least bound at which two states are related.
//!
//! The relation changes only at the deviations `|W - w| / w`, which are finitely many, but too many to list.
//! A successful test lowers the upper end to the largest deviation that its answers use, which is such a
//! number. A test strictly below it either proves that it is the distance, or lowers it again. In between,
//! the interval is split at the simplest fraction in its middle half (Stern-Brocot). If the denominator of
//! the simplest fraction inside is larger than any weight, no candidate is left. The number of tests is
//! logarithmic in the weights.

use crate::Failure;
use crate::game::answer::Arena;
use crate::game::bound::{Bound, Kind, Ratio, simplest_between};
use crate::game::classes::{Dominance, refine};
use crate::game::invariants::Invariants;
use crate::game::play::{Aids, Game, Known};
use crate::game::rule::Rule;
use crate::game::stages::{Computed, PATIENCE, played, short};
use volvelle_control::Control;

/// The distance; `None` if it is infinite. `largest` bounds weights of paths, see
/// [`super::bound::check_weights`].
pub(crate) fn distance(
    arena: &Arena,
    kind: Kind,
    pair: (u32, u32),
    largest: u64,
    control: &Control,
) -> Result<Option<Ratio>, Failure> {
    distance_after(arena, kind, pair, largest, PATIENCE, control)
}

/// Like [`distance`], with a limit for short games: see [`Aids::patience`].
fn distance_after(
    arena: &Arena,
    kind: Kind,
    pair: (u32, u32),
    largest: u64,
    patience: u64,
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
        failed: None,
        weights: weights(arena),
        patience,
        control,
    };
    let (mut low, mut high) = match kind {
        Kind::Ebd => {
            if search.test(Bound::AtMost(Ratio::ZERO))?.is_some() {
                return Ok(Some(Ratio::ZERO));
            }
            // Large bounds relate almost everything, so their games are long. Unless this game is short,
            // begin with small bounds.
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
            // EBD <= WBD <= max(1, EBD), so both are equal from one on.
            let below = match distance_after(arena, Kind::Ebd, pair, largest, patience, control)? {
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

/// A fraction at which to split an interval; `None` if no candidate lies strictly inside. Denominators of
/// candidates are weights of steps.
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

/// Classes of states at distance 0 from each other, in both directions; `None` for intervals of weights.
pub(super) fn classes(arena: &Arena, kind: Kind, control: &Control) -> Result<Option<Vec<u32>>, Failure> {
    let dominance = match kind {
        Kind::Ebd => Dominance::Least,
        Kind::Wbd => Dominance::All,
    };
    let is_exact = arena.relaxed.is_none();
    is_exact.then(|| refine(arena.structure, dominance, control)).transpose()
}

/// The weights of steps, each once.
fn weights(arena: &Arena) -> Vec<u64> {
    let steps = 0..arena.structure.num_steps();
    let mut weights: Vec<u64> = steps.flat_map(|step| <[u64; 2]>::from(arena.weights(step))).collect();
    weights.sort_unstable();
    weights.dedup();
    weights
}

struct Search<'a, 's> {
    arena: &'a Arena<'s>,
    kind: Kind,
    pair: (u32, u32),
    known: Known,
    classes: Option<Vec<u32>>,
    /// See [`Aids::shape`].
    shape: Option<Vec<u32>>,
    /// The invariants of a bound that is not smaller than any later one.
    invariants: Option<(Bound, Invariants<'s>)>,
    /// The windows of all weights at the largest failed bound.
    failed: Option<Vec<(u64, u64)>>,
    /// The weights of steps, each once.
    weights: Vec<u64>,
    patience: u64,
    control: &'a Control<'a>,
}

impl Search<'_, '_> {
    /// Tests increasing bounds above `low` until one succeeds. Returns the largest failed one, and the result
    /// of the last test.
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

    /// Like [`Self::test`]; `None` if the game is not short.
    fn short_test(&mut self, bound: Bound) -> Result<Option<Option<Ratio>>, Failure> {
        let rule = Rule::Distance(self.kind, bound);
        let aids = Aids {
            known: Some(&self.known),
            classes: self.classes.as_deref(),
            patience: self.patience,
            ..Aids::default()
        };
        let Some(game) = short(self.arena, &rule, aids, self.pair, self.control)? else { return Ok(None) };
        Ok(Some(self.outcome(&game)))
    }

    fn outcome(&self, game: &Game) -> Option<Ratio> {
        if let Some(deviation) = game.ready_deviation(self.pair) {
            return Some(deviation);
        }
        let root = game.number(self.pair.0, self.pair.1).expect("it was asked for");
        (!game.is_refuted(root)).then(|| game.largest_deviation(root))
    }

    /// If the pair is related at a bound: the largest deviation that answers use. Later bounds must then be
    /// smaller.
    fn test(&mut self, bound: Bound) -> Result<Option<Ratio>, Failure> {
        // Different bounds may give the same windows.
        let windows: Vec<(u64, u64)> =
            self.weights.iter().map(|&weight| bound.window(self.kind, weight)).collect();
        let is_within = |(inner, outer): (&(u64, u64), &(u64, u64))| outer.0 <= inner.0 && inner.1 <= outer.1;
        if self.failed.as_ref().is_some_and(|failed| windows.iter().zip(failed).all(is_within)) {
            return Ok(None);
        }
        let rule = Rule::Distance(self.kind, bound);
        let usable =
            self.invariants.as_ref().filter(|(of, _)| of.covers(bound)).map(|(_, invariants)| invariants);
        let aids = Aids {
            known: Some(&self.known),
            classes: self.classes.as_deref(),
            invariants: usable,
            shape: self.shape.as_deref(),
            stay: None,
            ready: None,
            patience: self.patience,
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
        if deviation.is_none() {
            self.failed = Some(windows);
        }
        Ok(deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reason::explain_after;
    use super::super::{Distance, Reason};
    use super::*;
    use crate::game::bound::check_weights;
    use volvelle_random::{Random, attack_cases};
    use volvelle_space::{WeightedBuilder, WeightedStep};

    /// Sets of states that are ready for everything, and invariants, change no distance, however early they are asked.
    #[test]
    fn attack_distances_do_not_depend_on_patience() {
        let control = Control::unlimited();
        let (mut finite, mut infinite) = (0, 0);
        for case in attack_cases(120) {
            let mut random = Random(case ^ 0x0d15);
            let states = 4 + random.below(16);
            let (valuations, weights) = (1 + random.below(2), 2 + random.below(4));
            let mut builder = WeightedBuilder::new();
            for _ in 0..states {
                let steps: Vec<WeightedStep> = (0..1 + random.below(3))
                    .map(|_| WeightedStep {
                        weight: random.below(weights) as u64,
                        target: random.below(states) as u32,
                    })
                    .collect();
                builder.state([(random.below(valuations) as u32, 1)], steps);
            }
            let names = (0..valuations).map(|p| format!("p{p}")).collect();
            let structure = builder.finish(0, dashu_ratio::RBig::ONE, names);
            let (arena, largest) = (Arena::new(&structure), check_weights(&structure).expect("small"));
            for kind in [Kind::Ebd, Kind::Wbd] {
                for _ in 0..8 {
                    let pair = (random.below(states) as u32, random.below(states) as u32);
                    let long = distance_after(&arena, kind, pair, largest, 1 << 40, &control);
                    let early = distance_after(&arena, kind, pair, largest, 0, &control);
                    let (long, early) = (long.expect("no limits"), early.expect("no limits"));
                    assert_eq!(long, early, "{kind:?} {pair:?} {structure:?}");
                    let found = Distance::of(long);
                    let reason = explain_after(&structure, pair, kind, &found, 0, &control);
                    if let Reason::Realised(found) = reason.expect("no limits") {
                        let exact = long.expect("it is finite").exact();
                        assert_eq!(found.deviation, exact, "{kind:?} {pair:?} {structure:?}");
                        let apart = arena.deviation(kind, found.step as usize, &found.answer);
                        assert_eq!(apart.map(Ratio::exact), Some(exact), "{kind:?} {pair:?} {structure:?}");
                    }
                    if long.is_some() { finite += 1 } else { infinite += 1 }
                }
            }
        }
        assert!(finite > 50 && infinite > 50 || attack_cases(120).count() < 120, "{finite} {infinite}");
    }
}
