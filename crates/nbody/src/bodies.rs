//! The state of a particle system at a time.

/// Bodies at one time. Each vector has one entry for each body, in the order of the simulation, which never
/// changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// The time.
    pub time: f64,
    /// Names of the bodies in files; all different.
    pub ids: Vec<u64>,
    /// Masses: finite, and not negative.
    pub masses: Vec<f64>,
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Velocities.
    pub velocities: Vec<[f64; 3]>,
    /// Other columns of a file: they have no effect, and are kept.
    pub others: Vec<Column>,
}

/// A column of a snapshot that has no effect on the motion, such as the type of each body.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The text of each body.
    pub values: Vec<Box<str>>,
}

impl Bodies {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }
}
