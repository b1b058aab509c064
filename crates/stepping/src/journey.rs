//! A walk with its past, and with the future that was taken back.

use crate::trail::mismatch;
use crate::{Goal, SavedStep, Taken, Trail, Walk, Weights};
use volvelle_diagnostics::Diagnostic;
use volvelle_lts::Dice;

/// A walk that remembers all of its steps. Steps that are taken back can be taken again, until another one is chosen.
pub struct Journey<'w> {
    walk: &'w mut dyn Walk,
    seed: u64,
    dice: Dice,
    /// The steps in their order, also those that were taken back.
    steps: Vec<Step>,
    /// How many of them led to the state in which the walk is.
    position: usize,
    /// Steps that it may have.
    limit: usize,
}

/// A step of a journey.
struct Step {
    choice: usize,
    taken: Taken,
}

/// Why a journey stopped before it was where it was to go.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// No step is enabled.
    AtEnd,
    /// There are as many steps as there may be.
    AtLimit,
    /// A step failed; the walk is before it.
    Failed(Diagnostic),
    /// Someone asked to stop.
    Interrupted,
    /// The goal was not reached within the steps that were allowed for it.
    Unreached,
}

/// How a journey goes on by itself.
pub struct Pace<'a> {
    /// At most so many steps.
    pub steps: usize,
    /// Where it stops; `None`: behind these steps.
    pub goal: Option<&'a Goal>,
    /// Whether to stop now; asked before each step.
    pub is_stopped: &'a mut dyn FnMut() -> bool,
}

impl<'w> Journey<'w> {
    /// Begins in the initial state. The seed is that of random steps; at most `limit` steps are remembered.
    pub fn new(walk: &'w mut dyn Walk, seed: u64, limit: usize) -> Self {
        Journey { walk, seed, dice: Dice::new(seed), steps: Vec::new(), position: 0, limit }
    }

    /// The walk.
    pub fn walk(&mut self) -> &mut dyn Walk {
        self.walk
    }

    /// How many steps led here.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many steps are known, those that were taken back included.
    pub fn known(&self) -> usize {
        self.steps.len()
    }

    /// Steps that it may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// A known step, by its number from 1.
    pub fn step(&self, number: usize) -> Option<&Taken> {
        self.steps.get(number.checked_sub(1)?).map(|step| &step.taken)
    }

    /// Which of the steps of its state a known step is, from 0; by its number from 1.
    pub fn choice(&self, number: usize) -> Option<usize> {
        self.steps.get(number.checked_sub(1)?).map(|step| step.choice)
    }

    /// Takes a step of the state, by its number from 0. The steps that were taken back are kept if it is the first of them.
    ///
    /// # Errors
    /// See [`Stopped`].
    pub fn take(&mut self, choice: usize) -> Result<(), Stopped> {
        if self.position >= self.limit {
            return Err(Stopped::AtLimit);
        }
        let taken = self.walk.take(choice).map_err(Stopped::Failed)?;
        if self.steps.get(self.position).is_none_or(|known| known.choice != choice) {
            self.steps.truncate(self.position);
            self.steps.push(Step { choice, taken });
        }
        self.position += 1;
        Ok(())
    }

    /// Takes a random step, in proportion to the weights.
    ///
    /// # Errors
    /// See [`Stopped`].
    pub fn take_random(&mut self) -> Result<(), Stopped> {
        if let Some(choice) = self.walk.drawn().map_err(Stopped::Failed)? {
            return self.take(choice);
        }
        let weights = self.walk.weights().map_err(Stopped::Failed)?;
        let choice = draw(&weights, &mut self.dice).ok_or(Stopped::AtEnd)?;
        self.take(choice)
    }

    /// Takes random steps.
    ///
    /// # Errors
    /// See [`Stopped`]; the steps up to there are taken.
    pub fn go(&mut self, pace: Pace<'_>) -> Result<(), Stopped> {
        for _ in 0..pace.steps {
            if (pace.is_stopped)() {
                return Err(Stopped::Interrupted);
            }
            self.take_random()?;
            let Some(goal) = pace.goal else { continue };
            let taken = &self.steps[self.position - 1].taken;
            if goal.is_reached(taken, self.walk).map_err(Stopped::Failed)? {
                return Ok(());
            }
        }
        if pace.goal.is_some() { Err(Stopped::Unreached) } else { Ok(()) }
    }

    /// Goes to the state behind so many steps: back, or forward again as far as steps are known.
    ///
    /// # Errors
    /// See [`Stopped`].
    pub fn jump(&mut self, position: usize) -> Result<(), Stopped> {
        let position = position.min(self.steps.len());
        if position < self.position {
            self.walk.back_to(position).map_err(Stopped::Failed)?;
            self.position = position;
        }
        while self.position < position {
            let choice = self.steps[self.position].choice;
            self.take(choice)?;
        }
        Ok(())
    }

