//! Outlines: the parts of a model, for `volvelle info`; known without exploring, and without values for open constants.

use volvelle_logic::ConstantValue;

/// The parts of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// `DTMC`, …
    pub kind: String,
    /// How large it is, where it is given by its states.
    pub size: Option<Size>,
    /// Constants of model and property files.
    pub constants: Vec<Constant>,
    /// Variables, in order.
    pub variables: Vec<Variable>,
    /// The condition on initial states, as written, where there is one.
    pub initial_condition: Option<String>,
    /// Modules, in order.
    pub components: Vec<Component>,
    /// Types of processes, in order.
    pub processes: Vec<Process>,
    /// Channels, in order.
    pub channels: Vec<Channel>,
    /// Actions, without the silent one.
    pub actions: Vec<String>,
    /// Reward structures.
    pub rewards: Vec<Rewards>,
    /// Labels of model and property files.
    pub labels: Vec<String>,
    /// Properties of the property files; claims of the model.
    pub properties: Vec<Property>,
}

/// The size of an explicit model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Size {
    /// The format of its file.
    pub format: &'static str,
    /// How probabilities and rates are written down; `None` in models without any.
    pub numbers: Option<&'static str>,
    /// States.
    pub states: u64,
    /// Choices, for models with nondeterminism.
    pub choices: Option<u64>,
    /// Transitions.
    pub transitions: u64,
    /// Initial states.
    pub initial_states: u64,
    /// States without a transition.
    pub deadlocks: u64,
    /// States of a Markov automaton in which time passes.
    pub markovian: Option<u64>,
    /// Names of the players of a game.
    pub players: Vec<String>,
    /// Observations, where states are hidden.
    pub observations: Option<u64>,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Name.
    pub name: String,
    /// Declared type.
    pub ty: ConstantType,
    /// Its value, where it is known, or the definition as written.
    pub value: Option<ConstantValue>,
    /// Whether the text leaves the value to the user.
    pub open: bool,
    /// Declared by a property file.
    pub in_properties: bool,
}

/// The declared type of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantType {
    /// A truth value.
    Bool,
    /// An integer.
    Int,
    /// A number.
    Double,
}

impl ConstantType {
    /// `bool`, `int`, `double`
    pub fn name(self) -> &'static str {
        match self {
            ConstantType::Bool => "bool",
            ConstantType::Int => "int",
            ConstantType::Double => "double",
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// The module it belongs to; `None` for a global.
    pub component: Option<String>,
    /// `0..5`, `bool`, `int`; as written where constants in it have no value yet.
    pub range: String,
    /// Initial value; `None` where several are possible or constants in it have no value yet.
    pub initial: Option<ConstantValue>,
}

/// A module.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Name.
    pub name: String,
    /// The module it is a copy of.
    pub copy_of: Option<String>,
    /// Number of commands.
    pub commands: usize,
}

/// A type of processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Name.
    pub name: String,
    /// How many are there from the beginning.
    pub active: usize,
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// Number of control locations.
    pub locations: usize,
}

/// A channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name of the variable.
    pub name: String,
    /// The type of processes that makes it; `None` for a global.
    pub component: Option<String>,
    /// As written: `[2] of { byte }`.
    pub holds: String,
}

/// A reward structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewards {
    /// Name, where it has one.
    pub name: Option<String>,
    /// Whether it has rewards of states.
    pub states: bool,
    /// Whether it has rewards of transitions.
    pub transitions: bool,
}

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Place in the property files, from 1.
    pub number: usize,
    /// Name, where it has one.
    pub name: Option<String>,
    /// As written.
    pub text: String,
}
