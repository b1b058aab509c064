//! A predictor at work on a stream of outcomes.

use super::corrected::Corrected;
use super::counters::{ByAddress, ByBoth, ByHistory, Indexed, Local, Tournament};
use super::hashed::Hashed;
use super::history::History;
use super::perceptron::Perceptron;
use super::rule::{Moment, Rule, Same};
use super::specification::Kind;
use super::tage::Tage;
use crate::text::Outcome;

/// Tables of one kind of predictor.
#[derive(Clone, Debug)]
enum Tables {
    Oracle,
    Always(Same),
    Bimodal(Indexed<ByAddress>),
    Gag(Indexed<ByHistory>),
    Gshare(Indexed<ByBoth>),
    Pag(Local),
    Tournament(Tournament),
    Perceptron(Perceptron),
    Hashed(Hashed),
    Tage(Tage),
    Corrected(Box<Corrected>),
}

/// A predictor with its tables and its history.
#[derive(Clone, Debug)]
pub struct Predictor {
    tables: Tables,
    past: Past,
    /// Number of predicted tasks.
    pub predictions: u64,
    /// Number of mispredicted tasks.
    pub mispredictions: u64,
}

/// The history, and the predictions that the tables have not learnt yet.
#[derive(Clone, Debug)]
struct Past {
    history: History,
    group: usize,
    /// Whether a mispredicted outcome enters the history as it really was.
    is_repaired: bool,
    members: Vec<Member>,
}

/// A task of a group.
#[derive(Clone, Copy, Debug)]
struct Member {
    at: Moment,
    taken: bool,
    predicted: bool,
    /// The number of the last instruction of the task, if it matters.
    last: u64,
}

impl Predictor {
    /// A predictor with empty tables that predicts `group` tasks at once, at least 1.
    pub fn new(kind: &Kind, group: u32) -> Self {
        let tables = match kind {
            Kind::Oracle => Tables::Oracle,
            Kind::Always(taken) => Tables::Always(Same(*taken)),
            Kind::Bimodal(bits) => Tables::Bimodal(Indexed::new(*bits)),
            Kind::Gag(bits) => Tables::Gag(Indexed::new(*bits)),
            Kind::Gshare(bits) => Tables::Gshare(Indexed::new(*bits)),
            Kind::Pag(bits) => Tables::Pag(Local::new(*bits)),
            Kind::Tournament(bits) => Tables::Tournament(Tournament::new(*bits)),
            Kind::Perceptron(shape) => Tables::Perceptron(Perceptron::new(*shape)),
            Kind::Hashed(shape) => Tables::Hashed(Hashed::new(shape)),
            Kind::Tage(shape) => Tables::Tage(Tage::new(shape)),
            Kind::Corrected(shape) => Tables::Corrected(Box::new(Corrected::new(shape))),
        };
        let group = group.max(1) as usize;
        let past = Past { history: History::default(), group, is_repaired: true, members: Vec::new() };
        Predictor { tables, past, predictions: 0, mispredictions: 0 }
    }

    /// The same predictor, whose history keeps mispredicted outcomes.
    pub fn unrepaired(mut self) -> Self {
        self.past.is_repaired = false;
        self
    }

    /// Predicts a task whose last instruction has the number `last`. Returns whether it is mispredicted. The
    /// predictor learns from the task in [`Predictor::learn`].
    pub fn foretell(&mut self, outcome: Outcome, last: u64) -> bool {
        self.predictions += 1;
        let at = Moment { address: outcome.address >> 1, history: self.past.history };
        let Some(rule) = self.tables.rule() else { return false };
        let predicted = rule.predict(&at);
        let Outcome { taken, .. } = outcome;
        let is_wrong = predicted != taken;
        self.mispredictions += u64::from(is_wrong);
        self.past.history.push(if self.past.is_repaired { taken } else { predicted });
        self.past.members.push(Member { at, taken, predicted, last });
        is_wrong
    }

    /// Learns, in order, the tasks for whose last instruction `is_due` holds.
    pub fn learn(&mut self, mut is_due: impl FnMut(u64) -> bool) {
        let Some(rule) = self.tables.rule() else { return };
        self.past.members.retain(|member| {
            let is_learnt = is_due(member.last);
            if is_learnt {
                rule.train(&member.at, member.taken, member.predicted);
            }
            !is_learnt
        });
    }

