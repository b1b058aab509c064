//! Valuations as packed records: bits to columns, and back.
//!
//! A record is one little-endian number whose lowest bits are its first entry. An optional variable has a bit for its
//! presence below its value. Records of different classes may differ in length.

use super::arrays::{Scalar, Type, narrowed, rational};
use super::index::{Described, DescribedVariable, Part, wrong};
use crate::allowance::Allowance;
use crate::finding::{Finding, Place};
use crate::model::{Column, Integers, Numbers, Texts, Valuations, Variable};
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_diagnostics::codes;
use volvelle_space::{BitSet, RatiosBuilder};

impl Part {
    /// Bits in the record.
    fn bits(&self) -> u64 {
        match self {
            Part::Padding(bits) => *bits,
            Part::Variable(variable) => variable.of.bits + u64::from(variable.is_optional),
        }
    }
}

impl Described {
    /// Bytes of a record of every class.
    pub fn record_bytes(&self, file: &str) -> Result<Vec<u64>, Finding> {
        let mut all = Vec::new();
        for (i, class) in self.classes.iter().enumerate() {
            let bits: u64 = class.iter().map(Part::bits).sum();
            if !bits.is_multiple_of(8) {
                return Err(wrong(
                    file,
                    format!(
                        "`valuations/{}/classes/{i}` has {bits} bits, not a multiple of 8",
                        self.on.name()
                    ),
                ));
            }
            all.push(bits / 8);
        }
        Ok(all)
    }
}

/// Values of one variable, growing member by member.
enum Growing {
    Bool(Vec<bool>),
    Integer(Wide),
    Double(Vec<f64>),
    Rational(RatiosBuilder),
    Text(Vec<u32>),
}

/// Integers, signed or unsigned.
#[derive(Default)]
struct Wide {
    signed: Integers,
    /// All of them, once one is beyond the signed ones.
    unsigned: Option<Vec<u64>>,
}

impl Wide {
    /// `None` if no 64 bits hold all of them.
    fn push(&mut self, value: i128) -> Option<()> {
        if let Some(unsigned) = &mut self.unsigned {
            unsigned.push(value.try_into().ok()?);
        } else if let Ok(value) = i64::try_from(value) {
            self.signed.push(value);
        } else {
            let mut all: Vec<u64> = self.signed.iter().map(u64::try_from).collect::<Result<_, _>>().ok()?;
            all.push(value.try_into().ok()?);
            self.unsigned = Some(all);
        }
        Some(())
    }
}

impl Growing {
    fn new(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Growing::Bool(Vec::new()),
            Scalar::Double => Growing::Double(Vec::new()),
            Scalar::Rational => Growing::Rational(RatiosBuilder::default()),
            Scalar::String => Growing::Text(Vec::new()),
            _ => Growing::Integer(Wide::default()),
        }
    }

    fn push_nothing(&mut self) {
        match self {
            Growing::Bool(values) => values.push(false),
            Growing::Integer(values) => values.push(0).expect("0 is held by all"),
            Growing::Double(values) => values.push(0.0),
            Growing::Rational(values) => values.push(RBig::ZERO),
            Growing::Text(values) => values.push(u32::MAX),
        }
    }
}

struct GrowingVariable {
    name: String,
    values: Growing,
    present: Vec<bool>,
    bounds: Option<(i64, i64)>,
}

/// Columns from records. `classes` is the class of every member, where there are several.
pub fn columns(
    described: &Described,
    members: usize,
    records: &[u8],
    classes: Option<&[u32]>,
    strings: &[String],
    file: &str,
    allowance: &Allowance<'_>,
) -> Result<Valuations, Finding> {
    let member_name = format!("valuations/{}/valuations.bin", described.on.name());
    let sizes = described.record_bytes(file)?;
    let (mut variables, places) = variables_of(described, file)?;
    if described.classes.is_empty() {
        return Err(wrong(file, format!("`valuations/{}` has no classes", described.on.name())));
    }
    let mut record_start = 0;
    let mut seen = vec![false; variables.len()];
    for member in 0..members {
        if member.is_multiple_of(1 << 14) {
            allowance.check()?;
            allowance.take((1 << 14) * 9 * variables.len() as u64)?;
        }
        let class = classes.map_or(0, |classes| classes[member] as usize);
        let end = record_start + sizes[class] as usize;
        let Some(record) = records.get(record_start..end) else {
            return Err(count_differs(records, described, file, &member_name));
        };
        record_start = end;
        seen.fill(false);
        let mut bit = 0;
        for (part, &place) in described.classes[class].iter().zip(&places[class]) {
            let Part::Variable(of) = part else {
                bit += part.bits();
                continue;
            };
            let mut present = true;
            if of.is_optional {
                present = bits_at(record, bit, 1) != 0;
                bit += 1;
            }
            let variable = &mut variables[place];
            seen[place] = true;
            if present {
                push(&mut variable.values, of, record, bit, strings).map_err(|message| {
                    Finding::error(codes::EXPLICIT_RANGE, message)
                        .at(Place::in_member(file, &member_name, Some(member as u64)))
                        .note(format!("this is the value of `{}`", of.name))
                })?;
            } else {
                variable.values.push_nothing();
            }
            variable.present.push(present);
            bit += of.of.bits;
        }
        for (variable, _) in variables.iter_mut().zip(&seen).filter(|(_, seen)| !**seen) {
            variable.values.push_nothing();
            variable.present.push(false);
        }
    }
    if record_start != records.len() {
        return Err(count_differs(records, described, file, &member_name));
    }
    let variables = variables.into_iter().map(|variable| variable.finish(strings)).collect();
    Ok(Valuations { on: described.on, unique: described.unique, variables })
}

