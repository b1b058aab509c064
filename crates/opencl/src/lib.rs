//! OpenCL C kernels as abstract models of their execution: text and a platform in, a model and its time out.

pub mod expression;
pub mod launch;
pub mod platform;

pub use platform::Platform;
