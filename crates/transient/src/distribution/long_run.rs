//! The distribution in the long run: the share of time (or of steps) that a run spends in each class of states.
//!
//! Every run ends in a bottom component; within one, the shares are the stationary distribution, which elimination finds: in a dense
//! matrix where the component is small, else in lists of entries; before that, iterations are tried on the latter. Where a large component has few classes, these are analysed one by
//! one, as `S=?` does ([`volvelle_solver::longrun`]).

use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_solver::longrun::long_run;
use volvelle_solver::reach::terminal;
use volvelle_solver::rounding::{SUM_ERROR, Sum, above, below, relative, slack};
use volvelle_solver::{CheckError, Context, Method, Options};
use volvelle_space::{BitSet, Kind, Space, components};

use super::iterated::{Iterated, stationary_iterated};
use super::sparse::{Shares, stationary_sparse, stationary_widely};
use super::stationary::stationary;
use super::{Classes, Distribution};

/// States of a component that are eliminated in a dense matrix.
const LARGEST_DENSE: usize = 2_500;

/// States of a component that are eliminated where iterations give bounds that are not narrow enough.
const LARGEST_ELIMINATED: usize = 100_000;

/// Classes, or bottom components, that are analysed one by one.
const MOST_PASSES: usize = 100;

/// The distribution in the long run.
///
/// # Errors
/// A model with nondeterminism, one that is too large for so many classes, or a limit.
pub fn long_run_distribution(
    space: &Space,
    classes: &Classes,
    options: &Options,
    control: &Control,
) -> Result<Distribution, CheckError> {
    let bottom = Bottom::of_chain(space)?;
    // Every probability has bounds.
    let method = match options.method {
        Method::Classical(_) => Method::Auto,
        other => other,
    };
    let options = Options { method, ..*options };
    let is_small = bottom.members.iter().all(|members| members.len() <= LARGEST_DENSE);
    let has_few_classes = classes.count <= MOST_PASSES;
    let mut what = format!("{} bottom components, with {} classes", bottom.members.len(), classes.count);
    if bottom.members.len() <= MOST_PASSES && (is_small || !has_few_classes) {
        match by_component(space, &bottom, classes, Large::ByAnyMethod, &options, control)? {
            Ok(mut found) => {
                let is_wide = |&[lo, hi]: &[f64; 2]| !options.accepts(lo, hi);
                if found.stop == StopReason::Converged && found.bounds.iter().any(is_wide) {
                    found.stop = StopReason::IterationLimit;
                }
                return Ok(found);
            }
            Err(why) => what = why,
        }
    }
    if has_few_classes {
        return by_class(space, classes, &options, control);
    }
    Err(CheckError::TooLarge { what })
}

/// The distribution over states in the long run, as a means to sums over many states: bounds of single states are as narrow as such
/// sums need, and may be wide where states are improbable. Takes much less time than [`long_run_distribution`] on large components.
///
/// # Errors
/// A model with nondeterminism, one on which iterations lead nowhere, or a limit.
pub fn long_run_weights(
    space: &Space,
    options: &Options,
    control: &Control,
) -> Result<Distribution, CheckError> {
    let bottom = Bottom::of_chain(space)?;
    let count = bottom.members.len();
    let classes = Classes::single(space.num_states());
    let what = match count <= MOST_PASSES {
        true => match by_component(space, &bottom, &classes, Large::ByIteration, options, control)? {
            Ok(found) => return Ok(found),
            Err(what) => what,
        },
        false => format!("{count} bottom components"),
    };
    Err(CheckError::TooLarge { what })
}

/// How large components are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Large {
    /// As precisely as asked for.
    ByAnyMethod,
    /// By iteration only.
    ByIteration,
}

/// The bottom components of a chain.
struct Bottom {
    members: Vec<Vec<u32>>,
    /// Position of a state within its component.
    place: Vec<u32>,
    /// The bottom component of a state; `u32::MAX` where it is transient.
    of: Vec<u32>,
}

