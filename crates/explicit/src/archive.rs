//! Members of a tar archive, one after the other, from a stream.
//!
//! Reads the POSIX format (ustar), GNU's long names and the paths and sizes of pax headers. Nothing is written to disk,
//! but links, absolute names and names with `..` are refused nevertheless: they have no meaning in a model, and tools that
//! unpack the file could write outside its folder.

use crate::allowance::Allowance;
use crate::chunks::{CHUNK, Chunks};
use crate::decompress::{Decompressor, damaged};
use crate::finding::{Finding, Place};
use std::thread::Scope;
use volvelle_diagnostics::codes;

/// Bytes of a block: headers and members are padded to it.
const BLOCK: usize = 512;

/// Longest name of a member.
const LONGEST_NAME: u64 = 4096;

/// Bytes of members that no reader asked for, at most: a file with more of them is not meant to be read.
const LONGEST_SKIP: u64 = 1 << 30;

/// An archive being read.
pub struct Archive<'a, 'c> {
    file: &'a str,
    chunks: Chunks<'a>,
    allowance: &'a Allowance<'c>,
    /// Bytes of the current member that are not read yet.
    left: u64,
    /// Bytes that pad the current member.
    padding: u64,
    /// Bytes skipped so far.
    skipped: u64,
    /// An upper bound of the bytes in the archive.
    longest: u64,
}

/// A regular file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name, without `./` in front.
    pub name: String,
    /// Bytes, by its header.
    pub bytes: u64,
}

impl<'a, 'c> Archive<'a, 'c> {
    /// The archive in these bytes, perhaps compressed.
    pub fn new(file: &'a str, bytes: &'a [u8], allowance: &'a Allowance<'c>) -> Self {
        Self::of(file, bytes, Chunks::new(bytes, allowance), allowance)
    }

