//! Elements of arrays whose numbers are computed: functions from indices to variables and channels.

use super::names::Names;
use crate::lower::elements;
use crate::system::{Event, Index, NodeKind, System};
use rustc_hash::FxHashMap;

/// The first element of an array, and the ranges and strides of its computed indices; channels are told from variables.
type Key = (bool, u32, Vec<(i64, i64, u32)>);

/// Functions that were made.
pub(super) struct Elements {
    functions: FxHashMap<Key, String>,
    /// In the order in which they came up.
    all: Vec<Function>,
}

/// A function from indices to an element.
pub(super) struct Function {
    pub name: String,
    /// Whether it gives channels.
    pub of_channels: bool,
    /// Values of indices, with the number of the element.
    pub cases: Vec<(Vec<i64>, u32)>,
}

fn key(of_channels: bool, base: u32, indices: &[Index]) -> Key {
    (of_channels, base, indices.iter().map(|index| (index.lo, index.hi, index.stride)).collect())
}

impl Elements {
    /// The functions that a system needs.
    pub fn new(system: &System, names: &mut Names) -> Elements {
        let mut found = Elements { functions: FxHashMap::default(), all: Vec::new() };
        for node in system.processes.iter().flat_map(|process| &process.nodes) {
            match &node.kind {
                NodeKind::Access(access) => {
                    found.add(system, names, false, access.variable.base.0, &access.variable.indices)
                }
                NodeKind::Event(Event::Enter(reference) | Event::Leave(reference), _) => {
                    found.add(system, names, false, reference.base.0, &reference.indices);
                }
                NodeKind::Event(Event::Sent(reference, _) | Event::Received(reference, _), _) => {
                    found.add(system, names, true, reference.base.0, &reference.indices);
                }
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, system: &System, names: &mut Names, of_channels: bool, base: u32, indices: &[Index]) {
        let key = key(of_channels, base, indices);
        if indices.is_empty() || self.functions.contains_key(&key) {
            return;
        }
        let cases = elements(base, indices).into_iter().map(|(number, values)| (values, number)).collect();
        let name_of = |number: u32| match of_channels {
            true => system.channels.get(number as usize).map(|channel| &*channel.name),
            false => system.variables.get(number as usize).map(|variable| &*variable.name),
        };
        let name = names.fresh(&array_name(name_of, base, indices));
        self.functions.insert(key, name.clone());
        self.all.push(Function { name, of_channels, cases });
    }

    /// The name of the function for a reference with computed indices.
    pub fn function(&self, of_channels: bool, base: u32, indices: &[Index]) -> &str {
        &self.functions[&key(of_channels, base, indices)]
    }

    pub fn all(&self) -> &[Function] {
        &self.all
    }
}

/// The name of the first element without the indices that are computed: `next[1]` of `next[p]` becomes `NEXT`.
fn array_name<'s>(name_of: impl Fn(u32) -> Option<&'s str>, base: u32, indices: &[Index]) -> String {
    let first = name_of(base).unwrap_or("element");
    let parts: Vec<&str> = first.split_inclusive(['[', ']']).collect();
    let mut computed = vec![false; parts.len()];
    for index in indices.iter().filter(|index| index.hi > index.lo) {
        let neighbour = name_of(base + index.stride).unwrap_or(first);
        for (place, (a, b)) in parts.iter().zip(neighbour.split_inclusive(['[', ']'])).enumerate() {
            computed[place] |= a != &b;
        }
    }
    let kept: String =
        parts.iter().zip(computed).filter(|(_, computed)| !computed).map(|(part, _)| *part).collect();
    let name = crate::lower::label_name(&kept);
    if name.is_empty() { "ELEMENT".to_owned() } else { name }
}
