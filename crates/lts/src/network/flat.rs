//! Networks as synchronisation vectors.

use super::{Gate, IdleGate, NetworkError, NodeId, SyncVector, Together};
use rustc_hash::FxHashMap;
use std::ops::Range;
use volvelle_labels::{Meaning, gate, meaning};
use volvelle_space::{Labels, Lts};

/// Vectors of a network, above which it is too large.
const MOST_VECTORS: usize = 1 << 26;

/// The gate on which behaviours end together.
const EXIT: &str = "exit";

/// A network without operators: systems, and vectors over their labels.
#[derive(Clone, Debug)]
pub(super) struct Flat {
    pub members: Vec<Lts>,
    pub vectors: Vec<Vector>,
    /// Members of the parallel compositions that it came of, inner ones first.
    pub groups: Vec<Range<u32>>,
}

/// Members that act together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Vector {
    /// Members with their labels, by members.
    pub parts: Vec<(u32, u32)>,
    /// The label of the step, in a table for the whole network.
    pub result: u32,
}

impl Flat {
    /// A system alone: each label that occurs is a vector.
    pub fn of(lts: Lts, results: &mut Labels) -> Self {
        let mut occurs = vec![false; lts.labels.len()];
        lts.edges().iter().for_each(|edge| occurs[edge.label as usize] = true);
        let occurring = (0u32..).zip(lts.labels.texts()).filter(|&(label, _)| occurs[label as usize]);
        let vectors = occurring
            .map(|(label, text)| Vector { parts: vec![(0, label)], result: results.number(text) })
            .collect();
        Flat { members: vec![lts], vectors, groups: Vec::new() }
    }

    /// The same with other labels; the internal action stays.
    pub fn relabelled(mut self, results: &mut Labels, new: impl Fn(&str) -> String) -> Self {
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        for vector in &mut self.vectors {
            if vector.result == Labels::INTERNAL {
                continue;
            }
            let old = vector.result;
            vector.result = *known.entry(old).or_insert_with(|| {
                let text = new(results.text(old));
                results.number(&text)
            });
        }
        self
    }
}

/// A parallel composition that is put together.
struct Joining<'a> {
    node: NodeId,
    results: &'a mut Labels,
    /// Vectors of the operands, over the members of all.
    operands: Vec<Vec<Vector>>,
    vectors: Vec<Vector>,
}

/// Operands in parallel.
pub(super) fn parallel(
    node: NodeId,
    operands: Vec<Flat>,
    together: &Together,
    results: &mut Labels,
    idle: &mut Vec<IdleGate>,
) -> Result<Flat, NetworkError> {
    let (mut members, mut groups, mut shifted) = (Vec::new(), Vec::new(), Vec::new());
    for operand in operands {
        let shift = members.len() as u32;
        let mut vectors = operand.vectors;
        // The first operand stays as it is: chains of operators lean to the left.
        if shift == 0 {
            (members, groups) = (operand.members, operand.groups);
        } else {
            vectors.iter_mut().flat_map(|vector| &mut vector.parts).for_each(|part| part.0 += shift);
            groups.extend(operand.groups.into_iter().map(|group| group.start + shift..group.end + shift));
            members.extend(operand.members);
        }
        shifted.push(vectors);
    }
    groups.push(0..members.len() as u32);
    let mut joining = Joining { node, results, operands: shifted, vectors: Vec::new() };
    match together {
        Together::All => joining.gates(&[], true, idle)?,
        Together::Gates(gates) => joining.gates(gates, false, idle)?,
        Together::Vectors { vectors, by_gate } => joining.given(vectors, *by_gate, idle)?,
    }
    Ok(Flat { members, vectors: joining.vectors, groups })
}

