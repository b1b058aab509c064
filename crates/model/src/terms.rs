//! Data terms: values of recursive data types (lists, sets, queues, trees) and functions on them.
//!
//! A front end numbers distinct terms; states, expressions and kernels know a term only by its number. The
//! front end evaluates functions ([`Terms`]), once for each list of arguments; results are stored in a
//! [`Table`](crate::tables::Table). In a program, an application of a function is an expression that looks
//! the result up in such a table. If the entry is missing, the expression fails at its site, of subject
//! [`SiteSubject::Application`](crate::SiteSubject::Application). The runner of the kernel then asks the
//! front end, enters the result, and continues. So kernels call nothing, and stay the same while tables grow.
//!
//! `And`, `Or` and `Select` are lazy, so an application behind a guard that does not hold is never evaluated.

use crate::ids::{ApplicationId, FunctionId, Origin, SortId};
use rustc_hash::FxHashMap;
use volvelle_kernel::{ExprId, Site};

/// A function that the front end evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name as the user knows it.
    pub name: String,
    /// Properties of its arguments; at least one, since a function without arguments is a constant.
    pub parameters: Vec<Parameter>,
    /// Sort of the result; applications are `bool` for [`SortId::BOOLEAN`], else `i64`.
    pub result: SortId,
}

/// A property of an argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Any number except the smallest `i64`.
    Any,
    /// Numbers of a range.
    Range {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
    /// Terms, numbered from 0 without gaps.
    Term,
}

/// An application of a function to arguments, in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The function.
    pub function: FunctionId,
    /// `i64`.
    pub arguments: Vec<ExprId>,
    /// The site of failure while its result is unknown or missing.
    pub site: Site,
}

/// The applications of a program, one for each place in the text.
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
    /// The application with a number.
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

    /// The expression of an application at a place in the text, if it exists.
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

/// A function, its arguments, and the place in the text.
pub(crate) type ApplicationKey = (FunctionId, Vec<ExprId>, Origin);

/// The front end's part of data terms: evaluates functions and shows terms.
///
/// Results depend on the arguments alone. Functions are evaluated in the same order on every run and for any
/// number of threads, so terms may be numbered as they occur.
pub trait Terms: Send + Sync {
    /// The result of a function: any number but the smallest `i64`. Truth values are 0 and 1.
    ///
    /// # Errors
    /// No equation applies, or evaluation takes too long. The program then fails where it applies the
    /// function.
    fn apply(&mut self, function: FunctionId, arguments: &[i64]) -> Result<i64, NoValue>;

    /// The text of a value of a sort of terms ([`SortValues::Terms`](crate::SortValues::Terms)).
    fn text(&self, sort: SortId, value: i64) -> String;
}

/// The reason why a function has no value for some arguments, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(pub String);
