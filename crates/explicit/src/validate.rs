//! The checks that a model of any format passes.
//!
//! Checked, in this order: sizes of arrays and indices (levels, targets, actions, players, observations, annotations), names
//! (no label, reward or variable twice), the rules of the kind (an initial state, one choice in a chain, one choice of a
//! Markovian state, a probability or rate on every branch), and numbers: finite, not negative, bounds in order,
//! probabilities that sum to 1. Rationals sum exactly; doubles within [`TOLERANCE`], since files with ten digits are common.

use crate::allowance::Allowance;
use crate::finding::{Finding, Place};
use crate::model::{
    Actions, Column, Control, Distribution, Entity, Measure, Model, Number, Numbers, Rows, Time,
};
use dashu_ratio::RBig;
use std::collections::HashSet;
use volvelle_diagnostics::{Code, codes};
use volvelle_space::Ratios;

/// How far a sum of doubles may be from 1: 10⁻⁶, with room for rounding where the text is off by just that.
pub const TOLERANCE: f64 = 1e-6 * (1.0 + 1e-6);

/// Rows between two looks at limits.
const PATIENCE: usize = 1 << 14;

/// Sums that differ from 1 by no more than this come from the last digits of printed doubles.
const LAST_DIGITS: f64 = 2e-13;

/// Checks a model that was read from `file`; the choices whose probabilities do not sum to 1, though nearly so.
pub fn validate(model: &Model, file: &str, allowance: &Allowance<'_>) -> Result<Vec<usize>, Finding> {
    let check = Check { model, file, allowance };
    check.shape()?;
    check.names()?;
    check.kind()?;
    check.numbers()
}

struct Check<'a, 'c> {
    model: &'a Model,
    file: &'a str,
    allowance: &'a Allowance<'c>,
}

impl Check<'_, '_> {
    fn wrong(&self, code: Code, message: String) -> Finding {
        Finding::error(code, message).at(Place::File(self.file.to_owned()))
    }

    fn length(&self, what: &str, on: Entity, length: usize) -> Result<(), Finding> {
        let members = self.model.count(on);
        if length == members {
            return Ok(());
        }
        let message = format!("{what} has {length} entries for {members} {}", on.name());
        Err(self.wrong(codes::EXPLICIT_COUNT, message).help("export the file again: its arrays disagree"))
    }

    /// Lengths and indices.
    fn shape(&self) -> Result<(), Finding> {
        let model = self.model;
        if model.num_states() == 0 {
            return Err(self
                .wrong(codes::EXPLICIT_STRUCTURE, "the model has no states".to_owned())
                .help("a model has at least one state"));
        }
        for (rows, entries, what) in [
            (&model.choices, model.num_choices(), "choices"),
            (&model.branches, model.num_branches(), "branches"),
        ] {
            if let Rows::Starts(starts) = rows
                && (starts.first() != Some(&0) || !starts.is_sorted())
            {
                return Err(self.wrong(codes::EXPLICIT_RANGE, format!("the rows of {what} go backwards")));
            }
            if rows.entries() != entries {
                let message =
                    format!("the rows of {what} have {} entries, but there are {entries}", rows.entries());
                return Err(self.wrong(codes::EXPLICIT_COUNT, message));
            }
        }
        let states = model.num_states();
        self.below(&model.targets, states, "the target", Entity::Branches, "states")?;
        self.length("the set of initial states", Entity::States, model.initial.len())?;
        if let Some(values) = &model.values {
            self.length("the array of probabilities", Entity::Branches, values.len())?;
        }
        if let Some(rates) = &model.exit_rates {
            self.length("the array of exit rates", Entity::States, rates.len())?;
        }
        if let Some(markovian) = &model.markovian {
            self.length("the set of Markovian states", Entity::States, markovian.len())?;
        }
        if let Some(players) = &model.players {
            self.length("the array of players", Entity::States, players.of.len())?;
            self.below(&players.of, players.names.len(), "the player", Entity::States, "players")?;
        }
        let actions = [(&model.choice_actions, Entity::Choices), (&model.branch_actions, Entity::Branches)];
        for (actions, on) in actions {
            if let Some(Actions { names, of }) = actions {
                self.length("the array of actions", on, of.len())?;
                self.below(of, names.len(), "the action", on, "actions")?;
            }
        }
        if let Some(observations) = &model.observations {
            let what = "the array of observations";
            self.drawn(what, observations.on, observations.of.len(), observations.distribution.as_ref())?;
            let count = observations.count as usize;
            self.below(&observations.of, count, "the observation", observations.on, "observations")?;
        }
        for label in &model.labels {
            self.length(&format!("the label `{}`", label.name), Entity::States, label.states.len())?;
        }
        for reward in &model.rewards {
            for on in [Entity::States, Entity::Choices, Entity::Branches] {
                if let Some(numbers) = reward.of(on) {
                    self.length(&format!("the reward structure `{}`", reward.name), on, numbers.len())?;
                }
            }
        }
        for annotation in &model.annotations {
            let what = format!("the annotation `{}`", annotation.name);
            self.drawn(&what, annotation.on, annotation.values.len(), annotation.distribution.as_ref())?;
        }
        for valuations in &model.valuations {
            for variable in &valuations.variables {
                let what = format!("the variable `{}`", variable.name);
                self.length(&what, valuations.on, variable.values.len())?;
                if let Some(present) = &variable.present {
                    self.length(&what, valuations.on, present.len())?;
                }
            }
        }
        Ok(())
    }

