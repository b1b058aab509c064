//! The tokens that parts of rules may begin with, and those that may follow rules.

use super::kinds::Kinds;
use super::model::{END, Model, Part};
use super::syntax::Times;

/// What a part may begin with, and whether it may be nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct First {
    pub kinds: Kinds,
    pub is_nullable: bool,
}

/// Of all rules.
#[derive(Debug)]
pub(crate) struct Firsts {
    pub rules: Vec<First>,
    pub follows: Vec<Kinds>,
}

impl Firsts {
    pub fn new(model: &Model) -> Firsts {
        let count = model.rules.len();
        let mut firsts =
            Firsts { rules: vec![First::default(); count], follows: vec![Kinds::default(); count] };
        // Rules are often declared above those that they call: backwards, few rounds are enough.
        loop {
            let mut is_changed = false;
            for (rule, model) in model.rules.iter().enumerate().rev() {
                let first = firsts.of(&model.body);
                is_changed |= first != firsts.rules[rule];
                firsts.rules[rule] = first;
            }
            if !is_changed {
                break;
            }
        }
        firsts.follows[model.entry].insert(END);
        loop {
            let mut is_changed = false;
            for rule in 0..count {
                let behind = firsts.follows[rule].clone();
                is_changed |= firsts.follow(&model.rules[rule].body, &behind);
            }
            if !is_changed {
                return firsts;
            }
        }
    }

    /// What a part may begin with.
    pub fn of(&self, part: &Part) -> First {
        match part {
            Part::Sequence(parts) => {
                let mut first = First { is_nullable: true, ..First::default() };
                for part in parts {
                    let next = self.of(part);
                    first.kinds.add(&next.kinds);
                    if !next.is_nullable {
                        return First { is_nullable: false, ..first };
                    }
                }
                first
            }
            Part::Choice(parts, _) => {
                let mut first = First::default();
                for part in parts {
                    let next = self.of(part);
                    first.kinds.add(&next.kinds);
                    first.is_nullable |= next.is_nullable;
                }
                first
            }
            Part::Repeat { inner, times, .. } => {
                let first = self.of(inner);
                First { is_nullable: first.is_nullable || *times != Times::Some, ..first }
            }
            Part::Token { kind, .. } => First { kinds: Kinds::one(*kind), is_nullable: false },
            Part::Call { rule, .. } => self.rules[*rule].clone(),
            Part::New { .. } | Part::Wrap { .. } => First { is_nullable: true, ..First::default() },
        }
    }

    /// What may stand where a part and what is behind it stand.
    pub fn with(&self, part: &Part, behind: &Kinds) -> Kinds {
        let first = self.of(part);
        let mut kinds = first.kinds;
        if first.is_nullable {
            kinds.add(behind);
        }
        kinds
    }

    /// Adds what follows the rules that a part calls; gives whether that changes anything.
    fn follow(&mut self, part: &Part, behind: &Kinds) -> bool {
        match part {
            Part::Sequence(parts) => {
                let (mut behind, mut is_changed) = (behind.clone(), false);
                for part in parts.iter().rev() {
                    is_changed |= self.follow(part, &behind);
                    behind = self.with(part, &behind);
                }
                is_changed
            }
            Part::Choice(parts, _) => {
                parts.iter().fold(false, |is_changed, part| self.follow(part, behind) | is_changed)
            }
            Part::Repeat { inner, times, .. } => {
                let mut behind = behind.clone();
                if *times != Times::Optional {
                    behind.add(&self.of(inner).kinds);
                }
                self.follow(inner, &behind)
            }
            Part::Call { rule, .. } => self.follows[*rule].add(behind),
            Part::Token { .. } | Part::New { .. } | Part::Wrap { .. } => false,
        }
    }
}
