//! Finding devices: platforms in the order of their names, the devices of each as its driver lists them.

use super::code_name;
use super::facts::Facts;
use super::handles::DeviceId;
use cl3::device as cl;
use cl3::platform as clp;
use cl3::types::{cl_device_info, cl_platform_id};
use std::sync::{Mutex, PoisonError};
use volvelle_runtime::{Device, Error, Offer, Place};

/// A device that drivers list.
#[derive(Clone, Debug)]
pub(super) struct ListedDevice {
    pub(super) id: DeviceId,
    pub(super) offer: Offer,
    pub(super) facts: Facts,
}

/// Extensions by which a device reports its place on the bus.
const PCI_BUS_INFO_KHR: cl_device_info = 0x410F;
const PCI_BUS_ID_NV: cl_device_info = 0x4008;
const PCI_SLOT_ID_NV: cl_device_info = 0x4009;
const PCI_DOMAIN_ID_NV: cl_device_info = 0x400A;
const TOPOLOGY_AMD: cl_device_info = 0x4037;

/// All devices of all drivers.
///
/// # Errors
/// There is no loader, or it finds nothing; in one line.
pub(super) fn devices() -> Result<Vec<ListedDevice>, Error> {
    /// The first call initialises some loaders and drivers, which is not thread-safe.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _asking = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = cl3::load_library() {
        let why = one_line(&error.to_string());
        return Err(Error::Unavailable(format!("no OpenCL: the loader cannot be opened: {why}")));
    }
    let platforms = clp::get_platform_ids().map_err(|code| {
        // The error of loaders that find no driver (cl_khr_icd).
        const PLATFORM_NOT_FOUND: i32 = -1001;
        Error::Unavailable(match code {
            PLATFORM_NOT_FOUND => "no OpenCL: the loader finds no driver".to_owned(),
            code => format!("no OpenCL: {}", code_name(code)),
        })
    })?;
    let mut platforms: Vec<Platform> = platforms.into_iter().map(Platform::new).collect();
    platforms.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let devices: Vec<ListedDevice> = platforms.iter().flat_map(Platform::devices).collect();
    if devices.is_empty() {
        return Err(Error::Unavailable("no OpenCL: the drivers find no device".to_owned()));
    }
    Ok(devices)
}

struct Platform {
    id: cl_platform_id,
    name: String,
    version: String,
}

impl Platform {
    fn new(id: cl_platform_id) -> Self {
        let ask = |what| clp::get_platform_data(id, what).map(|bytes| text(&bytes)).unwrap_or_default();
        Platform { id, name: ask(clp::CL_PLATFORM_NAME), version: ask(clp::CL_PLATFORM_VERSION) }
    }

    /// Usable devices: present, with a compiler, and with this machine's byte order.
    fn devices(&self) -> Vec<ListedDevice> {
        // A platform without devices answers with an error.
        let ids = cl::get_device_ids(self.id, cl::CL_DEVICE_TYPE_ALL).unwrap_or_default();
        let asked = ids.into_iter().map(|id| DeviceQuery(DeviceId(id)));
        let usable = asked.filter(|device| {
            device.flag(cl::CL_DEVICE_AVAILABLE)
                && device.flag(cl::CL_DEVICE_COMPILER_AVAILABLE)
                && device.flag(cl::CL_DEVICE_ENDIAN_LITTLE)
        });
        usable.enumerate().map(|(number, device)| device.found(self, number)).collect()
    }
}

/// A device whose properties are queried. Unknown properties count as 0.
struct DeviceQuery(DeviceId);

impl DeviceQuery {
    fn data(&self, what: cl_device_info) -> Vec<u8> {
        cl::get_device_data(self.0.0, what).unwrap_or_default()
    }

    fn text(&self, what: cl_device_info) -> String {
        text(&self.data(what))
    }

