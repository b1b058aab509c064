//! Throughput statistics of the candidates of an adaptive selection: their speeds, the leader, and trials of
//! candidates.
//!
//! The statistics know neither code nor clock: the caller reports how long ranges of paths took. In a trial,
//! the candidate and the leader run short ranges in turns, so that other load on the machine affects both.
//! The fastest range of each is compared, since slower ones were disturbed. The leader changes only by a
//! clear `MARGIN`. A candidate that lost narrowly gets another trial now and then. Length and frequency of
//! trials depend on what runs the paths ([`TrialRules`]).

use std::ops::RangeInclusive;

/// Lengths and intervals of trials.
#[derive(Clone, Debug)]
pub struct TrialRules {
    /// Ranges that each side runs in a trial.
    pairs: u32,
    /// Approximate duration of a range, if its number of paths can be chosen.
    range_seconds: f64,
    /// Least time that the candidate on trial runs: single ranges may be shorter.
    short_seconds: f64,
    /// A trial ends after this time, however few ranges there were.
    long_seconds: f64,
    /// Time of the leader before another trial: at first the lower end, then twice as long each time, up to
    /// the upper end.
    rest_seconds: RangeInclusive<f64>,
}

impl TrialRules {
    /// For threads, which run ranges of any length without extra cost.
    pub const THREADS: TrialRules = TrialRules {
        pairs: 6,
        range_seconds: 1.2e-3,
        short_seconds: 3e-3,
        long_seconds: 0.06,
        rest_seconds: 0.3..=20.0,
    };
    /// For devices, which choose the number of paths of a launch themselves, for about a tenth of a second.
    /// The first launch of a kernel may take longer, because technologies defer part of their preparations;
    /// so a trial has several.
    pub const DEVICES: TrialRules = TrialRules {
        pairs: 2,
        range_seconds: f64::INFINITY,
        short_seconds: 0.0,
        long_seconds: f64::INFINITY,
        rest_seconds: 3.0..=60.0,
    };
}

/// Paths of a range in a trial at least: some for each lane.
const FEWEST_PATHS: u64 = 64;
/// Factor by which a candidate must beat the leader.
const MARGIN: f64 = 1.03;
/// Candidates above this share of the leader's speed get another trial.
const NARROW: f64 = 0.75;
/// Time that the first leader runs before the first trial.
const WARM_SECONDS: f64 = 3e-3;

/// Paths that were run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Number of paths.
    pub paths: u64,
    /// Steps on them.
    pub steps: u64,
    /// Seconds that they took.
    pub seconds: f64,
}

impl Work {
    fn add(&mut self, other: Work) {
        self.paths += other.paths;
        self.steps += other.steps;
        self.seconds += other.seconds;
    }

    /// Steps per second, counting one more per path, since a path without steps also takes time.
    fn speed(&self) -> f64 {
        (self.steps + self.paths) as f64 / self.seconds.max(1e-9)
    }

    /// Steps a second.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.seconds.max(1e-9)
    }
}

/// The statistics of a candidate.
#[derive(Clone, Debug, Default)]
struct Candidate {
    /// Speed relative to the first candidate; `None` before its trial.
    speed: Option<f64>,
    total: Work,
}

/// A trial under way.
#[derive(Clone, Copy, Debug)]
struct Trial {
    number: u32,
    who: usize,
    /// Whether this is the first trial of the candidate.
    is_new: bool,
    /// Whether a worker runs a range of the trial. Only one does at a time; the others continue with the
    /// leader.
    is_running: bool,
    /// Pairs of ranges that were run; the candidate on trial comes first.
    pairs: u32,
    leader_is_next: bool,
    /// Speed of the fastest range of the candidate on trial, and of the leader.
    best: [f64; 2],
    /// Time that the candidate on trial has run.
    seconds: f64,
}

/// A range to run, and the candidate that runs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Index of the candidate.
    pub who: usize,
    /// Most paths.
    pub paths: u64,
    /// Number of the trial that the range belongs to.
    trial: Option<u32>,
}

/// The statistics of all candidates.
#[derive(Clone, Debug)]
pub struct Throughput {
    rules: TrialRules,
    candidates: Vec<Candidate>,
    leader: usize,
    trial: Option<Trial>,
    trials: u32,
    /// Seconds of the leader since the last trial, and seconds until the next one.
    rested: f64,
    rest: f64,
    last: usize,
}

