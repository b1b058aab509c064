//! Devices: what is there on this node, and who finds it.

/// A device as an architecture finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Name of the architecture: `CPU`, `GPU`.
    pub architecture: String,
    /// Who made it, as far as is known.
    pub vendor: String,
    /// Its name.
    pub name: String,
    /// Its location, which distinguishes it from others of its kind on this node.
    pub place: Place,
    /// Bytes of its memory.
    pub memory_bytes: Option<u64>,
    /// Cores, multiprocessors, or whatever works on its own.
    pub compute_units: Option<u32>,
}

/// Where a device is on its node: the same device has the same place for everybody who finds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The processors that run this program.
    Host,
    /// A device on the bus: domain, bus, device and function as in `0000:3b:00.0`.
    Pci(String),
    /// Known to a technology only, by this name.
    Other(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Host => f.write_str("host"),
            Place::Pci(address) => write!(f, "pci {address}"),
            Place::Other(name) => f.write_str(name),
        }
    }
}

/// A kind of devices: finds those of its kind on this node. What a technology can do with them is for technologies to say.
pub trait Architecture: Send + Sync {
    /// `CPU`, `GPU`.
    fn name(&self) -> &str;

    /// The devices of this kind on this node.
    fn find(&self) -> Vec<Device>;
}
