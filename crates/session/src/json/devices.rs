//! The devices of a machine.

use crate::devices::{DeviceListing, Service};
use serde::Serialize;

/// A device.
#[derive(Serialize)]
pub struct DeviceShape<'a> {
    architecture: &'a str,
    vendor: &'a str,
    name: &'a str,
    place: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compute_units: Option<u32>,
    services: Vec<ServiceShape<'a>>,
}

#[derive(Serialize)]
struct ServiceShape<'a> {
    name: &'a str,
    device: &'a str,
    driver: &'a str,
    double_precision: bool,
}

/// A technology that serves no device.
#[derive(Serialize)]
pub struct AbsentShape<'a> {
    technology: &'a str,
    reason: &'a str,
}

impl<'a> DeviceShape<'a> {
    pub fn of(device: &'a DeviceListing) -> Self {
        let service = |service: &'a Service| ServiceShape {
            name: &service.name,
            device: &service.device,
            driver: &service.driver,
            double_precision: service.has_f64,
        };
        DeviceShape {
            architecture: &device.architecture,
            vendor: &device.vendor,
            name: &device.name,
            place: &device.place,
            memory_bytes: device.memory_bytes,
            compute_units: device.compute_units,
            services: device.services.iter().map(service).collect(),
        }
    }
}

impl<'a> AbsentShape<'a> {
    pub fn of((technology, reason): &'a (String, String)) -> Self {
        AbsentShape { technology, reason }
    }
}
