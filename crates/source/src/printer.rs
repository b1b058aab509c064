//! The text under construction, and what printing remembers from one statement to the next.

use crate::dialect::Dialect;
use crate::laziness::fallible;
use crate::library::Helpers;
use crate::lines::{Lines, comment};
use crate::names::Names;
use crate::operation::Writer;
use crate::sharing::Sharing;
use crate::traits::Traits;
use crate::value::Value;
use crate::{Jumps, Notes, Unsupported};
use rustc_hash::FxHashMap;
use volvelle_kernel::magnitude::magnitudes;
use volvelle_kernel::{Buffer, Const, ExprId, Kernel, Local, Site};

/// Blocks inside of one another: compilers count brackets of all kinds, and stop at 256.
const MAX_DEPTH: usize = 160;

/// Bytes at which printing gives up: compilers of devices take minutes for such texts.
const MAX_TEXT: usize = 1 << 20;

/// The construct that a `break` or `goto` leaves.
pub(crate) enum Around {
    For {
        /// The label after it, if there are jumps to it.
        end: Option<String>,
    },
    Machine {
        next: Next,
        end: Option<String>,
    },
    /// A `switch` of the IR.
    Switch,
}

/// How control reaches the next block of a machine.
pub(crate) enum Next {
    /// By a variable that has its number.
    Number(String),
    /// By a jump, before which the local is incremented and compared with the bound.
    Label { labels: Vec<String>, count: String },
}

/// The text under construction.
pub(crate) struct Printer<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) writer: Writer,
    pub(crate) names: Names,
    pub(crate) site_notes: FxHashMap<Site, String>,
    pub(crate) out: Lines,
    /// Locals that occur.
    pub(crate) used: Vec<bool>,
    pub(crate) traits: Traits,
    pub(crate) fallible: Vec<bool>,
    pub(crate) magnitudes: Vec<f64>,
    /// Of the current statement: what is shared, what it is called, and in which blocks these names are known.
    pub(crate) sharing: Sharing,
    pub(crate) memo: FxHashMap<ExprId, Value>,
    pub(crate) scopes: Vec<Vec<ExprId>>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) around: Vec<Around>,
    pub(crate) jumps: Jumps,
}

impl<'k> Printer<'k> {
    pub(crate) fn new(kernel: &'k Kernel, dialect: Dialect, notes: &Notes, jumps: Jumps) -> Self {
        Printer {
            kernel,
            writer: Writer { dialect, helpers: Helpers::new() },
            names: Names::new(kernel),
            site_notes: notes.sites.iter().map(|(site, note)| (*site, comment(note))).collect(),
            out: Lines { text: String::new(), depth: 1 },
            used: vec![false; kernel.locals.len()],
            traits: Traits::of(kernel),
            fallible: fallible(&kernel.exprs),
            magnitudes: magnitudes(&kernel.exprs),
            sharing: Sharing::default(),
            memo: FxHashMap::default(),
            scopes: Vec::new(),
            facts: Vec::new(),
            around: Vec::new(),
            jumps,
        }
    }

    pub(crate) fn constant(&mut self, c: Const) -> Value {
        let is_finite = c.as_f64().is_none_or(f64::is_finite);
        if c.ty.is_float() && !is_finite {
            self.writer.helpers.insert(crate::library::Helper::OfBits(c.ty));
        }
        Value::constant(self.writer.dialect, c)
    }

    pub(crate) fn local(&mut self, local: Local) -> String {
        self.used[local.index()] = true;
        self.names.locals[local.index()].clone()
    }

    pub(crate) fn check_size(&self) -> Result<(), Unsupported> {
        if self.out.text.len() > MAX_TEXT { Err(Unsupported::TooLarge) } else { Ok(()) }
    }

    pub(crate) fn deeper(&mut self) -> Result<(), Unsupported> {
        self.out.depth += 1;
        if self.out.depth > MAX_DEPTH { Err(Unsupported::TooDeep) } else { Ok(()) }
    }

    pub(crate) fn shallower(&mut self) {
        self.out.depth -= 1;
        let depth = self.out.depth;
        self.facts.retain(|fact| fact.depth <= depth);
    }
}

/// The fact that an element exists, which holds in a block as long as no local changes.
pub(crate) struct Fact {
    pub(crate) depth: usize,
    pub(crate) buffer: Buffer,
    pub(crate) index: ExprId,
}
