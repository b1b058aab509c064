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
