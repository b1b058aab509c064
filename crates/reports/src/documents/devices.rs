//! The devices of a machine, as a list.

use volvelle_present::document::{Block, Document, Heading, Text, faint};
use volvelle_session::devices::DeviceListing;

/// A block for each device, and a line for each technology that serves none.
pub fn document(devices: &[DeviceListing], absent: &[(String, String)]) -> Document {
    let mut document = Document::new("The devices of this machine");
    for device in devices {
        let title = if device.name.is_empty() { &device.architecture } else { &device.name };
        document.push(Heading { title: title.as_str().into(), ..Heading::default() });
        let mut about = vec![device.architecture.clone(), device.place.clone()];
        if !device.vendor.is_empty() {
            about.insert(1, device.vendor.clone());
        }
        about.extend(device.compute_units.map(|units| match units {
            1 => "1 compute unit".to_owned(),
            units => format!("{units} compute units"),
        }));
        about.extend(
            device.memory_bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1u32 << 30))),
        );
        document.note(2, faint(about.join(" · ")));
        let widest = device.services.iter().map(|service| service.name.len()).max().unwrap_or(0);
        let services = device.services.iter().map(|service| {
            let precision = if service.has_f64 { "" } else { ", without double precision" };
            (Text::from(service.name.as_str()), Text::from(format!("{}{precision}", service.driver)))
        });
        match device.services.is_empty() {
            true => document.note(2, "no technology on this machine can use it"),
            false => document.push(Block::Labels(widest + 2, services.collect())),
        }
        document.push(Block::Gap);
    }
    absent.iter().for_each(|(technology, why)| document.note(0, format!("{technology}: {why}")));
    document
}
