//! What is found about a study.

use std::time::Duration;
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;
use volvelle_session::report::Status;
use volvelle_session::study::Ready;

/// The results of a study.
#[derive(Clone, Debug, Default)]
pub struct StudyReport {
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// The unit of latencies.
    pub unit: String,
    /// What is measured: `message`.
    pub what: String,
    /// Verifications: configurations that differ in latencies only share one.
    pub verified: Vec<Verified>,
    /// Configurations in their order.
    pub configurations: Vec<ConfigurationReport>,
    /// How many programs were explored for the numbers.
    pub explorations: usize,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that was reached.
    pub stop: Option<Stop>,
}

impl StudyReport {
    /// Notes why the study goes no further.
    pub(super) fn stop(&mut self, diagnostic: Diagnostic, stop: Option<Stop>) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        self.stop = self.stop.or(stop);
    }

    /// How the run ended.
    pub fn status(&self) -> Status {
        let verdicts = self.verified.iter().flat_map(|verified| &verified.verdicts);
        let is_false = |verdict: &Verdict| verdict.holds == Some(false);
        match Status::of(std::iter::empty(), &self.diagnostics, self.stop) {
            Status::Done if verdicts.into_iter().any(is_false) => Status::False,
            status => status,
        }
    }

    /// Parameters that differ between configurations.
    pub fn axes(&self) -> Vec<usize> {
        let differs = |&place: &usize| {
            let first = self.configurations.first().map(|first| &first.values[place].1);
            self.configurations.iter().any(|configuration| Some(&configuration.values[place].1) != first)
        };
        (0..self.parameters.len()).filter(differs).collect()
    }
}

/// The verification of a program with a protocol.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// States in which no time passes.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// The protocol.
    pub protocol: String,
    /// Verdicts.
    pub verdicts: Vec<Verdict>,
}

impl Verified {
    /// Whether something is wrong.
    pub fn has_errors(&self) -> bool {
        self.verdicts.iter().any(|verdict| verdict.holds == Some(false))
    }
}

/// A verdict.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is verified: a word or two for tables and JSON.
    pub name: &'static str,
    /// The same as a sentence.
    pub statement: String,
    /// Whether it holds; `None` where it was not decided.
    pub holds: Option<bool>,
    /// What is wrong, or why it was not decided.
    pub reason: String,
    /// A shortest run that shows it.
    pub steps: Vec<VerdictStep>,
    /// What processes do for ever after the run, where that is what is wrong.
    pub for_ever: Vec<VerdictStep>,
}

/// A step of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictStep {
    /// The process.
    pub process: String,
    /// The file of the program, and the line of the step; 0 where it has none.
    pub place: (String, u32),
    /// The text of the statement.
    pub statement: String,
    /// What happens: `load avail[0] = 1 (Mem, distance 1)`.
    pub what: String,
}

/// A configuration with its results.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationReport {
    /// Values of parameters.
    pub values: Vec<(String, String)>,
    /// The protocol.
    pub protocol: String,
    /// The number of its verification.
    pub verified: Option<usize>,
    /// The numbers.
    pub performance: Option<Performance>,
    /// What it took.
    pub took: Duration,
}

impl ConfigurationReport {
    pub(super) fn new(ready: &Ready) -> Self {
        ConfigurationReport {
            values: ready.values.clone(),
            protocol: ready.protocol.clone(),
            ..ConfigurationReport::default()
        }
    }
}

/// Numbers of a configuration in the long run.
#[derive(Clone, Debug, Default)]
pub struct Performance {
    /// States of the Markov chain: in each of them time passes.
    pub states: u64,
    /// Its transitions.
    pub transitions: u64,
    /// States that are visited again and again.
    pub recurrent: u64,
    /// How many sets of states are never left, if processes start in any order: where it is one, neither the order nor chance matters in
    /// the long run. `None` where that was not looked at.
    pub ends: Option<usize>,
    /// Time of a message: bounds.
    pub latency: [f64; 2],
    /// Messages per unit of time: bounds.
    pub throughput: [f64; 2],
    /// Bytes per unit of time, where the study says how many a message has.
    pub bandwidth: Option<f64>,
    /// Time of a whole round of the measured process.
    pub round: f64,
    /// Accesses of all processes, per message.
    pub accesses: Vec<AccessShare>,
    /// How much latencies of transfers matter: greatest influence first.
    pub influences: Vec<Influence>,
    /// How the distribution was found.
    pub method: String,
    /// Whether only the time is known, and not the accesses: no distribution of the states was found.
    pub is_partial: bool,
    /// An estimate by simulation, where that is wanted.
    pub simulated: Option<SimulatedTime>,
    /// Mean time of each transfer, by name and distance.
    pub means: Vec<(String, u32, f64)>,
}