impl Throughput {
    /// Statistics of a single candidate.
    pub fn new(rules: TrialRules) -> Self {
        Throughput {
            rest: *rules.rest_seconds.start(),
            rules,
            candidates: vec![Candidate { speed: Some(1.0), total: Work::default() }],
            leader: 0,
            trial: None,
            trials: 0,
            rested: 0.0,
            last: 0,
        }
    }

    /// Adds a candidate, starts its trial, and returns its index. Breaks off any other trial.
    pub fn enter(&mut self) -> usize {
        self.candidates.push(Candidate::default());
        let who = self.candidates.len() - 1;
        self.try_out(who, true);
        who
    }

    fn try_out(&mut self, who: usize, is_new: bool) {
        self.trials += 1;
        self.trial = Some(Trial {
            number: self.trials,
            who,
            is_new,
            is_running: false,
            pairs: 0,
            leader_is_next: false,
            best: [0.0; 2],
            seconds: 0.0,
        });
    }

    /// The next range.
    pub fn next_turn(&mut self) -> Turn {
        let leader = &self.candidates[self.leader].total;
        let each = leader.seconds / leader.paths.max(1) as f64;
        let paths = ((self.rules.range_seconds / each.max(1e-12)) as u64).max(FEWEST_PATHS);
        let turn = match &mut self.trial {
            Some(trial) if !trial.is_running => {
                trial.is_running = true;
                let who = if trial.leader_is_next { self.leader } else { trial.who };
                Turn { who, paths, trial: Some(trial.number) }
            }
            _ => Turn { who: self.leader, paths: u64::MAX, trial: None },
        };
        self.last = turn.who;
        turn
    }

    /// Records a range that was run; `work` is empty if it failed.
    pub fn ran(&mut self, turn: Turn, work: Work) {
        self.candidates[turn.who].total.add(work);
        match &mut self.trial {
            Some(trial) if turn.trial == Some(trial.number) => {
                trial.is_running = false;
                if work.paths == 0 {
                    return;
                }
                let best = &mut trial.best[usize::from(trial.leader_is_next)];
                *best = best.max(work.speed());
                if trial.leader_is_next {
                    trial.pairs += 1;
                } else {
                    trial.seconds += work.seconds;
                }
                trial.leader_is_next = !trial.leader_is_next;
                let is_enough = trial.pairs >= self.rules.pairs && trial.seconds >= self.rules.short_seconds;
                let is_long = trial.pairs > 0 && trial.seconds >= self.rules.long_seconds;
                if !trial.leader_is_next && (is_enough || is_long) {
                    self.decide();
                }
            }
            None if turn.who == self.leader => {
                self.rested += work.seconds;
                if self.rested >= self.rest {
                    self.challenge();
                }
            }
            _ => {}
        }
    }

    /// The end of a trial.
    fn decide(&mut self) {
        let Some(Trial { who, best: [new, old], .. }) = self.trial.take() else { return };
        self.rested = 0.0;
        let ratio = new / old.max(f64::MIN_POSITIVE);
        self.candidates[who].speed = self.candidates[self.leader].speed.map(|speed| speed * ratio);
        if ratio > MARGIN {
            self.leader = who;
        }
    }

    /// Starts another trial of the best candidate that lost narrowly.
    fn challenge(&mut self) {
        self.rested = 0.0;
        self.rest = (2.0 * self.rest).min(*self.rules.rest_seconds.end());
        let Some(speed) = self.speed(self.leader) else { return };
        let others = (0..self.candidates.len()).filter(|&who| who != self.leader);
        let known = others.filter_map(|who| Some((who, self.speed(who)?)));
        if let Some((who, best)) = known.max_by(|a, b| a.1.total_cmp(&b.1))
            && best > NARROW * speed
        {
            self.try_out(who, false);
        }
    }

    /// Whether no new candidate is on trial and the leader has run for a while: in its first short ranges,
    /// code for many paths at once looks slower than it is.
    pub fn is_settled(&self) -> bool {
        self.candidates[self.leader].total.seconds >= WARM_SECONDS
            && self.trial.is_none_or(|trial| !trial.is_new)
    }