impl Joining<'_> {
    /// Operands that act together where labels agree: on gates, or on all labels.
    fn gates(&mut self, gates: &[Gate], all: bool, idle: &mut Vec<IdleGate>) -> Result<(), NetworkError> {
        let operands = std::mem::take(&mut self.operands);
        let count = operands.len();
        let everyone: Vec<usize> = (0..count).collect();
        let by_text: FxHashMap<&str, usize> =
            gates.iter().enumerate().map(|(k, g)| (g.text.as_str(), k)).collect();
        // Whether an operand acts on a gate.
        let mut acts = vec![false; gates.len() * count];
        // Labels that are shared, in the order in which they occur, with the vectors of each operand.
        let mut places: FxHashMap<(u32, Option<usize>), usize> = FxHashMap::default();
        let mut shared: Vec<(&[usize], Vec<Vec<Vector>>)> = Vec::new();
        for (operand, vectors) in operands.into_iter().enumerate() {
            for vector in vectors {
                let text = self.results.text(vector.result);
                let meant = meaning(text);
                let action = match meant {
                    Meaning::Action(action) | Meaning::Rate(_, action) | Meaning::Probability(_, action) => {
                        action
                    }
                };
                if vector.result == Labels::INTERNAL || action.is_empty() {
                    self.vectors.push(vector);
                    continue;
                }
                // A whole label is more special than a gate.
                let takes_part = |k: &&usize| gates[**k].operands.contains(&operand);
                let known = by_text.get(text).filter(takes_part);
                let known = known.or_else(|| by_text.get(gate(action)).filter(takes_part));
                let who: &[usize] = match known {
                    Some(&k) => {
                        acts[k * count + operand] = true;
                        &gates[k].operands
                    }
                    None if all || gate(action) == EXIT => &everyone,
                    None => &[],
                };
                if who.len() < 2 {
                    self.vectors.push(vector);
                    continue;
                }
                if !matches!(meant, Meaning::Action(_)) {
                    let gate = known.map_or(String::new(), |&k| gates[k].text.clone());
                    return Err(NetworkError::Weighted { node: self.node, gate, label: text.to_owned() });
                }
                let place = *places.entry((vector.result, known.copied())).or_insert_with(|| {
                    shared.push((who, vec![Vec::new(); count]));
                    shared.len() - 1
                });
                shared[place].1[operand].push(vector);
            }
        }
        for (who, vectors) in &shared {
            let choices: Vec<&[Vector]> = who.iter().map(|&operand| &vectors[operand][..]).collect();
            let result = choices.iter().flat_map(|choices| choices.first()).next().map(|v| v.result);
            self.combine(&choices, result.expect("somebody acts"))?;
        }
        for (k, found) in gates.iter().enumerate() {
            let acting = found.operands.iter().filter(|&&operand| acts[k * count + operand]).count();
            let idling = found.operands.iter().filter(|&&operand| !acts[k * count + operand]);
            idle.extend(idling.map(|&operand| IdleGate {
                node: self.node,
                gate: found.text.clone(),
                operand,
                blocks: acting > 0,
            }));
        }
        Ok(())
    }

    /// Operands that act together as given vectors say.
    fn given(
        &mut self,
        given: &[SyncVector],
        by_gate: bool,
        idle: &mut Vec<IdleGate>,
    ) -> Result<(), NetworkError> {
        let operands = std::mem::take(&mut self.operands);
        // For each operand: vectors by label, or by gate and then by the values behind it.
        let mut by_text: Vec<FxHashMap<String, Vec<Vector>>> = vec![FxHashMap::default(); operands.len()];
        for (operand, vectors) in operands.into_iter().enumerate() {
            for vector in vectors {
                let text = self.results.text(vector.result);
                let is_free = match meaning(text) {
                    Meaning::Action(_) => vector.result == Labels::INTERNAL,
                    Meaning::Rate(_, action) | Meaning::Probability(_, action) => action.is_empty(),
                };
                if is_free {
                    self.vectors.push(vector);
                } else {
                    let key = if by_gate { gate(text) } else { text }.to_owned();
                    by_text[operand].entry(key).or_default().push(vector);
                }
            }
        }
        for SyncVector { parts, result } in given {
            let named = parts.iter().zip(&by_text).enumerate();
            let taking: Vec<(usize, &String, &[Vector])> = named
                .filter_map(|(operand, (part, known))| {
                    let part = part.as_ref()?;
                    Some((operand, part, known.get(part).map_or(&[][..], |vectors| &vectors[..])))
                })
                .collect();
            let acting = taking.iter().filter(|(.., vectors)| !vectors.is_empty()).count();
            let idling = taking.iter().filter(|(.., vectors)| vectors.is_empty());
            idle.extend(idling.map(|&(operand, part, _)| IdleGate {
                node: self.node,
                gate: part.clone(),
                operand,
                blocks: acting > 0,
            }));
            if taking.len() > 1 {
                let all =
                    taking.iter().flat_map(|&(_, part, vectors)| vectors.iter().map(move |v| (part, v)));
                let mut texts = all.map(|(part, v)| (part, self.results.text(v.result)));
                let weighted = texts.find(|(_, text)| !matches!(meaning(text), Meaning::Action(_)));
                if let Some((part, text)) = weighted {
                    let (node, gate, label) = (self.node, part.clone(), text.to_owned());
                    return Err(NetworkError::Weighted { node, gate, label });
                }
            }
            if acting < taking.len() || taking.is_empty() {
                continue;
            }
            if !by_gate {
                let choices: Vec<&[Vector]> = taking.iter().map(|&(.., vectors)| vectors).collect();
                let result = self.results.number(result);
                self.combine(&choices, result)?;
                continue;
            }
            // Values have to agree: those that the first has are looked up in the others.
            let values = |vector: &Vector, part: &str, results: &Labels| {
                results.text(vector.result)[part.len()..].to_owned()
            };
            let mut agreeing: Vec<FxHashMap<String, Vec<Vector>>> = Vec::new();
            let mut order: Vec<String> = Vec::new();
            for (k, &(_, part, vectors)) in taking.iter().enumerate() {
                let mut found: FxHashMap<String, Vec<Vector>> = FxHashMap::default();
                for vector in vectors {
                    let values = values(vector, part, self.results);
                    if k == 0 && !found.contains_key(&values) {
                        order.push(values.clone());
                    }
                    found.entry(values).or_default().push(vector.clone());
                }
                agreeing.push(found);
            }
            for values in order {
                let choices: Option<Vec<&[Vector]>> =
                    agreeing.iter().map(|found| found.get(&values).map(|vectors| &vectors[..])).collect();
                let Some(choices) = choices else { continue };
                let is_internal = result == Labels::INTERNAL_TEXT;
                let text = if is_internal { result.clone() } else { format!("{result}{values}") };
                let result = self.results.number(&text);
                self.combine(&choices, result)?;
            }
        }
        // The same vector twice would double rates.
        let mut seen = rustc_hash::FxHashSet::default();
        self.vectors.retain(|vector| seen.insert(vector.clone()));
        Ok(())
    }

    /// All combinations of a vector of each.
    fn combine(&mut self, choices: &[&[Vector]], result: u32) -> Result<(), NetworkError> {
        let count = choices.iter().try_fold(1usize, |product, choices| product.checked_mul(choices.len()));
        let count = count.ok_or(NetworkError::TooLarge)?;
        if self.vectors.len().saturating_add(count) > MOST_VECTORS {
            return Err(NetworkError::TooLarge);
        }
        for mut number in 0..count {
            let mut parts = Vec::new();
            for choices in choices {
                parts.extend_from_slice(&choices[number % choices.len()].parts);
                number /= choices.len();
            }
            self.vectors.push(Vector { parts, result });
        }
        Ok(())
    }
}