    /// A number of 4 or 8 bytes.
    fn number(&self, what: cl_device_info) -> Option<u64> {
        let bytes = self.data(what);
        match bytes.len() {
            4 => Some(u64::from(u32::from_ne_bytes(bytes.try_into().ok()?))),
            8 => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }

    fn flag(&self, what: cl_device_info) -> bool {
        self.number(what) == Some(1)
    }

    fn found(&self, platform: &Platform, number: usize) -> ListedDevice {
        let facts = self.facts(platform);
        let device = Device {
            architecture: if facts.is_cpu { "CPU" } else { "GPU" }.to_owned(),
            vendor: self.text(cl::CL_DEVICE_VENDOR),
            name: self.text(cl::CL_DEVICE_NAME),
            place: self.place(platform, number, facts.is_cpu),
            memory_bytes: (facts.memory < u64::MAX).then_some(facts.memory),
            compute_units: (facts.units > 0).then_some(facts.units),
        };
        // `OpenCL`, the version, and then free text of the platform.
        let standard: Vec<&str> = platform.version.split_whitespace().take(2).collect();
        let version = self.text(cl::CL_DRIVER_VERSION);
        let driver = format!("{}, {} {version}", standard.join(" "), platform.name);
        ListedDevice { id: self.0, offer: Offer { device, driver, has_f64: facts.has_f64 }, facts }
    }

    fn facts(&self, platform: &Platform) -> Facts {
        /// Required floating-point features: subnormal numbers, infinities and NaNs, rounding to nearest.
        const IEEE: u64 = cl::CL_FP_DENORM | cl::CL_FP_INF_NAN | cl::CL_FP_ROUND_TO_NEAREST;
        let number = |what| self.number(what).unwrap_or(0);
        let single = number(cl::CL_DEVICE_SINGLE_FP_CONFIG);
        let double = number(cl::CL_DEVICE_DOUBLE_FP_CONFIG);
        Facts {
            is_cpu: number(cl::CL_DEVICE_TYPE) & cl::CL_DEVICE_TYPE_CPU != 0,
            units: number(cl::CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
            most_in_group: number(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE).max(1) as usize,
            most_at_once: self.number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap_or(u64::MAX),
            memory: self.number(cl::CL_DEVICE_GLOBAL_MEM_SIZE).unwrap_or(u64::MAX),
            has_f64: double & IEEE == IEEE,
            has_f32: single & IEEE == IEEE,
            has_f32_division: single & cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
            identity: vec![
                platform.name.clone(),
                platform.version.clone(),
                self.text(cl::CL_DEVICE_NAME),
                self.text(cl::CL_DEVICE_VERSION),
                self.text(cl::CL_DRIVER_VERSION),
            ],
        }
    }

    fn place(&self, platform: &Platform, number: usize, is_cpu: bool) -> Place {
        if is_cpu {
            return Place::Host;
        }
        let name = format!("{} {number}", platform.name);
        self.address().map_or(Place::Other(name), |address| Place::Pci(address.to_string()))
    }

    fn address(&self) -> Option<Address> {
        if let Ok(bytes) = <[u8; 16]>::try_from(self.data(PCI_BUS_INFO_KHR)) {
            let word = |i: usize| u32::from_ne_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
            return Some(Address { domain: word(0), bus: word(4), device: word(8), function: word(12) });
        }
        if let (Some(bus), Some(slot)) = (self.number(PCI_BUS_ID_NV), self.number(PCI_SLOT_ID_NV)) {
            let domain = self.number(PCI_DOMAIN_ID_NV).unwrap_or(0) as u32;
            // The number of the slot has device and function as on the bus itself.
            let (device, function) = ((slot >> 3) as u32, (slot & 7) as u32);
            return Some(Address { domain, bus: bus as u32, device, function });
        }
        match *self.data(TOPOLOGY_AMD).as_slice() {
            // A number for PCI Express, unused bytes, and the address.
            [1, 0, 0, 0, .., bus, device, function] => {
                Some(Address { domain: 0, bus: bus.into(), device: device.into(), function: function.into() })
            }
            _ => None,
        }
    }
}

/// Where a device is on the bus.
struct Address {
    domain: u32,
    bus: u32,
    device: u32,
    function: u32,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

/// The text of a driver, which ends with a zero.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