    /// Speed of a candidate relative to the first one; `None` before its trial.
    pub fn speed(&self, who: usize) -> Option<f64> {
        self.candidates[who].speed
    }

    /// The fastest candidate.
    pub fn leader(&self) -> usize {
        self.leader
    }

    /// The candidate of the last range.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The work of a candidate.
    pub fn work(&self, who: usize) -> Work {
        self.candidates[who].total
    }

    /// The work of all candidates.
    pub fn all(&self) -> Work {
        self.candidates.iter().fold(Work::default(), |mut sum, candidate| {
            sum.add(candidate.total);
            sum
        })
    }

    /// The candidate with most paths; the first one if none were run.
    pub fn busiest(&self) -> usize {
        (0..self.candidates.len()).rev().max_by_key(|&who| self.candidates[who].total.paths).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Throughput, TrialRules, Work};

    const TRIAL: usize = 2 * TrialRules::THREADS.pairs as usize;

    /// Runs ranges of 2 ms each by the candidates whose turn it is, at given speeds in steps a second.
    fn run(throughput: &mut Throughput, ranges: usize, speed: impl Fn(usize, usize) -> f64) {
        for i in 0..ranges {
            let turn = throughput.next_turn();
            throughput.ran(turn, work(speed(turn.who, i), 2e-3));
        }
    }

    fn work(speed: f64, seconds: f64) -> Work {
        let all = (speed * seconds) as u64;
        Work { paths: all / 10, steps: all - all / 10, seconds }
    }

    #[test]
    fn the_fastest_leads() {
        let speeds = [3e8, 1e8, 4e8, 2e8, 4.04e8];
        let mut throughput = Throughput::new(TrialRules::THREADS);
        assert!(!throughput.is_settled(), "it has not run yet");
        run(&mut throughput, 5, |who, _| speeds[who]);
        // One per cent faster may be chance.
        for (who, leader) in [(1, 0), (2, 2), (3, 2), (4, 2)] {
            assert_eq!(throughput.enter(), who);
            assert!(!throughput.is_settled());
            run(&mut throughput, TRIAL, |who, _| speeds[who]);
            assert!(throughput.is_settled());
            assert_eq!(throughput.leader(), leader);
            let relative = throughput.speed(who).expect("it was on trial");
            assert!((relative / (speeds[who] / speeds[0]) - 1.0).abs() < 1e-3, "{relative}");
        }
        run(&mut throughput, 50, |who, _| speeds[who]);
        assert_eq!((throughput.last(), throughput.busiest()), (2, 2));
        let ranges = (throughput.all().seconds / 2e-3).round() as usize;
        assert_eq!(ranges, 5 + 4 * TRIAL + 50);
    }

    #[test]
    fn a_machine_that_is_disturbed_does_not_decide() {
        // Every second or third range takes ten times as long, or the whole machine becomes slower.
        for disturbed in 0..3 {
            let mut throughput = Throughput::new(TrialRules::THREADS);
            run(&mut throughput, 5, |_, _| 1e8);
            for (who, speed) in [(1, 2e8), (2, 1.5e8)] {
                throughput.enter();
                run(&mut throughput, TRIAL, |runs, i| {
                    let undisturbed = if runs == who { speed } else { [1e8, 2e8][runs] };
                    undisturbed / [10.0, 1.0, 1.0][(i + disturbed) % 3] / f64::from(who as u32)
                });
                assert_eq!(throughput.leader(), 1);
                let relative = throughput.speed(who).expect("it was on trial");
                assert!((relative / (speed / 1e8) - 1.0).abs() < 1e-3, "{relative}");
            }
        }
    }

    #[test]
    fn who_lost_narrowly_gets_another_trial() {
        let mut throughput = Throughput::new(TrialRules::THREADS);
        run(&mut throughput, 5, |_, _| 1e8);
        throughput.enter();
        run(&mut throughput, TRIAL, |who, _| [1e8, 0.8e8][who]);
        assert_eq!(throughput.leader(), 0);
        run(&mut throughput, 200, |who, _| [1e8, 1.2e8][who]);
        assert_eq!(throughput.leader(), 1);
    }