impl Bottom {
    /// Those of a space without nondeterminism.
    fn of_chain(space: &Space) -> Result<Self, CheckError> {
        Context::require_engine(space)?;
        if space.kind == Kind::Mdp {
            return Err(CheckError::NeedsOptimum);
        }
        let n = space.num_states();
        let found = components(n, |s| space.successors(s), |_| true);
        let mut component = vec![u32::MAX; n];
        let mut place = vec![0; n];
        for (c, members) in found.iter().enumerate() {
            for (i, &s) in members.iter().enumerate() {
                component[s as usize] = c as u32;
                place[s as usize] = i as u32;
            }
        }
        let is_closed = |members: &&[u32]| {
            let mut ends = members.iter().flat_map(|&s| space.transitions(s as usize));
            let here = members.first().map(|&s| component[s as usize]);
            ends.all(|(t, _)| Some(component[t]) == here)
        };
        let members: Vec<Vec<u32>> = found.iter().filter(is_closed).map(<[u32]>::to_vec).collect();
        let mut of = vec![u32::MAX; n];
        for (b, members) in members.iter().enumerate() {
            members.iter().for_each(|&s| of[s as usize] = b as u32);
        }
        Ok(Bottom { members, place, of })
    }
}

/// Stationary distributions, weighted with the probabilities to end in the components, or what is too large for that.
fn by_component(
    space: &Space,
    bottom: &Bottom,
    classes: &Classes,
    large: Large,
    options: &Options,
    control: &Control,
) -> Result<Result<Distribution, String>, CheckError> {
    let context = Context::new(space, *options, control);
    let n = space.num_states();
    let transient = BitSet::of(n, (0..n).filter(|&s| bottom.of[s] == u32::MAX));
    let mut bounds = vec![[0.0; 2]; n];
    let mut stop = StopReason::Computed;
    let mut reaching = None;
    let [mut eliminated, mut iterated] = [false; 2];
    let mut most_steps = 0;
    for (b, members) in bottom.members.iter().enumerate() {
        let reached = if bottom.members.len() == 1 {
            [1.0; 2]
        } else {
            let value = |s: usize| [f64::from(u8::from(bottom.of[s] == b as u32)); 2];
            if space.initial.iter().all(|s| !transient.contains(s.0 as usize)) {
                mean(space.initial.iter().map(|s| value(s.0 as usize)))
            } else {
                let numbers = terminal(&context, &transient, Optimum::Max, value)?;
                stop = stop.max(numbers.stop);
                let of_state = |s: usize| if transient.contains(s) { numbers.bounds[s] } else { value(s) };
                let reached = mean(space.initial.iter().map(|s| of_state(s.0 as usize)));
                reaching = Some(numbers.method);
                reached
            }
        };
        if reached[1] == 0.0 {
            continue;
        }
        let shares = match of_component(space, members, &bottom.place, large, options, control)? {
            Ok(Found { shares, steps: None }) => {
                eliminated = true;
                shares
            }
            Ok(Found { shares, steps: Some(steps) }) => {
                iterated = true;
                stop = stop.max(StopReason::Converged);
                most_steps = most_steps.max(steps);
                shares
            }
            Err(why) => return Ok(Err(why)),
        };
        let excess = relative(2.0 * members.len() as f64 * context.options.excess());
        for (&s, [lo, hi]) in members.iter().zip(shares) {
            let share = match excess {
                0.0 => [lo, hi],
                _ => [below(lo, excess), above(hi, excess).min(1.0)],
            };
            bounds[s as usize] = match (reached, share) {
                ([1.0, 1.0], share) | (share, [1.0, 1.0]) => share,
                _ => {
                    [below(reached[0] * share[0], slack(2)), above(reached[1] * share[1], slack(2)).min(1.0)]
                }
            };
        }
    }
    let count = bottom.members.len();
    let mut method = format!("{count} bottom component{}", if count == 1 { "" } else { "s" });
    if eliminated {
        method.push_str(", state elimination");
    }
    if iterated {
        method.push_str(&format!(", aggregation multigrid ({most_steps} steps)"));
    }
    if let Some(reaching) = reaching {
        method.push_str(&format!("; reaching them: {reaching}"));
    }
    Ok(Ok(Distribution { bounds: classes.sums(&bounds), method, stop }.admitted(true)))
}