fn count_differs(records: &[u8], described: &Described, file: &str, member: &str) -> Finding {
    let message = format!("the records of {} do not fill {} bytes", described.on.name(), records.len());
    Finding::error(codes::EXPLICIT_COUNT, message)
        .at(Place::in_member(file, member, None))
        .help("export the file again: its counts and its arrays disagree")
}

/// Variables of all classes, and the variable of every part. Variables of one name and kind are one column.
fn variables_of(
    described: &Described,
    file: &str,
) -> Result<(Vec<GrowingVariable>, Vec<Vec<usize>>), Finding> {
    let mut variables: Vec<GrowingVariable> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut places = Vec::new();
    for class in &described.classes {
        let mut of_class = Vec::new();
        for part in class {
            let Part::Variable(of) = part else {
                of_class.push(usize::MAX);
                continue;
            };
            check(of, file)?;
            let values = Growing::new(of.of.scalar);
            let place = *by_name.entry(of.name.clone()).or_insert(variables.len());
            if place == variables.len() {
                let (name, present) = (of.name.clone(), Vec::new());
                variables.push(GrowingVariable { name, values, present, bounds: of.bounds });
            } else if of_class.contains(&place) {
                return Err(wrong(file, format!("a class has the variable `{}` twice", of.name)));
            } else if std::mem::discriminant(&values) != std::mem::discriminant(&variables[place].values) {
                return Err(wrong(file, format!("the variable `{}` has two types", of.name)));
            } else if variables[place].bounds != of.bounds {
                variables[place].bounds = None;
            }
            of_class.push(place);
        }
        places.push(of_class);
    }
    Ok((variables, places))
}

fn check(variable: &DescribedVariable, file: &str) -> Result<(), Finding> {
    let Type { scalar, bits } = variable.of;
    let fits = match scalar {
        Scalar::Bool => bits == 1,
        Scalar::Double | Scalar::String => bits == 64,
        Scalar::Rational => bits.is_multiple_of(16),
        _ => bits <= 64,
    };
    if !fits {
        let (name, of) = (&variable.name, scalar.name());
        return Err(wrong(file, format!("the variable `{name}` has {bits} bits, which a {of} cannot have")));
    }
    Ok(())
}

fn push(
    values: &mut Growing,
    of: &DescribedVariable,
    record: &[u8],
    bit: u64,
    strings: &[String],
) -> Result<(), String> {
    let bits = of.of.bits;
    match values {
        Growing::Bool(values) => values.push(bits_at(record, bit, 1) != 0),
        Growing::Double(values) => values.push(f64::from_bits(bits_at(record, bit, 64))),
        Growing::Text(values) => {
            let place = bits_at(record, bit, 64);
            if place >= strings.len() as u64 {
                return Err(format!("string {place} is out of range: there are only {}", strings.len()));
            }
            values.push(place as u32);
        }
        Growing::Rational(values) => {
            let bytes: Vec<u8> = (0..bits / 8).map(|i| bits_at(record, bit + 8 * i, 8) as u8).collect();
            values.push(rational(&bytes).ok_or("a rational has the denominator 0")?);
        }
        Growing::Integer(values) => {
            let stored = bits_at(record, bit, bits);
            let stored = match of.of.scalar {
                // Signed: the topmost bit counts negatively.
                Scalar::Int => i128::from((stored << (64 - bits)) as i64 >> (64 - bits)),
                _ => i128::from(stored),
            };
            let value = stored + of.offset;
            values.push(value).ok_or_else(|| format!("the integer {value} does not fit into 64 bits"))?;
        }
    }
    Ok(())
}

impl GrowingVariable {
    fn finish(self, strings: &[String]) -> Variable {
        let len = self.present.len();
        let set = |bits: &[bool]| {
            let mut set = BitSet::new(len);
            bits.iter().enumerate().filter(|(_, bit)| **bit).for_each(|(i, _)| {
                set.insert(i);
            });
            set
        };
        let present = self.present.contains(&false).then(|| set(&self.present));
        let values = match self.values {
            Growing::Bool(values) => Column::Bool(set(&values)),
            Growing::Double(values) => Column::Numbers(Numbers::Double(values)),
            Growing::Rational(values) => Column::Numbers(Numbers::Exact(values.finish())),
            Growing::Integer(Wide { unsigned: Some(values), .. }) => narrowed(Column::Unsigned(values)),
            Growing::Integer(values) => Column::Int(values.signed),
            Growing::Text(places) => {
                let mut table = strings.to_vec();
                table.push(String::new());
                let nothing = strings.len() as u32;
                Column::Text(Texts::new(table, places.iter().map(|&place| place.min(nothing)).collect()))
            }
        };
        Variable { name: self.name, values, present, bounds: self.bounds }
    }
}

