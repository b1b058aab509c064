//! What a run says: a line for each family, the sums, and a line as every test program ends with.

use crate::budget::Budget;
use crate::cases::Instance;
use crate::judge;
use crate::run::{Outcome, RowOutcome};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    rows: u64,
    passed: u64,
    compared: u64,
    failed: u64,
    limit: u64,
    not_evaluated: u64,
    counted: u64,
    tiers: u64,
    seconds: f64,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        for row in &outcome.rows {
            self.rows += 1;
            match row {
                RowOutcome::Passed { compared } => {
                    self.passed += 1;
                    self.compared += u64::from(*compared);
                }
                RowOutcome::Failed(_) => self.failed += 1,
                RowOutcome::Limit(_) => self.limit += 1,
                RowOutcome::NotEvaluated(_) => self.not_evaluated += 1,
            }
        }
        self.counted += if outcome.counted { outcome.rows.len() as u64 } else { 0 };
        match &outcome.tiers {
            Some(Ok(())) => self.tiers += 1,
            Some(Err(_)) => self.failed += 1,
            None => {}
        }
        self.seconds += outcome.time.as_secs_f64();
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<24} {:>5} {:>7} {:>9} {:>7} {:>14} {:>14} {:>8} {:>6} {:>8.1}",
            self.rows,
            self.passed,
            self.compared,
            self.failed,
            self.limit,
            self.not_evaluated,
            self.counted,
            self.tiers,
            self.seconds
        )
    }
}

/// Prints the tables; gives whether nothing has failed.
pub fn print(instances: &[Instance], outcomes: &[Outcome], budget: &Budget) -> bool {
    let mut families: BTreeMap<String, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for (instance, outcome) in instances.iter().zip(outcomes) {
        families.entry(format!("{} {}", instance.kind, instance.family)).or_default().add(outcome);
        total.add(outcome);
    }
    println!(
        "\n{:<24} {:>5} {:>7} {:>9} {:>7} {:>14} {:>14} {:>8} {:>6} {:>8}",
        "family",
        "rows",
        "passed",
        "(checked)",
        "failed",
        "skipped(limit)",
        "not evaluated",
        "states",
        "tiers",
        "s"
    );
    for (name, counts) in &families {
        println!("{}", counts.line(name));
    }
    println!("{}", total.line("all"));
    skipped(instances, outcomes);
    println!(
        "\n(checked): rows whose value was compared with a reference; states: rows whose number of states was compared; \
         tiers: instances explored with interpreter and native code, on 1 and 2 threads; limits: {} states, {:.0} s \
         a row",
        budget.states,
        budget.case.as_secs_f64()
    );
    let mut failed = total.failed;
    if let Err(message) = judge::self_check() {
        println!("FAILED  {message}");
        failed += 1;
    }
    if total.compared == 0 {
        println!("FAILED  nothing was compared");
        failed += 1;
    }
    println!("\n{}", result_line(failed == 0, total.passed, failed, total.limit + total.not_evaluated));
    failed == 0
}

/// What limits ended, apart from the limit on states and the end of the whole run; and what is refused.
fn skipped(instances: &[Instance], outcomes: &[Outcome]) {
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for (instance, outcome) in instances.iter().zip(outcomes) {
        for (row, outcome) in instance.rows.iter().zip(&outcome.rows) {
            match outcome {
                RowOutcome::Limit(why) if !["states", "time"].contains(&why.as_str()) => {
                    println!("skipped  {} {}: {why}", instance.name(), row.property);
                }
                RowOutcome::NotEvaluated(why) => *refused.entry(why).or_default() += 1,
                _ => {}
            }
        }
    }
    for (why, rows) in refused {
        println!("not evaluated  {rows} rows: {why}");
    }
}

/// The last line of every test program.
pub fn result_line(passed_all: bool, passed: u64, failed: u64, ignored: u64) -> String {
    let word = if passed_all { "ok" } else { "FAILED" };
    format!(
        "test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out"
    )
}
