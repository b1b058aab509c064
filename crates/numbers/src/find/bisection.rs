//! Where a sequence of truth values changes, and what the values that were looked at prove.
//!
//! Exponential search and bisection (Bentley and Yao 1976, *An almost optimal algorithm for unbounded searching*): the
//! places 0, 1, 3, 7, ... up to the first change, then halves of the interval between. Models grow with their constants,
//! so that a search from the small end meets no value much beyond the answer.

/// Looks at a place: its truth, or `None` where that is too large to tell; an error ends the search.
pub(super) type Look<'a, E> = dyn FnMut(usize) -> Result<Option<bool>, E> + 'a;

/// Looks for a place behind the first whose truth differs from `first`, and for its neighbour that has `first` still.
pub(super) fn change<E>(n: usize, first: bool, look: &mut Look<'_, E>) -> Result<(), E> {
    let mut same = 0;
    let mut differs = None;
    // Places from here on are too large.
    let mut limit = n;
    let mut stride = 1;
    loop {
        let next = match differs {
            Some(place) => (same + place) / 2,
            None if limit < n => (same + limit) / 2,
            None => (same + stride).min(n - 1),
        };
        if next == same {
            return Ok(());
        }
        stride *= 2;
        match look(next)? {
            Some(truth) if truth == first => same = next,
            Some(_) => differs = Some(next),
            None => limit = next,
        }
    }
}

/// Looks at the places in their order until one holds, or is too large.
pub(super) fn scan<E>(places: impl Iterator<Item = usize>, look: &mut Look<'_, E>) -> Result<(), E> {
    for place in places {
        if look(place)? != Some(false) {
            break;
        }
    }
    Ok(())
}

/// Three places, in their order, whose truths or whose bounds on a number show that a sequence neither only rises nor only
/// falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// The truths of these places alternate.
    Truths([usize; 3]),
    /// The number rises between the first two places, and falls between the last two.
    RisesAndFalls([usize; 2], [usize; 2]),
}

/// What was seen at a place: its truth, and bounds of the number that decides it, where there is one.
pub(super) type Seen = (usize, bool, Option<[f64; 2]>);

/// Looks for a contradiction to monotonicity among what was seen, in the order of the places.
pub(super) fn contradiction(seen: &[Seen]) -> Option<Contradiction> {
    let mut changes = seen.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    if let (Some(one), Some(two)) = (changes.next(), changes.next()) {
        return Some(Contradiction::Truths([one[0].0, one[1].0, two[1].0]));
    }
    let bounds: Vec<(usize, [f64; 2])> = seen.iter().filter_map(|&(i, _, b)| Some((i, b?))).collect();
    // Bounds that overlap prove nothing.
    let pair = |rises: bool| {
        let mut extreme: Option<(usize, f64)> = None;
        for &(i, [lo, hi]) in &bounds {
            match extreme {
                Some((j, edge)) if if rises { lo > edge } else { hi < edge } => return Some([j, i]),
                _ => {}
            }
            let edge = if rises { hi } else { lo };
            if extreme.is_none_or(|(_, known)| if rises { edge < known } else { edge > known }) {
                extreme = Some((i, edge));
            }
        }
        None
    };
    Some(Contradiction::RisesAndFalls(pair(true)?, pair(false)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn looked(truths: &[bool], limit: usize) -> Vec<usize> {
        let mut places = vec![0];
        let mut look = |i: usize| -> Result<Option<bool>, Infallible> {
            places.push(i);
            Ok((i < limit).then(|| truths[i]))
        };
        let Ok(()) = change(truths.len(), truths[0], &mut look);
        places
    }

    #[test]
    fn every_change_is_found_with_its_neighbour() {
        for n in 1..70usize {
            for at in 1..=n {
                let truths: Vec<bool> = (0..n).map(|i| i >= at).collect();
                let places = looked(&truths, n);
                assert!(places.contains(&(at - 1)), "{n} {at}");
                assert!(at == n || places.contains(&at), "{n} {at}");
                let log = at.ilog2() as usize;
                assert!(places.len() <= 2 * log + 4, "{n} {at}: {places:?}");
                // Nothing much beyond the change is looked at.
                assert!(places.iter().all(|&p| p <= 2 * at), "{n} {at}: {places:?}");
            }
        }
    }

    #[test]
    fn places_that_are_too_large_are_approached_from_below() {
        for limit in 1..70 {
            let places = looked(&[false; 100], limit);
            assert!(places.contains(&(limit - 1)) && places.contains(&limit), "{limit}: {places:?}");
        }
    }

    #[test]
    fn contradictions() {
        let truths = |truths: &[bool]| {
            let seen: Vec<Seen> = truths.iter().enumerate().map(|(i, &t)| (i, t, None)).collect();
            contradiction(&seen)
        };
        assert_eq!(truths(&[false, false, true]), None);
        assert_eq!(truths(&[true, false]), None);
        assert_eq!(truths(&[false, true, true, false]), Some(Contradiction::Truths([0, 1, 3])));
        let numbers = |numbers: &[[f64; 2]]| {
            let seen: Vec<Seen> = numbers.iter().enumerate().map(|(i, &b)| (i, false, Some(b))).collect();
            contradiction(&seen)
        };
        assert_eq!(numbers(&[[0.1, 0.2], [0.15, 0.25], [0.3, 0.4]]), None);
        assert_eq!(numbers(&[[0.1, 0.2], [0.15, 0.25], [0.12, 0.4]]), None);
        assert_eq!(numbers(&[[0.3, 0.3], [0.2, 0.2], [0.1, 0.1]]), None);
        assert_eq!(
            numbers(&[[0.3, 0.3], [0.1, 0.1], [0.2, 0.2]]),
            Some(Contradiction::RisesAndFalls([1, 2], [0, 1]))
        );
    }
}
