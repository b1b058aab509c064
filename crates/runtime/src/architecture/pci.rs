//! Names of vendors and devices on the PCI bus.

use std::path::Path;

/// Common vendors of display controllers, real and virtual.
pub(super) fn vendor(id: u16) -> Option<&'static str> {
    Some(match id {
        0x1002 | 0x1022 => "AMD",
        0x10de => "NVIDIA",
        0x8086 => "Intel",
        0x102b => "Matrox",
        0x1013 => "Cirrus Logic",
        0x106b => "Apple",
        0x1414 => "Microsoft",
        0x15ad => "VMware",
        0x1234 => "QEMU",
        0x1a03 => "ASPEED",
        0x1ab8 => "Parallels",
        0x1af4 | 0x1b36 => "Red Hat",
        0x1d0f => "Amazon",
        0x1ed5 => "Moore Threads",
        0x5143 => "Qualcomm",
        0x80ee => "VirtualBox",
        _ => return None,
    })
}

/// The paths of the list of all names in Linux distributions.
const LISTS: [&str; 3] = ["usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids", "usr/share/pci.ids"];

/// Names of a vendor and its device in this machine's list of names, if it has one.
pub(super) fn listed(root: &Path, vendor: u16, device: u16) -> (Option<String>, Option<String>) {
    // Some names are not UTF-8 in old lists.
    let list = LISTS.iter().find_map(|path| std::fs::read(root.join(path)).ok());
    list.map(|bytes| find(&String::from_utf8_lossy(&bytes), vendor, device)).unwrap_or_default()
}

/// Names in the text of `pci.ids`: vendors at the start of a line, their devices after one tab, subsystems
/// after two.
fn find(text: &str, vendor: u16, device: u16) -> (Option<String>, Option<String>) {
    let (vendor, device) = (format!("{vendor:04x} "), format!("\t{device:04x} "));
    let mut lines = text.lines();
    let Some(name) = lines.find_map(|line| line.strip_prefix(&vendor)) else { return (None, None) };
    let own = lines.take_while(|line| line.starts_with(['\t', '#']) || line.is_empty());
    let model = own.filter_map(|line| line.strip_prefix(&device)).next();
    (Some(name.trim().to_owned()), model.map(|model| model.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_a_list() {
        let list = "# comment\n10de  NVIDIA Corporation\n\t1b06  GP102 [GeForce GTX 1080 Ti]\n\t\t1043 85e4  Strix\n\
                    \t2335  GH100 [H200 SXM 141GB]\n10df  Emulex\n\t0720  OneConnect\nC 03  Display controller\n";
        let names = |vendor, device| {
            let (vendor, device) = find(list, vendor, device);
            (vendor.unwrap_or_default(), device.unwrap_or_default())
        };
        assert_eq!(names(0x10de, 0x2335), ("NVIDIA Corporation".into(), "GH100 [H200 SXM 141GB]".into()));
        assert_eq!(names(0x10de, 0x0720), ("NVIDIA Corporation".into(), String::new()), "of another vendor");
        assert_eq!(names(0x10de, 0x85e4), ("NVIDIA Corporation".into(), String::new()), "a subsystem");
        assert_eq!(names(0x10df, 0x0720), ("Emulex".into(), "OneConnect".into()));
        assert_eq!(names(0x1234, 0x0001), Default::default());
    }
}
