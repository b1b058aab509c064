//! The devices of a machine, as a list.

use super::Style;
use volvelle_verify::DeviceListing;

/// A block for each device, and a line for each technology that serves none.
pub fn listing(devices: &[DeviceListing], absent: &[(String, String)], style: Style) -> String {
    let mut out = String::new();
    for device in devices {
        let mut title = device.name.clone();
        if title.is_empty() {
            title.clone_from(&device.architecture);
        }
        out.push_str(&format!("{}\n", style.bold(&title)));
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
        out.push_str(&format!("  {}\n", style.dim(&about.join(" · "))));
        let widest = device.services.iter().map(|service| service.name.len()).max().unwrap_or(0);
        for service in &device.services {
            let mut line = format!("  {:<widest$}   {}", service.name, service.driver);
            if !service.has_f64 {
                line.push_str(", without double precision");
            }
            out.push_str(&line);
            out.push('\n');
        }
        if device.services.is_empty() {
            out.push_str("  nothing here can use it\n");
        }
        out.push('\n');
    }
    for (technology, why) in absent {
        out.push_str(&format!("{technology}: {why}\n"));
    }
    out
}
