//! Offers: the values that the participants of a step exchange.
//!
//! An alternative may have a list of items: it *gives* a value (`!e`), or *takes* one of a sort (`?x:S`).
//! Alternatives of the participants of a group fit if they have the same number of items, and the k-th items
//! have the same sort ([`crate::Sort`]). If several give a value for an item, these must be equal, and they
//! must lie in the sorts of those that take it. A value that no participant gives is *negotiated*: each value
//! in all sorts is a step of its own. All participants read the k-th value at
//! [`Place::Offered`](crate::Place), in guards (selection predicates), weights and effects.
//!
//! | in a language | here |
//! |---|---|
//! | `G !x ?y:nat` of LOTOS | an offer with two items, of one participant among *n* |
//! | `c!x, y` and `c?u, v` of Promela | two offers of two items at the same channel ([`Offer::at`]) |
//! | a synchronisation of PRISM | no offers |

use crate::domain::Domain;
use crate::ids::SortId;
use crate::sorts::Sort;
use crate::terms::Terms;
use volvelle_kernel::ExprId;

/// One of the values that an alternative exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// It gives this value: `i64`, or `bool`.
    Give(ExprId),
    /// It takes any value of a sort.
    Take(Domain),
}

/// All values, for takers that accept whatever is given.
pub const ANY: Domain = Domain::Int { lo: i64::MIN, hi: i64::MAX };

/// The values that an alternative exchanges with the other participants of its step.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// `i64`: the channel of a handshake of two instances. `None`: all participants of the group take part.
    pub at: Option<ExprId>,
    /// The values, in order.
    pub items: Vec<Item>,
    /// The sorts of the items. If empty, the sorts follow from the types: [`SortId::INTEGER`] or
    /// [`SortId::BOOLEAN`].
    pub sorts: Vec<SortId>,
}

impl Offer {
    /// The offer of a component at a group.
    pub fn new(items: Vec<Item>) -> Self {
        Offer { at: None, items, sorts: Vec::new() }
    }

    /// The offer of a component at a group, with the sorts of its items.
    pub fn of_sorts(items: impl IntoIterator<Item = (Item, SortId)>) -> Self {
        let (items, sorts) = items.into_iter().unzip();
        Offer { at: None, items, sorts }
    }

    /// An instance sends values to another one over a channel.
    pub fn giving(at: ExprId, values: Vec<ExprId>) -> Self {
        debug_assert!(!values.is_empty(), "who gives nothing takes");
        Offer { at: Some(at), items: values.into_iter().map(Item::Give).collect(), sorts: Vec::new() }
    }

    /// An instance receives `count` values from another one over a channel.
    pub fn taking(at: ExprId, count: usize) -> Self {
        Offer { at: Some(at), items: vec![Item::Take(ANY); count], sorts: Vec::new() }
    }

    /// Whether some value is given.
    pub fn gives(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Give(_)))
    }

    /// The values that are given.
    pub fn given(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.items.iter().filter_map(|item| match *item {
            Item::Give(value) => Some(value),
            Item::Take(_) => None,
        })
    }

    /// The expressions that decide whether offers fit: the channel, and the values that are given.
    pub fn expressions(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.at.into_iter().chain(self.given())
    }
}

/// A value in a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelValue {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A value of another sort.
    Of(SortId, i64),
}

impl LabelValue {
    /// The text in labels. `terms` evaluates terms, if the program has some.
    pub fn text(self, sorts: &[Sort], terms: Option<&dyn Terms>) -> String {
        let (sort, value) = match self {
            LabelValue::Int(value) => (SortId::INTEGER, value),
            LabelValue::Bool(value) => (SortId::BOOLEAN, i64::from(value)),
            LabelValue::Of(sort, value) => (sort, value),
        };
        sorts[sort.index()].text(sort, value, terms)
    }
}
