//! Data terms: values of recursive data types (lists, sets, queues, trees) and functions on them.
//!
//! A front end numbers terms, each distinct one once, and the number is all that states, expressions and kernels know of a term. What a
//! function gives for arguments is asked of the front end ([`Terms`]), once for each list of arguments, and kept in a [`Table`](crate::tables::Table). An
//! application of a function in a program is an ordinary expression that looks the result up in such a table; where the table has no
//! entry it fails at its site, of subject [`SiteSubject::Application`], and whoever runs the kernel asks, enters the result, and goes on.
//! So kernels call nothing, and stay the same while tables grow.
//!
//! `And`, `Or` and `Select` are lazy, so an application behind a guard that does not hold is never asked for.

use crate::ids::{ApplicationId, FunctionId, Origin, SortId};
use crate::places::Place;
use crate::program::{Program, SiteInfo, SiteSubject};
use crate::tables;
use rustc_hash::FxHashMap;
use volvelle_kernel::{ExprId, FailKind, Site, Type};

/// A function that the front end evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name as the user knows it.
    pub name: String,
    /// Number of arguments, at least 1: a function without arguments is a constant.
    pub arity: usize,
    /// Sort of the result; applications are `bool` for [`SortId::BOOLEAN`], else `i64`.
    pub result: SortId,
}

/// An application of a function to arguments, in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The function.
    pub function: FunctionId,
    /// `i64`.
    pub arguments: Vec<ExprId>,
    /// Where it fails while its result is not known, or has none.
    pub site: Site,
}

/// The applications of a program, each once for each place in the text.
#[derive(Clone, Debug, Default)]
pub struct Applications {
    all: Vec<Application>,
    made: FxHashMap<(FunctionId, Vec<ExprId>, Origin), ExprId>,
}

impl PartialEq for Applications {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all
    }
}

impl Applications {
    /// The application of a number.
    pub fn get(&self, id: ApplicationId) -> &Application {
        &self.all[id.index()]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The front end's side of data terms: evaluates functions and shows terms.
///
/// Results depend on nothing but the arguments. Functions are asked in an order that is the same on every run and for any number of
/// threads, so terms may be numbered as they come up.
pub trait Terms: Send + Sync {
    /// The result of a function: any number but the smallest `i64`. Truth values are 0 and 1.
    ///
    /// # Errors
    /// There is none: no equation applies, or finding it takes too long. The program fails where it applies the function.
    fn apply(&mut self, function: FunctionId, arguments: &[i64]) -> Result<i64, NoValue>;

    /// The text of a value of a sort of terms ([`SortValues::Terms`](crate::SortValues::Terms)).
    fn text(&self, sort: SortId, value: i64) -> String;
}

/// Why a function has no value for some arguments, in a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(pub String);

impl Program {
    /// Declares a sort.
    pub fn sort(&mut self, sort: crate::Sort) -> SortId {
        self.sorts.push(sort);
        SortId(self.sorts.len() as u32 - 1)
    }

    /// Declares a function.
    ///
    /// # Panics
    /// Where it has no parameters.
    pub fn function(&mut self, function: Function) -> FunctionId {
        assert!(function.arity > 0, "a function without parameters is a constant");
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// The application of a function to arguments (`i64` or `bool`), written at `origin` in `command`: `bool` where the sort of the result is
    /// [`SortId::BOOLEAN`], else `i64`. Arguments must not be the smallest `i64`. The same application at the same place is one
    /// expression.
    ///
    /// # Panics
    /// Where the number of arguments is not that of the function.
    pub fn apply(
        &mut self,
        function: FunctionId,
        arguments: &[ExprId],
        origin: Origin,
        command: Option<Origin>,
    ) -> ExprId {
        let Function { arity, result, .. } = self.functions[function.index()];
        assert_eq!(arguments.len(), arity, "a function has all its arguments");
        let arguments: Vec<ExprId> = arguments.iter().map(|&a| self.exprs.convert(Type::I64, a)).collect();
        let key = (function, arguments, origin);
        if let Some(&made) = self.applications.made.get(&key) {
            return made;
        }
        let (_, arguments, _) = &key;
        let subject = SiteSubject::Application(ApplicationId(self.applications.all.len() as u32));
        let site = self.site(SiteInfo { kind: FailKind::Range, subject, origin, command });
        let table = self.places.id(Place::Table(function)).buffer();
        let value = tables::lookup(&mut self.exprs, table, arguments, site);
        let value = if result == SortId::BOOLEAN { self.exprs.convert(Type::Bool, value) } else { value };
        self.applications.all.push(Application { function, arguments: arguments.clone(), site });
        self.applications.made.insert(key, value);
        value
    }

    /// Whether an expression of these needs the tables of functions.
    pub fn applies_functions(&self, roots: impl IntoIterator<Item = ExprId>) -> bool {
        if self.applications.is_empty() {
            return false;
        }
        let needed = self.reachable(roots);
        let mut ids = self.exprs.ids().filter(|id| needed[id.index()]);
        ids.any(|id| matches!(self.place_read(&self.exprs.node(id)), Some(Place::Table(_))))
    }

    /// The application that a site is about.
    pub fn application_at(&self, site: Site) -> Option<&Application> {
        match self.sites.get(site.index())?.subject {
            SiteSubject::Application(id) => Some(self.applications.get(id)),
            _ => None,
        }
    }
}
