//! Options of `nbody`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, BriefLimitArgs, DeviceArgs};

/// Move bodies under gravity, or under a force law of your own
///
/// Star clusters, colliding galaxies, springs: with direct sums or trees.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle nbody plummer.toml                             a table of energies; the bodies in the folder `plummer`
  volvelle nbody plummer.toml -o run1 --csv energies.csv
  volvelle nbody plummer.toml --plot end.png --plot-energy drift.svg
  volvelle nbody plummer.toml --movie frames              frame-000000.png, frame-000001.png, ...
  volvelle nbody plummer.toml --restart plummer/last.csv
  volvelle nbody plummer.toml --device cuda:0

A configuration, in TOML; what is not given here has the value shown, and only [initial] and [run] are needed:
  [initial]
  model = \"plummer\"         # hernquist, king (w0), cold_collapse (virial_ratio), encounter; or file = \"start.csv\"
  bodies = 1000
  seed = 1
  [physics]
  softening = 0.0           # Plummer's softening length
  solver = \"direct\"         # or tree (opening_angle = 0.5, quadrupole = true)
  integrator = \"leapfrog\"   # or hermite (accuracy = 0.01, largest_step = 0.125)
  step = 0.01               # of the leapfrog
  [run]
  end = 10.0                # time; G = 1, mass 1 and energy -1/4 in the models
  report = 1.0              # between the lines of the table; a tenth of the end
  [output]
  folder = \"plummer\"        # the name of the configuration
  snapshots = 1.0           # between snapshots; none if absent
  format = \"csv\"            # or nemo, gadget

Exit codes: 0 the end was reached, 2 bad usage, an error in the input, or bodies that cannot go on, 3 a limit was reached or the run was
interrupted. The folder always has the bodies of the last report, or of the interruption, in the file `last`.")]
pub struct MoveBodies {
    /// The configuration, in TOML
    #[arg(value_name = "CONFIGURATION")]
    pub configuration: PathBuf,

    /// The folder for snapshots, instead of that of the configuration
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,

    /// Go on with the bodies of a snapshot, at its time, instead of the initial ones
    #[arg(long, value_name = "SNAPSHOT")]
    pub restart: Option<PathBuf>,

    /// Pictures.
    #[command(flatten)]
    pub pictures: PictureArgs,

    /// The devices.
    #[command(flatten)]
    pub devices: DeviceArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: BriefLimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "NUMBER", help_heading = "Limits")]
    pub threads: Option<String>,
}

/// Pictures of bodies.
#[derive(Args, Debug)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArgs {
    /// Draw the positions at the end. The extension selects the format: .svg, .pdf, .png, or .html. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot: Vec<PathBuf>,

    /// Draw the relative change of the energy over time. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot_energy: Vec<PathBuf>,

    /// Draw the positions at every report, in numbered files of a folder, all with the same axes
    #[arg(long, value_name = "FOLDER")]
    pub movie: Option<PathBuf>,

    /// The plane of --plot and --movie
    #[arg(long, value_name = "PLANE", value_enum, default_value_t = PlaneName::Xy)]
    pub plane: PlaneName,

    /// From the middle of --plot and --movie to the borders [default: nearly all bodies are inside at the start]
    #[arg(long, value_name = "LENGTH")]
    pub half_width: Option<String>,
}

/// Planes on which positions are projected.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneName {
    /// Seen along the z axis
    Xy,
    /// Seen along the y axis
    Xz,
    /// Seen along the x axis
    Yz,
}
