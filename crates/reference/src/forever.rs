//! Steady states and total rewards of a chain over rationals, as a second opinion.

use dashu_ratio::RBig;
use volvelle_space::BitSet;

use super::{Chain, can_reach, exact, exact_reward, solve_exactly};

/// For every state the states from which it can be reached.
fn reachability(chain: &Chain) -> Vec<BitSet> {
    let everywhere = BitSet::full(chain.len());
    (0..chain.len()).map(|t| can_reach(chain, &everywhere, &set(chain.len(), [t]))).collect()
}

fn set(states: usize, members: impl IntoIterator<Item = usize>) -> BitSet {
    BitSet::of(states, members)
}

/// Expected reward for ever, `reward` per state; `None` is infinite: a bottom component with a reward can be reached.
pub fn exact_total(chain: &Chain, reward: &[f64]) -> Vec<Option<RBig>> {
    let n = chain.len();
    let reach = reachability(chain);
    let bottom = |s: usize| (0..n).all(|t| !reach[t].contains(s) || reach[s].contains(t));
    let paying =
        set(n, (0..n).filter(|&s| bottom(s) && (0..n).any(|t| reach[t].contains(s) && reward[t] > 0.0)));
    let free = set(n, (0..n).filter(|&s| bottom(s) && !paying.contains(s)));
    let infinite = can_reach(chain, &BitSet::full(n), &paying);
    let sums = exact_reward(chain, reward, &free);
    sums.into_iter().enumerate().map(|(s, sum)| sum.filter(|_| !infinite.contains(s))).collect()
}

/// Long-run averages over rationals: stationary distributions of the bottom components, weighted by absorption.
pub fn exact_long_run(chain: &Chain, reward: &[f64]) -> Vec<RBig> {
    let n = chain.len();
    let chain: Chain =
        chain.iter().enumerate().map(|(s, row)| row.iter().copied().filter(|e| e.0 != s).collect()).collect();
    let reach = reachability(&chain);
    let mut result = vec![RBig::ZERO; n];
    let mut done = BitSet::new(n);
    for s in 0..n {
        // Bottom: whatever it reaches reaches it.
        let bottom = (0..n).all(|t| !reach[t].contains(s) || reach[s].contains(t));
        if !bottom || done.contains(s) {
            continue;
        }
        let members: Vec<usize> = (0..n).filter(|&t| reach[t].contains(s)).collect();
        let m = members.len();
        // Balance: for each member inflow = outflow; the last equation says that they sum to one.
        let mut a = vec![vec![RBig::ZERO; m]; m];
        for (i, &from) in members.iter().enumerate() {
            for &(to, v) in &chain[from] {
                let j = members.iter().position(|&x| x == to).unwrap();
                a[j][i] = &a[j][i] + exact(v);
                a[i][i] = &a[i][i] - exact(v);
            }
        }
        a[m - 1] = vec![RBig::ONE; m];
        let mut b = vec![RBig::ZERO; m];
        b[m - 1] = RBig::ONE;
        let pi = solve_exactly(a, b).unwrap();
        let average = members.iter().zip(&pi).fold(RBig::ZERO, |sum, (&t, p)| sum + exact(reward[t]) * p);
        let component = set(n, members.iter().copied());
        members.iter().for_each(|&t| {
            done.insert(t);
        });
        // Absorption in the embedded chain: rows scaled to sum to one, over rationals.
        let absorbed = absorption(&chain, &component);
        for t in 0..n {
            result[t] = &result[t] + &average * &absorbed[t];
        }
    }
    result
}

fn absorption(chain: &Chain, target: &BitSet) -> Vec<RBig> {
    let n = chain.len();
    let positive = can_reach(chain, &BitSet::full(n), target);
    let mut a = vec![vec![RBig::ZERO; n]; n];
    let mut b = vec![RBig::ZERO; n];
    for s in 0..n {
        if target.contains(s) || !positive.contains(s) {
            a[s][s] = RBig::ONE;
            b[s] = if target.contains(s) { RBig::ONE } else { RBig::ZERO };
            continue;
        }
        for &(t, v) in &chain[s] {
            a[s][s] = &a[s][s] + exact(v);
            a[s][t] = &a[s][t] - exact(v);
        }
    }
    solve_exactly(a, b).unwrap()
}