    fn drawn(
        &self,
        what: &str,
        on: Entity,
        values: usize,
        drawn: Option<&Distribution>,
    ) -> Result<(), Finding> {
        let Some(Distribution { rows, probabilities }) = drawn else { return self.length(what, on, values) };
        self.length(what, on, rows.len())?;
        if rows.entries() == values && probabilities.len() == values {
            return Ok(());
        }
        let message = format!("{what} has {values} values and {} probabilities", probabilities.len());
        Err(self.wrong(codes::EXPLICIT_COUNT, message))
    }

    fn below(&self, indices: &[u32], bound: usize, what: &str, on: Entity, of: &str) -> Result<(), Finding> {
        let Some(at) = indices.iter().position(|&index| index as usize >= bound) else { return Ok(()) };
        let message =
            format!("{what} of {} {at} is {}, but there are only {bound} {of}", on.singular(), indices[at]);
        let message = match on {
            Entity::Branches => format!("{message} (branch of state {})", self.state_of_branch(at)),
            _ => message,
        };
        Err(self.wrong(codes::EXPLICIT_RANGE, message).help("numbers start at 0"))
    }

    fn state_of_branch(&self, branch: usize) -> usize {
        self.model.choices.row_of(self.model.branches.row_of(branch))
    }

    fn names(&self) -> Result<(), Finding> {
        let model = self.model;
        self.distinct("label", model.labels.iter().map(|label| label.name.as_str()))?;
        self.distinct("reward structure", model.rewards.iter().map(|reward| reward.name.as_str()))?;
        for valuations in &model.valuations {
            self.distinct("variable", valuations.variables.iter().map(|variable| variable.name.as_str()))?;
        }
        Ok(())
    }

