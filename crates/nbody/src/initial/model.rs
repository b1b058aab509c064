//! Models of initial conditions.

/// A model. Lengths, times and masses are in the units of [`super`].
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A Plummer sphere in equilibrium (S. J. Aarseth, M. Hénon and R. Wielen, *A comparison of numerical methods for the study of star cluster
    /// dynamics*, 1974), without the outermost thousandth of its mass. Its half-mass radius is 0.77.
    Plummer,
    /// Hernquist's model of a galaxy with a cusp of density 1/r, in equilibrium and with isotropic velocities (L. Hernquist, *An analytical model
    /// for spherical galaxies and bulges*, 1990), without the outermost hundredth of its mass. Its half-mass radius is 0.8.
    Hernquist,
    /// King's model of a cluster with an edge (I. R. King, *The structure of star clusters III*, 1966), in equilibrium.
    King {
        /// The depth of the potential at the centre, in units of the square of the velocity parameter: from 0.1 to 16.
        w0: f64,
    },
    /// A homogeneous sphere with isotropic, normally distributed velocities. If it is at rest, its radius is
    /// 12/5.
    ColdCollapse {
        /// Kinetic energy divided by the absolute value of the potential energy: 0 at rest, 1/2 in
        /// equilibrium; below 1.
        virial_ratio: f64,
    },
    /// Two galaxies on an orbit around each other.
    Encounter(Encounter),
}

/// Two galaxies that approach each other on the Kepler orbit of two points with their masses, in the plane of
/// x and y, with the pericentre on the x axis. The total mass is 1; the energy is that of the galaxies and of
/// their orbit. The bodies of both have the same mass, except for the rounding of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Encounter {
    /// The models of the galaxies: no encounters.
    pub galaxies: Box<[Model; 2]>,
    /// Mass of the second galaxy by that of the first: above 0.
    pub mass_ratio: f64,
    /// Factor of the lengths of each galaxy, above 0. Speeds change so that the galaxy stays in equilibrium.
    pub sizes: [f64; 2],
    /// Rotation of each galaxy around the x axis, in degrees.
    pub tilts: [f64; 2],
    /// The smallest distance on the orbit: above 0.
    pub pericentre: f64,
    /// 0 for a circle, below 1 for an ellipse, 1 for a parabola, above 1 for a hyperbola.
    pub eccentricity: f64,
    /// Their distance at the beginning: not below the pericentre and, on an ellipse, not above the apocentre.
    pub separation: f64,
}

/// Why initial conditions cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The name of the value: `w0`, `virial_ratio`, `count`, …, as in [`Model`] and [`Encounter`].
    pub value: &'static str,
    /// What is wrong with it, as a sentence without a full stop.
    pub why: String,
}

impl Refused {
    pub(super) fn new(value: &'static str, why: impl Into<String>) -> Self {
        Refused { value, why: why.into() }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.value, self.why)
    }
}

impl std::error::Error for Refused {}