    /// The steps that led here, for a file.
    pub fn trail(&self) -> Trail {
        let steps = self.steps[..self.position].iter();
        let saved = steps.map(|step| SavedStep::of(step.choice, &step.taken.what)).collect();
        Trail::new(self.walk.file(), self.seed, saved)
    }

    /// Walks along a trail from the initial state. Where it does not fit, everything stays as it was.
    ///
    /// # Errors
    /// The step that does not fit, and why.
    pub fn follow(&mut self, trail: &Trail, name: &str) -> Result<(), Diagnostic> {
        if trail.steps.len() > self.limit {
            let message =
                format!("`{name}` has {} steps, but a walk may have {}", trail.steps.len(), self.limit);
            return Err(mismatch(message).help(format!("allow more: --steps {}", trail.steps.len())));
        }
        let (before, position) = (std::mem::take(&mut self.steps), self.position);
        self.walk.back_to(0)?;
        self.position = 0;
        for (number, saved) in (1..).zip(&trail.steps) {
            if let Err(diagnostic) = self.follow_step(number, saved, name) {
                self.walk.back_to(0)?;
                (self.steps, self.position) = (before, 0);
                return match self.jump(position) {
                    Err(Stopped::Failed(other)) => Err(other),
                    _ => Err(diagnostic),
                };
            }
        }
        Ok(())
    }

    fn follow_step(&mut self, number: usize, saved: &SavedStep, name: &str) -> Result<(), Diagnostic> {
        let enabled = self.walk.enabled()?;
        let unfit = || {
            let wanted = words(&saved.action, &saved.actor, saved.line, &saved.text);
            mismatch(format!("step {number} of `{name}` does not fit the model"))
                .note(format!("it is choice {}: {wanted}", saved.choice + 1))
        };
        let help = "walk through this version of the model, and save the trail again";
        match enabled.get(saved.choice) {
            None if enabled.is_empty() => {
                let why = self.walk.end().map_or_else(String::new, |end| end.message);
                Err(unfit().note(format!("here the walk ends: {why}")).help(help))
            }
            None => Err(unfit().note(format!("here are only {} choices", enabled.len())).help(help)),
            Some(here) if !saved.is(&here.what) => {
                let what = &here.what;
                let here = words(&what.action, &what.actor, what.lines.first().copied(), &what.text);
                Err(unfit().note(format!("here choice {} is {here}", saved.choice + 1)).help(help))
            }
            Some(_) => match self.take(saved.choice) {
                Err(Stopped::Failed(diagnostic)) => Err(diagnostic),
                _ => Ok(()),
            },
        }
    }
}

/// A step in a line, for messages.
fn words(action: &str, actor: &str, line: Option<usize>, text: &str) -> String {
    let action = if action.is_empty() { None } else { Some(format!("[{action}]")) };
    let line = line.map(|line| format!("line {line}"));
    let others = [actor, text].map(|part| Some(part.to_owned()).filter(|part| !part.is_empty()));
    let [actor, text] = others;
    let parts: Vec<String> = [action, actor, line, text].into_iter().flatten().collect();
    if parts.is_empty() { "a silent step".to_owned() } else { parts.join(" ") }
}

/// Draws the number of a step; `None` where there is none.
fn draw(weights: &Weights, dice: &mut Dice) -> Option<usize> {
    match weights {
        Weights::Equal(0) => None,
        Weights::Equal(count) => Some(dice.below(*count)),
        Weights::Of(weights) => {
            /// Numbers that are drawn from: all that a double distinguishes between 0 and 1.
            const FINE: usize = 1 << 53;
            let total: f64 = weights.iter().sum();
            let drawn = dice.below(FINE) as f64 / FINE as f64 * total;
            let mut sum = 0.0;
            let is_drawn = |weight: &f64| {
                sum += weight;
                drawn < sum
            };
            // Rounding may leave the last bit of the total to no step.
            weights.iter().position(is_drawn).or_else(|| weights.iter().rposition(|&weight| weight > 0.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dice, Weights, draw};

    #[test]
    fn random_steps_follow_their_weights() {
        let mut dice = Dice::new(7);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            counts[draw(&Weights::Of(vec![1.0, 0.0, 3.0]), &mut dice).expect("a step")] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((850..1150).contains(&counts[0]), "{counts:?}");
        assert_eq!(draw(&Weights::Equal(0), &mut dice), None);
        assert_eq!(draw(&Weights::Of(Vec::new()), &mut dice), None);
        assert_eq!(draw(&Weights::Equal(1), &mut dice), Some(0));
    }
}
