//! Least rewards of both signs, policy by policy: minus infinity where a policy stays and loses, or where what it has earned at a state
//! depends on chance, so that one that remembers it can wait until it is little.

use dashu_ratio::RBig;
use volvelle_logic::Ratio;
use volvelle_space::{BitSet, Space};

use super::{Chain, can_reach, exact, exact_long_run, exact_reward, exact_until, policies};

/// What happens in the closed set of states around a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// Nothing is earned.
    Free,
    /// Sums fall without end, now and then or for good.
    Losing,
    /// Sums rise without end.
    Gaining,
    /// Sums swing.
    Swinging,
}

/// For every state that only states can follow from which it is reached again: what happens there.
fn lasting(chain: &Chain, reward: &[f64]) -> Vec<Option<Lasting>> {
    let n = chain.len();
    let everywhere = BitSet::full(n);
    let reach: Vec<BitSet> = (0..n).map(|t| can_reach(chain, &everywhere, &BitSet::of(n, [t]))).collect();
    let averages = exact_long_run(chain, reward);
    let of = |s: usize| {
        let members: Vec<usize> = (0..n).filter(|&t| reach[t].contains(s)).collect();
        if !members.iter().all(|&t| reach[s].contains(t)) {
            return None;
        }
        if members.iter().all(|&t| reward[t] == 0.0) {
            return Some(Lasting::Free);
        }
        Some(match averages[s].cmp(&RBig::ZERO) {
            std::cmp::Ordering::Less => Lasting::Losing,
            std::cmp::Ordering::Greater => Lasting::Gaining,
            // What was earned on the way to a state is the same on all ways, or not.
            std::cmp::Ordering::Equal => match earned(chain, reward, s) {
                true => Lasting::Swinging,
                false => Lasting::Losing,
            },
        })
    };
    (0..n).map(of).collect()
}

/// Whether all ways from a state earn the same up to each other state.
fn earned(chain: &Chain, reward: &[f64], start: usize) -> bool {
    let mut known: Vec<Option<RBig>> = vec![None; chain.len()];
    known[start] = Some(RBig::ZERO);
    let mut work = vec![start];
    while let Some(s) = work.pop() {
        let after = known[s].clone().unwrap() + exact(reward[s]);
        for &(t, _) in chain[s].iter().filter(|e| e.1 > 0.0) {
            match &known[t] {
                None => {
                    known[t] = Some(after.clone());
                    work.push(t);
                }
                Some(before) if *before != after => return false,
                Some(_) => {}
            }
        }
    }
    true
}

/// The least expected reward until a target is reached, `reward` per choice; infinite where that is not almost sure.
pub fn least_until(space: &Space, reward: &[f64], target: &BitSet) -> Vec<Ratio> {
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    let mut least = vec![Ratio::Infinity; n];
    let mut closed = Vec::new();
    for (chain, taken) in policies(space) {
        let earned: Vec<f64> = taken.iter().map(|&choice| reward[choice]).collect();
        for (least, value) in least.iter_mut().zip(exact_reward(&chain, &earned, target)) {
            let value = value.map_or(Ratio::Infinity, Ratio::Finite);
            *least = least.clone().min(value);
        }
        let lasting = lasting(&chain, &earned);
        for s in (0..n).filter(|&s| lasting[s] == Some(Lasting::Losing)) {
            let around = |&t: &usize| can_reach(&chain, &everywhere, &BitSet::of(n, [t])).contains(s);
            closed.push((0..n).filter(around).map(|t| (t, taken[t])).collect::<Vec<_>>());
        }
    }
    let finite = BitSet::of(n, (0..n).filter(|&s| least[s] != Ratio::Infinity));
    let allowed = |s: usize, choice: usize| {
        !target.contains(s) && space.transitions(choice).all(|(t, _)| finite.contains(t))
    };
    let mut endless = BitSet::new(n);
    for states in closed.iter().filter(|c| c.iter().all(|&(s, choice)| allowed(s, choice))) {
        states.iter().filter(|(s, _)| finite.contains(*s)).for_each(|&(s, _)| {
            endless.insert(s);
        });
    }
    for _ in 0..n {
        for s in finite.iter() {
            let mut choices = space.choices_of(s).filter(|&choice| allowed(s, choice));
            if choices.any(|choice| space.transitions(choice).any(|(t, _)| endless.contains(t))) {
                endless.insert(s);
            }
        }
    }
    endless.iter().for_each(|s| least[s] = Ratio::MinusInfinity);
    least
}

/// The least expected reward for ever, `reward` per choice, among policies whose sums have a limit.
pub fn least_total(space: &Space, reward: &[f64]) -> Vec<Ratio> {
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    let mut least = vec![Ratio::Infinity; n];
    for (chain, taken) in policies(space) {
        let earned: Vec<f64> = taken.iter().map(|&choice| reward[choice]).collect();
        let lasting = lasting(&chain, &earned);
        let where_is = |what: &dyn Fn(Lasting) -> bool| {
            let states = BitSet::of(n, (0..n).filter(|&s| lasting[s].is_some_and(what)));
            can_reach(&chain, &everywhere, &states)
        };
        let bad = where_is(&|l| matches!(l, Lasting::Gaining | Lasting::Swinging));
        let losing = where_is(&|l| l == Lasting::Losing);
        let free = BitSet::of(n, (0..n).filter(|&s| lasting[s] == Some(Lasting::Free)));
        let sure = exact_until(&chain, &everywhere, &free);
        let values = exact_reward(&chain, &earned, &free);
        for s in (0..n).filter(|&s| !bad.contains(s)) {
            let value = match &values[s] {
                _ if losing.contains(s) => Ratio::MinusInfinity,
                Some(value) if sure[s] == RBig::ONE => Ratio::Finite(value.clone()),
                _ => Ratio::Infinity,
            };
            least[s] = least[s].clone().min(value);
        }
    }
    least
}

/// The negated number.
pub fn negative(value: &Ratio) -> Ratio {
    match value {
        Ratio::Finite(value) => Ratio::Finite(-value.clone()),
        Ratio::Infinity => Ratio::MinusInfinity,
        Ratio::MinusInfinity => Ratio::Infinity,
    }
}

/// Whether bounds contain a number that may be infinite.
pub fn encloses([lo, hi]: [f64; 2], truth: &Ratio) -> bool {
    match truth {
        Ratio::Finite(truth) => {
            (lo == f64::NEG_INFINITY || lo.is_finite() && exact(lo) <= *truth)
                && (hi == f64::INFINITY || hi.is_finite() && exact(hi) >= *truth)
        }
        Ratio::Infinity => hi == f64::INFINITY,
        Ratio::MinusInfinity => lo == f64::NEG_INFINITY,
    }
}
