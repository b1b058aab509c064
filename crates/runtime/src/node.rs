//! A node: the devices that architectures find and technologies serve, and their names.

use crate::device::{Architecture, Device, Place};
use crate::error::Error;
use crate::technology::{Executor, Offer, Technology};
use std::ops::Range;
use std::sync::Arc;

/// All devices of this machine, and the technologies that serve them.
pub struct Node {
    devices: Vec<NodeDevice>,
    absent: Vec<Absent>,
    technologies: Vec<Arc<dyn Technology>>,
    architectures: Vec<String>,
}

/// A device, with the ways to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDevice {
    /// Its description by the architecture, completed by technologies.
    pub device: Device,
    /// The technologies that serve it, in their order; empty if none does.
    pub served: Vec<Served>,
}

/// A way to use a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// As a user writes it: `opencl:0`.
    pub name: String,
    /// The technology.
    pub technology: String,
    /// The number of the offer.
    pub number: usize,
    /// Its offer.
    pub offer: Offer,
}

/// A technology that serves no device of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub technology: String,
    /// The reason, in one line.
    pub why: String,
}

impl Node {
    /// Collects the devices of architectures and the offers of technologies. An offer belongs to the device
    /// at the same place; an offer without such a device adds one.
    ///
    /// Technologies are given in the order of preference.
    pub fn find(architectures: &[&dyn Architecture], technologies: Vec<Arc<dyn Technology>>) -> Self {
        let mut devices: Vec<NodeDevice> = Vec::new();
        for architecture in architectures {
            devices.extend(
                architecture.find().into_iter().map(|device| NodeDevice { device, served: Vec::new() }),
            );
        }
        let mut absent = Vec::new();
        for technology in &technologies {
            let name = technology.name();
            let offers = match technology.offers() {
                Ok(offers) if offers.is_empty() => Err("it supports no device of this machine".to_owned()),
                Ok(offers) => Ok(offers),
                Err(error) => Err(error.to_string()),
            };
            match offers {
                Ok(offers) => {
                    for (number, offer) in offers.into_iter().enumerate() {
                        let served = Served {
                            name: technology.device_name(number),
                            technology: name.to_owned(),
                            number,
                            offer,
                        };
                        add(&mut devices, served);
                    }
                }
                Err(why) => absent.push(Absent { technology: name.to_owned(), why: one_line(&why) }),
            }
        }
        let mut names: Vec<String> = architectures.iter().map(|a| a.name().to_owned()).collect();
        for found in &devices {
            if !names.contains(&found.device.architecture) {
                names.push(found.device.architecture.clone());
            }
        }
        Node { devices, absent, technologies, architectures: names }
    }

    /// Names of the searched architectures, and of those of devices that only a technology reports.
    pub fn architectures(&self) -> &[String] {
        &self.architectures
    }

    /// All devices, those that architectures found first.
    pub fn devices(&self) -> &[NodeDevice] {
        &self.devices
    }

    /// Technologies that serve no device, with the reasons.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// The technologies, in the order of preference.
    pub fn technologies(&self) -> &[Arc<dyn Technology>] {
        &self.technologies
    }

    /// All ways to use devices, technology by technology.
    pub fn served(&self) -> Vec<&Served> {
        let mut all: Vec<&Served> = self.devices.iter().flat_map(|found| &found.served).collect();
        let rank = |served: &Served| self.technologies.iter().position(|t| t.name() == served.technology);
        all.sort_by_key(|served| (rank(served), served.number));
        all
    }

    /// For each device that is served, the technology that is preferred.
    pub fn automatic(&self) -> Vec<&Served> {
        self.devices.iter().filter_map(|found| found.served.first()).collect()
    }

    /// The devices of a list of names, such as `opencl:0,threads`. The name of a technology selects all of
    /// its devices; `auto` selects each device with its preferred technology.
    ///
    /// # Errors
    /// A name is unknown, or a device is named twice; contains the place in the list.
    pub fn select(&self, list: &str) -> Result<Vec<&Served>, SelectError> {
        let mut selected: Vec<&Served> = Vec::new();
        let mut start = 0;
        for item in list.split(',') {
            let name = item.trim();
            let at = start + (item.len() - item.trim_start().len());
            let span = at..at + name.len();
            start += item.len() + 1;
            let found = self.named(name).map_err(|why| self.refuse(span.clone(), why))?;
            for served in found {
                if selected.contains(&served) {
                    return Err(self.refuse(span, format!("`{}` is named twice", served.name)));
                }
                selected.push(served);
            }
        }
        Ok(selected)
    }

    /// The devices that a name stands for: at least one.
    fn named(&self, name: &str) -> Result<Vec<&Served>, String> {
        let found: Vec<&Served> = if name == "auto" {
            self.automatic()
        } else {
            let is_meant = |served: &&Served| {
                served.name == name
                    || served.technology == name
                    || name.split_once(':').is_some_and(|(technology, number)| {
                        served.technology == technology && number == served.number.to_string()
                    })
            };
            self.served().into_iter().filter(is_meant).collect()
        };
        if !found.is_empty() {
            return Ok(found);
        }
        let technology = name.split(':').next().unwrap_or_default();
        Err(match self.absent.iter().find(|absent| absent.technology == technology) {
            Some(absent) => format!("`{name}` is not available: {}", absent.why),
            None if name.is_empty() => "a device is missing".to_owned(),
            None => format!("there is no device `{name}`"),
        })
    }

    fn refuse(&self, span: Range<usize>, why: String) -> SelectError {
        SelectError { span, why, known: self.served().iter().map(|served| served.name.clone()).collect() }
    }

    /// Opens a device.
    ///
    /// # Errors
    /// It does not answer.
    pub fn open(&self, served: &Served) -> Result<Arc<dyn Executor>, Error> {
        let technology = self.technologies.iter().find(|t| t.name() == served.technology);
        let missing = || Error::Unavailable(format!("there is no technology `{}`", served.technology));
        technology.ok_or_else(missing)?.open(served.number)
    }
}

/// Adds an offer to the device at its place, or a device for it.
fn add(devices: &mut Vec<NodeDevice>, served: Served) {
    let offered = &served.offer.device;
    // Devices in unknown places are never merged.
    let same = |found: &&mut NodeDevice| {
        found.device.place == offered.place && offered.place != Place::Other(String::new())
    };
    let Some(found) = devices.iter_mut().find(same) else {
        let device = offered.clone();
        devices.push(NodeDevice { device, served: vec![served] });
        return;
    };
    let device = &mut found.device;
    if device.vendor.is_empty() {
        device.vendor.clone_from(&offered.vendor);
    }
    device.memory_bytes = device.memory_bytes.or(offered.memory_bytes);
    device.compute_units = device.compute_units.or(offered.compute_units);
    found.served.push(served);
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An error in a list of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectError {
    /// The bytes of the list to which it refers.
    pub span: Range<usize>,
    /// The error.
    pub why: String,
    /// The known names.
    pub known: Vec<String>,
}

impl std::fmt::Display for SelectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)?;
        match self.known.as_slice() {
            [] => f.write_str("; there is no device at all"),
            known => write!(f, "; available devices: {}, auto", known.join(", ")),
        }
    }
}

impl std::error::Error for SelectError {}