/// The time of a message by discrete-event simulation of the program itself, without its chain.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedTime {
    /// The estimate.
    pub time: f64,
    /// Half of the width of its interval.
    pub half_width: f64,
    /// The probability with which the interval has the time.
    pub confidence: f64,
    /// Steps that were simulated.
    pub events: u64,
    /// Whether the interval meets the bounds; `None` where latencies were not random, so that it need not.
    pub agrees: Option<bool>,
}

/// Accesses from one place of the program to one variable with one kind of transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessShare {
    /// The process.
    pub process: String,
    /// The variable; the name of a delay, where there is none.
    pub variable: String,
    /// Its class.
    pub class: String,
    /// Name of the transfer.
    pub transfer: String,
    /// Over which distance.
    pub distance: u32,
    /// Whether the line came from elsewhere.
    pub is_miss: bool,
    /// The file of the program, and the line.
    pub place: (String, u32),
    /// How many per message.
    pub per_message: f64,
    /// How many per round of the process; `None` where it passes no mark.
    pub per_round: f64,
    /// The share of the time of its process.
    pub share: f64,
}

/// The influence of one mean time on the time of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// What would be faster: a transfer over a distance, or a variable.
    pub what: String,
    /// Whether it is a variable.
    pub is_variable: bool,
    /// By how much a message is faster, if it takes a tenth less time: the time saved, to first order.
    pub saved: f64,
    /// The same as a part of the time of a message: the elasticity, times a tenth.
    pub part: f64,
}

/// Sums of accesses with something in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// What they have in common.
    pub name: String,
    /// Misses per message.
    pub misses: f64,
    /// Accesses per message.
    pub accesses: f64,
    /// The share of the time of processes, the mean over processes.
    pub share: f64,
}

/// Sums by a key, in the order in which keys come up.
pub fn sums_by(
    accesses: &[AccessShare],
    processes: usize,
    key: impl Fn(&AccessShare) -> Option<String>,
) -> Vec<Sum> {
    let mut sums: Vec<Sum> = Vec::new();
    for access in accesses {
        let Some(name) = key(access) else { continue };
        let place = sums.iter().position(|sum| sum.name == name).unwrap_or_else(|| {
            sums.push(Sum { name, ..Sum::default() });
            sums.len() - 1
        });
        let sum = &mut sums[place];
        sum.accesses += access.per_message;
        sum.misses += if access.is_miss { access.per_message } else { 0.0 };
        sum.share += access.share / processes as f64;
    }
    sums
}

impl Performance {
    /// Time of a message, about.
    pub fn time(&self) -> f64 {
        volvelle_imc::middle(self.latency)
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        let mut names: Vec<&str> = self.accesses.iter().map(|access| access.process.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.len().max(1)
    }

    /// Misses per message.
    pub fn misses(&self) -> f64 {
        self.accesses.iter().filter(|access| access.is_miss).map(|access| access.per_message).sum()
    }

    /// Sums by the class of variables.
    pub fn by_class(&self) -> Vec<Sum> {
        sums_by(&self.accesses, self.processes(), |access| Some(access.class.clone()))
    }

    /// Sums by variable.
    pub fn by_variable(&self) -> Vec<Sum> {
        sums_by(&self.accesses, self.processes(), |access| Some(access.variable.clone()))
    }

    /// Sums by the line of the program.
    pub fn by_line(&self) -> Vec<((String, u32), Sum)> {
        let mut places: Vec<(String, u32)> =
            self.accesses.iter().map(|access| access.place.clone()).collect();
        places.sort();
        places.dedup();
        let of = |place: &(String, u32)| {
            let same = |access: &AccessShare| (access.place == *place).then(String::new);
            sums_by(&self.accesses, self.processes(), same).pop().unwrap_or_default()
        };
        places.iter().map(|place| (place.clone(), of(place))).collect()
    }

    /// Sums by transfer and distance.
    pub fn by_transfer(&self) -> Vec<Sum> {
        let name = |access: &AccessShare| match access.is_miss {
            true => Some(format!("{} d{}", access.transfer, access.distance)),
            false => Some(access.transfer.clone()),
        };
        sums_by(&self.accesses, self.processes(), name)
    }
}