    /// Predicts tasks one after the other, learns from them, and appends to `wrong` which were mispredicted.
    pub fn observe(&mut self, outcomes: &[Outcome], wrong: &mut Vec<bool>) {
        let before = wrong.len();
        let past = &mut self.past;
        match &mut self.tables {
            Tables::Oracle => wrong.resize(before + outcomes.len(), false),
            Tables::Always(Same(taken)) => {
                wrong.extend(outcomes.iter().map(|outcome| outcome.taken != *taken));
            }
            Tables::Bimodal(rule) => past.observe(rule, outcomes, wrong),
            Tables::Gag(rule) => past.observe(rule, outcomes, wrong),
            Tables::Gshare(rule) => past.observe(rule, outcomes, wrong),
            Tables::Pag(rule) => past.observe(rule, outcomes, wrong),
            Tables::Tournament(rule) => past.observe(rule, outcomes, wrong),
            Tables::Perceptron(rule) => past.observe(rule, outcomes, wrong),
            Tables::Hashed(rule) => past.observe(rule, outcomes, wrong),
            Tables::Tage(rule) => past.observe(rule, outcomes, wrong),
            Tables::Corrected(rule) => past.observe(&mut **rule, outcomes, wrong),
        }
        self.predictions += outcomes.len() as u64;
        self.mispredictions += wrong[before..].iter().map(|wrong| u64::from(*wrong)).sum::<u64>();
    }
}

impl Tables {
    /// The rule of the tables; `None` for the oracle.
    fn rule(&mut self) -> Option<&mut dyn Rule> {
        Some(match self {
            Tables::Oracle => return None,
            Tables::Always(rule) => rule,
            Tables::Bimodal(rule) => rule,
            Tables::Gag(rule) => rule,
            Tables::Gshare(rule) => rule,
            Tables::Pag(rule) => rule,
            Tables::Tournament(rule) => rule,
            Tables::Perceptron(rule) => rule,
            Tables::Hashed(rule) => rule,
            Tables::Tage(rule) => rule,
            Tables::Corrected(rule) => &mut **rule,
        })
    }
}

impl Past {
    fn observe<R: Rule>(&mut self, rule: &mut R, outcomes: &[Outcome], wrong: &mut Vec<bool>) {
        match self.group {
            1 => self.singly(rule, outcomes, wrong),
            _ => self.in_groups(rule, outcomes, wrong),
        }
    }

    fn singly<R: Rule>(&mut self, rule: &mut R, outcomes: &[Outcome], wrong: &mut Vec<bool>) {
        // A repaired history takes the real outcome, so the next prediction need not wait for this one.
        match self.is_repaired {
            true => self.one_by_one::<true, R>(rule, outcomes, wrong),
            false => self.one_by_one::<false, R>(rule, outcomes, wrong),
        }
    }

    #[inline]
    fn one_by_one<const REPAIRED: bool, R: Rule>(
        &mut self,
        rule: &mut R,
        outcomes: &[Outcome],
        wrong: &mut Vec<bool>,
    ) {
        let mut history = self.history;
        wrong.extend(outcomes.iter().map(|outcome| {
            let at = Moment { address: outcome.address >> 1, history };
            let predicted = rule.step(&at, outcome.taken);
            history.push(if REPAIRED { outcome.taken } else { predicted });
            predicted != outcome.taken
        }));
        self.history = history;
    }

    /// The temporary history takes predicted outcomes. The first misprediction ends the group, so these are
    /// the real outcomes of all members but the last, and nothing in the group is predicted after the last.
    fn in_groups<R: Rule>(&mut self, rule: &mut R, outcomes: &[Outcome], wrong: &mut Vec<bool>) {
        for outcome in outcomes {
            let at = Moment { address: outcome.address >> 1, history: self.history };
            let predicted = rule.predict(&at);
            let is_wrong = predicted != outcome.taken;
            self.members.push(Member { at, taken: outcome.taken, predicted, last: 0 });
            self.history.push(if self.is_repaired { outcome.taken } else { predicted });
            wrong.push(is_wrong);
            if is_wrong || self.members.len() == self.group {
                for member in self.members.drain(..) {
                    rule.train(&member.at, member.taken, member.predicted);
                }
            }
        }
    }
}
