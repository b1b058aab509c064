//! Distances between all states of a model, and groups of states that are close to one another.

use super::distance::{DistanceKind, nearest, text};
use super::failed;
use super::model::WeightedModel;
use dashu_ratio::RBig;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_media::dot::escaped;
use volvelle_session::csv::{line, number};
use volvelle_session::limits::{self, Allowance};
use volvelle_weighted::distance::{
    Clusters, Distances, IntervalStructure, all_pairs, clusters, interval_abstraction,
};

/// The distances between all states of a model.
#[derive(Clone, Debug)]
pub struct AllDistances {
    /// Which ones.
    pub kind: DistanceKind,
    /// Names of the states.
    pub names: Vec<String>,
    distances: Distances,
    /// Time for the distances alone.
    pub time: Duration,
}

impl AllDistances {
    /// The distance from one state to another, by their numbers.
    pub fn text(&self, s: usize, t: usize) -> String {
        text(&self.distances.distance(s as u32, t as u32))
    }

    /// A line for each pair, with the distance as a fraction and as the nearest double.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        line(&mut out, &["from", "to", "distance", "value"].map(str::to_owned));
        for (s, from) in self.names.iter().enumerate() {
            for (t, to) in self.names.iter().enumerate() {
                let distance = self.distances.distance(s as u32, t as u32);
                line(&mut out, &[from.clone(), to.clone(), text(&distance), number(nearest(&distance))]);
            }
        }
        out
    }

    /// `log(1 + d)`: bounds.
    pub fn logarithm(&self, s: usize, t: usize) -> [f64; 2] {
        self.distances.distance(s as u32, t as u32).logarithm()
    }
}

/// Pairs of states have numbers of 32 bits.
const MOST_STATES: usize = (1 << 16) - 1;

/// The distances between all states of a model, in both directions.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn all_distances(
    model: &WeightedModel,
    kind: DistanceKind,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<AllDistances, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    if model.structure.num_states() > MOST_STATES {
        let count = limits::count(model.structure.num_states() as u64);
        let message = format!("the model has {count} states, too many for the distances between all of them");
        let refused = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .note(format!("there may be {}", limits::count(MOST_STATES as u64)))
            .help("make it smaller: volvelle reduce MODEL --relation wbb -o SMALLER.wks")
            .help("or name two states: volvelle distance FILE:STATE FILE:STATE");
        return Err((refused, None));
    }
    let distances =
        all_pairs(&model.structure, kind.engine(), control).map_err(|failure| failed(failure, allowance))?;
    let names = (0..model.structure.num_states() as u32).map(|state| model.name(state).into_owned());
    Ok(AllDistances { kind, names: names.collect(), distances, time: start.elapsed() })
}

/// States of which any two are within a distance of one another, in both directions.
#[derive(Clone, Debug)]
pub struct Closeness {
    /// The largest distance within a group.
    pub within: String,
    /// Groups: names of members, the one after which the group is called, and the largest distance between members.
    pub groups: Vec<Group>,
    clusters: Clusters,
    abstraction: IntervalStructure,
}

/// A group of states that are close to one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Names of the states.
    pub members: Vec<String>,
    /// The state that is nearest to all others.
    pub representative: String,
    /// The largest distance between members.
    pub diameter: String,
}

/// A step between groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStep {
    /// Numbers of the groups that it leaves and that it leads to.
    pub ends: [usize; 2],
    /// The least and the largest weight of such steps of members.
    pub weights: [String; 2],
    /// Whether all members have such a step.
    pub is_everywhere: bool,
}

/// Groups the states of a model: complete linkage, so that no two members are farther apart than `within`.
pub fn close_states(model: &WeightedModel, found: &AllDistances, within: &RBig) -> Closeness {
    let clusters = clusters(&found.distances, within);
    let name = |&state: &u32| found.names[state as usize].clone();
    let groups = clusters.clusters.iter().map(|cluster| Group {
        members: cluster.members.iter().map(name).collect(),
        representative: name(&cluster.representative),
        diameter: cluster.diameter.to_string(),
    });
    let groups = groups.collect();
    let abstraction = interval_abstraction(&model.structure, &clusters);
    Closeness { within: within.to_string(), groups, clusters, abstraction }
}

impl Closeness {
    /// The steps between groups, whose weights are intervals.
    pub fn steps(&self) -> Vec<GroupStep> {
        let number = |weight: u64| (RBig::from(weight) * &self.abstraction.unit).to_string();
        let step = |step: &volvelle_weighted::distance::IntervalStep| GroupStep {
            ends: [step.source as usize, step.target as usize],
            weights: [number(step.low), number(step.high)],
            is_everywhere: step.members as usize
                == self.clusters.clusters[step.source as usize].members.len(),
        };
        self.abstraction.steps.iter().map(step).collect()
    }

    /// The groups as a graph for Graphviz: steps that only some members have are dashed.
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph \"groups\" {\n  node [shape=box, style=rounded];\n");
        text.push_str("  initial [shape=point, label=\"\"];\n");
        let _ = writeln!(text, "  initial -> g{};", self.abstraction.initial);
        for (number, group) in self.groups.iter().enumerate() {
            let others = group.members.len() - 1;
            let others = if others > 0 { format!("\\n+ {others}") } else { String::new() };
            let _ = writeln!(text, "  g{number} [label=\"{}{others}\"];", escaped(&group.representative));
        }
        for step in self.steps() {
            let ([from, to], [low, high]) = (step.ends, &step.weights);
            let weight = if low == high { low.clone() } else { format!("[{low}, {high}]") };
            let style = if step.is_everywhere { "" } else { ", style=dashed" };
            let _ = writeln!(text, "  g{from} -> g{to} [label=\"{weight}\"{style}];");
        }
        text.push_str("}\n");
        text
    }
}