    /// The archive in these bytes; another thread decompresses them, if there is one.
    pub fn ahead<'scope>(
        file: &'a str,
        bytes: &'a [u8],
        allowance: &'a Allowance<'c>,
        scope: &'scope Scope<'scope, 'a>,
    ) -> Self {
        Self::of(file, bytes, Chunks::ahead(bytes, allowance, scope), allowance)
    }

    fn of(file: &'a str, bytes: &[u8], chunks: Chunks<'a>, allowance: &'a Allowance<'c>) -> Self {
        let longest = Decompressor::longest(bytes);
        Archive { file, chunks, allowance, left: 0, padding: 0, skipped: 0, longest }
    }

    /// The next regular file; skips the rest of the one before. `None` at the end.
    pub fn next(&mut self) -> Result<Option<Member>, Finding> {
        let (mut long_name, mut long_bytes) = (None, None);
        loop {
            self.skip()?;
            let mut header = [0; BLOCK];
            match self.fill(&mut header)? {
                0 => return Ok(None),
                BLOCK => {}
                _ => return Err(ends_early(self.file)),
            }
            if header.iter().all(|&b| b == 0) {
                return Ok(None);
            }
            if checksum(&header) != octal(&header[148..156]) {
                return Err(self.broken("a header has a wrong checksum"));
            }
            let kind = header[156];
            let bytes = octal(&header[124..136]).ok_or_else(|| self.broken("a size is not a number"))?;
            let bytes = if matches!(kind, b'x' | b'g' | b'L' | b'K') {
                bytes
            } else {
                long_bytes.take().unwrap_or(bytes)
            };
            // No more than there can be: what is larger is not even asked for.
            if bytes > self.longest {
                return Err(ends_early(self.file));
            }
            self.left = bytes;
            self.padding = bytes.wrapping_neg() % BLOCK as u64;
            match kind {
                b'L' => long_name = Some(self.text(bytes)?),
                b'K' | b'g' => {}
                b'x' => {
                    let records = self.text(bytes)?;
                    if let Some(path) = pax(&records, "path") {
                        long_name = Some(path.to_owned());
                    }
                    if let Some(size) = pax(&records, "size") {
                        long_bytes = Some(size.parse().map_err(|_| self.broken("a size is not a number"))?);
                    }
                }
                b'0' | 0 | b'7' => {
                    let name = long_name.take().map_or_else(|| short_name(&header), Ok);
                    let name = name.map_err(|()| self.broken("a name is not UTF-8"))?;
                    let name = self.safe(&name)?;
                    return Ok(Some(Member { name, bytes }));
                }
                b'5' => {
                    let name = long_name.take().map_or_else(|| short_name(&header), Ok);
                    let name = name.map_err(|()| self.broken("a name is not UTF-8"))?;
                    self.safe(&name)?;
                }
                _ => {
                    let name = long_name.take().map_or_else(|| short_name(&header), Ok).unwrap_or_default();
                    let what = if matches!(kind, b'1' | b'2') { "a link" } else { "not a regular file" };
                    return Err(self.refused(&name, what));
                }
            }
        }
    }

    /// The next bytes of the current member: up to a few hundred kilobytes. Empty at its end. Members begin at whole blocks,
    /// and so do all pieces: an entry of an array, whose size divides a block, is in one piece.
    pub fn piece(&mut self) -> Result<&[u8], Finding> {
        self.allowance.check()?;
        if self.left == 0 {
            return Ok(&[]);
        }
        let file = self.file;
        let piece = self.chunks.next(self.left.min(CHUNK as u64) as usize);
        let piece = piece.map_err(|error| damaged(file, &error))?;
        if piece.is_empty() {
            return Err(ends_early(file));
        }
        self.left -= piece.len() as u64;
        Ok(piece)
    }

    /// All that is left of the current member. The bytes count against the allowance.
    pub fn rest(&mut self) -> Result<Vec<u8>, Finding> {
        self.allowance.take(self.left)?;
        let mut bytes = Vec::new();
        while self.left > 0 {
            bytes.extend_from_slice(self.piece()?);
        }
        Ok(bytes)
    }

    fn text(&mut self, bytes: u64) -> Result<String, Finding> {
        if bytes > LONGEST_NAME {
            return Err(self.broken("a name is too long"));
        }
        let text = self.rest()?;
        let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
        String::from_utf8(text[..end].to_vec()).map_err(|_| self.broken("a name is not UTF-8"))
    }

    fn skip(&mut self) -> Result<(), Finding> {
        self.skipped = self.skipped.saturating_add(self.left);
        if self.skipped > LONGEST_SKIP {
            return Err(Finding::error(
                codes::EXPLICIT_TOO_LARGE,
                "the archive contains too many bytes that are not part of the format",
            )
            .at(Place::File(self.file.to_owned()))
            .note(format!("{} bytes belong to unknown members", self.skipped))
            .help("remove these members from the archive"));
        }
        while self.left > 0 {
            self.piece()?;
        }
        let mut padding = [0; BLOCK];
        let length = self.padding as usize;
        self.padding = 0;
        if self.fill(&mut padding[..length])? < length {
            return Err(ends_early(self.file));
        }
        Ok(())
    }

    /// Fills the buffer as far as there are bytes.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Finding> {
        let mut length = 0;
        while length < buffer.len() {
            let next = self.chunks.next(buffer.len() - length).map_err(|error| damaged(self.file, &error))?;
            if next.is_empty() {
                break;
            }
            buffer[length..length + next.len()].copy_from_slice(next);
            length += next.len();
        }
        Ok(length)
    }

    fn safe(&self, name: &str) -> Result<String, Finding> {
        let name = name.trim_start_matches("./");
        if name.starts_with('/') || name.contains('\\') {
            return Err(self.refused(name, "an absolute name"));
        }
        if name.split('/').any(|part| part == "..") {
            return Err(self.refused(name, "a name that leaves its folder"));
        }
        Ok(name.to_owned())
    }

    fn refused(&self, name: &str, what: &str) -> Finding {
        Finding::error(codes::EXPLICIT_ARCHIVE, format!("the archive has a member that is {what}: `{name}`"))
            .at(Place::in_member(self.file, name, None))
            .note("nothing was written to disk")
            .help("do not unpack this file; get one that was written by a tool")
    }

    fn broken(&self, what: &str) -> Finding {
        broken(self.file, what)
    }
}

fn broken(file: &str, what: &str) -> Finding {
    Finding::error(codes::EXPLICIT_ARCHIVE, format!("the archive is damaged: {what}"))
        .at(Place::File(file.to_owned()))
        .help("copy or export the file again")
}

fn ends_early(file: &str) -> Finding {
    broken(file, "it ends early")
}

/// The sum of the bytes of a header, its checksum taken as blanks.
fn checksum(header: &[u8; BLOCK]) -> Option<u64> {
    let sum = |part: &[u8]| part.iter().map(|&b| u64::from(b)).sum::<u64>();
    Some(sum(&header[..148]) + 8 * u64::from(b' ') + sum(&header[156..]))
}

/// A number in octal digits, or GNU's base 256 for large ones.
fn octal(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let (head, tail) = field.split_at_checked(field.len().checked_sub(8)?)?;
        let is_small = head.first() == Some(&0x80) && head[1..].iter().all(|&b| b == 0);
        return is_small.then(|| u64::from_be_bytes(tail.try_into().expect("eight bytes")));
    }
    let digits = field.iter().copied().skip_while(|&b| b == b' ').take_while(|&b| b != 0 && b != b' ');
    digits
        .map(|b| matches!(b, b'0'..=b'7').then(|| u64::from(b - b'0')))
        .try_fold(0u64, |n, digit| n.checked_mul(8)?.checked_add(digit?))
}