/// The bits `start..start + count` of a little-endian number; `count` is at most 64. Bits behind its end are 0.
fn bits_at(record: &[u8], start: u64, count: u64) -> u64 {
    let first = (start / 8) as usize;
    let mut wide = [0u8; 16];
    let end = record.len().min(first + 9);
    if first < end {
        wide[..end - first].copy_from_slice(&record[first..end]);
    }
    let bits = (u128::from_le_bytes(wide) >> (start % 8)) as u64;
    if count == 64 { bits } else { bits & ((1 << count) - 1) }
}

/// How a column is written in records.
pub struct Field {
    pub of: Type,
    pub offset: i128,
    pub is_optional: bool,
}

/// The fewest bits for a column, and where they begin. `None` for what records cannot hold.
pub fn field_for(variable: &Variable) -> Option<Field> {
    let bits_for = |span: u128| u64::from((128 - span.leading_zeros()).max(1));
    let integers = |least: i128, greatest: i128| {
        let bits = bits_for((greatest - least) as u128);
        (Type { scalar: Scalar::Uint, bits }, least)
    };
    let (of, offset) = match &variable.values {
        Column::Bool(_) => (Type { scalar: Scalar::Bool, bits: 1 }, 0),
        Column::Int(values) => {
            let (least, greatest) = values.bounds().unwrap_or((0, 0));
            // PRISM ignores offsets: do without one where that costs nothing but bits.
            match least {
                0.. => integers(0, greatest.into()),
                _ => {
                    let magnitude = (-(i128::from(least)) - 1).max(greatest.into()) as u128;
                    let bits = if magnitude == 0 { 1 } else { bits_for(magnitude) + 1 };
                    (Type { scalar: Scalar::Int, bits }, 0)
                }
            }
        }
        Column::Unsigned(_) => (Type { scalar: Scalar::Uint, bits: 64 }, 0),
        Column::Text(_) => (Type { scalar: Scalar::String, bits: 64 }, 0),
        Column::Numbers(numbers @ (Numbers::Double(_) | Numbers::Exact(_))) => {
            (super::arrays::type_for(numbers)?, 0)
        }
        _ => return None,
    };
    Some(Field { of, offset, is_optional: variable.present.is_some() })
}

/// Packs bits into bytes, lowest first.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    filled: u32,
}

impl Packer {
    /// Appends the lowest `count` bits, at most 64.
    pub fn push(&mut self, value: u64, count: u64) {
        let mut value = u128::from(value) & ((1u128 << count) - 1);
        let mut left = count as u32;
        while left > 0 {
            if self.filled == 0 {
                self.bytes.push(0);
            }
            let take = left.min(8 - self.filled);
            let low = (value & ((1 << take) - 1)) as u8;
            *self.bytes.last_mut().expect("a byte") |= low << self.filled;
            self.filled = (self.filled + take) % 8;
            value >>= take;
            left -= take;
        }
    }

    /// The bytes of a record, which is complete, and begins the next.
    pub fn take(&mut self) -> Vec<u8> {
        self.filled = 0;
        std::mem::take(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_cross_bytes() {
        let mut packer = Packer::default();
        let entries =
            [(1u64, 1u64), (0x5a, 7), (u64::MAX, 64), (0, 3), (0x1234_5678_9abc_def0, 61), (5, 3), (1, 1)];
        entries.iter().for_each(|&(value, count)| packer.push(value, count));
        packer.push(0, 4);
        let record = packer.take();
        assert_eq!(record.len(), 18);
        let mut at = 0;
        for (value, count) in entries {
            assert_eq!(bits_at(&record, at, count), (u128::from(value) & ((1u128 << count) - 1)) as u64);
            at += count;
        }
        assert_eq!(bits_at(&record, 400, 8), 0);
    }

    #[test]
    fn fewest_bits() {
        let bits = |values: &[i64]| {
            let values = Column::Int(values.iter().copied().collect());
            let field =
                field_for(&Variable { name: "x".into(), values, present: None, bounds: None }).unwrap();
            (field.of.scalar, field.of.bits)
        };
        assert_eq!(bits(&[0]), (Scalar::Uint, 1));
        assert_eq!(bits(&[0, 8]), (Scalar::Uint, 4));
        assert_eq!(bits(&[-1]), (Scalar::Int, 1));
        assert_eq!(bits(&[-1, 0, 1]), (Scalar::Int, 2));
        assert_eq!(bits(&[-33, 40]), (Scalar::Int, 7));
        assert_eq!(bits(&[-64, 63]), (Scalar::Int, 7));
        assert_eq!(bits(&[i64::MIN, i64::MAX]), (Scalar::Int, 64));
        assert_eq!(bits(&[0, i64::MAX]), (Scalar::Uint, 63));
    }
}
