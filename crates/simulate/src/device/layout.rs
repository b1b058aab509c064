//! The assignment of paths to the lanes of a device.

use crate::path::{self, Limits, Plan, Portable, Shape};

/// Which lane runs which paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A lane for each path: for devices whose lanes do not wait for each other.
    Single,
    /// As many lanes as keep the device busy; a lane whose path has ended begins another, a fixed number of paths further on.
    Strided,
    /// The same, but a lane begins the next path that no lane has begun.
    Claimed,
}

impl Layout {
    /// All of them.
    pub const ALL: [Layout; 3] = [Layout::Single, Layout::Strided, Layout::Claimed];

    fn shape(self) -> Shape {
        match self {
            Layout::Single => Shape::Single,
            Layout::Strided => Shape::Flat,
            Layout::Claimed => Shape::Claiming,
        }
    }

    /// The number of lanes for `paths` paths on a device that `busy` lanes keep busy.
    pub(super) fn lanes(self, paths: u64, busy: u64) -> u64 {
        match self {
            Layout::Single => paths,
            Layout::Strided | Layout::Claimed => paths.min(busy).max(1),
        }
    }
}

/// A variant of the kernel that runs the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceVariant {
    /// Which lane runs which paths.
    pub layout: Layout,
    /// Whether it is specialised over control locations, and how much.
    pub locations: Option<Limits>,
}

impl DeviceVariant {
    /// The same code for all states.
    pub fn general(layout: Layout) -> Self {
        DeviceVariant { layout, locations: None }
    }

    /// The kernel; `None` if it cannot be specialised over control locations as requested.
    pub fn kernel(self, plan: &Plan) -> Option<Portable> {
        path::portable(plan, self.layout.shape(), self.locations)
    }
}
