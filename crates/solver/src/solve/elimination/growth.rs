//! How the costs of an elimination grow, to give it up before they have been paid.

use super::DENSE_TAIL;

/// Most that a cost is expected to grow while half of the states are eliminated. On a grid of two dimensions it is 4: the rows
/// become twice as long.
const MOST: f64 = 6.0;

/// The cost of the next state, whenever the number of states left has fallen by the square root of two.
pub struct Growth {
    next: usize,
    /// The costs the last two times.
    costs: [u64; 2],
}

impl Growth {
    /// Begins with this many states left.
    pub fn new(left: usize) -> Self {
        Growth { next: step(left), costs: [0; 2] }
    }

    /// Before the next state, which costs `cost` (entering x leaving edges), is eliminated: the work that all states will take
    /// if costs go on to grow as they did since there were twice as many. `None` where there is nothing new to say.
    pub fn work_ahead(&mut self, left: usize, cost: u64) -> Option<u64> {
        if left > self.next {
            return None;
        }
        let [before, between] = self.costs;
        self.costs = [between, cost];
        self.next = step(left);
        if before == 0 {
            return None;
        }
        let growth = (cost as f64 / before as f64).clamp(1.0, MOST);
        let (mut left, mut cost, mut work) = (left as f64, cost as f64, 0.0);
        while left > DENSE_TAIL as f64 {
            left /= 2.0;
            work += left * cost * growth.sqrt();
            cost *= growth;
        }
        Some(work as u64)
    }
}

fn step(left: usize) -> usize {
    (left as f64 * std::f64::consts::FRAC_1_SQRT_2) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last estimate before few states are left, where each costs `cost(left)`.
    fn estimates(n: usize, cost: impl Fn(usize) -> u64) -> Vec<(usize, u64)> {
        let mut growth = Growth::new(n);
        let told = |left| growth.work_ahead(left, cost(left)).map(|work| (left, work));
        (1..=n).rev().filter_map(told).collect()
    }

    #[test]
    fn what_does_not_grow_costs_what_is_left() {
        let told = estimates(100_000, |_| 4);
        assert!(told.len() > 10);
        for (left, work) in told.into_iter().filter(|&(left, _)| left > 2 * DENSE_TAIL) {
            assert!((2 * left as u64..=4 * left as u64).contains(&work), "{left} {work}");
        }
    }

    #[test]
    fn what_grows_like_a_grid_is_foreseen() {
        let n = 100_000;
        let cost = |left: usize| (n / left).pow(2) as u64;
        for (left, work) in estimates(n, cost).into_iter().filter(|&(left, _)| left > 4 * DENSE_TAIL) {
            let truth: u64 = (DENSE_TAIL..left).map(cost).sum();
            assert!(work > truth / 4 && work < 4 * truth, "{left}: {work} {truth}");
        }
    }
}
