//! The caches of the processors of this machine.

use crate::door;
use std::path::Path;

/// Where Linux describes those of the first processor.
const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cache";

/// A processor of today, where the system tells nothing: bytes, ways, bytes of a line.
const USUAL: [[u32; 3]; 2] = [[32 << 10, 8, 64], [512 << 10, 8, 64]];

/// The caches of data of the first and second level: bytes, ways, bytes of a line.
pub fn of_this_machine() -> Vec<[u32; 3]> {
    let found: Vec<[u32; 3]> =
        (0..8).filter_map(|index| described(&Path::new(FOLDER).join(format!("index{index}")))).collect();
    if found.is_empty() { USUAL.to_vec() } else { found }
}

fn described(folder: &Path) -> Option<[u32; 3]> {
    let text = |name: &str| door::small(&folder.join(name));
    let number = |name: &str| text(name)?.trim().parse::<u32>().ok().filter(|number| *number > 0);
    if text("type")?.trim() == "Instruction" || number("level")? > 2 {
        return None;
    }
    Some([bytes(text("size")?.trim())?, number("ways_of_associativity")?, number("coherency_line_size")?])
}

/// A size such as `48K`.
fn bytes(text: &str) -> Option<u32> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u32>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let sizes = ["48K", "1M", "64", "K", "7G", ""].map(bytes);
        assert_eq!(sizes, [Some(48 << 10), Some(1 << 20), Some(64), None, None, None]);
    }

    #[test]
    fn a_machine_has_caches() {
        let caches = of_this_machine();
        assert!((1..=2).contains(&caches.len()), "{caches:?}");
        assert!(caches.iter().all(|[bytes, ways, line]| bytes / ways / line >= 1), "{caches:?}");
    }
}
