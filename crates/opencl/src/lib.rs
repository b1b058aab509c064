//! OpenCL C kernels as abstract models of their execution: text and a platform in, a model and its time out.

pub mod compose;
pub mod emit;
pub mod expression;
pub mod features;
pub mod kernel;
pub mod launch;
mod lower;
pub mod model;
pub mod platform;
pub mod problem;
pub mod table;
mod text;

pub use kernel::Kernel;
pub use lower::{Request, read};
pub use model::Model;

pub use platform::Platform;
pub use problem::{Problem, Question, problem};
