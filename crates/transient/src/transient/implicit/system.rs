//! The differential equation to be solved.

/// `u' = Q u + forcing`, `u(0) = start`; neither vector has a negative entry.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    /// The value at time zero.
    pub start: &'a [f64],
    /// What is added per unit of time.
    pub forcing: Option<&'a [f64]>,
}

impl System<'_> {
    /// `start + step * forcing`
    pub fn pushed(&self, step: f64) -> Vec<f64> {
        match self.forcing {
            Some(forcing) => self.start.iter().zip(forcing).map(|(v, f)| v + step * f).collect(),
            None => self.start.to_vec(),
        }
    }
}
