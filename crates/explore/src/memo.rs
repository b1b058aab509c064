//! Results of functions that the front end evaluates, during an exploration.
//!
//! Kernels read tables ([`Table`]). A state with a missing application is interpreted; the front end
//! evaluates each one found on the way, and the state is expanded again. This happens in the turn of a ticket
//! (module `workers`), so applications are evaluated in the order of the states, whatever the threads do.
//! Between turns, all threads read the tables. A thread that has found a missing entry keeps the tables for
//! itself until its ticket is done, because new applications come in groups.

use crate::batch::Batch;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use volvelle_kernel::interp::{Evaluator, Interpreted};
use volvelle_kernel::{Buffer, Const, ExprId, Local, Site};
use volvelle_model::kernels::StepKernel;
use volvelle_model::tables::{MISSING, Table};
use volvelle_model::{FunctionId, NoValue, Place, Program, Terms};

/// An application that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The function.
    pub function: FunctionId,
    /// Its arguments.
    pub arguments: Vec<i64>,
    /// The reason.
    pub reason: NoValue,
}

/// The tables, and the front end.
pub(crate) struct Memo<'t> {
    known: RwLock<Known<'t>>,
    bytes: AtomicU64,
}

/// The data of a [`Memo`].
pub(crate) struct Known<'t> {
    /// A table for each function.
    pub tables: Vec<Table>,
    terms: &'t mut dyn Terms,
    /// The application that has no value, once there is one.
    pub undefined: Option<Undefined>,
    /// Tables without entries.
    empty: Vec<Table>,
    /// Evaluates arguments. Its memory is as large as the program, so it is reused.
    evaluator: Evaluator,
}

impl<'t> Memo<'t> {
    /// A memo without results.
    pub fn new(program: &Program, terms: &'t mut dyn Terms) -> Self {
        let tables = || program.functions.iter().map(|function| Table::new(&function.parameters)).collect();
        let (tables, empty, evaluator) = (tables(), tables(), Evaluator::new());
        let known = Known { tables, terms, undefined: None, empty, evaluator };
        Memo { known: RwLock::new(known), bytes: AtomicU64::new(0) }
    }

    /// Locks for look-ups.
    pub fn read(&self) -> RwLockReadGuard<'_, Known<'t>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks for calls of the front end.
    pub fn write(&self) -> RwLockWriteGuard<'_, Known<'t>> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes held by the tables, except additions of a ticket in work.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Records the present size of the tables.
    pub fn measure(&self, known: &Known<'t>) {
        self.bytes.store(known.tables.iter().map(Table::bytes).sum(), Ordering::Relaxed);
    }

    /// The results at the end, with the front end.
    pub fn into_inner(self) -> Known<'t> {
        self.known.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known<'_> {
    /// The front end, to show terms.
    pub fn terms(&self) -> &dyn Terms {
        self.terms
    }

    /// Evaluates all missing applications of a packed state, which failed at `site` with the results known
    /// before. Returns `false` if the state fails for good: the site is not an application, or there is no
    /// value. Otherwise it must be expanded again. The contents of the batch are lost.
    ///
    /// The state is interpreted once, with empty tables: each application gets here, and the run continues
    /// with its value.
    pub fn supply(
        &mut self,
        program: &Program,
        step: &StepKernel,
        code: &Interpreted,
        batch: &mut Batch,
        packed: &[u64],
        site: Site,
    ) -> bool {
        if program.application_at(site).is_none() {
            return false;
        }
        let empty = std::mem::take(&mut self.empty);
        let known = RefCell::new(&mut *self);
        batch.expand_recovering(code, packed, &empty, &|site, locals| {
            let application = program.application_at(site)?;
            let known = &mut **known.borrow_mut();
            let arguments = application.arguments.iter();
            let arguments =
                arguments.map(|&argument| known.argument(program, step, argument, locals)).collect();
            known.apply(application.function, arguments).map(Const::i64)
        });
        self.empty = empty;
        self.undefined.is_none()
    }

    /// The value of an argument, given the locals of the step kernel.
    fn argument(&mut self, program: &Program, step: &StepKernel, argument: ExprId, locals: &[Const]) -> i64 {
        let tables = &self.tables;
        let local = |local: Local| match program.place(local) {
            Place::Field(field) => locals.get(field.index()).copied(),
            Place::Offered(k) => locals.get(step.offered.get(k as usize)?.index()).copied(),
            _ => None,
        };
        let load = |buffer: Buffer, index: u64| match program.place(buffer) {
            Place::Table(function) => {
                tables[function.index()].words().get(index as usize).map(|&word| Const::i64(word))
            }
            _ => None,
        };
        let value = self.evaluator.eval_reading(&program.exprs, argument, local, load);
        value.ok().and_then(Const::as_i64).expect("arguments are evaluated before the function")
    }

    /// The value of an application. If there is none, it is recorded as undefined.
    fn apply(&mut self, function: FunctionId, arguments: Vec<i64>) -> Option<i64> {
        if arguments.contains(&MISSING) {
            let reason = NoValue(format!("{MISSING} is too small"));
            self.undefined = Some(Undefined { function, arguments, reason });
            return None;
        }
        if let Some(known) = self.tables[function.index()].get(&arguments) {
            return Some(known);
        }
        let result = match self.terms.apply(function, &arguments) {
            Ok(MISSING) => Err(NoValue(format!("the result {MISSING} is too small"))),
            result => result,
        };
        match result {
            Ok(result) => {
                self.tables[function.index()].insert(&arguments, result);
                Some(result)
            }
            Err(reason) => {
                self.undefined = Some(Undefined { function, arguments, reason });
                None
            }
        }
    }
}
