//! The map that a linker writes: which section of which library takes how many bytes of the program.

use std::collections::BTreeMap;

/// Bytes by crate. Two kinds of maps are known: that of LLD (`VMA LMA Size Align Out In Symbol`), where an input section is a line that ends
/// with `library.rlib(object.o):(.section)`; and that of GNU, `.section address size library.rlib(object.o)`, whose first word may stand on
/// a line of its own.
pub fn by_crate(map: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for line in map.lines() {
        if let Some((name, size)) = of_lld(line).or_else(|| of_gnu(line)) {
            *all.entry(name).or_insert(0) += size;
        }
    }
    all
}

fn of_lld(line: &str) -> Option<(String, u64)> {
    let (place, _) = line.rsplit_once(":(")?;
    let mut words = line.split_whitespace();
    let size = u64::from_str_radix(words.nth(2)?, 16).ok()?;
    Some((crate_of(place.split_whitespace().last()?), size))
}

fn of_gnu(line: &str) -> Option<(String, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [.., address, size, place] = words[..] else { return None };
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    // What has no address was left out.
    (number(address)? > 0 && place.contains(".o")).then_some(())?;
    Some((crate_of(place), number(size)?))
}

/// `/a/libvolvelle_lts-0123.rlib(x.o)` is of `volvelle_lts`; objects of the program itself are of `volvelle`, those of C of `C`.
fn crate_of(place: &str) -> String {
    let file = place.split('(').next().unwrap_or(place).rsplit('/').next().unwrap_or(place);
    let Some(library) = file.strip_suffix(".rlib") else {
        return if file.contains(".rcgu.") { "volvelle".to_owned() } else { "C".to_owned() };
    };
    let name = library.strip_prefix("lib").unwrap_or(library);
    let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
    match name {
        "std" | "core" | "alloc" | "compiler_builtins" | "hashbrown" | "panic_unwind" | "unwind"
        | "rustc_demangle" => "std",
        name => name,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::by_crate;

    #[test]
    fn maps_of_two_linkers() {
        let lld = "     VMA      LMA     Size Align Out     In      Symbol\n\
                   1000     1000       20    16         /t/libvolvelle_lts-12ab.rlib(lts.1.rcgu.o):(.text.f)\n\
                   1000     1000       20     1                 f\n\
                   1020     1020       10    16         /t/libstd-99.rlib(std.o):(.text.g)\n\
                   1030     1030        8    16         /t/deps/volvelle-1.x.rcgu.o:(.text.main)\n";
        let all = by_crate(lld);
        assert_eq!((all["volvelle_lts"], all["std"], all["volvelle"], all.len()), (0x20, 0x10, 8, 3));
        let gnu = " .text.f        0x0000000000001000       0x20 /t/libvolvelle_lts-12ab.rlib(lts.1.rcgu.o)\n \
                   .text.a_long_name\n                0x0000000000001020       0x10 /t/libvolvelle_lts-12ab.rlib(lts.1.rcgu.o)\n \
                   .text.gone     0x0000000000000000       0x40 /t/libvolvelle_lts-12ab.rlib(lts.1.rcgu.o)\n";
        assert_eq!(by_crate(gnu)["volvelle_lts"], 0x30);
    }
}
