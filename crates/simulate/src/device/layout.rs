//! The assignment of paths to the lanes of a device.

use crate::path::{self, Limits, Plan, Portable, Shape};

/// Which lane runs which paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One lane per path, for devices whose lanes do not wait for each other.
    Single,
    /// As many lanes as keep the device busy. When the path of a lane ends, the lane begins another one, a
    /// fixed number of paths later.
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

    /// The number of lanes for `paths` paths, if `busy` lanes keep the device busy.
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
    /// If set, specialises over control locations, within these limits.
    pub locations: Option<Limits>,
}

impl DeviceVariant {
    /// The same code for all states.
    pub fn general(layout: Layout) -> Self {
        DeviceVariant { layout, locations: None }
    }

    /// The kernel; `None` if it cannot be specialised as requested.
    pub fn kernel(self, plan: &Plan) -> Option<Portable> {
        path::portable(plan, self.layout.shape(), self.locations)
    }
}
