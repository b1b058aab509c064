//! Spaces of configurations: parameters with their values, conditions between them, and all combinations that meet these.
//!
//! The space is *constructed*, not filtered. Parameters that no condition connects form separate parts, whose
//! product is not listed unless [`Space::table`] is called. Within a part, `plan` decides conditions as early
//! as possible. Compare Rasch, Schulze, Steuwer and Gorlatch, *Efficient auto-tuning of parallel programs
//! with interdependent tuning parameters* (doi:10.1145/3427093), and Willemsen, van Nieuwpoort and van
//! Werkhoven, *Efficient construction of large search spaces for auto-tuning* (doi:10.1145/3754598.3754646).

mod lexer;
pub mod operation;
mod parse;
mod plan;
mod table;
mod tree;
mod value;
mod values;

pub use lexer::Mistake;
pub use table::{Neighbourhood, Table};
pub use value::{Scalar, is_same, number};
pub use values::values;

use crate::Value;
use parse::Meaning;
use plan::{Domain, Plan};
use tree::{NodeId, Tree};
use value::Texts;

/// A parameter with the values that it may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name, as in conditions and as a macro of a kernel.
    pub name: String,
    /// At least one and at most 65 536 values, in the order in which they are tried.
    pub values: Vec<Value>,
}

/// A configuration of a space, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConfigurationId(pub u64);

/// Parameters and conditions, before the space is built.
pub struct Problem {
    parameters: Vec<Parameter>,
    sizes: Vec<(String, Value)>,
    tree: Tree,
    texts: Texts,
    /// Conditions, each with its number in the order of [`Problem::require`].
    roots: Vec<(usize, NodeId)>,
    texts_of_conditions: Vec<String>,
}

/// Parameters, and for each a column of positions in its list of values.
type Combinations = (Vec<u16>, Vec<Vec<u16>>);

/// The reason why a space was not built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSpace {
    /// No configuration meets all conditions. The number of a condition that excludes everything by itself,
    /// if there is one.
    Empty(Option<usize>),
    /// The number of configurations exceeds 64 bits, or that of a part exceeds the limit.
    TooLarge,
}

impl Problem {
    /// Parameters without conditions.
    pub fn new(parameters: Vec<Parameter>) -> Self {
        assert!(parameters.len() < 1 << 16, "parameters are numbered with 16 bits");
        Problem {
            parameters,
            sizes: Vec::new(),
            tree: Tree::default(),
            texts: Texts::default(),
            roots: Vec::new(),
            texts_of_conditions: Vec::new(),
        }
    }

    /// A name that conditions may use for a value, such as `size`.
    pub fn define(&mut self, name: &str, value: Value) {
        self.sizes.push((name.to_owned(), value));
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The text of a condition, by its number.
    pub fn condition(&self, number: usize) -> &str {
        &self.texts_of_conditions[number]
    }

    /// Adds a condition.
    ///
    /// # Errors
    /// The first mistake in its text.
    pub fn require(&mut self, text: &str) -> Result<(), Mistake> {
        let Problem { parameters, sizes, tree, texts, .. } = self;
        let meaning = |name: &str| {
            if let Some(i) = parameters.iter().position(|parameter| parameter.name == name) {
                return Some(Meaning::Parameter(i as u16));
            }
            let size = sizes.iter().rev().find(|(other, _)| other == name);
            size.map(|(_, value)| Meaning::Constant(value.clone()))
        };
        let root = parse::condition(text, tree, texts, &meaning)?;
        let number = self.texts_of_conditions.len();
        self.texts_of_conditions.push(text.to_owned());
        self.roots.extend(self.tree.conjuncts(root).into_iter().map(|root| (number, root)));
        Ok(())
    }

    /// Builds the space, on `threads` threads; no part may have more than `limit` configurations.
    ///
    /// # Errors
    /// There is no configuration, or there are too many.
    pub fn build(mut self, threads: usize, limit: usize) -> Result<Space, NoSpace> {
        match self.construct(threads, limit) {
            Ok(parts) => Space::new(self.parameters, parts).ok_or(NoSpace::TooLarge),
            Err(NoSpace::Empty(_)) => Err(NoSpace::Empty(self.culprit(threads))),
            Err(error) => Err(error),
        }
    }

    /// The combinations of each part, as columns of its parameters.
    fn construct(&mut self, threads: usize, limit: usize) -> Result<Vec<Combinations>, NoSpace> {
        let mut domains: Vec<Domain> = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            let values = parameter.values.iter().enumerate();
            domains.push(values.map(|(i, value)| (i as u16, self.texts.scalar(value))).collect());
        }
        let mut roots = Vec::with_capacity(self.roots.len());
        for (_, root) in &self.roots {
            match *self.tree.parameters(*root).as_slice() {
                [] if self.holds(*root, |_| Scalar::Undefined) => {}
                [] => return Err(NoSpace::Empty(None)),
                [parameter] => {
                    let mut domain = std::mem::take(&mut domains[parameter as usize]);
                    domain.retain(|(_, value)| self.holds(*root, |_| *value));
                    if domain.is_empty() {
                        return Err(NoSpace::Empty(None));
                    }
                    domains[parameter as usize] = domain;
                }
                _ => roots.push(*root),
            }
        }
        let mut parts = Vec::new();
        for (parameters, roots) in self.parts(&roots) {
            let plan = Plan::new(&self.tree, &parameters, &roots, &domains);
            let columns = solve(&plan, threads, limit).ok_or(NoSpace::TooLarge)?;
            if columns[0].is_empty() {
                return Err(NoSpace::Empty(None));
            }
            parts.push((plan.parameters(), columns));
        }
        Ok(parts)
    }