/// The stationary distribution of a component.
struct Found {
    shares: Vec<[f64; 2]>,
    /// Steps of the iteration; `None` where states were eliminated.
    steps: Option<u64>,
}

/// The stationary distribution of a component, or what is too large for that.
fn of_component(
    space: &Space,
    members: &[u32],
    place: &[u32],
    large: Large,
    options: &Options,
    control: &Control,
) -> Result<Result<Found, String>, CheckError> {
    let too_much_work = || format!("a bottom component of {} states with many transitions", members.len());
    if members.len() <= LARGEST_DENSE {
        if let Some(shares) = stationary(space, members, place, control)? {
            return Ok(Ok(Found { shares, steps: None }));
        }
        return Ok(match stationary_widely(space, members, place, control)? {
            Shares::Bounds(shares) => Ok(Found { shares, steps: None }),
            Shares::TooMuchWork => Err(too_much_work()),
        });
    }
    let iterated = match options.method {
        Method::Elimination => None,
        _ => stationary_iterated(space, members, place, control)?,
    };
    let found = iterated.map(|Iterated { bounds, steps }| Found { shares: bounds, steps: Some(steps) });
    let is_precise = |found: &Found| found.shares.iter().all(|&[lo, hi]| options.accepts(lo, hi));
    let is_good = match &found {
        Some(found) => members.len() > LARGEST_ELIMINATED || is_precise(found),
        None => false,
    };
    let no_elimination = large == Large::ByIteration || options.method == Method::Iteration;
    if is_good || no_elimination {
        let states = members.len();
        return Ok(found.ok_or_else(|| format!("a bottom component of {states} states")));
    }
    let eliminated = stationary_sparse(space, members, place, control)?;
    Ok(match (eliminated, found) {
        (Shares::Bounds(shares), _) => Ok(Found { shares, steps: None }),
        (_, Some(found)) => Ok(found),
        (Shares::TooMuchWork, None) => Err(too_much_work()),
    })
}

/// The long-run average of the indicator of each class.
fn by_class(
    space: &Space,
    classes: &Classes,
    options: &Options,
    control: &Control,
) -> Result<Distribution, CheckError> {
    let mut bounds = Vec::with_capacity(classes.count);
    let (mut method, mut stop) = (String::new(), StopReason::Computed);
    for class in 0..classes.count as u32 {
        let context = Context::new(space, *options, control);
        let reward: Vec<f64> = classes.class_of.iter().map(|&c| f64::from(u8::from(c == class))).collect();
        let numbers = long_run(&context, &reward)?;
        bounds.push(mean(space.initial.iter().map(|s| numbers.bounds[s.0 as usize])));
        method = numbers.method;
        stop = stop.max(numbers.stop);
    }
    Ok(Distribution { bounds, method: format!("{method}, class by class"), stop }.admitted(true))
}

/// The mean of bounds.
fn mean(all: impl ExactSizeIterator<Item = [f64; 2]>) -> [f64; 2] {
    let count = all.len();
    let all: Vec<[f64; 2]> = all.collect();
    if let Some(first) = all.first().filter(|first| all.iter().all(|bounds| bounds == *first)) {
        return *first;
    }
    let mut sums = [Sum::default(); 2];
    for [lo, hi] in all {
        sums[0].add(lo);
        sums[1].add(hi);
    }
    let [lo, hi] = sums.map(|sum| sum.value() / count as f64);
    [below(lo, SUM_ERROR + slack(1)), above(hi, SUM_ERROR + slack(1)).min(1.0)]
}
