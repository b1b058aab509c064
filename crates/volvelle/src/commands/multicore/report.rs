//! Answers, row by row, and what is computed from all of them.

use super::asked::{Asked, Case};
use super::passes::Answers;
use volvelle_multicore::{Answer, Stack};

/// The answer for a program, a reading, a machine and a predictor.
pub struct Row {
    pub program: String,
    pub exit: Option<u8>,
    pub reading: Option<String>,
    pub answer: Answer,
    /// Where the cycles of the program went: of all cores together, over their number.
    pub stack: [(&'static str, f64); Stack::PARTS],
}

/// A geometric mean over all programs.
pub struct Mean {
    pub reading: Option<String>,
    pub machine: String,
    pub predictor: String,
    pub ipc: f64,
    /// How much more than with the predictor over which gains are told.
    pub gain: Option<f64>,
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
}

impl Report {
    pub fn new(asked: &Asked, answers: Vec<Answers>) -> Self {
        let mut rows = Vec::new();
        for (run, of) in asked.runs.iter().zip(answers) {
            for (case, answer) in asked.cases.iter().zip(of.all) {
                let cores = answer.cores.max(1) as f64;
                let stack = answer.stack.parts().map(|(name, cycles)| (name, cycles as f64 / cores));
                rows.push(Row {
                    program: run.name.clone(),
                    exit: of.exit,
                    reading: case.reading.clone(),
                    answer,
                    stack,
                });
            }
        }
        let place = |case: &Case| (case.reading.clone(), case.configuration.machine.name.clone());
        let first = asked.cases.first().map(place);
        let of_first: Vec<&Case> = asked.cases.iter().filter(|case| Some(place(case)) == first).collect();
        let is_base = |case: &&Case| asked.base.as_ref() == Some(&case.configuration.predictor.name);
        let base = of_first.iter().position(is_base);
        let predictors = of_first.len().max(1);
        let means = means(asked, &rows, predictors, base);
        Report { title: asked.title.clone(), rows, means, branches: 0, predictors, base }
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
        let first =
            &self.rows.first().map(|row| row.stack.map(|(name, _)| name)).unwrap_or([""; Stack::PARTS]);
        let mut out = format!(
            "program,reading,machine,cores,predictor,bits,instructions,cycles,ipc,tasks,rounds,predictions,mispredictions,mpki,target_misses,{},\
             accesses,misses,upgrades,coherence_misses,false_sharing,icache_misses,least_cycles\n",
            first.join(",")
        );
        for Row { program, reading, answer, stack, .. } in &self.rows {
            let cells = [
                field(program),
                field(reading.as_deref().unwrap_or_default()),
                field(&answer.machine),
                answer.cores.to_string(),
                field(&answer.predictor),
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
            ];
            let cells = cells.into_iter();
            let cells = cells.chain(stack.iter().map(|(_, cycles)| cycles.to_string()));
            let cells: Vec<String> = cells.chain(numbers.iter().map(u64::to_string)).collect();
            out.push_str(&format!("{}\n", cells.join(",")));
        }
        out
    }
}

/// A cell of a table: in quotes where it has a comma, a quote, or a line break.
pub fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
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
                gain: over.filter(|&over| over != case).map(|over| all[case] / all[over] - 1.0),
                expected: expected.map(|expected| expected.ipc),
            }
        })
        .collect()
}