    /// Whether a condition holds for values of its parameters.
    fn holds(&self, root: NodeId, parameter: impl Fn(u16) -> Scalar) -> bool {
        let mut values = vec![Scalar::Undefined; self.tree.nodes().len()];
        for id in self.tree.within(&[root]) {
            values[id.0 as usize] = Tree::value(self.tree.node(id), &values, &parameter);
        }
        values[root.0 as usize].is_true()
    }

    /// Parameters that conditions connect, with these conditions; in the order of their first parameters.
    fn parts(&self, roots: &[NodeId]) -> Vec<(Vec<u16>, Vec<NodeId>)> {
        let count = self.parameters.len();
        let mut part: Vec<usize> = (0..count).collect();
        for root in roots {
            let parameters = self.tree.parameters(*root);
            let all: Vec<usize> = parameters.iter().map(|parameter| part[*parameter as usize]).collect();
            let first = *all.iter().min().expect("a condition with parameters");
            for number in &mut part {
                if all.contains(number) {
                    *number = first;
                }
            }
        }
        let of = |number: usize| {
            let parameters: Vec<u16> = (0..count).filter(|i| part[*i] == number).map(|i| i as u16).collect();
            let is_inside = |root: &NodeId| part[self.tree.parameters(*root)[0] as usize] == number;
            (parameters, roots.iter().copied().filter(is_inside).collect())
        };
        (0..count).filter(|i| part[*i] == *i).map(of).collect()
    }

    /// The first condition that excludes everything by itself. This only improves a message, so it must not
    /// take long.
    fn culprit(&self, threads: usize) -> Option<usize> {
        const MOST_WORK: f64 = 1.0e7;
        (0..self.texts_of_conditions.len()).find(|number| {
            let mut only = Problem::new(self.parameters.clone());
            only.sizes.clone_from(&self.sizes);
            if only.require(&self.texts_of_conditions[*number]).is_err() {
                return false;
            }
            let size = |parameter: u16| self.parameters[parameter as usize].values.len() as f64;
            let parameters = only.roots.iter().flat_map(|(_, root)| only.tree.parameters(*root));
            let work: f64 = parameters.map(size).product();
            work <= MOST_WORK && matches!(only.construct(threads, usize::MAX), Err(NoSpace::Empty(_)))
        })
    }
}

/// The value of an expression in which names have values.
///
/// # Errors
/// The first mistake in its text; an expression without a value, such as a division by zero, is one.
pub fn evaluate(text: &str, names: &dyn Fn(&str) -> Option<Value>) -> Result<Value, Mistake> {
    let mut tree = Tree::default();
    let mut texts = Texts::default();
    let meaning = |name: &str| names(name).map(Meaning::Constant);
    let root = parse::condition(text, &mut tree, &mut texts, &meaning)?;
    let undefined = || Mistake::new(format!("`{text}` has no value"), 0..text.len());
    match tree.node(root) {
        tree::Node::Constant(Scalar::Int(value)) => Ok(Value::Int(value)),
        tree::Node::Constant(Scalar::Float(value)) => Ok(Value::Float(value)),
        tree::Node::Constant(Scalar::Text(text)) => texts.text(text).map(Value::Text).ok_or_else(undefined),
        _ => Err(undefined()),
    }
}

/// Work, as the product of the numbers of values, from which on threads pay.
const WORTH_THREADS: f64 = 2.0e4;

