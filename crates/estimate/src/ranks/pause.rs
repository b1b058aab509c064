//! How long the leader sleeps between checks for messages of another rank.
//!
//! A check costs the leader some tens of microseconds, since it takes a processor away from a thread that
//! runs paths. A hundred checks per second are negligible, thousands are not. A message that is noticed late
//! keeps its sender waiting.

use std::time::Duration;

/// Shortest time between two looks.
const SHORTEST: Duration = Duration::from_micros(300);
/// Longest time: the leader also looks whether it is to stop.
const LONGEST: Duration = Duration::from_millis(20);

/// The pause if the message has been awaited for `elapsed`, and is expected after `expected`: shorter near
/// that time.
pub fn near(elapsed: Duration, expected: Duration) -> Duration {
    let distance = match expected.checked_sub(elapsed) {
        Some(early) => early / 4,
        None => (elapsed - expected) / 16,
    };
    distance.clamp(SHORTEST, LONGEST)
}

/// The pause if only the time awaited so far is known: a small share of it.
pub fn after(elapsed: Duration) -> Duration {
    (elapsed / 32).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, SHORTEST, after, near};
    use std::time::Duration;

    /// The looks until something comes, and how late the last one is.
    fn looks(comes: Duration, pause: impl Fn(Duration) -> Duration) -> (u32, Duration) {
        let (mut looks, mut now) = (0, Duration::ZERO);
        while now < comes {
            now += pause(now);
            looks += 1;
        }
        (looks, now - comes)
    }

    #[test]
    fn what_comes_as_expected_is_found_at_once_with_few_looks() {
        let expected = Duration::from_millis(500);
        for (comes, most_looks, latest) in
            [(500, 70, 1), (495, 60, 2), (510, 110, 2), (250, 20, 20), (900, 150, 20)]
        {
            let (looks, late) = looks(Duration::from_millis(comes), |elapsed| near(elapsed, expected));
            assert!(looks <= most_looks, "{comes} ms: {looks} looks");
            assert!(late <= Duration::from_millis(latest), "{comes} ms: {late:?} late");
        }
    }

    #[test]
    fn what_is_not_expected_is_late_by_a_small_share_of_its_time() {
        for comes in [1, 10, 100, 1000, 100_000].map(Duration::from_millis) {
            let (looks, late) = looks(comes, after);
            assert!(late <= (comes / 16).max(SHORTEST).min(LONGEST), "{comes:?}: {late:?} late");
            let most = 200 + comes.as_millis() / LONGEST.as_millis();
            assert!(u128::from(looks) <= most, "{comes:?}: {looks} looks");
        }
    }
}
