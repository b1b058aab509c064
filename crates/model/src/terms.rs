//! Data terms: values of recursive data types (lists, sets, queues, trees) and functions on them.
//!
//! A front end numbers terms, each distinct one once, and the number is all that states, expressions and kernels know of a term. What a
//! function gives for arguments is asked of the front end ([`Terms`]), once for each list of arguments, and kept in a [`Table`](crate::tables::Table). An
//! application of a function in a program is an ordinary expression that looks the result up in such a table; where the table has no
//! entry it fails at its site, of subject [`SiteSubject::Application`](crate::SiteSubject::Application), and whoever runs the kernel asks, enters the result, and goes on.
//! So kernels call nothing, and stay the same while tables grow.
//!
//! `And`, `Or` and `Select` are lazy, so an application behind a guard that does not hold is never asked for.

use crate::ids::{ApplicationId, FunctionId, Origin, SortId};
use rustc_hash::FxHashMap;
use volvelle_kernel::{ExprId, Site};

/// A function that the front end evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name as the user knows it.
    pub name: String,
    /// What its arguments are; at least one: a function without arguments is a constant.
    pub parameters: Vec<Parameter>,
    /// Sort of the result; applications are `bool` for [`SortId::BOOLEAN`], else `i64`.
    pub result: SortId,
}

/// What is known of an argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Nothing: any number but the smallest `i64`.
    Any,
    /// Numbers of a range.
    Range {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
    /// Terms that are numbered from 0 on, without gaps.
    Term,
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
    made: FxHashMap<ApplicationKey, ExprId>,
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

    /// The expression of an application at a place in the text, where there is one.
    pub(crate) fn made(&self, key: &ApplicationKey) -> Option<ExprId> {
        self.made.get(key).copied()
    }

    /// The number of the next application.
    pub(crate) fn next(&self) -> ApplicationId {
        ApplicationId(self.all.len() as u32)
    }

    /// Adds an application with its expression.
    pub(crate) fn add(&mut self, key: ApplicationKey, site: Site, expression: ExprId) {
        let (function, arguments, _) = &key;
        self.all.push(Application { function: *function, arguments: arguments.clone(), site });
        self.made.insert(key, expression);
    }
}

/// A function, its arguments, and where it is applied.
pub(crate) type ApplicationKey = (FunctionId, Vec<ExprId>, Origin);

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
