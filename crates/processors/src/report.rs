//! Answers, row by row, and what is computed from all of them.

use super::asked::Asked;
use super::choice::Choice;
use super::emit::Model;
use super::gain::Gain;
use super::passes::Answers;
use volvelle_media::csv;
use volvelle_multicore::{Answer, Stack};

/// The answer for a program, a reading, a machine and a predictor.
pub struct Row {
    pub program: String,
    /// Its place among the cases that are asked.
    pub case: usize,
    pub exit: Option<u8>,
    pub reading: Option<String>,
    pub answer: Answer,
    /// Where the cycles of the program went: of all cores together, over their number.
    pub stack: [(&'static str, f64); Stack::PARTS],
    /// Over the predictor over which gains are told, on the same machine; none for that one itself.
    pub gain: Option<Gain>,
    /// Whether windows were asked for that would cover the program.
    pub is_covered: bool,
}

/// A geometric mean over all programs.
pub struct Mean {
    pub reading: Option<String>,
    pub machine: String,
    pub predictor: String,
    pub ipc: f64,
    /// How much more than with the predictor over which gains are told.
    pub gain: Option<Gain>,
    /// The figure of the study for it.
    pub expected: Option<f64>,
}

/// All answers.
pub struct Report {
    pub title: String,
    pub rows: Vec<Row>,
    pub means: Vec<Mean>,
    /// Branches that are shown of each answer.
    pub branches: usize,
    /// Predictors of each machine; rows and means come machine by machine.
    pub predictors: usize,
    /// The position among them of the one over which gains are told.
    pub base: Option<usize>,
    /// The queueing model of the only row, where asked for.
    pub model: Option<Box<Model>>,
    /// Whether everything that was asked is there.
    pub is_whole: bool,
    /// What was chosen, if something was to be.
    pub choice: Option<Choice>,
}

impl Report {
    pub fn new(asked: &Asked, answers: Vec<Answers>) -> Self {
        let mut rows = Vec::new();
        for (run, of) in asked.runs.iter().zip(answers) {
            // Where a limit ended a pass, its answers are not there.
            let gains: Vec<Option<Gain>> = (0..of.all.len())
                .map(|case| {
                    let over = case - case % asked.predictors.max(1) + asked.base?;
                    let (own, base) = (of.all[case].as_ref()?, of.all.get(over)?.as_ref()?);
                    if over == case { None } else { Gain::of(own, base) }
                })
                .collect();
            let there = asked.cases.iter().zip(of.all).zip(gains).enumerate();
            for (number, ((case, answer), gain)) in there {
                let Some(answer) = answer else { continue };
                let cores = answer.cores.max(1) as f64;
                let stack = answer.stack.parts().map(|(name, cycles)| (name, cycles as f64 / cores));
                let is_covered = asked.windows.is_some() && answer.cycles > 0 && answer.windows.is_empty();
                rows.push(Row {
                    program: run.name.clone(),
                    case: number,
                    exit: of.exit,
                    reading: case.reading.clone(),
                    answer,
                    stack,
                    gain,
                    is_covered,
                });
            }
        }
        let Asked { predictors, base, .. } = *asked;
        let means = means(asked, &rows, predictors, base);
        let is_whole = rows.len() == asked.runs.len() * asked.cases.len();
        let answers: Vec<(usize, &Answer)> = rows.iter().map(|row| (row.case, &row.answer)).collect();
        let choice = asked.goal.as_ref().map(|goal| Choice::new(goal, asked, &answers));
        let title = asked.title.clone();
        Report { title, rows, means, branches: 0, predictors, base, model: None, is_whole, choice }
    }

    /// Whether something was to be chosen, and nothing meets the conditions.
    pub fn is_none_chosen(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| choice.best.is_none())
    }

    /// Whether cycles are estimated from windows, somewhere.
    pub fn is_sampled(&self) -> bool {
        self.rows.iter().any(|row| !row.answer.windows.is_empty())
    }

    /// Whether cycles were asked for.
    pub fn is_timed(&self) -> bool {
        self.rows.iter().any(|row| row.answer.cycles > 0)
    }

    pub fn has_readings(&self) -> bool {
        self.rows.iter().any(|row| row.reading.is_some())
    }

    /// The table with a line for each answer.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        let before = [
            "program",
            "reading",
            "machine",
            "cores",
            "predictor",
            "bits",
            "instructions",
            "cycles",
            "ipc",
            "tasks",
            "rounds",
            "predictions",
            "mispredictions",
            "mpki",
            "target_misses",
        ];
        let behind = [
            "accesses",
            "misses",
            "upgrades",
            "coherence_misses",
            "false_sharing",
            "icache_misses",
            "least_cycles",
            "l2_misses",
        ];
        let of_windows = ["windows", "ipc_lower", "ipc_upper", "gain", "gain_lower", "gain_upper"];
        let parts = Stack::default().parts().map(|(name, _)| name);
        csv::line(&mut out, &[&before[..], &parts, &behind, &of_windows].concat());
        for Row { program, reading, answer, stack, gain, .. } in &self.rows {
            let cells = [
                program.clone(),
                reading.clone().unwrap_or_default(),
                answer.machine.clone(),
                answer.cores.to_string(),
                answer.predictor.clone(),
                answer.bits.to_string(),
                answer.instructions.to_string(),
                answer.cycles.to_string(),
                answer.ipc().to_string(),
                answer.tasks.to_string(),
                answer.rounds.to_string(),
                answer.predictions.to_string(),
                answer.mispredictions.to_string(),
                answer.mpki().to_string(),
                answer.target_misses.to_string(),
            ];
            let counts = &answer.dcache;
            let numbers = [
                counts.accesses,
                counts.misses,
                counts.upgrades,
                counts.coherence_misses,
                counts.false_sharing,
                answer.icache_misses,
                answer.bounds.cycles(),
                answer.l2_misses,
            ];
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let ipc = answer.ipc_interval();
            let interval = gain.and_then(|gain| gain.interval);
            let of_windows = [
                answer.windows.len().to_string(),
                number(ipc.map(|ipc| ipc.lo)),
                number(ipc.map(|ipc| ipc.hi)),
                number(gain.map(|gain| gain.value)),
                number(interval.map(|interval| interval.0)),
                number(interval.map(|interval| interval.1)),
            ];
            let cells = cells.into_iter();
            let cells = cells.chain(stack.iter().map(|(_, cycles)| cycles.to_string()));
            let cells: Vec<String> =
                cells.chain(numbers.iter().map(u64::to_string)).chain(of_windows).collect();
            csv::line(&mut out, &cells);
        }
        out
    }

    /// The table with a line for each branch of each answer.
    pub fn csv_of_branches(&self, symbol: impl Fn(&str, u64) -> Option<String>) -> String {
        let mut out = String::new();
        let head = [
            "program",
            "reading",
            "machine",
            "predictor",
            "pc",
            "symbol",
            "executions",
            "taken",
            "mispredictions",
            "share",
        ];
        csv::line(&mut out, &head);
        for Row { program, reading, answer, .. } in &self.rows {
            let all = answer.mispredictions.max(1) as f64;
            for branch in &answer.branches {
                let cells = [
                    program.clone(),
                    reading.clone().unwrap_or_default(),
                    answer.machine.clone(),
                    answer.predictor.clone(),
                    format!("{:#x}", branch.pc),
                    symbol(program, branch.pc).unwrap_or_default(),
                    branch.executions.to_string(),
                    branch.taken.to_string(),
                    branch.mispredictions.to_string(),
                    (branch.mispredictions as f64 / all).to_string(),
                ];
                csv::line(&mut out, &cells);
            }
        }
        out
    }
}

