//! What is asked for of a text.

/// Deeper syntax is rejected, since everything recurses over it.
pub(super) const NESTING_LIMIT: usize = 160;

/// What to read from a text.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The kernel, if the text has several.
    pub kernel: Option<String>,
    /// The parameters to choose; empty if all parameters of the text are wanted. Each other parameter has its
    /// value in the reference of the launch.
    pub parameters: Vec<String>,
    /// The value of `size`.
    pub size: Option<i64>,
    /// Macros of the build with their values.
    pub constants: Vec<(String, i64)>,
    /// Values of parameters that replace those of the text.
    pub values: Vec<(String, Vec<i64>)>,
    /// How the kernel is launched, if the text does not describe it.
    pub launch: Launched,
    /// Whether parameters may occur nowhere.
    pub may_be_unused: bool,
}

/// A launch that is described elsewhere, in the notation of annotations.
#[derive(Clone, Debug, Default)]
pub struct Launched {
    /// Work-items in each dimension.
    pub global: Vec<String>,
    /// Work-items of a group in each dimension.
    pub local: Vec<String>,
    /// Numbers that the kernel is called with: places among its arguments, and values.
    pub numbers: Vec<(usize, i64)>,
}
