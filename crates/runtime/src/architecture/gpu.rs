//! Graphics processors: display controllers on the PCI bus.

use super::{pci, read};
use crate::device::{Architecture, Device, Place};
use std::path::{Path, PathBuf};

/// Devices on the bus of class 03 (display controllers) and class 12 (processing accelerators, the class of
/// some compute-only cards of AMD), from `sys/bus/pci/devices`.
///
/// A GPU found here may lack a technology, as the adapter of a server's console does.
#[derive(Clone, Debug)]
pub struct Gpu {
    root: PathBuf,
}

impl Gpu {
    /// Of this machine.
    pub fn new() -> Self {
        Self::under("/")
    }

    /// From another tree of files, for tests.
    pub fn under(root: impl Into<PathBuf>) -> Self {
        Gpu { root: root.into() }
    }

    fn device(&self, folder: &Path) -> Option<Device> {
        let number = |name: &str| hexadecimal(&read(&folder.join(name))?);
        let class = number("class")? >> 16;
        if class != 0x03 && class != 0x12 {
            return None;
        }
        let address = folder.file_name()?.to_str()?.to_ascii_lowercase();
        let (vendor, device) =
            (u16::try_from(number("vendor")?).ok()?, u16::try_from(number("device")?).ok()?);
        let (listed_vendor, listed_name) = pci::listed(&self.root, vendor, device);
        let vendor_name = pci::vendor(vendor).map(str::to_owned).or(listed_vendor);
        Some(Device {
            architecture: self.name().to_owned(),
            vendor: vendor_name.unwrap_or_else(|| format!("vendor {vendor:04x}")),
            name: self.model(&address).or(listed_name).unwrap_or_else(|| format!("device {device:04x}")),
            place: Place::Pci(address),
            // AMD's driver reports it in a file; NVIDIA's reports it through CUDA only.
            memory_bytes: read(&folder.join("mem_info_vram_total")).and_then(|text| text.parse().ok()),
            compute_units: None,
        })
    }

    /// Its name in the driver of NVIDIA.
    fn model(&self, address: &str) -> Option<String> {
        let text = read(&self.root.join("proc/driver/nvidia/gpus").join(address).join("information"))?;
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim();
        (!model.is_empty()).then(|| model.to_owned())
    }
}

impl Default for Gpu {
    fn default() -> Self {
        Self::new()
    }
}

impl Architecture for Gpu {
    fn name(&self) -> &str {
        "GPU"
    }

    fn find(&self) -> Vec<Device> {
        let Ok(entries) = std::fs::read_dir(self.root.join("sys/bus/pci/devices")) else { return Vec::new() };
        let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut devices: Vec<Device> = folders.filter_map(|folder| self.device(&folder)).collect();
        devices.sort_by(|a, b| a.place.cmp(&b.place));
        devices
    }
}

/// `0x030200`.
fn hexadecimal(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
