//! Which code runs next: speeds of those in the race, the leader, and the trial of somebody who may be faster.
//!
//! Knows neither code nor clock: it is told how long whole ranges of paths took. A speed is the best of the last [`SLICES`] slices of
//! at least [`SLICE_SECONDS`]: what is slower was disturbed. Who comes in is on trial until it has run so many slices, while
//! others go on with the leader, and takes the lead only if it is faster by [`MARGIN`]. Who lost narrowly gets another trial
//! now and then, and who is faster than what the leader has come to be, at once.

/// Slices that speeds are taken from.
const SLICES: usize = 3;
/// Shorter runs are put together.
const SLICE_SECONDS: f64 = 5e-4;
/// A trial that took so long is over, however few slices there were.
const LONG_TRIAL_SECONDS: f64 = 0.03;
/// By how much the leader must be beaten.
const MARGIN: f64 = 1.03;
/// By how much somebody at rest must have been faster than the leader is now for a trial at once.
const CLEAR: f64 = 1.15;
/// Those who were not slower than this share of the leader get another trial.
const NARROW: f64 = 0.75;
/// After so many slices of the leader, and then twice as many, and so on.
const FIRST_REST: u32 = 24;

/// Somebody in the race.
#[derive(Clone, Debug, Default)]
struct Entrant {
    /// Speeds of the last slices: steps a second, with one more for each path: one without steps takes some time, too.
    speeds: Vec<f64>,
    /// What is not yet a slice.
    open: Work,
    total: Work,
}

/// Paths that were run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    pub paths: u64,
    pub steps: u64,
    pub seconds: f64,
}

impl Work {
    fn add(&mut self, other: Work) {
        self.paths += other.paths;
        self.steps += other.steps;
        self.seconds += other.seconds;
    }

    fn speed(&self) -> f64 {
        (self.steps + self.paths) as f64 / self.seconds.max(1e-9)
    }

    /// Steps a second.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.seconds.max(1e-9)
    }
}

impl Entrant {
    fn ran(&mut self, work: Work) -> bool {
        self.total.add(work);
        self.open.add(work);
        let is_slice = self.open.seconds >= SLICE_SECONDS;
        if is_slice {
            if self.speeds.len() == SLICES {
                self.speeds.remove(0);
            }
            self.speeds.push(self.open.speed());
            self.open = Work::default();
        }
        is_slice
    }

    fn speed(&self) -> Option<f64> {
        self.speeds.iter().copied().reduce(f64::max)
    }
}

/// A trial under way.
#[derive(Clone, Copy, Debug)]
struct Trial {
    who: usize,
    /// Whether it has just come in.
    is_new: bool,
    /// One worker at a time, so that the others go on with the leader.
    is_running: bool,
    slices: usize,
    seconds: f64,
}

/// The race as it stands.
#[derive(Clone, Debug)]
pub struct Scores {
    entrants: Vec<Entrant>,
    leader: usize,
    trial: Option<Trial>,
    /// Slices of the leader up to the next trial of one that lost narrowly.
    rest: u32,
    next_rest: u32,
    last: usize,
}

impl Scores {
    /// A race of one.
    pub fn new() -> Self {
        Scores {
            entrants: vec![Entrant::default()],
            leader: 0,
            trial: None,
            rest: FIRST_REST,
            next_rest: FIRST_REST,
            last: 0,
        }
    }

    /// Somebody comes in, and is on trial; says who it is. A trial under way is broken off: it was of one who had its chance.
    pub fn enter(&mut self) -> usize {
        self.entrants.push(Entrant::default());
        let who = self.entrants.len() - 1;
        self.try_out(who, true);
        who
    }

    fn try_out(&mut self, who: usize, is_new: bool) {
        self.trial = Some(Trial { who, is_new, is_running: false, slices: 0, seconds: 0.0 });
        self.entrants[who].open = Work::default();
    }

    /// Who runs the next range.
    pub fn next(&mut self) -> usize {
        self.last = match &mut self.trial {
            Some(trial) if !trial.is_running => {
                trial.is_running = true;
                trial.who
            }
            _ => self.leader,
        };
        self.last
    }

    /// Somebody has run a range; nothing of it, if it failed.
    pub fn ran(&mut self, who: usize, work: Work) {
        let is_slice = self.entrants[who].ran(work);
        match self.trial {
            Some(mut trial) if trial.who == who => {
                trial.is_running = false;
                trial.slices += usize::from(is_slice);
                trial.seconds += work.seconds;
                self.trial = Some(trial);
                if trial.slices >= SLICES || (trial.slices > 0 && trial.seconds >= LONG_TRIAL_SECONDS) {
                    self.decide(who);
                }
            }
            None if who == self.leader && is_slice => self.challenge(),
            _ => {}
        }
    }

    /// The end of a trial.
    fn decide(&mut self, who: usize) {
        self.trial = None;
        self.rest = self.next_rest;
        let (Some(new), old) = (self.speed(who), self.speed(self.leader)) else { return };
        if old.is_none_or(|old| new > MARGIN * old) {
            self.leader = who;
        }
    }

    /// Who is worth another trial.
    fn challenge(&mut self) {
        let Some(speed) = self.speed(self.leader) else { return };
        let others = (0..self.entrants.len()).filter(|&who| who != self.leader);
        let known = others.filter_map(|who| Some((who, self.speed(who)?)));
        let Some((who, best)) = known.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        self.rest = self.rest.saturating_sub(1);
        if best > CLEAR * speed {
            self.try_out(who, false);
        } else if self.rest == 0 {
            self.next_rest = self.next_rest.saturating_mul(2);
            self.rest = self.next_rest;
            if best > NARROW * speed {
                self.try_out(who, false);
            }
        }
    }

