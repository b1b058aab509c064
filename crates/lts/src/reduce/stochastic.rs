//! Labels with rates and probabilities: what they are, maximal progress, and the labels of sums.

use super::blocks::Blocks;
use super::weights::Weighted;
use dashu_int::UBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_labels::{Meaning, factor_and_name, meaning_with_names};
use volvelle_space::{Edge, Labels, Lts};

/// Weights of the same name add up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Name {
    /// `rate` or `prob`.
    word: &'static str,
    /// The action in front; may be empty.
    action: String,
    /// The symbol that the number is a factor of; empty for plain numbers.
    symbol: String,
}

/// The labels of a system that have weights.
#[derive(Debug)]
pub(super) struct Stochastic {
    names: Vec<Name>,
    /// By label.
    pub weights: Vec<Option<Weighted>>,
}

/// A label whose number cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadWeight {
    /// The label.
    pub label: String,
    /// Why.
    pub reason: String,
}

impl Stochastic {
    /// Reads the labels of a system.
    pub fn read(labels: &Labels) -> Result<Self, BadWeight> {
        let mut numbers: FxHashMap<Name, u32> = FxHashMap::default();
        let mut names = Vec::new();
        let mut weights = Vec::with_capacity(labels.len());
        for label in labels.texts() {
            let Some((word, action, number)) = parts(label) else {
                weights.push(None);
                continue;
            };
            let bad = |reason: &str| BadWeight { label: label.clone(), reason: reason.to_owned() };
            let (value, symbol) = factor(number).ok_or_else(|| bad("the number cannot be read"))?;
            if value <= RBig::ZERO {
                return Err(bad("the number is not positive"));
            }
            if word == "prob" && symbol.is_empty() && value > RBig::ONE {
                return Err(bad("a probability is at most 1"));
            }
            let action = if action == Labels::INTERNAL_TEXT { "" } else { action };
            let name = Name { word, action: action.to_owned(), symbol: symbol.to_owned() };
            let next = names.len() as u32;
            let name = *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                next
            });
            weights.push(Some(Weighted { name, value }));
        }
        Ok(Stochastic { names, weights })
    }

    fn is(&self, label: u32, word: &str) -> bool {
        let weight = self.weights[label as usize].as_ref();
        weight.is_some_and(|weight| self.names[weight.name as usize].word == word)
    }

    /// Applies maximal progress: rates of states that have internal or probabilistic transitions never count, and are removed. Gives how
    /// many.
    ///
    /// With `separate`, the probabilities of a state that has internal transitions, too, move to a state of their own that another
    /// internal transition leads to: to choose them is one of the choices.
    pub fn normalise(&self, lts: Lts, separate: bool) -> (Lts, u64) {
        let is_immediate = |edge: &Edge| edge.is_internal() || self.is(edge.label, "prob");
        let states = lts.num_states() as u32;
        let (initial, labels, mut starts, edges) = lts.into_parts();
        let (mut kept, mut apart): (Vec<Edge>, Vec<Vec<Edge>>) =
            (Vec::with_capacity(edges.len()), Vec::new());
        let mut removed = 0;
        let mut begin = 0;
        for state in 0..states as usize {
            let own = &edges[begin..starts[state + 1] as usize];
            begin = starts[state + 1] as usize;
            let (is_unstable, is_internal) =
                (own.iter().any(is_immediate), own.iter().any(|e| e.is_internal()));
            let mut moved = Vec::new();
            for edge in own {
                if is_unstable && self.is(edge.label, "rate") {
                    removed += 1;
                } else if separate && is_internal && self.is(edge.label, "prob") {
                    moved.push(*edge);
                } else {
                    kept.push(*edge);
                }
            }
            if !moved.is_empty() {
                kept.push(Edge { label: Labels::INTERNAL, target: states + apart.len() as u32 });
                apart.push(moved);
            }
            starts[state + 1] = kept.len() as u32;
        }
        for edges in apart {
            kept.extend(edges);
            starts.push(kept.len() as u32);
        }
        (Lts::new(initial, labels, starts, kept), removed)
    }

    /// The transitions with weights of a block: the sums of a state that has some. `labels` get the texts of sums.
    pub fn sums(&self, lts: &Lts, blocks: &Blocks, block: u32, labels: &mut Labels, own: &mut Vec<Edge>) {
        let weight = |edge: &Edge| self.weights[edge.label as usize].as_ref();
        let has_some = |state: &u32| lts.outgoing(*state).iter().any(|edge| weight(edge).is_some());
        let Some(state) = blocks.members(block).filter(has_some).min() else { return };
        let mut sums: FxHashMap<(u32, u32), RBig> = FxHashMap::default();
        for edge in lts.outgoing(state) {
            if let Some(weight) = weight(edge) {
                let sum = sums.entry((blocks.of(edge.target), weight.name)).or_insert(RBig::ZERO);
                *sum += &weight.value;
            }
        }
        // Numbers of new labels must not depend on how blocks are numbered.
        let text =
            |((target, name), sum): ((u32, u32), RBig)| (self.names[name as usize].label(&sum), target);
        let mut sums: Vec<(String, u32)> = sums.into_iter().map(text).collect();
        sums.sort_unstable();
        for (label, target) in sums {
            own.push(Edge { label: labels.number(&label), target });
        }
    }
}

