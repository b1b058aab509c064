//! Values of the slow evaluator: ordinary ones, compared part by part.

use std::cell::RefCell;
use std::rc::Rc;
use volvelle_rules::ir::{FunctionId, RoutineId};
use volvelle_trees::{ClassId, NodeId};

/// A value.
#[derive(Clone, Debug)]
pub enum V {
    Null,
    Truth(bool),
    Number(i64),
    Text(Rc<str>),
    Node(NodeId),
    Data(ClassId, Rc<Vec<V>>),
    List(Rc<Vec<V>>),
    Env(Env),
    Failure(Rc<Fail>),
    Map(Rc<RefCell<Vec<(V, V)>>>),
    Closure(RoutineId, Rc<Vec<V>>),
}

/// An environment: the newest mapping, and those before it.
pub type Env = Option<Rc<Mapping>>;

#[derive(Debug)]
pub struct Mapping {
    pub key: V,
    pub value: V,
    pub below: Env,
}

/// What failed.
#[derive(Clone, Debug)]
pub enum What {
    Fail,
    Said,
    /// With its own message.
    Told(String),
    Null,
    NoRule(volvelle_rules::ir::JudgmentId),
    NoBody(FunctionId),
    Rule(RoutineId),
    Function(FunctionId),
}

/// A failure.
#[derive(Debug)]
pub struct Fail {
    pub what: What,
    pub args: Vec<V>,
    pub cause: Option<Rc<Fail>>,
    /// Message, source, feature, data, once they are known.
    pub said: RefCell<Option<[V; 4]>>,
}

/// Why an evaluation ends without a value.
#[derive(Clone, Debug)]
pub enum Stop {
    Fail(Rc<Fail>),
    /// A rule did what has no meaning.
    Broke(String),
    /// It takes too long.
    Spent,
    /// The derivation is not right.
    Refused(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Fail(failure) => write!(f, "fails: {:?}", failure.what),
            Stop::Broke(what) => write!(f, "broke: {what}"),
            Stop::Spent => write!(f, "takes too long"),
            Stop::Refused(why) => write!(f, "is refused: {why}"),
        }
    }
}

pub type Res<T> = Result<T, Stop>;

pub fn broke<T>(what: &str) -> Res<T> {
    Err(Stop::Broke(what.to_owned()))
}

pub fn fail(what: What, args: Vec<V>, cause: Option<Rc<Fail>>) -> Stop {
    Stop::Fail(Rc::new(Fail { what, args, cause, said: RefCell::new(None) }))
}

pub fn told<T>(message: String) -> Res<T> {
    Err(fail(What::Told(message), Vec::new(), None))
}

pub fn text(text: impl AsRef<str>) -> V {
    V::Text(text.as_ref().into())
}

pub fn list(items: Vec<V>) -> V {
    V::List(Rc::new(items))
}

fn same_env(a: &Env, b: &Env) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

impl PartialEq for V {
    fn eq(&self, other: &V) -> bool {
        match (self, other) {
            (V::Null, V::Null) => true,
            (V::Truth(a), V::Truth(b)) => a == b,
            (V::Number(a), V::Number(b)) => a == b,
            (V::Text(a), V::Text(b)) => a == b,
            (V::Node(a), V::Node(b)) => a == b,
            (V::Data(a, x), V::Data(b, y)) => a == b && (Rc::ptr_eq(x, y) || x == y),
            (V::List(a), V::List(b)) => Rc::ptr_eq(a, b) || a == b,
            (V::Env(a), V::Env(b)) => same_env(a, b),
            (V::Failure(a), V::Failure(b)) => Rc::ptr_eq(a, b),
            (V::Map(a), V::Map(b)) => Rc::ptr_eq(a, b),
            (V::Closure(_, a), V::Closure(_, b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The value of a key.
pub fn find(env: &Env, key: &V) -> Option<V> {
    let mut at = env;
    while let Some(mapping) = at {
        if mapping.key == *key {
            return Some(mapping.value.clone());
        }
        at = &mapping.below;
    }
    None
}

pub fn bind(env: &Env, key: V, value: V) -> Env {
    Some(Rc::new(Mapping { key, value, below: env.clone() }))
}

/// Mappings, the newest first.
pub fn mappings(env: &Env) -> Vec<(V, V)> {
    let mut all = Vec::new();
    let mut at = env;
    while let Some(mapping) = at {
        all.push((mapping.key.clone(), mapping.value.clone()));
        at = &mapping.below;
    }
    all
}
