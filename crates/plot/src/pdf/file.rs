//! The frame of a PDF: numbered objects, streams, and the table of where they are.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// A file in the making. Objects are numbered from 1, in the order in which they are added.
pub struct File {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

/// The number of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object(usize);

impl Object {
    /// The object that will be added some places later.
    pub fn after(self, places: usize) -> Self {
        Object(self.0 + places)
    }
}

impl std::fmt::Display for Object {
    /// As other objects refer to it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} 0 R", self.0)
    }
}

impl File {
    /// A file without objects.
    pub fn new() -> Self {
        // The second line tells programs that copy files that this is no text.
        File { bytes: b"%PDF-1.7\n%\xc2\xb5\xc2\xb6\n".to_vec(), offsets: Vec::new() }
    }

    /// Adds a dictionary, given by its entries.
    pub fn dictionary(&mut self, entries: &str) -> Object {
        let object = self.start();
        self.write(&format!("<< {entries} >>\nendobj\n"));
        object
    }

    /// Adds a stream of bytes with entries of its own.
    pub fn stream(&mut self, entries: &str, data: &[u8]) -> Object {
        let object = self.start();
        let packed = deflated(data);
        let length = packed.len();
        self.write(&format!("<< {entries}/Length {length} /Filter /FlateDecode >>\nstream\n"));
        self.bytes.extend(packed);
        self.write("\nendstream\nendobj\n");
        object
    }

    /// The file, with the table of its objects.
    pub fn finish(mut self, catalog: Object, info: Object) -> Vec<u8> {
        let table = self.bytes.len();
        let count = self.offsets.len() + 1;
        let mut text = format!("xref\n0 {count}\n0000000000 65535 f\r\n");
        for offset in &self.offsets {
            text.push_str(&format!("{offset:010} 00000 n\r\n"));
        }
        text.push_str(&format!("trailer\n<< /Size {count} /Root {catalog} /Info {info} >>\n"));
        text.push_str(&format!("startxref\n{table}\n%%EOF\n"));
        self.write(&text);
        self.bytes
    }

    fn start(&mut self) -> Object {
        self.offsets.push(self.bytes.len());
        let object = Object(self.offsets.len());
        self.write(&format!("{} 0 obj\n", object.0));
        object
    }

    fn write(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(data);
    encoder.finish().unwrap_or_default()
}

/// A text, such as a title, as a string in UTF-16.
pub fn text_string(text: &str) -> String {
    let units: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    format!("<FEFF{units}>")
}

/// Numbers as operands, to a thousandth.
pub fn operands<const N: usize>(numbers: [f64; N]) -> String {
    let short = |v: f64| {
        let rounded = (v * 1000.0).round() / 1000.0;
        // There is no negative zero.
        if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
    };
    numbers.map(short).join(" ")
}