impl Name {
    fn label(&self, value: &RBig) -> String {
        let number = match self.symbol.as_str() {
            "" => number(value),
            symbol if *value == RBig::ONE => symbol.to_owned(),
            symbol => format!("{}*{symbol}", number(value)),
        };
        match self.action.as_str() {
            "" => format!("{} {number}", self.word),
            action => format!("{action}; {} {number}", self.word),
        }
    }
}

/// The parts of a label with a weight: `rate` or `prob`, the action, and the number, which may be a symbol or a multiple of one.
fn parts(label: &str) -> Option<(&'static str, &str, &str)> {
    match meaning_with_names(label) {
        Meaning::Rate(number, action) => Some(("rate", action, number)),
        Meaning::Probability(number, action) => Some(("prob", action, number)),
        Meaning::Action(_) => None,
    }
}

/// A number and the symbol that it is a factor of.
fn factor(text: &str) -> Option<(RBig, &str)> {
    let (factor, symbol) = factor_and_name(text);
    let value = factor.map_or(Some(RBig::ONE), volvelle_logic::rational)?;
    Some((value, symbol.unwrap_or("")))
}

/// Decimal digits that a number may take before it is written as a fraction.
const DIGITS: usize = 17;

/// A positive number: in decimal notation where that is short, else as a fraction.
fn number(value: &RBig) -> String {
    let ten = UBig::from(10u8);
    let (mut scaled, mut decimals) = (value.clone(), 0usize);
    while *scaled.denominator() != UBig::ONE && decimals <= DIGITS {
        scaled *= RBig::from(ten.clone());
        decimals += 1;
    }
    let digits = scaled.numerator().to_string();
    if *scaled.denominator() != UBig::ONE || (decimals > 0 && digits.len().max(decimals) > DIGITS) {
        return value.to_string();
    }
    if decimals == 0 {
        return digits;
    }
    let padded = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for text in ["3", "2.5", "1/3", "0.001", "12.0625", "1/7000000", "123456789012345678901234567890"] {
            assert_eq!(number(&volvelle_logic::rational(text).unwrap()), text);
        }
    }

    #[test]
    fn labels_with_weights() {
        assert_eq!(parts("a !1; rate 2"), Some(("rate", "a !1", "2")));
        assert_eq!(parts("rate LAMBDA"), Some(("rate", "", "LAMBDA")));
        assert_eq!(parts("rate 2*MU"), Some(("rate", "", "2*MU")));
        assert_eq!(parts("rate !1"), None);
        assert_eq!(factor("2*MU"), Some((RBig::from(2), "MU")));
        let mut labels = Labels::new();
        labels.number("rate -1");
        assert_eq!(Stochastic::read(&labels).unwrap_err().reason, "the number is not positive");
    }
}