    fn distinct<'n>(&self, what: &str, names: impl Iterator<Item = &'n str>) -> Result<(), Finding> {
        let mut seen = HashSet::new();
        for name in names {
            // Reward structures of PRISM need no name.
            if !name.is_empty() && !seen.insert(name) {
                let message = format!("two {what}s are named `{name}`");
                return Err(self.wrong(codes::EXPLICIT_STRUCTURE, message).help("rename one of them"));
            }
        }
        Ok(())
    }

    /// Checks the requirements of the model's kind.
    fn kind(&self) -> Result<(), Finding> {
        let model = self.model;
        let kind = model.kind();
        let wrong = |message: String| Err(self.wrong(codes::EXPLICIT_STRUCTURE, message));
        if model.initial.iter().next().is_none() {
            return wrong("no state is initial".to_owned())
                .map_err(|finding: Finding| finding.help("mark at least one state"));
        }
        if model.control == Control::Chance
            && let Some(state) = (0..model.num_states()).find(|&state| model.choices.range(state).len() > 1)
        {
            let choices = model.choices.range(state).len();
            return wrong(format!("state {state} of a {kind} has {choices} choices"));
        }
        if model.control != Control::Game && model.players.is_some() {
            return wrong(format!("a {kind} has players"));
        }
        if model.control == Control::Game && model.players.as_ref().is_none_or(|p| p.names.len() < 2) {
            return wrong(format!("a {kind} has no players"));
        }
        if model.values.is_none() && (model.control == Control::Chance || model.time != Time::Discrete) {
            return wrong(format!("a {kind} has no probabilities"));
        }
        if model.measure == Measure::Rates
            && (model.time != Time::Stochastic || model.control != Control::Chance)
        {
            return wrong(format!("the branches of a {kind} have rates instead of probabilities"));
        }
        if model.time != Time::Discrete
            && model.measure == Measure::Probabilities
            && model.exit_rates.is_none()
        {
            return wrong(format!("a {kind} has no exit rates"));
        }
        let Some(markovian) = &model.markovian else {
            return match model.time {
                Time::UrgentStochastic => wrong(format!("a {kind} does not mark Markovian states")),
                _ => Ok(()),
            };
        };
        if let Some(state) = markovian.iter().find(|&state| model.choices.range(state).len() > 1) {
            let choices = model.choices.range(state).len();
            return wrong(format!(
                "the Markovian state {state} has {choices} choices, but only one is allowed"
            ));
        }
        Ok(())
    }

    fn numbers(&self) -> Result<Vec<usize>, Finding> {
        let model = self.model;
        let mut scaled = Vec::new();
        if let Some(values) = &model.values {
            let what = if model.measure == Measure::Rates { "rate" } else { "probability" };
            self.sensible(values, what, true, |branch| {
                format!("to state {} of state {}", model.targets[branch], self.state_of_branch(branch))
            })?;
            if model.measure == Measure::Probabilities {
                scaled = self.sums(&model.branches, values, |choice| {
                    let state = model.choices.row_of(choice);
                    match model.control {
                        Control::Chance => format!("state {state}"),
                        _ => format!("choice {} of state {state}", choice - model.choices.range(state).start),
                    }
                })?;
            }
        }
        if let Some(rates) = &model.exit_rates {
            self.sensible(rates, "exit rate", true, |state| format!("of state {state}"))?;
        }
        for reward in &model.rewards {
            for on in [Entity::States, Entity::Choices, Entity::Branches] {
                let Some(numbers) = reward.of(on) else { continue };
                // Negative rewards have a meaning; engines that cannot treat them say so.
                self.sensible(numbers, &format!("reward `{}`", reward.name), false, |i| {
                    format!("of {} {i}", on.singular())
                })?;
            }
        }
        let drawn = model.observations.iter().filter_map(|o| Some((o.on, o.distribution.as_ref()?)));
        let drawn =
            drawn.chain(model.annotations.iter().filter_map(|a| Some((a.on, a.distribution.as_ref()?))));
        for (on, distribution) in drawn {
            self.sensible(&distribution.probabilities, "probability", true, |i| format!("of entry {i}"))?;
            self.sums(&distribution.rows, &distribution.probabilities, |i| format!("{} {i}", on.singular()))?;
        }
        for annotation in &model.annotations {
            if let Column::Numbers(numbers) = &annotation.values {
                let what = format!("value of `{}`", annotation.name);
                self.sensible(numbers, &what, false, |i| format!("of {} {i}", annotation.on.singular()))?;
            }
        }
        Ok(scaled)
    }

    /// Finite numbers, bounds in order; not negative where they are probabilities or rates.
    fn sensible(
        &self,
        numbers: &Numbers,
        what: &str,
        positive: bool,
        place: impl Fn(usize) -> String,
    ) -> Result<(), Finding> {
        let lowest = if positive { 0.0 } else { f64::NEG_INFINITY };
        // An upper bound of a rate or reward may be infinite only where nothing is computed with it: not here.
        let wrong_double = |&value: &f64| !(value.is_finite() && value >= lowest);
        let at = match numbers {
            Numbers::Double(values) => values.iter().position(wrong_double),
            Numbers::DoubleInterval(values) => {
                values.iter().position(|pair| pair.iter().any(wrong_double) || pair[0] > pair[1])
            }
            Numbers::Exact(values) | Numbers::ExactInterval(values) => {
                let negative: Vec<bool> =
                    values.distinct().iter().map(|v| positive && *v < RBig::ZERO).collect();
                let at = match negative.contains(&true) {
                    true => values.codes().iter().position(|&code| negative[code as usize]),
                    false => None,
                };
                match numbers {
                    Numbers::ExactInterval(_) => {
                        let reversed = |i: &usize| values.get(2 * i) > values.get(2 * i + 1);
                        at.map(|at| at / 2).or_else(|| (0..values.len() / 2).find(reversed))
                    }
                    _ => at,
                }
            }
            Numbers::Symbolic(_) => None,
        };
        let Some(at) = at else { return Ok(()) };
        let problem = match numbers.get(at) {
            Number::Double(value) if value.is_nan() => "is not a number".to_owned(),
            Number::Double(value) if value.is_infinite() => "is infinite".to_owned(),
            Number::Double(value) => format!("is {value}, below 0"),
            Number::Exact(value) => format!("is {value}, below 0"),
            Number::DoubleInterval(lower, upper) => format!("is the interval [{lower}, {upper}]"),
            Number::ExactInterval(lower, upper) => format!("is the interval [{lower}, {upper}]"),
            Number::Symbolic(_) => unreachable!("expressions are not compared"),
        };
        Err(self
            .wrong(codes::EXPLICIT_NUMBER, format!("the {what} {} {problem}", place(at)))
            .help("correct the number in the tool that wrote the file"))
    }

    /// Probabilities of every row sum to 1; those within intervals can. Gives the rows that do so nearly only.
    fn sums(
        &self,
        rows: &Rows,
        values: &Numbers,
        place: impl Fn(usize) -> String,
    ) -> Result<Vec<usize>, Finding> {
        let mut nearly = Vec::new();
        let sums = match values {
            Numbers::Symbolic(_) => return Ok(nearly),
            Numbers::Double(values) => Sums::Double(values),
            Numbers::DoubleInterval(values) => Sums::DoubleInterval(values),
            Numbers::Exact(values) => Sums::Exact(values),
            Numbers::ExactInterval(values) => Sums::ExactInterval(values),
        };
        for row in 0..rows.len() {
            if row.is_multiple_of(PATIENCE) {
                self.allowance.check()?;
            }
            let range = rows.range(row);
            // A choice without branches is a deadlock.
            if range.is_empty() {
                continue;
            }
            if let Sums::Double(values) = sums
                && (values[range.clone()].iter().sum::<f64>() - 1.0).abs() > LAST_DIGITS
            {
                nearly.push(row);
            }
            if let Some(sum) = sums.wrong(range) {
                let message = format!("the probabilities of {} sum to {sum}", place(row));
                return Err(self
                    .wrong(codes::EXPLICIT_SUM, message)
                    .help("sums farther from 1 than 1e-6 are not rescaled; if digits were lost, export with more digits"));
            }
        }
        Ok(nearly)
    }
}

