//! Arrays of an archive: their types, their lengths, and reading them piece by piece.

use crate::archive::{Archive, Member};
use crate::finding::{Finding, Place};
use crate::model::{Column, Integers, Numbers, Rows, Texts};
use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_diagnostics::codes;
use volvelle_space::{BitSet, Ratios};

/// The type of the entries of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    IntInterval,
    UintInterval,
    Double,
    DoubleInterval,
    Rational,
    RationalInterval,
    String,
}

/// A type with the bits of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub scalar: Scalar,
    pub bits: u64,
}

impl Scalar {
    const NAMES: [(Scalar, &'static str, u64); 10] = [
        (Scalar::Bool, "bool", 1),
        (Scalar::Int, "int", 64),
        (Scalar::Uint, "uint", 64),
        (Scalar::IntInterval, "int-interval", 128),
        (Scalar::UintInterval, "uint-interval", 128),
        (Scalar::Double, "double", 64),
        (Scalar::DoubleInterval, "double-interval", 128),
        (Scalar::Rational, "rational", 128),
        (Scalar::RationalInterval, "rational-interval", 256),
        (Scalar::String, "string", 64),
    ];

    fn row(self) -> (Scalar, &'static str, u64) {
        *Self::NAMES.iter().find(|(scalar, ..)| *scalar == self).expect("every type has a row")
    }

    /// The type of this name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map(|&(scalar, ..)| scalar)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Bits where the index does not say how many.
    pub fn default_bits(self) -> u64 {
        self.row().2
    }

    /// Whether entries are numbers that probabilities can be.
    pub fn is_continuous(self) -> bool {
        matches!(self, Scalar::Double | Scalar::DoubleInterval | Scalar::Rational | Scalar::RationalInterval)
    }
}

impl Type {
    /// Whether an array outside of valuations can have this type.
    pub fn is_for_arrays(self) -> bool {
        let default = self.scalar.default_bits();
        match self.scalar {
            Scalar::Rational | Scalar::RationalInterval => self.bits.is_multiple_of(default),
            _ => self.bits == default,
        }
    }

    /// Bytes of an array of this many entries.
    pub fn bytes(self, entries: u64) -> u64 {
        match self.scalar {
            Scalar::Bool => entries.div_ceil(64) * 8,
            _ => entries * (self.bits / 8),
        }
    }
}

/// A member that is being read: the archive stands at its start.
pub struct Content<'r, 'a, 'c> {
    pub file: &'a str,
    pub archive: &'r mut Archive<'a, 'c>,
    pub member: &'r Member,
    pub allowance: &'a crate::Allowance<'c>,
}

