//! The state of a particle system at a time.

/// Bodies at a time. The vectors have one entry for each body, in the order of the simulation, which never changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// The time.
    pub time: f64,
    /// What each body is called in files; different for all.
    pub ids: Vec<u64>,
    /// Masses: finite, and not negative.
    pub masses: Vec<f64>,
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Velocities.
    pub velocities: Vec<[f64; 3]>,
    /// What else files say of each body: it has no effect, and is kept.
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
    /// How many there are.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }
}