/// Means over all programs, of which there are several.
fn means(asked: &Asked, rows: &[Row], per_machine: usize, base: Option<usize>) -> Vec<Mean> {
    if asked.runs.len() < 2 || rows.iter().any(|row| row.answer.cycles == 0) {
        return Vec::new();
    }
    let programs = asked.runs.len();
    let cases = asked.cases.len();
    if rows.len() != programs * cases {
        return Vec::new();
    }
    let mean = |case: usize| {
        let logarithms = (0..programs).map(|program| rows[program * cases + case].answer.ipc().ln());
        (logarithms.sum::<f64>() / programs as f64).exp()
    };
    let all: Vec<f64> = (0..cases).map(mean).collect();
    (0..cases)
        .map(|case| {
            let of = &asked.cases[case].configuration;
            let over = base.map(|base| case - case % per_machine + base);
            let expected = asked.expected.iter().find(|expected| {
                asked.cases[case].reading.is_none()
                    && (expected.machine.as_str(), expected.predictor.as_str())
                        == (of.machine.name.as_str(), of.predictor.name.as_str())
            });
            Mean {
                reading: asked.cases[case].reading.clone(),
                machine: of.machine.name.clone(),
                predictor: of.predictor.name.clone(),
                ipc: all[case],
                gain: over.filter(|&over| over != case).map(|_| {
                    let gains = (0..programs).filter_map(|program| rows[program * cases + case].gain);
                    Gain::of_means(&gains.collect::<Vec<Gain>>())
                }),
                expected: expected.map(|expected| expected.ipc),
            }
        })
        .collect()
}