impl Content<'_, '_, '_> {
    /// The place of an entry.
    pub fn place(&self, entry: Option<usize>) -> Place {
        Place::in_member(self.file, &self.member.name, entry.map(|entry| entry as u64))
    }

    /// Compares the size of the member with that of an array of the announced length.
    pub fn expect(&self, bytes: u64) -> Result<(), Finding> {
        if self.member.bytes == bytes {
            return Ok(());
        }
        let message = format!(
            "the member `{}` has {} bytes, but the index requires {bytes}",
            self.member.name, self.member.bytes
        );
        Err(Finding::error(codes::EXPLICIT_COUNT, message)
            .at(self.place(None))
            .help("export the file again: its counts and its arrays disagree"))
    }

    fn each<const N: usize>(
        &mut self,
        mut visit: impl FnMut(usize, [u8; N]) -> Result<(), Finding>,
    ) -> Result<(), Finding> {
        let mut position = 0;
        loop {
            let piece = self.archive.piece()?;
            if piece.is_empty() {
                return Ok(());
            }
            let (entries, _) = piece.as_chunks::<N>();
            for &entry in entries {
                visit(position, entry)?;
                position += 1;
            }
        }
    }

    /// Rows of a level: `rows` of them with `entries` entries in all.
    pub fn rows(&mut self, rows: u32, entries: u64) -> Result<Rows, Finding> {
        let found = self.rows_within(rows, entries)?;
        if found.entries() as u64 != entries {
            let message = format!("the rows end at {}, but there are {entries} entries", found.entries());
            return Err(Finding::error(codes::EXPLICIT_COUNT, message)
                .at(self.place(Some(rows as usize)))
                .help("export the file again: its counts and its arrays disagree"));
        }
        Ok(found)
    }

    /// Rows of a level whose number of entries the index does not say.
    pub fn open_rows(&mut self, rows: u32) -> Result<Rows, Finding> {
        self.rows_within(rows, u64::from(u32::MAX))
    }

    fn rows_within(&mut self, rows: u32, entries: u64) -> Result<Rows, Finding> {
        self.expect(8 * (u64::from(rows) + 1))?;
        let mut starts: Vec<u32> = self.allowance.vec(rows as usize + 1)?;
        let mut before = 0;
        let mut wrong = None;
        self.each(|position, bytes: [u8; 8]| {
            let start = u64::from_le_bytes(bytes);
            if (start < before || start > entries || (position == 0 && start != 0)) && wrong.is_none() {
                wrong = Some((position, start));
            }
            before = start;
            starts.push(start as u32);
            Ok(())
        })?;
        let Some((position, start)) = wrong else { return Ok(Rows::from_starts(starts)) };
        let message = match position {
            0 => format!("the first row starts at {start} instead of 0"),
            _ if start > entries => {
                format!("row {position} starts at {start}, but there are {entries} entries")
            }
            _ => format!("row {position} starts at {start}, before the start of the previous row"),
        };
        Err(Finding::error(codes::EXPLICIT_RANGE, message)
            .at(self.place(Some(position)))
            .help("export the file again: row starts must not decrease"))
    }

    /// Numbers below `bound`, in 8 bytes each.
    pub fn indices64(&mut self, entries: u64, bound: u64, what: &str) -> Result<Vec<u32>, Finding> {
        self.expect(8 * entries)?;
        self.indices::<8>(entries, bound, what, u64::from_le_bytes)
    }

    /// Numbers below `bound`, in 4 bytes each.
    pub fn indices32(&mut self, entries: u64, bound: u64, what: &str) -> Result<Vec<u32>, Finding> {
        self.expect(4 * entries)?;
        self.indices::<4>(entries, bound, what, |bytes| u64::from(u32::from_le_bytes(bytes)))
    }

    fn indices<const N: usize>(
        &mut self,
        entries: u64,
        bound: u64,
        what: &str,
        number: impl Fn([u8; N]) -> u64,
    ) -> Result<Vec<u32>, Finding> {
        let mut all: Vec<u32> = self.allowance.vec(entries as usize)?;
        loop {
            let piece = self.archive.piece()?;
            if piece.is_empty() {
                return Ok(all);
            }
            let (entries, _) = piece.as_chunks::<N>();
            let first = all.len();
            let mut greatest = 0;
            all.extend(entries.iter().map(|&bytes| {
                let index = number(bytes);
                greatest = greatest.max(index);
                index as u32
            }));
            if greatest >= bound {
                let at = entries.iter().position(|&bytes| number(bytes) >= bound).expect("the greatest");
                let message =
                    format!("{what} {} is out of range: there are only {bound}", number(entries[at]));
                return Err(Finding::error(codes::EXPLICIT_RANGE, message)
                    .at(self.place(Some(first + at)))
                    .help("export the file again: numbers start at 0"));
            }
        }
    }

    /// A set as bits.
    pub fn bits(&mut self, entries: u64) -> Result<BitSet, Finding> {
        self.expect(entries.div_ceil(64) * 8)?;
        let mut words: Vec<u64> = self.allowance.vec(entries.div_ceil(64) as usize)?;
        self.each(|_, bytes: [u8; 8]| {
            words.push(u64::from_le_bytes(bytes));
            Ok(())
        })?;
        let beyond =
            !entries.is_multiple_of(64) && words.last().is_some_and(|&last| last >> (entries % 64) != 0);
        if beyond {
            return Err(Finding::error(codes::EXPLICIT_RANGE, "a bit is set after the last entry")
                .at(self.place(Some(entries as usize)))
                .help("export the file again: bits after the last entry are 0"));
        }
        Ok(BitSet::from_words(words, entries as usize))
    }

    /// Numbers of a type that probabilities can have.
    pub fn numbers(&mut self, of: Type, entries: u64) -> Result<Numbers, Finding> {
        self.expect(of.bytes(entries))?;
        match of.scalar {
            Scalar::Double => {
                let mut all: Vec<f64> = self.allowance.vec(entries as usize)?;
                loop {
                    let piece = self.archive.piece()?;
                    if piece.is_empty() {
                        return Ok(Numbers::Double(all));
                    }
                    all.extend(piece.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)));
                }
            }
            Scalar::DoubleInterval => {
                let mut all: Vec<[f64; 2]> = self.allowance.vec(entries as usize)?;
                self.each(|_, bytes: [u8; 16]| {
                    let (halves, _) = bytes.as_chunks::<8>();
                    all.push([f64::from_le_bytes(halves[0]), f64::from_le_bytes(halves[1])]);
                    Ok(())
                })?;
                Ok(Numbers::DoubleInterval(all))
            }
            Scalar::Rational => Ok(Numbers::Exact(self.rationals(of.bits / 8, entries)?)),
            Scalar::RationalInterval => {
                Ok(Numbers::ExactInterval(self.rationals(of.bits / 16, 2 * entries)?))
            }
            _ => unreachable!("the index was checked"),
        }
    }

    /// Rationals of this many bytes each. Equal ones are mostly written alike, so that bytes are looked up first.
    fn rationals(&mut self, bytes: u64, entries: u64) -> Result<Ratios, Finding> {
        self.allowance.take(4 * entries)?;
        let bytes = bytes as usize;
        let mut codes: Vec<u32> = Vec::new();
        let mut distinct: Vec<RBig> = Vec::new();
        let mut by_bytes: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut by_value: HashMap<RBig, u32> = HashMap::new();
        let mut rest: Vec<u8> = Vec::new();
        loop {
            let piece = self.archive.piece()?;
            if piece.is_empty() {
                break;
            }
            // Entries of unusual sizes cross the ends of pieces.
            rest.extend_from_slice(piece);
            let whole = rest.len() / bytes * bytes;
            for entry in rest[..whole].chunks_exact(bytes) {
                if let Some(&code) = by_bytes.get(entry) {
                    codes.push(code);
                    continue;
                }
                let Some(value) = rational(entry) else {
                    return Err(Finding::error(codes::EXPLICIT_NUMBER, "a rational has the denominator 0")
                        .at(self.place(Some(codes.len())))
                        .help("correct the number in the tool that wrote it"));
                };
                self.allowance.take(2 * bytes as u64 + 64)?;
                let code = *by_value.entry(value).or_insert_with_key(|value| {
                    distinct.push(value.clone());
                    (distinct.len() - 1) as u32
                });
                by_bytes.insert(entry.to_vec(), code);
                codes.push(code);
            }
            rest.drain(..whole);
        }
        Ok(Ratios::new(distinct, codes))
    }

    /// Values of any type; texts are places in `strings`, which may follow later in the archive.
    pub fn column(&mut self, of: Type, entries: u64) -> Result<Raw, Finding> {
        self.expect(of.bytes(entries))?;
        Ok(Raw::Column(match of.scalar {
            Scalar::Bool => Column::Bool(self.bits(entries)?),
            Scalar::Int => {
                let mut all = Integers::default();
                self.allowance.take(8 * entries)?;
                self.each(|_, bytes: [u8; 8]| {
                    all.push(i64::from_le_bytes(bytes));
                    Ok(())
                })?;
                Column::Int(all)
            }
            Scalar::Uint => {
                let mut all: Vec<u64> = self.allowance.vec(entries as usize)?;
                self.each(|_, bytes: [u8; 8]| {
                    all.push(u64::from_le_bytes(bytes));
                    Ok(())
                })?;
                Column::Unsigned(all)
            }
            Scalar::IntInterval | Scalar::UintInterval => {
                let mut all: Vec<[u64; 2]> = self.allowance.vec(entries as usize)?;
                self.each(|_, bytes: [u8; 16]| {
                    let (halves, _) = bytes.as_chunks::<8>();
                    all.push([u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])]);
                    Ok(())
                })?;
                match of.scalar {
                    Scalar::UintInterval => Column::UnsignedInterval(all),
                    _ => Column::IntInterval(all.iter().map(|pair| pair.map(|bits| bits as i64)).collect()),
                }
            }
            Scalar::String => return Ok(Raw::Texts(self.indices64(entries, u64::from(u32::MAX), "text")?)),
            _ => Column::Numbers(self.numbers(of, entries)?),
        }))
    }
}

