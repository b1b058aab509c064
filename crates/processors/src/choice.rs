//! The best of many machines and predictors, and those that none surpasses in everything.

use super::asked::Asked;
use super::goal::{Figures, Goal};
use serde_json::{Value, json};
use volvelle_multicore::{Answer, Configuration};

/// A machine with a predictor.
pub struct Candidate {
    pub machine: String,
    pub predictor: String,
    pub figures: Figures,
    /// What is to be small or large; none where a condition is not met.
    pub value: Option<f64>,
    /// Whether none has as few bits, as few units and as many instructions per cycle, and is better in one of them.
    pub is_on_front: bool,
}

/// What was chosen.
pub struct Choice {
    /// What was asked for.
    pub goal: String,
    pub all: Vec<Candidate>,
    /// The best one, by its place.
    pub best: Option<usize>,
    /// How many there are in all, of which perhaps not all were computed.
    pub of: u64,
}

impl Choice {
    /// Chooses among cases that have answers for all programs, which are here with the places of their cases; those under other readings
    /// of a study do not take part.
    pub fn new(goal: &Goal, asked: &Asked, answers: &[(usize, &Answer)]) -> Self {
        let mut all = Vec::new();
        for (number, case) in asked.cases.iter().enumerate().filter(|(_, case)| case.reading.is_none()) {
            let of = answers.iter().filter(|(case, _)| *case == number).map(|(_, answer)| *answer);
            let of: Vec<&Answer> = of.collect();
            if of.len() < asked.runs.len() {
                continue;
            }
            let configuration = &case.configuration;
            let figures = figures(configuration, of.into_iter());
            all.push(Candidate {
                machine: configuration.machine.name.clone(),
                predictor: configuration.predictor.name.clone(),
                value: goal.value(&figures),
                figures,
                is_on_front: false,
            });
        }
        for at in 0..all.len() {
            let figures = &all[at].figures;
            all[at].is_on_front = !all.iter().any(|other| surpasses(&other.figures, figures));
        }
        let sign = if goal.is_least { 1.0 } else { -1.0 };
        let valued =
            all.iter().enumerate().filter_map(|(at, one)| Some((at, sign * one.value?, one.figures.ipc)));
        let best = valued.min_by(|one, other| one.1.total_cmp(&other.1).then(other.2.total_cmp(&one.2)));
        Choice { goal: goal.text(), best: best.map(|(at, ..)| at), of: asked.space_size(), all }
    }

    /// The candidate of a machine and a predictor, as a part of its answer.
    pub fn json(&self, machine: &str, predictor: &str) -> Option<Value> {
        let is_it = |one: &Candidate| (one.machine.as_str(), one.predictor.as_str()) == (machine, predictor);
        let at = self.all.iter().position(is_it)?;
        let one = &self.all[at];
        let mut found = json!({
            "goal": self.goal,
            "units": one.figures.units,
            "is_best": self.best == Some(at),
            "is_on_front": one.is_on_front,
        });
        if let Some(value) = one.value {
            found["value"] = json!(value);
        }
        Some(found)
    }
}

/// The figures of a configuration from its answers, one for each program.
pub fn figures<'a>(configuration: &Configuration, answers: impl Iterator<Item = &'a Answer>) -> Figures {
    let mut figures = Figures::new(&configuration.machine, configuration.predictor.kind.bits());
    let (mut logarithms, mut count) = (0.0, 0);
    for answer in answers {
        logarithms += answer.ipc().ln();
        count += 1;
        figures.cycles += answer.cycles;
        figures.instructions += answer.instructions;
        figures.predictions += answer.predictions;
        figures.mispredictions += answer.mispredictions;
    }
    figures.ipc = (logarithms / f64::from(count.max(1))).exp();
    figures
}

fn surpasses(one: &Figures, other: &Figures) -> bool {
    let is_as_good = one.bits <= other.bits && one.units <= other.units && one.ipc >= other.ipc;
    is_as_good && (one.bits, one.units, one.ipc) != (other.bits, other.units, other.ipc)
}
