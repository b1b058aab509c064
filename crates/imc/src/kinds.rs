//! The meaning of every label: rates with their numbers or names, probabilities, immediate actions.
//!
//! As in CADP, `rate r` and `a; rate r` are exponential delays, `prob p` and `a; prob p` are probabilistic
//! branches, and all else is immediate. A rate may also be a name, or a number times a name:
//! `a; rate LAMBDA`, `rate 2*LAMBDA`.

use dashu_ratio::RBig;
use volvelle_labels::{Meaning, meaning_with_names};
use volvelle_space::Labels;

use crate::options::{Measured, Values};
use crate::problem::Problem;

/// The number of a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// The number, or the factor before the name.
    pub factor: RBig,
    /// The index of the name in [`Kinds::names`].
    pub name: Option<u32>,
    /// The number as written.
    pub text: String,
}

/// The meaning of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A delay.
    Rate(Rate),
    /// A branch.
    Probability(RBig),
    /// An immediate step.
    Action,
}

/// Marks labels without a measured action.
pub(crate) const UNMEASURED: u32 = u32::MAX;

/// The meanings of all labels.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    /// The meaning of each label.
    pub of: Vec<Kind>,
    /// The action of each label: an index in `actions`, or [`UNMEASURED`].
    pub measured: Vec<u32>,
    /// Actions that are measured, in the order of the labels.
    pub actions: Vec<String>,
    /// Names of rates, in the order of the labels.
    pub names: Vec<String>,
}

/// The name under which a label is counted: its action, without rate or probability. A rate without an action
/// has the whole label. Internal steps and branches without an action have none.
pub(crate) fn counted(label: &str) -> Option<&str> {
    match meaning_with_names(label) {
        Meaning::Rate(_, "") => Some(label),
        Meaning::Rate(_, action) => Some(action),
        Meaning::Probability(_, "") => None,
        Meaning::Probability(_, action) => Some(action),
        Meaning::Action(_) if label == Labels::INTERNAL_TEXT => None,
        Meaning::Action(_) => Some(label),
    }
}

/// The factor of a rate, and its name.
fn factor_and_name(text: &str) -> Option<(RBig, Option<&str>)> {
    let (factor, name) = volvelle_labels::factor_and_name(text);
    Some((factor.map_or(Some(RBig::ONE), volvelle_logic::rational)?, name))
}

impl Kinds {
    /// Reads all labels. Wrong numbers are reported only if the label occurs on transitions.
    pub fn read(labels: &Labels, occurs: &[bool], measured: &Measured) -> Result<Self, Problem> {
        let mut kinds =
            Kinds { of: Vec::new(), measured: Vec::new(), actions: Vec::new(), names: Vec::new() };
        let mut places = rustc_hash::FxHashMap::default();
        for (label, text) in labels.texts().iter().enumerate() {
            if !occurs[label] {
                kinds.of.push(Kind::Action);
                kinds.measured.push(UNMEASURED);
                continue;
            }
            let kind = kinds.kind(label as u32, text)?;
            kinds.of.push(kind);
            let action = counted(text).filter(|action| measured.contains(action));
            kinds.measured.push(match action {
                None => UNMEASURED,
                Some(action) => *places.entry(action.to_owned()).or_insert_with(|| {
                    kinds.actions.push(action.to_owned());
                    kinds.actions.len() as u32 - 1
                }),
            });
        }
        if let Measured::Only(wanted) = measured
            && let Some(name) = wanted.iter().find(|wanted| !places.contains_key(*wanted))
        {
            let known = labels.texts().iter().zip(occurs).filter(|(_, occurs)| **occurs);
            let mut known: Vec<String> =
                known.filter_map(|(text, _)| counted(text)).map(str::to_owned).collect();
            known.sort();
            known.dedup();
            return Err(Problem::UnknownAction { name: name.clone(), known });
        }
        Ok(kinds)
    }