fn solve(plan: &Plan, threads: usize, limit: usize) -> Option<Vec<Vec<u16>>> {
    let width = plan.width();
    let threads = threads.clamp(1, width.max(1));
    if threads == 1 || plan.work() < WORTH_THREADS {
        let columns = plan.solve(0..width, &|rows| rows <= limit);
        return (columns[0].len() <= limit).then_some(columns);
    }
    // Small pieces, since the work differs between values. The results are concatenated in order.
    let pieces = (threads * 8).min(width);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut found: Vec<(usize, Vec<Vec<u16>>)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let piece = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if piece >= pieces {
                    return done;
                }
                let range = piece * width / pieces..(piece + 1) * width / pieces;
                done.push((piece, plan.solve(range, &|rows| rows <= limit)));
            }
        };
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for worker in workers {
            all.extend(worker.join().expect("solving does not panic"));
        }
        all
    });
    found.sort_by_key(|(piece, _)| *piece);
    let mut columns: Vec<Vec<u16>> = vec![Vec::new(); plan.parameters().len()];
    for (_, piece) in found {
        for (column, more) in columns.iter_mut().zip(piece) {
            column.extend(more);
        }
    }
    (columns[0].len() <= limit).then_some(columns)
}

/// All configurations that meet the conditions.
#[derive(Clone, Debug)]
pub struct Space {
    parameters: Vec<Parameter>,
    parts: Vec<Part>,
    /// For each parameter: its part, and its column there.
    places: Vec<(u16, u16)>,
    len: u64,
}

/// Combinations of the values of connected parameters, in lexicographic order of the columns.
#[derive(Clone, Debug)]
struct Part {
    parameters: Vec<u16>,
    columns: Vec<Vec<u16>>,
    /// Number of consecutive configurations with the same combination of this part.
    stride: u64,
}

impl Part {
    fn rows(&self) -> u64 {
        self.columns[0].len() as u64
    }
}

impl Space {
    fn new(parameters: Vec<Parameter>, parts: Vec<Combinations>) -> Option<Self> {
        let mut places = vec![(0, 0); parameters.len()];
        let mut len = 1_u64;
        let mut found: Vec<Part> = Vec::with_capacity(parts.len());
        for (number, (members, columns)) in parts.into_iter().enumerate().rev() {
            for (column, parameter) in members.iter().enumerate() {
                places[*parameter as usize] = (number as u16, column as u16);
            }
            let part = Part { parameters: members, columns, stride: len };
            len = len.checked_mul(part.rows())?;
            found.push(part);
        }
        found.reverse();
        Some(Space { parameters, parts: found, places, len })
    }

    /// The number of configurations, at least one.
    #[expect(clippy::len_without_is_empty, reason = "an empty space is not built")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The parameters, in the order in which they were given.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The number of a parameter.
    pub fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// The position of a parameter's value in a configuration.
    pub fn index(&self, configuration: ConfigurationId, parameter: usize) -> u16 {
        let (part, column) = self.places[parameter];
        let part = &self.parts[part as usize];
        let row = configuration.0 / part.stride % part.rows();
        part.columns[column as usize][row as usize]
    }

    /// The value of a parameter in a configuration.
    pub fn value(&self, configuration: ConfigurationId, parameter: usize) -> &Value {
        &self.parameters[parameter].values[self.index(configuration, parameter) as usize]
    }

    /// The positions of all values of a configuration.
    pub fn indices(&self, configuration: ConfigurationId) -> Vec<u16> {
        (0..self.parameters.len()).map(|parameter| self.index(configuration, parameter)).collect()
    }

    /// The configuration with values at these positions, if it meets the conditions.
    pub fn find(&self, indices: &[u16]) -> Option<ConfigurationId> {
        let mut found = 0;
        for part in &self.parts {
            let wanted = |column: usize| indices[part.parameters[column] as usize];
            let (mut lo, mut hi) = (0, part.columns[0].len());
            // Rows are sorted by the first column, among equals by the second, and so on.
            for (column, values) in part.columns.iter().enumerate() {
                let value = wanted(column);
                let start = lo + values[lo..hi].partition_point(|other| *other < value);
                hi = start + values[start..hi].partition_point(|other| *other == value);
                lo = start;
            }
            if lo == hi {
                return None;
            }
            found += part.stride * lo as u64;
        }
        Some(ConfigurationId(found))
    }

    /// The configuration with some values.
    pub fn find_values(&self, values: &[Value]) -> Option<ConfigurationId> {
        let place = |(parameter, value): (&Parameter, &Value)| {
            parameter.values.iter().position(|other| is_same(other, value)).map(|i| i as u16)
        };
        let indices: Option<Vec<u16>> = self.parameters.iter().zip(values).map(place).collect();
        self.find(&indices.filter(|indices| indices.len() == self.parameters.len())?)
    }
}