fn short_name(header: &[u8; BLOCK]) -> Result<String, ()> {
    let text = |field: &[u8]| {
        let end = field.iter().position(|&b| b == 0).unwrap_or(field.len());
        String::from_utf8(field[..end].to_vec()).map_err(|_| ())
    };
    let name = text(&header[..100])?;
    let prefix = if &header[257..262] == b"ustar" && header[262] == 0 {
        text(&header[345..500])?
    } else {
        String::new()
    };
    Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
}

/// The value of a key in the records `LENGTH KEY=VALUE` of a pax header.
fn pax<'a>(records: &'a str, key: &str) -> Option<&'a str> {
    let records = records.split('\n').filter_map(|record| record.split_once(' ')?.1.split_once('='));
    records.filter(|(name, _)| *name == key).map(|(_, value)| value).next_back()
}

/// Writes a header for a regular file.
pub fn header(name: &str, bytes: u64, modified_s: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let (prefix, short) = if name.len() <= 100 {
        ("", name)
    } else {
        let at = name.char_indices().find(|&(i, c)| c == '/' && name.len() - i - 1 <= 100 && i <= 155);
        at.map_or(("", &name[..100]), |(i, _)| (&name[..i], &name[i + 1..]))
    };
    header[..short.len()].copy_from_slice(short.as_bytes());
    header[345..345 + prefix.len()].copy_from_slice(prefix.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[108..116].copy_from_slice(b"0000000\0");
    header[116..124].copy_from_slice(b"0000000\0");
    if bytes < 1 << 33 {
        header[124..136].copy_from_slice(format!("{bytes:011o}\0").as_bytes());
    } else {
        header[124] = 0x80;
        header[128..136].copy_from_slice(&bytes.to_be_bytes());
    }
    header[136..148].copy_from_slice(format!("{:011o}\0", modified_s & ((1 << 33) - 1)).as_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum = checksum(&header).expect("a sum");
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// Zeros that pad a member of this many bytes.
pub fn padding(bytes: u64) -> &'static [u8] {
    const ZEROS: [u8; BLOCK] = [0; BLOCK];
    &ZEROS[..(bytes.wrapping_neg() % BLOCK as u64) as usize]
}

/// The end of an archive.
pub const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_control::Control;

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, content) in members {
            bytes.extend_from_slice(&header(name, content.len() as u64, 7));
            bytes.extend_from_slice(content);
            bytes.extend_from_slice(padding(content.len() as u64));
        }
        bytes.extend_from_slice(&END);
        bytes
    }

    fn members(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Finding> {
        let control = Control::unlimited();
        let allowance = Allowance::new(&control);
        let mut archive = Archive::new("a.tar", bytes, &allowance);
        let mut found = Vec::new();
        while let Some(member) = archive.next()? {
            let content = if member.name == "skip" { Vec::new() } else { archive.rest()? };
            found.push((member.name, content));
        }
        Ok(found)
    }

    #[test]
    fn members_in_their_order() {
        let long = format!("{}/{}", "d".repeat(120), "f".repeat(60));
        let content = [("a", &b"xyz"[..]), ("skip", &[1; 700]), (&long, &[2; 512]), ("e", b"")];
        let found = members(&archive(&content)).unwrap();
        let expected = [("a", &b"xyz"[..]), ("skip", b""), (&long, &[2; 512]), ("e", b"")];
        assert_eq!(found, expected.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())));
    }

    #[test]
    fn cut_anywhere() {
        let whole = archive(&[("a", &[3; 600]), ("b", &[4; 100])]);
        // Without its end an archive is whole if it ends behind a member, as several tools write it.
        let behind = [0, 1536, 2560];
        for end in 0..2560 {
            assert_eq!(members(&whole[..end]).is_err(), !behind.contains(&end), "{end}");
        }
    }

    #[test]
    fn names_that_are_refused() {
        for name in ["/etc/passwd", "../x", "a/../../b", "a\\b"] {
            assert_eq!(
                members(&archive(&[(name, b"")])).unwrap_err().code,
                codes::EXPLICIT_ARCHIVE,
                "{name}"
            );
        }
        assert_eq!(members(&archive(&[("./a", b"1")])).unwrap()[0].0, "a");
    }

    #[test]
    fn sizes_beyond_octal() {
        let header = header("a", 1 << 40, 0);
        assert_eq!(octal(&header[124..136]), Some(1 << 40));
        assert_eq!(octal(b"00000000017\0"), Some(15));
        assert_eq!(octal(b"   17 "), Some(15));
        assert_eq!(octal(b"8"), None);
    }
}