    /// Whether nobody new is on trial, and the leader's speed is known.
    pub fn is_settled(&self) -> bool {
        self.trial.is_none_or(|trial| !trial.is_new) && self.speed(self.leader).is_some()
    }

    /// The speed of somebody who has run long enough: steps and paths a second.
    pub fn speed(&self, who: usize) -> Option<f64> {
        self.entrants[who].speed()
    }

    /// Who leads.
    pub fn leader(&self) -> usize {
        self.leader
    }

    /// Who ran last, or runs still.
    pub fn last(&self) -> usize {
        self.last
    }

    /// What somebody has run.
    pub fn work(&self, who: usize) -> Work {
        self.entrants[who].total
    }

    /// What all have run.
    pub fn all(&self) -> Work {
        self.entrants.iter().fold(Work::default(), |mut sum, entrant| {
            sum.add(entrant.total);
            sum
        })
    }

    /// Who has run most paths; the first of them, if none were run.
    pub fn busiest(&self) -> usize {
        (0..self.entrants.len()).rev().max_by_key(|&who| self.entrants[who].total.paths).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{SLICES, Scores, Work};

    /// Runs so many ranges of 2 ms each, by whoever is next, at the speeds that are given: steps a second.
    fn run(scores: &mut Scores, ranges: usize, speed: impl Fn(usize) -> f64) {
        for _ in 0..ranges {
            let who = scores.next();
            scores.ran(who, work(speed(who), 2e-3));
        }
    }

    fn work(speed: f64, seconds: f64) -> Work {
        Work { paths: 0, steps: (speed * seconds) as u64, seconds }
    }

    #[test]
    fn the_fastest_leads() {
        let speeds = [3e8, 1e8, 4e8, 2e8, 4.04e8];
        let mut scores = Scores::new();
        run(&mut scores, 5, |who| speeds[who]);
        for (who, leader) in [(1, 0), (2, 2), (3, 2), (4, 2)] {
            assert_eq!(scores.enter(), who);
            assert!(!scores.is_settled());
            run(&mut scores, SLICES, |who| speeds[who]);
            assert!(scores.is_settled());
            // One per cent faster may be chance.
            assert_eq!(scores.leader(), leader);
        }
        run(&mut scores, 20, |who| speeds[who]);
        assert_eq!((scores.last(), scores.busiest()), (2, 0));
        let all = scores.all();
        let ranges = (all.seconds / 2e-3).round() as usize;
        assert_eq!(ranges, 5 + 4 * SLICES + 20);
    }

    #[test]
    fn who_is_disturbed_once_is_not_lost() {
        for disturbed in 0..SLICES {
            let mut scores = Scores::new();
            run(&mut scores, 5, |_| 1e8);
            scores.enter();
            for i in 0..SLICES {
                run(&mut scores, 1, |_| if i == disturbed { 1e7 } else { 2e8 });
            }
            assert_eq!(scores.leader(), 1);
        }
    }

    #[test]
    fn who_lost_narrowly_gets_another_trial() {
        let mut scores = Scores::new();
        run(&mut scores, 5, |_| 1e8);
        scores.enter();
        run(&mut scores, SLICES, |_| 0.8e8);
        assert_eq!(scores.leader(), 0);
        run(&mut scores, 100, |who| [1e8, 1.2e8][who]);
        assert_eq!(scores.leader(), 1);
    }

    #[test]
    fn trials_become_rare() {
        let mut scores = Scores::new();
        run(&mut scores, 5, |_| 1e8);
        scores.enter();
        run(&mut scores, 10_000, |who| [1e8, 0.9e8][who]);
        let lost = scores.work(1).seconds / scores.all().seconds;
        assert!(scores.leader() == 0 && lost < 0.01, "{lost}");
    }

    #[test]
    fn who_falls_behind_is_challenged_at_once() {
        let mut scores = Scores::new();
        run(&mut scores, 5, |_| 2e8);
        scores.enter();
        run(&mut scores, 10, |who| [2e8, 1e8][who]);
        assert_eq!(scores.leader(), 0);
        // Paths become such that the other code runs them better.
        run(&mut scores, 3 * SLICES, |who| [5e7, 1e8][who]);
        assert_eq!(scores.leader(), 1);
        // A machine that is slow for everybody changes nothing for long.
        run(&mut scores, 100, |who| [5e6, 1e7][who]);
        assert_eq!(scores.leader(), 1);
    }

    #[test]
    fn one_worker_tries_while_others_go_on() {
        let mut scores = Scores::new();
        run(&mut scores, 5, |_| 1e8);
        scores.enter();
        assert_eq!([scores.next(), scores.next(), scores.next()], [1, 0, 0]);
        scores.ran(0, work(1e8, 2e-3));
        assert_eq!(scores.next(), 0);
        scores.ran(1, work(1e8, 2e-3));
        assert_eq!(scores.next(), 1);
        // A run that failed is no reason to wait for it.
        scores.ran(1, Work::default());
        assert_eq!(scores.next(), 1);
    }

    #[test]
    fn short_runs_are_put_together_and_long_ones_are_few() {
        let mut scores = Scores::new();
        for _ in 0..30 {
            let who = scores.next();
            scores.ran(who, work(1e8, 2e-5));
        }
        assert!(scores.is_settled() && (scores.speed(0).unwrap() / 1e8 - 1.0).abs() < 1e-6);
        scores.enter();
        let who = scores.next();
        scores.ran(who, work(1e7, 0.2));
        assert!(scores.is_settled(), "one of 200 ms is enough");
        assert_eq!(scores.leader(), 0);
    }
}
