//! Places: where a text was written, and the calls of macros and inlines through which it came.

use volvelle_diagnostics::{Diagnostic, Span};
use volvelle_kernel::{EntityVec, entity};

entity!(
    /// A place of a model ([`Places`]).
    Place
);

/// The text that was written, and the call through which it came to where it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceInfo {
    /// The text itself: in a file, in the body of a macro or inline, or in an argument of a call.
    pub span: Span,
    /// The call of the macro or inline that brought it here (its name and arguments); calls nest.
    pub through: Option<Place>,
}

/// All places of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places(pub EntityVec<Place, PlaceInfo>);

impl Places {
    /// The span and the calls of a place.
    pub fn get(&self, place: Place) -> PlaceInfo {
        self.0[place]
    }

    /// Adds a place.
    pub fn add(&mut self, info: PlaceInfo) -> Place {
        self.0.push(info)
    }

    /// The text in a file.
    pub fn span(&self, place: Place) -> Span {
        self.get(place).span
    }

    /// The calls through which it came, innermost first.
    pub fn calls(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(self.get(place).through, |&call| self.get(call).through)
    }
}

/// Calls that are shown under a message, at most.
const SHOWN_CALLS: usize = 4;

/// Puts the caret of a diagnostic under the text of a place, with `text` (may be empty) beside it, and shows the calls
/// of macros and inlines that brought the text where it counts.
pub fn at(diagnostic: Diagnostic, places: &Places, place: Place, text: &str) -> Diagnostic {
    at_info(diagnostic, places, places.get(place), text)
}

/// The same for a place that has no number.
pub(crate) fn at_info(diagnostic: Diagnostic, places: &Places, info: PlaceInfo, text: &str) -> Diagnostic {
    let mut diagnostic = diagnostic.at(info.span, text);
    let calls = info.through.into_iter().chain(info.through.into_iter().flat_map(|call| places.calls(call)));
    for call in calls.take(SHOWN_CALLS) {
        diagnostic = diagnostic.also(places.span(call), "through this call");
    }
    diagnostic
}

/// The smallest place that covers two. Where they came through different calls, it is that of the calls at which the ways
/// part.
pub(crate) fn join(places: &Places, a: PlaceInfo, b: PlaceInfo) -> PlaceInfo {
    if a.through == b.through {
        return PlaceInfo { span: a.span.to(b.span), through: a.through };
    }
    let depth = |info: PlaceInfo| info.through.map_or(0, |call| 1 + places.calls(call).count());
    let (mut a, mut b) = (a, b);
    let (mut depth_a, mut depth_b) = (depth(a), depth(b));
    while a.through != b.through {
        let outer = |info: PlaceInfo| info.through.map_or(info, |call| places.get(call));
        // Equal depths go up together: neither way is inside the other.
        let (up_a, up_b) = (depth_a >= depth_b, depth_b >= depth_a);
        if up_a {
            a = outer(a);
            depth_a = depth_a.saturating_sub(1);
        }
        if up_b {
            b = outer(b);
            depth_b = depth_b.saturating_sub(1);
        }
    }
    PlaceInfo { span: a.span.to(b.span), through: a.through }
}
