//! Which code runs next: how fast those in the selection are, the leader, and the trial of somebody who may be faster.
//!
//! Knows neither code nor clock: it is told how long ranges of paths took. A trial takes short ranges in turns with the leader, so that a
//! machine that has other things to do disturbs both, and compares the fastest range of each: what is slower was disturbed. The
//! lead changes hands only where it is clear ([`MARGIN`]). Who lost narrowly gets another trial now and then. How long trials are,
//! and how rare, depends on who runs the paths ([`TrialRules`]).

use std::ops::RangeInclusive;

/// How trials are held.
#[derive(Clone, Debug)]
pub struct TrialRules {
    /// Ranges that each of both runs in a trial.
    pairs: u32,
    /// About how long each of them takes, where a turn may say how many paths there are.
    range_seconds: f64,
    /// A trial goes on until who is on trial has run for so long: single ranges may be shorter.
    short_seconds: f64,
    /// A trial that took so long is over, however few ranges there were.
    long_seconds: f64,
    /// After so many seconds of the leader comes another trial, then after twice as many, and so on up to the last.
    rest_seconds: RangeInclusive<f64>,
}

impl TrialRules {
    /// For threads, to which ranges of any length cost nothing.
    pub const THREADS: TrialRules = TrialRules {
        pairs: 6,
        range_seconds: 1.2e-3,
        short_seconds: 3e-3,
        long_seconds: 0.06,
        rest_seconds: 0.3..=20.0,
    };
    /// For devices, which say themselves how many paths they run at once, some tenth of a second. The first run of a kernel
    /// may take longer than others, to which technologies put off part of their preparations: it is not the only one.
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
/// By how much the leader must be beaten.
const MARGIN: f64 = 1.03;
/// Those who were not slower than this share of the leader get another trial.
const NARROW: f64 = 0.75;
/// The first leader has run for so long before anybody is compared with it.
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

    /// Steps a second, with one more for each path: one without steps takes some time, too.
    fn speed(&self) -> f64 {
        (self.steps + self.paths) as f64 / self.seconds.max(1e-9)
    }

    /// Steps a second.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.seconds.max(1e-9)
    }
}

/// Somebody in the selection.
#[derive(Clone, Debug, Default)]
struct Candidate {
    /// How fast it is, when the first one's speed is 1, if it has been compared.
    speed: Option<f64>,
    total: Work,
}

/// A trial under way.
#[derive(Clone, Copy, Debug)]
struct Trial {
    number: u32,
    who: usize,
    /// Whether it has just come in.
    is_new: bool,
    /// One worker at a time, so that the others go on with the leader.
    is_running: bool,
    /// Ranges that both have run; who is on trial comes first.
    pairs: u32,
    leader_is_next: bool,
    /// The fastest range of who is on trial, and of the leader.
    best: [f64; 2],
    /// Of who is on trial.
    seconds: f64,
}

/// Who runs the next range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Number of the candidate.
    pub who: usize,
    /// Paths at most.
    pub paths: u64,
    /// Number of the trial that it is for.
    trial: Option<u32>,
}

/// The selection as it stands.
#[derive(Clone, Debug)]
pub struct Throughput {
    rules: TrialRules,
    candidates: Vec<Candidate>,
    leader: usize,
    trial: Option<Trial>,
    trials: u32,
    /// Seconds of the leader since the last trial, and those after which another one comes.
    rested: f64,
    rest: f64,
    last: usize,
}

impl Throughput {
    /// A selection of one.
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

    /// Somebody comes in, and is on trial; says who it is. A trial under way is broken off: it was of one who had its chance.
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

    /// Who runs the next range.
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

    /// Somebody has run a range; nothing of it, if it failed.
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

    /// The best of those who lost narrowly gets another trial.
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

    /// Whether nobody new is on trial, and the leader has run for a while: from the first short runs alone, code for many paths at
    /// once looks slower than it is.
    pub fn is_settled(&self) -> bool {
        self.candidates[self.leader].total.seconds >= WARM_SECONDS
            && self.trial.is_none_or(|trial| !trial.is_new)
    }

    /// How fast somebody is, when the first one's speed is 1; if it has been on trial.
    pub fn speed(&self, who: usize) -> Option<f64> {
        self.candidates[who].speed
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
        self.candidates[who].total
    }

    /// What all have run.
    pub fn all(&self) -> Work {
        self.candidates.iter().fold(Work::default(), |mut sum, candidate| {
            sum.add(candidate.total);
            sum
        })
    }

    /// Who has run most paths; the first of them, if none were run.
    pub fn busiest(&self) -> usize {
        (0..self.candidates.len()).rev().max_by_key(|&who| self.candidates[who].total.paths).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Throughput, TrialRules, Work};

    const TRIAL: usize = 2 * TrialRules::THREADS.pairs as usize;

    /// Runs so many ranges of 2 ms each, by whoever is next, at the speeds that are given: steps a second.
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
        // A range that failed is no reason to wait for it.
        throughput.ran(first, Work::default());
        let again = throughput.next_turn();
        assert_eq!(again.who, 1);
        // Somebody else comes in: what was run for the trial before counts for nothing.
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