    #[test]
    fn trials_become_rare() {
        for (speed, most) in [(0.9e8, 0.02), (0.5e8, 0.0015)] {
            let mut throughput = Throughput::new(TrialRules::THREADS);
            run(&mut throughput, 5, |_, _| 1e8);
            throughput.enter();
            run(&mut throughput, 10_000, |who, _| [1e8, speed][who]);
            let lost = throughput.work(1).seconds / throughput.all().seconds;
            assert!(throughput.leader() == 0 && lost < most, "{lost}");
        }
    }

    #[test]
    fn one_worker_tries_while_others_go_on() {
        let mut throughput = Throughput::new(TrialRules::THREADS);
        run(&mut throughput, 5, |_, _| 1e8);
        throughput.enter();
        let [first, second, third] = [throughput.next_turn(), throughput.next_turn(), throughput.next_turn()];
        assert_eq!([first.who, second.who, third.who], [1, 0, 0]);
        assert!(first.paths < u64::MAX && second.paths == u64::MAX);
        throughput.ran(second, work(1e8, 2e-3));
        assert_eq!(throughput.next_turn().who, 0);
        // A range that failed does not delay the trial.
        throughput.ran(first, Work::default());
        let again = throughput.next_turn();
        assert_eq!(again.who, 1);
        // Another candidate is added: ranges of the trial before count for nothing.
        throughput.enter();
        throughput.ran(again, work(1e12, 2e-3));
        assert_eq!(throughput.next_turn().who, 2);
        assert_eq!(throughput.speed(1), None);
    }

    #[test]
    fn short_ranges_are_many_and_long_ones_are_few() {
        let mut throughput = Throughput::new(TrialRules::THREADS);
        run(&mut throughput, 5, |_, _| 1e8);
        throughput.enter();
        for _ in 0..TRIAL {
            let turn = throughput.next_turn();
            throughput.ran(turn, work(1e8, 2e-5));
        }
        assert!(!throughput.is_settled(), "too short to tell");
        throughput.enter();
        for speed in [1e7, 1e8] {
            let turn = throughput.next_turn();
            throughput.ran(turn, work(speed, 0.2));
        }
        assert!(throughput.is_settled(), "200 ms are enough");
        assert_eq!(throughput.leader(), 0);
    }

    #[test]
    fn ranges_of_trials_are_short() {
        let mut throughput = Throughput::new(TrialRules::THREADS);
        // A hundred thousand paths a second.
        run(&mut throughput, 5, |_, _| 1e6);
        throughput.enter();
        let turn = throughput.next_turn();
        assert!((119..=121).contains(&turn.paths), "{turn:?}");
        throughput.ran(turn, work(1e6, 2e-3));
        // Some for each lane, where paths are long.
        let mut throughput = Throughput::new(TrialRules::THREADS);
        run(&mut throughput, 5, |_, _| 1e4);
        throughput.enter();
        assert_eq!(throughput.next_turn().paths, 64);
    }

    #[test]
    fn devices_take_longer_and_are_tried_less() {
        let speeds = [1e8, 3e8, 2.8e8];
        let mut throughput = Throughput::new(TrialRules::DEVICES);
        let run = |throughput: &mut Throughput, runs: usize| {
            for _ in 0..runs {
                let turn = throughput.next_turn();
                assert_eq!(turn.paths, u64::MAX, "the device says how many");
                // The first run of a kernel has something to prepare.
                let is_first = throughput.work(turn.who).paths == 0;
                throughput.ran(turn, work(speeds[turn.who] / if is_first { 20.0 } else { 1.0 }, 0.125));
            }
        };
        run(&mut throughput, 3);
        for (who, leader) in [(1, 1), (2, 1)] {
            assert_eq!(throughput.enter(), who);
            run(&mut throughput, 3);
            assert!(!throughput.is_settled());
            run(&mut throughput, 1);
            assert!(throughput.is_settled());
            assert_eq!(throughput.leader(), leader);
        }
        // Three seconds of the leader later.
        run(&mut throughput, 23);
        assert_eq!(throughput.clone().next_turn().who, 1);
        run(&mut throughput, 1);
        assert_eq!(throughput.next_turn().who, 2, "it lost narrowly");
    }
}
