//! What is to be chosen: a quantity that is to be small or large, and conditions.

use crate::options::MulticoreGoal;
use volvelle_console::amounts;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_multicore::Machine;
use volvelle_tune::Value;
use volvelle_tune::space::{Mistake, evaluate, number};

/// How many configurations a strategy tries where not told otherwise.
const USUAL_EVALUATIONS: u64 = 100;

/// Names of quantities, which goals and conditions may use.
const QUANTITIES: [&str; 9] =
    ["ipc", "cycles", "mpki", "wrong", "bits", "units", "cores", "width", "instructions"];

/// What is known of a machine with a predictor, over all programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// The geometric mean over programs.
    pub ipc: f64,
    /// The sum over programs; so are instructions, predictions and mispredictions.
    pub cycles: u64,
    pub instructions: u64,
    pub predictions: u64,
    pub mispredictions: u64,
    /// Of the tables of the predictor.
    pub bits: u64,
    /// ALUs and load/store units of all cores.
    pub units: u64,
    pub cores: u64,
    /// Of all cores together.
    pub width: u64,
}

impl Figures {
    /// What is known without answers.
    pub fn new(machine: &Machine, bits: u64) -> Self {
        let units = machine.cores.iter().map(|core| u64::from(core.alus + core.load_store)).sum();
        let (cores, width) = (machine.cores.len() as u64, machine.total_width());
        Figures { bits, units, cores, width, ..Figures::default() }
    }

    fn value(&self, name: &str) -> Option<Value> {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let whole = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        Some(match name {
            "ipc" => Value::Float(self.ipc),
            "mpki" => Value::Float(1000.0 * share(self.mispredictions, self.instructions)),
            "wrong" => Value::Float(share(self.mispredictions, self.predictions)),
            "cycles" => whole(self.cycles),
            "instructions" => whole(self.instructions),
            "bits" => whole(self.bits),
            "units" => whole(self.units),
            "cores" => whole(self.cores),
            "width" => whole(self.width),
            _ => return None,
        })
    }

    /// The value of an expression over quantities; none where it has none.
    fn of(&self, text: &str) -> Option<f64> {
        number(&evaluate(text, &|name| self.value(name)).ok()?).filter(|value| value.is_finite())
    }
}

/// A goal.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The expression that is to be small, or large.
    pub quantity: String,
    pub is_least: bool,
    pub conditions: Vec<String>,
    /// The strategy and how many configurations it tries; none: all are computed.
    pub strategy: Option<(String, u64)>,
    pub seed: u64,
}

impl Goal {
    /// Reads the options; none without any.
    pub fn read(args: &MulticoreGoal, sources: &mut Sources) -> Result<Option<Self>, Vec<Diagnostic>> {
        let (quantity, is_least) = match (&args.minimize, &args.maximize) {
            (Some(quantity), _) => (quantity.clone(), true),
            (None, Some(quantity)) => (quantity.clone(), false),
            (None, None) if args.constraint.is_empty() && args.strategy.is_none() => return Ok(None),
            (None, None) => ("ipc".to_owned(), false),
        };
        let mut found = Vec::new();
        let option = if is_least { "--minimize" } else { "--maximize" };
        let texts = std::iter::once((option, &quantity));
        for (option, text) in texts.chain(args.constraint.iter().map(|text| ("--constraint", text))) {
            let some = Figures { ipc: 1.5, cycles: 1, instructions: 1, predictions: 1, ..Figures::default() };
            let some = Figures { mispredictions: 1, bits: 1, units: 1, cores: 1, width: 1, ..some };
            if let Err(mistake) = evaluate(text, &|name| some.value(name)) {
                found.push(wrong(option, text, mistake, sources));
            }
        }
        let evaluations = args.evaluations.as_deref().map_or(Ok(USUAL_EVALUATIONS), |text| {
            amounts::count(text, "a number of configurations", "--evaluations 100")
        });
        let strategy = match (&args.strategy, evaluations) {
            (Some(name), Ok(evaluations)) => Some((name.clone(), evaluations)),
            (None, Ok(_)) => None,
            (_, Err(wrong)) => {
                found.push(wrong);
                None
            }
        };
        if !found.is_empty() {
            return Err(found);
        }
        let conditions = args.constraint.clone();
        Ok(Some(Goal { quantity, is_least, conditions, strategy, seed: args.seed }))
    }

    /// The quantity, where it has a value and all conditions are met.
    pub fn value(&self, figures: &Figures) -> Option<f64> {
        let is_met = |condition: &String| figures.of(condition).is_some_and(|value| value != 0.0);
        let value = figures.of(&self.quantity)?;
        self.conditions.iter().all(is_met).then_some(value)
    }

    /// `least bits, with ipc >= 4`.
    pub fn text(&self) -> String {
        let what = format!("{} {}", if self.is_least { "least" } else { "most" }, self.quantity);
        match self.conditions.is_empty() {
            true => what,
            false => format!("{what}, with {}", self.conditions.join(", ")),
        }
    }
}

fn wrong(option: &str, text: &str, mistake: Mistake, sources: &mut Sources) -> Diagnostic {
    let file = sources.add(option, text);
    let span = Span::new(file, mistake.place.start, mistake.place.end);
    // What tuning of kernels calls parameters and sizes are quantities here.
    let message = mistake.message.replace("is neither a parameter nor a known size", "is no quantity");
    let found = Diagnostic::error(codes::CONDITION, message).at(span, "");
    let known = format!("quantities are `{}`", QUANTITIES.join("`, `"));
    found.help(mistake.help.unwrap_or(known))
}