/// Values of which texts are not looked up yet.
pub enum Raw {
    /// Values.
    Column(Column),
    /// Places in a table of strings.
    Texts(Vec<u32>),
}

impl Raw {
    /// The column, with texts from a table.
    pub fn column(self, strings: &[String], file: &str, member: &str) -> Result<Column, Finding> {
        match self {
            Raw::Column(column) => Ok(column),
            Raw::Texts(places) => {
                if let Some(at) = places.iter().position(|&place| place as usize >= strings.len()) {
                    let message =
                        format!("text {} is out of range: there are only {}", places[at], strings.len());
                    return Err(Finding::error(codes::EXPLICIT_RANGE, message).at(Place::in_member(
                        file,
                        member,
                        Some(at as u64),
                    )));
                }
                Ok(Column::Text(Texts::new(strings.to_vec(), places)))
            }
        }
    }
}

/// A rational from its bytes: signed numerator, unsigned denominator. `None` if the denominator is 0.
pub fn rational(bytes: &[u8]) -> Option<RBig> {
    let (numerator, denominator) = bytes.split_at(bytes.len() / 2);
    let denominator = UBig::from_le_bytes(denominator);
    if denominator.is_zero() {
        return None;
    }
    Some(RBig::from_parts(signed(numerator), denominator))
}

