//! All configurations of a kernel with their times.

use crate::compose::time;
use crate::expression::{Expr, Fault, NameId, Values};
use crate::features::nanoseconds;
use crate::launch::{Choice, Constraint, Launch};
use crate::model::Model;
use crate::shape::Obstacle;
use serde::{Deserialize, Serialize};
use volvelle_control::tasks::{Tasks, compute_all, encoded};
use volvelle_control::{Control, Stop, TaskQueue};

/// Configurations that are computed together.
const PORTION: usize = 64;

/// More configurations are not enumerated.
const CONFIGURATIONS_LIMIT: usize = 4 << 20;

/// A configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Values of the parameters, in their order.
    pub values: Vec<i64>,
    /// Its time in units of the model, or why it has none.
    pub time: Result<u64, Obstacle>,
    /// Its predicted time in nanoseconds, if the platform is calibrated.
    pub nanoseconds: Option<f64>,
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq)]
pub enum NoTable {
    /// A parameter has no values, as it has no list and no `size` limits it.
    NoValues(NameId),
    /// The values of a parameter cannot be computed.
    Fault(NameId, Fault),
    /// There are more configurations than can be enumerated.
    TooMany,
}

/// The values of each parameter; `size` is given if it has a value. `names` has the values of all other names.
pub fn choices(launch: &Launch, size: Option<NameId>, names: &[i64]) -> Result<Vec<Vec<i64>>, NoTable> {
    let of = |parameter: &crate::launch::Parameter| {
        let choice = match (&parameter.choice, size) {
            (Some(choice), _) => choice.clone(),
            (None, Some(size)) => Choice::Powers(Expr::Int(1), Expr::Name(size)),
            _ => return Err(NoTable::NoValues(parameter.name)),
        };
        let values = choice.values(names).map_err(|fault| NoTable::Fault(parameter.name, fault))?;
        if values.is_empty() { Err(NoTable::NoValues(parameter.name)) } else { Ok(values) }
    };
    launch.parameters.iter().map(of).collect()
}

/// All combinations of values that satisfy the constraints on the parameters, in lexicographic order. Constraints are checked as
/// soon as their parameters have values.
pub fn configurations(
    launch: &Launch,
    names: &[i64],
    choices: &[Vec<i64>],
) -> Result<Vec<Vec<i64>>, NoTable> {
    let parameters: Vec<NameId> = launch.parameters.iter().map(|parameter| parameter.name).collect();
    // The constraints that can be checked once the parameter at an index has its value.
    let mut checks: Vec<Vec<&Constraint>> = vec![Vec::new(); parameters.len()];
    for constraint in &launch.constraints {
        let mut last = None;
        constraint.test.leaves(&mut |leaf| {
            if let Expr::Name(id) = leaf {
                last = last.max(parameters.iter().position(|parameter| parameter == id));
            }
        });
        match last {
            Some(last) => checks[last].push(constraint),
            None if !constraint.test.holds(&Values::of(names)).unwrap_or(false) => return Ok(Vec::new()),
            None => {}
        }
    }
    let mut names = names.to_vec();
    let mut found = Vec::new();
    let mut at = vec![0_usize; parameters.len()];
    let mut level = 0;
    if parameters.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    loop {
        if at[level] >= choices[level].len() {
            at[level] = 0;
            if level == 0 {
                return Ok(found);
            }
            level -= 1;
            at[level] += 1;
            continue;
        }
        names[parameters[level].0 as usize] = choices[level][at[level]];
        // A constraint that cannot be evaluated does not hold.
        let holds = |check: &&&Constraint| check.test.holds(&Values::of(&names)).unwrap_or(false);
        if checks[level].iter().filter(holds).count() < checks[level].len() {
            at[level] += 1;
        } else if level + 1 < parameters.len() {
            level += 1;
        } else {
            if found.len() >= CONFIGURATIONS_LIMIT {
                return Err(NoTable::TooMany);
            }
            found.push(parameters.iter().map(|parameter| names[parameter.0 as usize]).collect());
            at[level] += 1;
        }
    }
}

/// The rows of configurations, and the limit that ended the work if not all were computed. All threads and
/// all processes that share the work compute them.
///
/// # Errors
/// The leading process is gone.
pub fn rows(
    model: &Model,
    names: &[i64],
    configurations: &[Vec<i64>],
    control: &Control<'_>,
) -> Result<(Vec<Row>, Option<Stop>), Stop> {
    let portions: Vec<&[Vec<i64>]> = configurations.chunks(PORTION).collect();
    let worker = |queue: &dyn TaskQueue| {
        while let Some(task) = queue.next() {
            let portion = portions.get(task as usize).copied().unwrap_or_default();
            // At a limit, the rows computed until then remain.
            let row = |values: &Vec<i64>| control.check().is_ok().then(|| row(model, names, values));
            let rows: Vec<Row> = portion.iter().map_while(row).collect();
            queue.deliver(task, encoded(&rows).filter(|_| !rows.is_empty()));
        }
    };
    let tasks = Tasks::<Vec<Row>> { count: portions.len(), ends: None, completes: false };
    let rows: Vec<Row> = compute_all(&tasks, control, &worker)?.into_iter().flatten().flatten().collect();
    let is_whole = rows.len() == configurations.len();
    let stop = (!is_whole).then(|| control.check().err().unwrap_or(Stop::Cancelled));
    Ok((rows, stop))
}

/// The row of a configuration.
pub fn row(model: &Model, names: &[i64], values: &[i64]) -> Row {
    let mut names = names.to_vec();
    for (parameter, value) in model.launch.parameters.iter().zip(values) {
        names[parameter.name.0 as usize] = *value;
    }
    let time = time(model, &names);
    let nanoseconds = time.as_ref().ok().and_then(|_| nanoseconds(model, &names).ok().flatten());
    Row { values: values.to_vec(), time, nanoseconds }
}
