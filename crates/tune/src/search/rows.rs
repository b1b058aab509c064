//! The findings of a search, and the answer made from them.

use super::configurations::Configuration;
use super::slices::Explored;
use super::{Method, Searched, Shared};
use crate::result::{Evidence, Proof, Row, Step, Tuning, Value};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use volvelle_control::Stop;
use volvelle_control::amounts::{count, counted};

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub rows: Vec<Row>,
    pub steps: Vec<Step>,
    pub stop: Option<Stop>,
    pub failures: BTreeSet<u32>,
    pub dead_ends: Vec<Vec<i64>>,
    pub unsettled_ends: bool,
    /// Number of states left out because another state, alike except for the clock, costs less.
    pub dominated: u64,
    /// Whether the rows are all configurations.
    pub all_known: bool,
    /// The reason why there is no proof, for methods that give none.
    pub no_proof: Option<String>,
}

/// A cost as reported; exact up to 2^53.
pub(super) fn time(cost: i64) -> f64 {
    cost as f64
}

/// Values of parameters as reported.
pub(super) fn values(configuration: &Configuration) -> Vec<Value> {
    configuration.values.iter().map(|&value| Value::Int(value)).collect()
}

/// The least cost with which a configuration begins.
pub(super) fn first_cost(configuration: &Configuration) -> i64 {
    configuration.starts.iter().map(|start| start.0).min().unwrap_or(0)
}

/// The row of a configuration of which only the first cost is known, and perhaps the cost of a run.
pub(super) fn open_row(configuration: &Configuration, run: Option<i64>) -> Row {
    Row {
        values: values(configuration),
        lo: time(first_cost(configuration)),
        hi: run.map_or(f64::INFINITY, time),
        greatest: None,
        all_alike: None,
        states: 0,
        evidence: if run.is_some() { Evidence::Found } else { Evidence::Unknown },
        predicted: None,
    }
}

/// The row of a configuration that was explored up to the cost `most`.
pub(super) fn explored_row(
    configuration: &Configuration,
    explored: &Explored,
    run: Option<i64>,
    most: i64,
    states: u64,
) -> Row {
    let row = Row { states, ..open_row(configuration, explored.least.into_iter().chain(run).min()) };
    let exhaustive = |lo: f64, hi: f64| Row { lo, hi, evidence: Evidence::Exhaustive, ..row.clone() };
    match (explored.complete, explored.least) {
        (false, _) => Row { lo: row.lo.max(time(explored.below)).min(row.hi), ..row },
        // With states left out, only the least cost is known.
        (true, Some(least)) if explored.dominated > 0 => exhaustive(time(least), time(least)),
        (true, Some(least)) => {
            let is_whole = !explored.cut;
            let alike = is_whole && explored.greatest == Some(least) && explored.dead_ends == 0;
            let row = exhaustive(time(least), time(least));
            let greatest = explored.greatest.filter(|_| is_whole).map(time);
            Row { greatest, all_alike: Some(alike), ..row }
        }
        (true, None) if explored.cut => {
            exhaustive(time(explored.most.unwrap_or(most).saturating_add(1)), row.hi)
        }
        (true, None) => exhaustive(f64::INFINITY, f64::INFINITY),
    }
}

impl Found {
    /// Makes the answer.
    pub fn into_answer(self, method: Method, shared: &Shared<'_>) -> Searched {
        let states = shared.states.load(Ordering::Relaxed);
        let configurations = self.all_known.then_some(self.rows.len() as u64);
        let mut tuning = Tuning {
            parameters: Vec::new(),
            objective: String::new(),
            unit: String::new(),
            goal: String::new(),
            rows: self.rows,
            configurations,
            proof: Proof::Unproven(String::new()),
            method: String::new(),
            steps: self.steps,
            states,
            transitions: shared.transitions.load(Ordering::Relaxed),
        };
        tuning.sort();
        tuning.method = method_of(method, &tuning.rows).to_owned();
        tuning.proof = proof(&tuning, self.all_known, self.stop, self.no_proof);
        Searched {
            tuning,
            stop: self.stop,
            failures: self.failures.into_iter().collect(),
            dead_ends: self.dead_ends,
            unsettled_ends: self.unsettled_ends,
            dominated: self.dominated,
        }
    }
}

fn method_of(method: Method, rows: &[Row]) -> &'static str {
    let certified = rows.iter().filter(|row| row.evidence == Evidence::Certified).count();
    match certified {
        0 => name(method),
        _ if certified == rows.len() => "certified runs of each choice",
        _ => "certified runs, then branch and bound by time slices",
    }
}

fn name(method: Method) -> &'static str {
    match method {
        Method::BranchAndBound => "branch and bound by time slices",
        Method::Bisection => "bisection of an over-time property",
        Method::Swarm => "swarm of random searches",
    }
}

/// Whether the best time is proven: all configurations are known, and no other can take less.
fn proof(tuning: &Tuning, all_known: bool, stop: Option<Stop>, no_proof: Option<String>) -> Proof {
    if let Some(why) = no_proof {
        return Proof::Unproven(why);
    }
    let stopped = || {
        stop.map_or("the search is not complete".to_owned(), |stop| match stop {
            Stop::Cancelled => "cancelled".to_owned(),
            limit => format!("stopped by the {limit}"),
        })
    };
    let Some(best) = tuning.time() else {
        let never = all_known && tuning.rows.iter().all(Row::never_ends);
        return match never {
            true => Proof::Proven(format!(
                "no run of the {} reaches the goal",
                counted(tuning.rows.len() as u64, "configuration")
            )),
            false => Proof::Unproven(stopped()),
        };
    };
    if !all_known || tuning.rows.iter().any(|row| row.lo < best) {
        return Proof::Unproven(stopped());
    }
    let certified = tuning.rows.iter().filter(|row| row.evidence == Evidence::Certified).count();
    let is_cut =
        |row: &&Row| row.evidence == Evidence::Certified && row.time().is_none() && !row.never_ends();
    let cut = tuning.rows.iter().filter(is_cut).count();
    let all = tuning.rows.len();
    let one_run =
        "one run stands for all: every interleaving that reaches the goal is proven to take the same time";
    let one_run = match cut {
        0 => one_run.to_owned(),
        _ => format!("{one_run}, or more than {best} (in {})", count(cut as u64)),
    };
    Proof::Proven(match certified {
        0 => format!(
            "no run of the {} takes less than {best} ({} explored)",
            counted(all as u64, "configuration"),
            counted(tuning.states, "state")
        ),
        _ if certified == all => {
            format!("in each of the {}, {one_run}", counted(all as u64, "configuration"))
        }
        _ => format!(
            "in {} of {} configurations {one_run}; no run of the others takes less than {best} ({} explored)",
            count(certified as u64),
            count(all as u64),
            counted(tuning.states, "state")
        ),
    })
}
