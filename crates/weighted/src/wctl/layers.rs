//! Sets of states with `E(f U[l,u] g)` and `A(f U[l,u] g)` for `0 < l <= u < infinity`, layer by layer.
//!
//! Layer `k` has the states in which the formula holds with the interval `[k, u-l+k]`; the answer is layer
//! `l`. For `k <= 0`, the interval `[0, u-l+k]` starts at 0, and one number per state (least or heaviest
//! weight) says to which of these layers it belongs. Above, a state is in layer `k` if it has `left` and some
//! (every) step of weight `w` leads into layer `k - w`. Steps of weight 0 stay in the layer, whose least
//! solution a work list computes. A ring of as many layers is kept as the largest weight needs. Time O(l *
//! steps).

use super::graph::{Graph, Reverse};
use crate::Failure;
use volvelle_control::{Control, Stop};
use volvelle_logic::Quantifier;
use volvelle_space::BitSet;

/// Limit of bytes of the ring, if no other limit is given.
const MOST_BYTES: u64 = 8 << 30;

/// Computes layer `lower`. `base` has the least (existential) or heaviest (universal) weights to the right
/// operand, `u64::MAX` if they are above `upper - lower`.
#[allow(clippy::too_many_arguments)] // they are the parts of one formula
pub(super) fn between(
    graph: &Graph<'_>,
    reverse: &Reverse,
    quantifier: Quantifier,
    left: &BitSet,
    base: &[u64],
    lower: u64,
    upper: u64,
    control: &Control<'_>,
) -> Result<BitSet, Failure> {
    let states = graph.num_states();
    let largest = graph.steps.iter().map(|step| step.weight).max().unwrap_or(0);
    let ring = largest.min(lower).max(1);
    let bytes = ring.saturating_mul(states.div_ceil(64) as u64 * 8);
    control.check_memory(bytes)?;
    if bytes > MOST_BYTES {
        return Err(Stop::Memory.into());
    }
    let widths = upper - lower;
    let mut layers: Vec<BitSet> = Vec::new();
    let mut inert = vec![0u32; states];
    let mut pending: Vec<u32> = Vec::new();
    let is_exists = quantifier == Quantifier::Exists;
    for k in 1..=lower {
        let mut layer = BitSet::new(states);
        if k.is_multiple_of(64) || states > 1 << 16 {
            control.check()?;
        }
        for state in left.iter() {
            // Layer `k - w`. Below 1, the weight from the target must be at most `widths + k - w`.
            let has = |weight: u64, target: u32| match weight {
                w if w < k => layers[((k - w - 1) % ring) as usize].contains(target as usize),
                w => {
                    let number = base[target as usize];
                    number != u64::MAX && w - k <= widths && number <= widths - (w - k)
                }
            };
            let steps = graph.outgoing(state);
            let mut positive = steps.iter().filter(|step| step.weight > 0);
            let holds = if is_exists {
                positive.any(|step| has(step.weight, step.target))
            } else {
                let all = positive.all(|step| has(step.weight, step.target));
                inert[state] =
                    if all { steps.iter().filter(|s| s.weight == 0).count() as u32 } else { u32::MAX };
                all && inert[state] == 0
            };
            if holds {
                layer.insert(state);
                pending.push(state as u32);
            }
        }
        while let Some(state) = pending.pop() {
            for step in reverse.incoming(state) {
                let source = step.target as usize;
                if step.weight > 0 || !left.contains(source) || layer.contains(source) {
                    continue;
                }
                if !is_exists {
                    if inert[source] == u32::MAX {
                        continue;
                    }
                    inert[source] -= 1;
                    if inert[source] > 0 {
                        continue;
                    }
                }
                layer.insert(source);
                pending.push(step.target);
            }
        }
        let place = ((k - 1) % ring) as usize;
        if place == layers.len() { layers.push(layer) } else { layers[place] = layer }
    }
    Ok(layers.swap_remove(((lower - 1) % ring) as usize))
}
