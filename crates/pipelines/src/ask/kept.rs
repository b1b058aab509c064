//! The system of a step while a pipeline runs: in memory, or in the folder of kept systems until it is asked for.

use super::cache::{Entry, load};
use crate::Made;
use std::cell::RefCell;
use std::rc::Rc;
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_space::Lts;

/// The system of a step at a point.
#[derive(Clone)]
pub struct Kept {
    /// How it came about.
    pub made: Made,
    size: Option<[u64; 2]>,
    /// Absent where it was not made, or is no longer needed.
    system: Option<Rc<System>>,
}

/// A system, in memory or in the folder.
struct System {
    entry: Entry,
    lts: RefCell<Option<Rc<Lts>>>,
}

impl Kept {
    /// Without a system.
    pub fn without(made: Made) -> Self {
        Kept { made, size: None, system: None }
    }

    /// With a system, which is in memory if it is given.
    pub fn of(made: Made, entry: Entry, lts: Option<Rc<Lts>>) -> Self {
        let size = Some(entry.size);
        Kept { made, size, system: Some(Rc::new(System { entry, lts: RefCell::new(lts) })) }
    }

    /// States and transitions.
    pub fn size(&self) -> Option<[u64; 2]> {
        self.size
    }

    /// The hash of its file; empty where there is no system.
    pub fn hash(&self) -> &str {
        self.system.as_ref().map_or("", |system| &system.entry.hash)
    }

    /// Takes it out of memory.
    pub fn forget(&mut self) {
        self.system = None;
    }

    /// The system itself, read from the folder if it is not in memory.
    pub fn lts(&self, control: &Control<'_>) -> Result<Rc<Lts>, Vec<Diagnostic>> {
        let Some(system) = &self.system else { return Err(Vec::new()) };
        if let Some(lts) = &*system.lts.borrow() {
            return Ok(Rc::clone(lts));
        }
        let lts = Rc::new(load(&system.entry, control)?);
        *system.lts.borrow_mut() = Some(Rc::clone(&lts));
        Ok(lts)
    }
}
