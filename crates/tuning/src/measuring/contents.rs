//! Contents of buffers and values of scalars as bytes.

use super::Contents;

/// The types of elements, with their sizes in bytes.
const ELEMENTS: [(&str, usize); 10] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("float", 4),
    ("double", 8),
];

/// Bytes of an element, if the type is known.
pub(super) fn size(element: &str) -> Option<usize> {
    ELEMENTS.iter().find(|(name, _)| *name == element).map(|(_, size)| *size)
}

pub(super) fn is_whole(element: &str) -> bool {
    !matches!(element, "float" | "double")
}

/// A number as an element.
pub(super) fn scalar(element: &str, value: f64) -> Vec<u8> {
    let whole = value as i64;
    match element {
        "float" => (value as f32).to_le_bytes().to_vec(),
        "double" => value.to_le_bytes().to_vec(),
        "ulong" => (value as u64).to_le_bytes().to_vec(),
        element => whole.to_le_bytes()[..size(element).unwrap_or(8)].to_vec(),
    }
}

/// The bytes of a buffer.
pub(super) fn bytes(element: &str, length: usize, contents: Contents) -> Vec<u8> {
    let size = size(element).unwrap_or(1);
    let mut bytes = Vec::with_capacity(length * size);
    match contents {
        Contents::Constant(value) => {
            let one = scalar(element, value);
            bytes.extend(one.iter().copied().cycle().take(length * size));
        }
        Contents::Counting => {
            for i in 0..length {
                bytes.extend(scalar(element, i as f64));
            }
        }
        Contents::Random => {
            let bits = (8 * size - 1).min(20) as u32;
            let mut state = 0x9e37_79b9_7f4a_7c15_u64;
            for _ in 0..length {
                // An xorshift generator (Marsaglia, doi:10.18637/jss.v008.i14): inputs only have to be the same every time.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let value = if is_whole(element) {
                    (state >> (64 - bits)) as f64
                } else {
                    (state >> 11) as f64 / (1_u64 << 53) as f64
                };
                bytes.extend(scalar(element, value));
            }
        }
    }
    bytes
}

/// The elements of a buffer as numbers. 64-bit integers beyond 53 bits are rounded.
pub(super) fn numbers(element: &str, bytes: &[u8]) -> Vec<f64> {
    let size = size(element).unwrap_or(1);
    let number = |chunk: &[u8]| {
        let mut whole = [0; 8];
        whole[..size].copy_from_slice(chunk);
        let unsigned = u64::from_le_bytes(whole);
        // The sign of a narrower type is extended.
        let shift = 64 - 8 * size as u32;
        match element {
            "float" => f64::from(f32::from_bits(unsigned as u32)),
            "double" => f64::from_bits(unsigned),
            element if element.starts_with('u') => unsigned as f64,
            _ => ((unsigned << shift) as i64 >> shift) as f64,
        }
    };
    bytes.chunks_exact(size).map(number).collect()
}
