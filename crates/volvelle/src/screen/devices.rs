//! The devices of a machine, as a list.

use super::{Style, flow};
use volvelle_verify::DeviceListing;

/// A block for each device, and a line for each technology that serves none.
pub fn listing(devices: &[DeviceListing], absent: &[(String, String)], style: Style) -> String {
    let mut out = String::new();
    for device in devices {
        let mut title = device.name.clone();
        if title.is_empty() {
            title.clone_from(&device.architecture);
        }
        out.push_str(&flow::text("", &style.bold(&title), 2, style));
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
        out.push_str(&flow::text("  ", &style.dim(&about.join(" · ")), 4, style));
        let widest = device.services.iter().map(|service| service.name.len()).max().unwrap_or(0);
        for service in &device.services {
            let start = format!("  {:<widest$}   ", service.name);
            let precision = if service.has_f64 { "" } else { ", without double precision" };
            let driver = format!("{}{precision}", service.driver);
            out.push_str(&flow::text(&start, &driver, flow::columns(&start), style));
        }
        if device.services.is_empty() {
            out.push_str("  no technology on this machine can use it\n");
        }
        out.push('\n');
    }
    for (technology, why) in absent {
        out.push_str(&flow::text("", &format!("{technology}: {why}"), 2, style));
    }
    out
}
