//! Arrays that are attached to a model, collected while the archive is read and put together behind its end.

use super::arrays::{Content, Raw, Type};
use crate::finding::{Finding, Place};
use crate::model::{Distribution, Numbers, Rows};
use volvelle_diagnostics::codes;

/// A table of strings: starts and bytes, which may come in any order.
#[derive(Default)]
pub struct Strings {
    starts: Option<Vec<u64>>,
    bytes: Option<Vec<u8>>,
}

impl Strings {
    /// Reads one of the two members; tells whether the name is one of them.
    pub fn accept(
        &mut self,
        member: &str,
        count: Option<u64>,
        content: &mut Content<'_, '_, '_>,
    ) -> Result<bool, Finding> {
        match member {
            "string-mapping.bin" => {
                if let Some(count) = count {
                    content.expect(8 * (count.saturating_add(1)))?;
                }
                let bytes = content.archive.rest()?;
                self.starts =
                    Some(bytes.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect());
            }
            "strings.bin" => self.bytes = Some(content.archive.rest()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The strings; `None` where there are no members.
    pub fn texts(&self, file: &str, folder: &str) -> Result<Option<Vec<String>>, Finding> {
        let Some(starts) = &self.starts else { return Ok(None) };
        let bytes = self.bytes.as_deref().unwrap_or_default();
        let place = |entry: usize| {
            Place::in_member(file, &format!("{folder}/string-mapping.bin"), Some(entry as u64))
        };
        let mut texts = Vec::with_capacity(starts.len().saturating_sub(1));
        for (i, pair) in starts.windows(2).enumerate() {
            let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let Some(text) = range.and_then(|(start, end)| bytes.get(start..end)) else {
                let (start, end, all) = (pair[0], pair[1], bytes.len());
                let message =
                    format!("string {i} reaches from {start} to {end}, but `strings.bin` has {all} bytes");
                return Err(Finding::error(codes::EXPLICIT_RANGE, message)
                    .at(place(i))
                    .help("export the file again: its strings and their starts disagree"));
            };
            let text = std::str::from_utf8(text).map_err(|_| {
                Finding::error(codes::EXPLICIT_ARCHIVE, format!("string {i} is not UTF-8"))
                    .at(place(i))
                    .help("export the file again with names in UTF-8")
            })?;
            texts.push(text.to_owned());
        }
        if starts.first() != Some(&0) || starts.last() != Some(&(bytes.len() as u64)) {
            let message = format!("the strings do not fill the {} bytes of `strings.bin`", bytes.len());
            return Err(Finding::error(codes::EXPLICIT_COUNT, message)
                .at(place(texts.len()))
                .help("export the file again: its strings and their starts disagree"));
        }
        Ok(Some(texts))
    }
}

/// Values of an entity, with what they need.
#[derive(Default)]
pub struct Values {
    pub values: Option<Raw>,
    pub strings: Strings,
    rows: Option<Rows>,
    probabilities: Option<Numbers>,
}

/// Shape of [`Values`] by the index.
pub struct Shape {
    /// Members of the entity.
    pub members: u32,
    /// Type of the values.
    pub of: Type,
    /// How many strings there are.
    pub strings: Option<u64>,
    /// Type and number of probabilities, where values are drawn.
    pub drawn: Option<(Type, u64)>,
}

impl Shape {
    fn entries(&self) -> u64 {
        self.drawn.map_or(u64::from(self.members), |(_, count)| count)
    }
}

impl Values {
    /// Reads one of the members of the folder; tells whether the name is one of them.
    pub fn accept(
        &mut self,
        member: &str,
        shape: &Shape,
        content: &mut Content<'_, '_, '_>,
    ) -> Result<bool, Finding> {
        match (member, shape.drawn) {
            ("values.bin", _) => self.values = Some(content.column(shape.of, shape.entries())?),
            ("distribution-mapping.bin", Some((_, count))) => {
                self.rows = Some(content.rows(shape.members, count)?);
            }
            ("probabilities.bin", Some((of, count))) => {
                self.probabilities = Some(content.numbers(of, count)?)
            }
            _ => return self.strings.accept(member, shape.strings, content),
        }
        Ok(true)
    }

    /// How values are drawn.
    pub fn distribution(
        &mut self,
        shape: &Shape,
        file: &str,
        folder: &str,
    ) -> Result<Option<Distribution>, Finding> {
        let Some((_, count)) = shape.drawn else { return Ok(None) };
        let rows = match self.rows.take() {
            Some(rows) => rows,
            None if count == u64::from(shape.members) => Rows::OneEach(shape.members),
            None => {
                let message = format!("`{folder}` has no `distribution-mapping.bin`");
                return Err(Finding::error(codes::EXPLICIT_COUNT, message).at(Place::File(file.to_owned())));
            }
        };
        let Some(probabilities) = self.probabilities.take() else {
            let message = format!("`{folder}` has no `probabilities.bin`");
            return Err(Finding::error(codes::EXPLICIT_COUNT, message).at(Place::File(file.to_owned())));
        };
        Ok(Some(Distribution { rows, probabilities }))
    }
}
