//! The slow and obvious way: the embedded semi-Markov chain over all states, tangible or not, in dense exact matrices.

use dashu_ratio::RBig;
use volvelle_labels::{Meaning, meaning};
use volvelle_random::Random;
use volvelle_space::Lts;

use super::lts;

/// What happens in a state: the sum of rates (`None`: immediate), and transitions with probabilities.
#[derive(Clone)]
pub(crate) struct Leaving {
    pub rate: Option<RBig>,
    pub steps: Vec<(RBig, u32, u32)>,
}

/// The ways to leave each state: one for a tangible state, one for each action and one for all probabilities.
pub(crate) fn ways(lts: &Lts) -> Vec<Vec<Leaving>> {
    let number = |text: &str| volvelle_logic::rational(text).unwrap();
    let of_state = |state: u32| {
        let (mut rates, mut branches, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        for edge in lts.outgoing(state) {
            match meaning(lts.labels.text(edge.label)) {
                Meaning::Rate(r, _) => rates.push((number(r), edge.label, edge.target)),
                Meaning::Probability(p, _) => branches.push((number(p), edge.label, edge.target)),
                Meaning::Action(_) => {
                    ways.push(Leaving { rate: None, steps: vec![(RBig::ONE, edge.label, edge.target)] });
                }
            }
        }
        let shares = |steps: Vec<(RBig, u32, u32)>| -> (RBig, Vec<(RBig, u32, u32)>) {
            let total = steps.iter().fold(RBig::ZERO, |sum, step| sum + &step.0);
            let steps = steps.into_iter().map(|(x, label, target)| (x / &total, label, target)).collect();
            (total, steps)
        };
        if !branches.is_empty() {
            ways.push(Leaving { rate: None, steps: shares(branches).1 });
        }
        if ways.is_empty() {
            let (total, steps) = if rates.is_empty() { (RBig::ZERO, Vec::new()) } else { shares(rates) };
            ways.push(Leaving { rate: Some(total), steps });
        }
        ways
    };
    (0..lts.num_states() as u32).map(of_state).collect()
}

/// All memoryless resolutions of the choices of the given states, at most `most`; and last the one that draws.
pub(crate) fn resolutions(ways: &[Vec<Leaving>], most: usize) -> Option<Vec<Vec<Leaving>>> {
    let mut all: Vec<Vec<Leaving>> = vec![Vec::new()];
    for ways in ways {
        if all.len() * ways.len() > most {
            return None;
        }
        all = all
            .iter()
            .flat_map(|before| ways.iter().map(move |way| before.iter().chain([way]).cloned().collect()))
            .collect();
    }
    let drawn = ways.iter().map(|ways| {
        let share = RBig::ONE / RBig::from(ways.len());
        let steps = ways.iter().flat_map(|way| way.steps.iter());
        let steps = steps.map(|(p, label, target)| (p * &share, *label, *target)).collect();
        Leaving { rate: ways[0].rate.clone(), steps }
    });
    all.push(drawn.collect());
    Some(all)
}

/// Solves `x = a x + b` for several right sides; `None` where there is no single solution.
pub(crate) fn solve(a: &[Vec<RBig>], b: &[Vec<RBig>]) -> Option<Vec<Vec<RBig>>> {
    let n = a.len();
    let mut rows: Vec<Vec<RBig>> = (0..n)
        .map(|i| {
            let left = (0..n).map(|j| RBig::from(u8::from(i == j)) - &a[i][j]);
            left.chain(b[i].iter().cloned()).collect()
        })
        .collect();
    for k in 0..n {
        let pivot = (k..n).find(|&i| rows[i][k] != RBig::ZERO)?;
        rows.swap(k, pivot);
        let scale = rows[k][k].clone();
        rows[k].iter_mut().for_each(|x| *x /= &scale);
        let row = rows[k].clone();
        for (i, other) in rows.iter_mut().enumerate() {
            if i != k && other[k] != RBig::ZERO {
                let factor = other[k].clone();
                other.iter_mut().zip(&row).for_each(|(x, y)| *x -= &factor * y);
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// The states that are reached from a state, itself included.
pub(crate) fn reached(chain: &[Leaving], from: u32) -> Vec<bool> {
    let mut seen = vec![false; chain.len()];
    let mut stack = vec![from];
    seen[from as usize] = true;
    while let Some(state) = stack.pop() {
        for &(_, _, target) in &chain[state as usize].steps {
            if !std::mem::replace(&mut seen[target as usize], true) {
                stack.push(target);
            }
        }
    }
    seen
}

/// The long run of a chain: the share of time in each state, and how often each label happens per unit of time; `None` where
/// time may stop passing.
pub(crate) fn long_run(chain: &[Leaving], initial: u32, labels: usize) -> Option<(Vec<RBig>, Vec<RBig>)> {
    let n = chain.len();
    let reach: Vec<Vec<bool>> = (0..n as u32).map(|s| reached(chain, s)).collect();
    let here: Vec<usize> = (0..n).filter(|&s| reach[initial as usize][s]).collect();
    let is_bottom = |s: usize| (0..n).all(|t| !reach[s][t] || reach[t][s]);
    let (mut time, mut count) = (vec![RBig::ZERO; n], vec![RBig::ZERO; labels]);
    // The probability to come to each bottom component, by its least member.
    let transient: Vec<usize> = here.iter().copied().filter(|&s| !is_bottom(s)).collect();
    for &least in &here {
        if !is_bottom(least) || (0..least).any(|t| reach[least][t]) {
            continue;
        }
        let members: Vec<usize> = (0..n).filter(|&t| reach[least][t]).collect();
        if members.iter().all(|&s| chain[s].rate.is_none()) {
            return None;
        }
        let arrives = if members.contains(&(initial as usize)) {
            RBig::ONE
        } else if transient.is_empty() {
            RBig::ZERO
        } else {
            let share = |s: usize, to: &dyn Fn(usize) -> bool| {
                let steps = chain[s].steps.iter().filter(|step| to(step.2 as usize));
                steps.fold(RBig::ZERO, |sum, step| sum + &step.0)
            };
            let a: Vec<Vec<RBig>> = transient
                .iter()
                .map(|&s| transient.iter().map(|&t| share(s, &|u| u == t)).collect())
                .collect();
            let b: Vec<Vec<RBig>> =
                transient.iter().map(|&s| vec![share(s, &|u| members.contains(&u))]).collect();
            let x = solve(&a, &b)?;
            let place = transient.iter().position(|&s| s == initial as usize)?;
            x[place][0].clone()
        };
        // Visits per visit of the first member: v = v P, with v[first] = 1.
        let rest: Vec<usize> = members[1..].to_vec();
        let p = |s: usize, t: usize| {
            let steps = chain[s].steps.iter().filter(|step| step.2 as usize == t);
            steps.fold(RBig::ZERO, |sum, step| sum + &step.0)
        };
        let a: Vec<Vec<RBig>> = rest.iter().map(|&t| rest.iter().map(|&s| p(s, t)).collect()).collect();
        let b: Vec<Vec<RBig>> = rest.iter().map(|&t| vec![p(members[0], t)]).collect();
        let solved = solve(&a, &b)?;
        let visits: Vec<RBig> =
            [RBig::ONE].into_iter().chain(solved.into_iter().map(|x| x[0].clone())).collect();
        if members.len() == 1 && chain[members[0]].steps.is_empty() {
            time[members[0]] += arrives;
            continue;
        }
        let sojourn = |s: usize| chain[s].rate.as_ref().map_or(RBig::ZERO, |rate| RBig::ONE / rate);
        let total =
            members.iter().zip(&visits).fold(RBig::ZERO, |sum, (&s, visits)| sum + visits * sojourn(s));
        for (&s, visits) in members.iter().zip(&visits) {
            time[s] += &arrives * visits * sojourn(s) / &total;
            for (q, label, _) in &chain[s].steps {
                count[*label as usize] += &arrives * visits * q / &total;
            }
        }
    }
    Some((time, count))
}

/// The outcome of immediate steps from a state: probabilities of tangible states, then expected counts of
/// labels; `None` if immediate steps may be endless.
pub(crate) fn outcome(chain: &[Leaving], labels: usize, from: u32) -> Option<Vec<RBig>> {
    let n = chain.len();
    let mut stopped = chain.to_vec();
    stopped.iter_mut().filter(|way| way.rate.is_some()).for_each(|way| way.steps.clear());
    let seen = reached(&stopped, from);
    let vanishing: Vec<usize> = (0..n).filter(|&s| seen[s] && chain[s].rate.is_none()).collect();
    if vanishing.iter().any(|&s| !(0..n).any(|t| reached(&stopped, s as u32)[t] && chain[t].rate.is_some())) {
        return None;
    }
    let mut unit = vec![RBig::ZERO; n + labels];
    if chain[from as usize].rate.is_some() {
        unit[from as usize] = RBig::ONE;
        return Some(unit);
    }
    let a: Vec<Vec<RBig>> = vanishing
        .iter()
        .map(|&s| {
            let to = |t: usize| chain[s].steps.iter().filter(move |step| step.2 as usize == t);
            vanishing.iter().map(|&t| to(t).fold(RBig::ZERO, |sum, step| sum + &step.0)).collect()
        })
        .collect();
    let b: Vec<Vec<RBig>> = vanishing
        .iter()
        .map(|&s| {
            let mut row = unit.clone();
            for (p, label, target) in &chain[s].steps {
                row[n + *label as usize] += p;
                if chain[*target as usize].rate.is_some() {
                    row[*target as usize] += p;
                }
            }
            row
        })
        .collect();
    let x = solve(&a, &b)?;
    Some(x[vanishing.iter().position(|&s| s == from as usize)?].clone())
}

/// A small system. `choices`: percent of states with several immediate actions.
pub(crate) fn random_system(random: &mut Random, choices: usize) -> Lts {
    let n = 2 + random.below(7) as u32;
    let mut transitions: Vec<(u32, &str, u32)> = Vec::new();
    for state in 0..n {
        let target = |random: &mut Random| random.below(n as usize) as u32;
        if random.chance(choices) {
            for _ in 0..2 + random.below(2) {
                let label = random.pick(&["i", "i", "i", "go"]);
                transitions.push((state, label, target(random)));
            }
            continue;
        }
        match random.below(10) {
            0..5 => {
                for _ in 0..random.below(4) {
                    let label = random.pick(&[
                        "a; rate 1",
                        "a; rate 1/3",
                        "b; rate 2.5",
                        "rate 2",
                        "c; rate 0.1",
                        "c; rate 7",
                    ]);
                    transitions.push((state, label, target(random)));
                }
            }
            5..8 => {
                transitions.push((state, random.pick(&["i", "go", "stop"]), target(random)));
                if random.one_in(3) {
                    // Pre-empted.
                    transitions.push((state, "a; rate 1", target(random)));
                }
            }
            _ => {
                let labels: &[&str] = match random.below(3) {
                    0 => &["prob 1/3", "d; prob 2/3"],
                    1 => &["d; prob 0.1", "e; prob 0.3", "prob 0.6"],
                    _ => &["prob 0.25", "e; prob 1/4"],
                };
                for label in labels {
                    transitions.push((state, label, target(random)));
                }
            }
        }
    }
    lts(n, &transitions)
}