/// A number in two's complement.
fn signed(bytes: &[u8]) -> IBig {
    let magnitude = UBig::from_le_bytes(bytes);
    if bytes.last().is_some_and(|&last| last & 0x80 != 0) {
        return IBig::from(magnitude) - (IBig::from(1) << (8 * bytes.len()));
    }
    IBig::from(magnitude)
}

/// The bytes that a half of a rational must have to hold this number: a multiple of 8.
pub fn half_bytes(number: &RBig) -> usize {
    // The numerator needs a bit for its sign.
    let bits = number.numerator().unsigned_abs().bit_len() + 1;
    let bits = bits.max(number.denominator().bit_len());
    bits.div_ceil(64) * 8
}

/// Appends a rational, its halves of this many bytes.
pub fn push_rational(number: &RBig, half: usize, out: &mut Vec<u8>) {
    let numerator = number.numerator();
    let bits =
        if *numerator < IBig::ZERO { numerator + (IBig::from(1) << (8 * half)) } else { numerator.clone() };
    let magnitude = UBig::try_from(bits).expect("not negative");
    for bytes in [magnitude.to_le_bytes(), number.denominator().to_le_bytes()] {
        out.extend_from_slice(&bytes);
        out.resize(out.len() + half - bytes.len(), 0);
    }
}

/// The type that an array of numbers is written in.
pub fn type_for(numbers: &Numbers) -> Option<Type> {
    let largest = |ratios: &Ratios| ratios.distinct().iter().map(half_bytes).max().unwrap_or(8) as u64;
    Some(match numbers {
        Numbers::Double(_) => Type { scalar: Scalar::Double, bits: 64 },
        Numbers::DoubleInterval(_) => Type { scalar: Scalar::DoubleInterval, bits: 128 },
        Numbers::Exact(ratios) => Type { scalar: Scalar::Rational, bits: 16 * largest(ratios) },
        Numbers::ExactInterval(ratios) => {
            Type { scalar: Scalar::RationalInterval, bits: 32 * largest(ratios) }
        }
        Numbers::Symbolic(_) => return None,
    })
}

/// Zeros where the index announces an array that the archive lacks.
pub fn zeros(of: Type, entries: usize) -> Raw {
    let ratios = |count: usize| Ratios::new(vec![RBig::ZERO], vec![0; count]);
    Raw::Column(match of.scalar {
        Scalar::Bool => Column::Bool(BitSet::new(entries)),
        Scalar::Int => Column::Int(Integers::Byte(vec![0; entries])),
        Scalar::Uint => Column::Unsigned(vec![0; entries]),
        Scalar::IntInterval => Column::IntInterval(vec![[0; 2]; entries]),
        Scalar::UintInterval => Column::UnsignedInterval(vec![[0; 2]; entries]),
        Scalar::Double => Column::Numbers(Numbers::Double(vec![0.0; entries])),
        Scalar::DoubleInterval => Column::Numbers(Numbers::DoubleInterval(vec![[0.0; 2]; entries])),
        Scalar::Rational => Column::Numbers(Numbers::Exact(ratios(entries))),
        Scalar::RationalInterval => Column::Numbers(Numbers::ExactInterval(ratios(2 * entries))),
        Scalar::String => return Raw::Texts(vec![0; entries]),
    })
}

/// Replaces unsigned integers by signed ones where all of them are small enough, so that a column has one form only.
pub fn narrowed(column: Column) -> Column {
    match column {
        Column::Unsigned(values) if values.iter().all(|&value| i64::try_from(value).is_ok()) => {
            Column::Int(values.iter().map(|&value| value as i64).collect())
        }
        column => column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rationals_there_and_back() {
        for (numerator, denominator) in [
            (0i128, 1u128),
            (-1, 3),
            (7, 2),
            (i128::from(i64::MIN), 5),
            (1 << 63, 1),
            (-(1 << 64), u128::MAX),
        ] {
            let number = RBig::from_parts(numerator.into(), denominator.into());
            let half = half_bytes(&number);
            let mut bytes = Vec::new();
            push_rational(&number, half, &mut bytes);
            assert_eq!(bytes.len(), 2 * half);
            assert_eq!(rational(&bytes), Some(number.clone()));
            bytes.clear();
            push_rational(&number, half + 8, &mut bytes);
            assert_eq!(rational(&bytes), Some(number));
        }
        assert_eq!(rational(&[0; 16]), None);
    }
}
