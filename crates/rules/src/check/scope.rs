//! Variables that can be seen.

use crate::ir::LocalId;
use crate::types::Ty;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) id: LocalId,
    pub(super) ty: Ty,
    /// Whether it may be assigned.
    pub(super) is_var: bool,
    /// Whether it is an output of the rule.
    pub(super) is_output: bool,
}

/// The variables of a routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    locals: Vec<Local>,
    count: usize,
    /// Outputs that have a value on each way to here.
    pub(super) assigned: Vec<LocalId>,
    /// Whether outputs may not be used: in a function that is a value.
    pub(super) in_closure: bool,
    /// Whether outputs may not be assigned: in a function over a list, which is part of the rule.
    pub(super) in_list_function: bool,
    /// The failure that `previousFailure` is.
    pub(super) previous: Option<LocalId>,
}

impl Scope {
    /// That of a function that is a value.
    pub(super) fn of_closure() -> Self {
        Scope { in_closure: true, ..Self::default() }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A variable that no name reaches.
    pub(super) fn hidden(&mut self) -> LocalId {
        let id = LocalId::from_index(self.count);
        self.count += 1;
        id
    }

    pub(super) fn declare(&mut self, name: &str, ty: Ty, is_var: bool) -> LocalId {
        let id = self.hidden();
        self.locals.push(Local { name: name.to_owned(), id, ty, is_var, is_output: false });
        id
    }

    pub(super) fn declare_output(&mut self, name: &str, ty: Ty) -> LocalId {
        let id = self.declare(name, ty, true);
        if let Some(local) = self.locals.last_mut() {
            local.is_output = true;
        }
        id
    }

    pub(super) fn find(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|local| local.name.as_str())
    }

    /// What can be seen now; [`Scope::leave`] takes away what comes after.
    pub(super) fn enter(&self) -> usize {
        self.locals.len()
    }

    pub(super) fn leave(&mut self, mark: usize) {
        self.locals.truncate(mark);
    }

    /// The variables that can be seen, the newest of each name.
    pub(super) fn visible(&self) -> Vec<Local> {
        let mut visible: Vec<Local> = Vec::new();
        for local in self.locals.iter().rev() {
            if visible.iter().all(|known| known.name != local.name) {
                visible.push(local.clone());
            }
        }
        visible.reverse();
        visible
    }
}