/// Probabilities that are summed row by row.
enum Sums<'a> {
    Double(&'a [f64]),
    DoubleInterval(&'a [[f64; 2]]),
    Exact(&'a Ratios),
    ExactInterval(&'a Ratios),
}

impl Sums<'_> {
    /// The sum of a row, or of its bounds, if it is wrong.
    fn wrong(&self, range: std::ops::Range<usize>) -> Option<String> {
        let exact = |ratios: &Ratios, step: usize, offset: usize| {
            range.clone().fold(RBig::ZERO, |sum, i| sum + ratios.get(step * i + offset))
        };
        match self {
            Sums::Double(values) => {
                let sum: f64 = values[range.clone()].iter().sum();
                ((sum - 1.0).abs() > TOLERANCE).then(|| sum.to_string())
            }
            Sums::DoubleInterval(values) => {
                let sum = |end: usize| values[range.clone()].iter().map(|pair| pair[end]).sum::<f64>();
                let (lower, upper) = (sum(0), sum(1));
                (lower > 1.0 + TOLERANCE || upper < 1.0 - TOLERANCE)
                    .then(|| format!("between {lower} and {upper}"))
            }
            Sums::Exact(ratios) => {
                if range.len() == 1 {
                    let only = ratios.get(range.start);
                    return (*only != RBig::ONE).then(|| only.to_string());
                }
                let sum = exact(ratios, 1, 0);
                (sum != RBig::ONE).then(|| sum.to_string())
            }
            Sums::ExactInterval(ratios) => {
                let (lower, upper) = (exact(ratios, 2, 0), exact(ratios, 2, 1));
                (lower > RBig::ONE || upper < RBig::ONE).then(|| format!("between {lower} and {upper}"))
            }
        }
    }
}