    fn kind(&mut self, label: u32, text: &str) -> Result<Kind, Problem> {
        let unreadable = |text: &str| Problem::UnreadableNumber { label, text: text.to_owned() };
        Ok(match meaning_with_names(text) {
            Meaning::Action(_) => Kind::Action,
            Meaning::Probability(number, _) => {
                let value = volvelle_logic::rational(number).ok_or_else(|| unreadable(number))?;
                if value <= RBig::ZERO || value > RBig::ONE {
                    return Err(Problem::OutOfRange { label, text: number.to_owned(), is_rate: false });
                }
                Kind::Probability(value)
            }
            Meaning::Rate(number, _) => {
                let (factor, name) = factor_and_name(number).ok_or_else(|| unreadable(number))?;
                if factor <= RBig::ZERO {
                    return Err(Problem::OutOfRange { label, text: number.to_owned(), is_rate: true });
                }
                let name = name.map(|name| self.name(name));
                Kind::Rate(Rate { factor, name, text: number.to_owned() })
            }
        })
    }

    fn name(&mut self, name: &str) -> u32 {
        let place = self.names.iter().position(|known| known == name);
        place.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u32
    }

    /// The values of all rates, by label; `None` for other labels.
    pub fn rates(&self, values: &Values) -> Result<Vec<Option<RBig>>, Problem> {
        if let Some((name, _)) = values.iter().find(|(name, _)| !self.names.contains(name)) {
            return Err(Problem::UnknownName { name: name.clone(), known: self.names.clone() });
        }
        let rate = |(label, kind): (usize, &Kind)| {
            let Kind::Rate(rate) = kind else { return Ok(None) };
            let Some(name) = rate.name else { return Ok(Some(rate.factor.clone())) };
            let name = &self.names[name as usize];
            let label = label as u32;
            let value = values.iter().rev().find(|(known, _)| known == name);
            let Some((_, value)) = value else { return Err(Problem::NoValue { label, name: name.clone() }) };
            if *value <= RBig::ZERO {
                return Err(Problem::OutOfRange { label, text: format!("{name}={value}"), is_rate: true });
            }
            Ok(Some(&rate.factor * value))
        };
        self.of.iter().enumerate().map(rate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Kinds, Problem> {
        let mut labels = Labels::new();
        texts.iter().for_each(|text| _ = labels.number(text));
        Kinds::read(&labels, &vec![true; labels.len()], &Measured::All)
    }

    fn ratio(numerator: i32, denominator: u32) -> RBig {
        RBig::from_parts(numerator.into(), denominator.into())
    }

    #[test]
    fn numbers_and_names() {
        let kinds =
            read(&["a; rate 1/3", "rate L", "b ; rate 2*L", "prob 0.1", "c; prob 1", "rates", "rate !1"])
                .unwrap();
        let rate = |label: usize| match &kinds.of[label] {
            Kind::Rate(rate) => (rate.factor.clone(), rate.name),
            other => panic!("{other:?}"),
        };
        assert_eq!(rate(1), (ratio(1, 3), None));
        assert_eq!((rate(2), rate(3)), ((ratio(1, 1), Some(0)), (ratio(2, 1), Some(0))));
        assert_eq!(kinds.of[4], Kind::Probability(ratio(1, 10)));
        assert!([0, 6, 7].iter().all(|&label| kinds.of[label] == Kind::Action));
        assert_eq!(kinds.actions, ["a", "rate L", "b", "c", "rates", "rate !1"]);
        assert_eq!(kinds.measured[0], UNMEASURED);
        let values = vec![("L".to_owned(), ratio(5, 2))];
        assert_eq!(kinds.rates(&values).unwrap()[3], Some(ratio(5, 1)));
        assert!(matches!(kinds.rates(&Vec::new()), Err(Problem::NoValue { label: 2, .. })));
        let wrong = vec![("M".to_owned(), ratio(5, 2))];
        assert!(matches!(kinds.rates(&wrong), Err(Problem::UnknownName { .. })));
        let zero = vec![("L".to_owned(), ratio(0, 1))];
        assert!(matches!(kinds.rates(&zero), Err(Problem::OutOfRange { .. })));
    }

    #[test]
    fn wrong_numbers() {
        for text in ["rate 0", "a; rate -1", "rate 0*L", "a; rate -2*L"] {
            assert!(matches!(read(&[text]), Err(Problem::OutOfRange { is_rate: true, .. })), "{text}");
        }
        for text in ["prob 1.5", "prob -0.1"] {
            assert!(matches!(read(&[text]), Err(Problem::OutOfRange { is_rate: false, .. })), "{text}");
        }
        for text in ["rate nan", "rate 1e", "a; prob 2x", "rate 1+", "rate inf"] {
            assert!(matches!(read(&[text]), Err(Problem::UnreadableNumber { .. })), "{text}");
        }
    }
}
