//! Columns of numbers, gathered while a piece of a text is read, and their joining to one column of the model.

use super::arithmetic::Arithmetic;
use super::cursor::Cursor;
use super::pieces::Halt;
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Numbers, Texts};
use dashu_ratio::RBig;
use std::collections::HashMap;
use std::ops::Range;
use volvelle_decimals::{self as decimals, NotANumber};
use volvelle_diagnostics::codes;
use volvelle_space::Ratios;

/// Whether a number may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Any number.
    Any,
    /// Probabilities, rates: 0 or more.
    NotNegative,
}

/// Numbers of one column.
pub(crate) struct Gathered<'t> {
    column: Column<'t>,
    arithmetic: Arithmetic,
    /// The noun for a number in messages.
    what: &'static str,
    sign: Sign,
    /// The first interval that was open at an end.
    pub open: Option<Range<usize>>,
    /// The largest double met; of intervals the upper bound. Not kept for rationals.
    pub largest: f64,
}

enum Column<'t> {
    Doubles(Vec<f64>),
    Intervals(Vec<[f64; 2]>),
    Exact(Table<'t, RBig>),
    ExactIntervals(Table<'t, RBig>),
    Symbolic(Table<'t, ()>),
}

/// Bytes that a rational with an exponent takes at most, its digits not counted.
const EXPONENT_BYTES: usize = 200;

/// Entries of a column by the number of their text.
struct Table<'t, T> {
    places: HashMap<&'t [u8], u32>,
    texts: Vec<&'t [u8]>,
    values: Vec<T>,
    codes: Vec<u32>,
    /// Bytes of texts that rationals were made of: about as many as those take.
    text_bytes: usize,
    /// Places of values that were computed.
    computed: HashMap<RBig, u32>,
}

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Table {
            places: HashMap::new(),
            texts: Vec::new(),
            values: Vec::new(),
            codes: Vec::new(),
            text_bytes: 0,
            computed: HashMap::new(),
        }
    }
}

impl<'t, T> Table<'t, T> {
    fn push<E>(&mut self, text: &'t [u8], value: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let place = match self.places.get(text) {
            Some(&place) => place,
            None => {
                self.values.push(value()?);
                self.texts.push(text);
                self.text_bytes +=
                    text.len() + EXPONENT_BYTES * usize::from(text.contains(&b'e') || text.contains(&b'E'));
                let place = (self.texts.len() - 1) as u32;
                self.places.insert(text, place);
                place
            }
        };
        self.codes.push(place);
        Ok(&self.values[place as usize])
    }

    fn bytes(&self) -> u64 {
        (4 * self.codes.capacity() + self.text_bytes + self.texts.len() * (64 + size_of::<T>())) as u64
    }
}

impl<'t> Gathered<'t> {
    /// No numbers yet.
    pub fn new(arithmetic: Arithmetic, what: &'static str, sign: Sign) -> Self {
        let column = match arithmetic {
            Arithmetic::Double | Arithmetic::DoubleUntilFraction => Column::Doubles(Vec::new()),
            Arithmetic::Exact => Column::Exact(Table::default()),
            Arithmetic::Symbolic => Column::Symbolic(Table::default()),
        };
        Gathered { column, arithmetic, what, sign, open: None, largest: f64::NEG_INFINITY }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.column {
            Column::Doubles(values) => values.len(),
            Column::Intervals(values) => values.len(),
            Column::Exact(table) => table.codes.len(),
            Column::ExactIntervals(table) => table.codes.len() / 2,
            Column::Symbolic(table) => table.codes.len(),
        }
    }

    /// Bytes held, large rationals not counted.
    pub fn bytes(&self) -> u64 {
        match &self.column {
            Column::Doubles(values) => 8 * values.capacity() as u64,
            Column::Intervals(values) => 16 * values.capacity() as u64,
            Column::Exact(table) | Column::ExactIntervals(table) => table.bytes(),
            Column::Symbolic(table) => table.bytes(),
        }
    }

    /// Appends the number or interval that the cursor is at.
    #[inline]
    pub fn read(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Halt> {
        if let Column::Doubles(values) = &mut self.column {
            cursor.skip_blanks();
            if let Some((value, end, is_fraction)) = decimals::double(cursor.bytes, cursor.at)
                && (value >= 0.0 || self.sign == Sign::Any)
                && !(is_fraction && self.arithmetic == Arithmetic::DoubleUntilFraction)
            {
                cursor.at = end;
                self.largest = self.largest.max(value);
                values.push(value);
                return Ok(());
            }
        }
        self.read_any(cursor)
    }

    /// Appends the text of an expression.
    pub fn push_text(&mut self, text: &'t [u8]) {
        if let Column::Symbolic(table) = &mut self.column {
            let pushed: Result<_, NotANumber> = table.push(text, || Ok(()));
            debug_assert!(pushed.is_ok());
        }
    }

    /// Appends a zero.
    pub fn push_zero(&mut self) {
        match &mut self.column {
            Column::Doubles(values) => values.push(0.0),
            Column::Intervals(values) => values.push([0.0; 2]),
            Column::Exact(table) => table.push_zeros(1),
            Column::ExactIntervals(table) => table.push_zeros(2),
            Column::Symbolic(_) => self.push_text(b"0"),
        }
    }

    /// Appends a one.
    pub fn push_one(&mut self) {
        match &mut self.column {
            Column::Doubles(values) => values.push(1.0),
            Column::Intervals(values) => values.push([1.0; 2]),
            Column::Exact(table) => table.push_value(RBig::ONE),
            Column::ExactIntervals(table) => (0..2).for_each(|_| table.push_value(RBig::ONE)),
            Column::Symbolic(_) => self.push_text(b"1"),
        }
    }

    /// Appends 1 less the sum of the last `count` numbers (of intervals: of their lower bounds). `false` if that sum exceeds 1.
    pub fn push_rest(&mut self, count: usize) -> bool {
        /// The largest excess over 1 that is put down to rounding of the numbers.
        const ROUNDING: f64 = 1e-9;
        let from = self.len() - count;
        match &mut self.column {
            Column::Doubles(values) => {
                let rest = 1.0 - values[from..].iter().sum::<f64>();
                values.push(rest.max(0.0));
                rest >= -ROUNDING
            }
            Column::Exact(table) => {
                let rest = table.codes[from..]
                    .iter()
                    .fold(RBig::ONE, |rest, &code| rest - &table.values[code as usize]);
                let is_left = rest >= RBig::ZERO;
                table.push_value(rest);
                is_left
            }
            Column::Intervals(_) | Column::ExactIntervals(_) | Column::Symbolic(_) => false,
        }
    }

    /// Appends what is not a plain number, or not one that is kept as a double.
    fn read_any(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Halt> {
        cursor.skip_blanks();
        let start = cursor.at;
        let closed = match cursor.peek() {
            Some(b'[') => true,
            Some(b'(') => false,
            _ => {
                let number = self.extent(cursor)?;
                return self.push(cursor, number.clone(), number);
            }
        };
        cursor.at += 1;
        let lower = self.extent(cursor)?;
        if !cursor.eat(b',') {
            return Err(cursor.expected("`,` between the bounds of an interval").into());
        }
        let upper = self.extent(cursor)?;
        let ends_closed = cursor.eat(b']');
        if !ends_closed && !cursor.eat(b')') {
            return Err(cursor.expected("`]` after the bounds of an interval").into());
        }
        if !(closed && ends_closed) && self.open.is_none() {
            self.open = Some(start..cursor.at);
        }
        self.make_intervals();
        self.push(cursor, lower, upper)
    }

    /// The number that the cursor is at; the cursor moves behind it.
    fn extent(&self, cursor: &mut Cursor<'t>) -> Result<Range<usize>, Halt> {
        cursor.skip_blanks();
        let start = cursor.at;
        let Some((end, is_fraction)) = decimals::extent(cursor.bytes, start) else {
            return Err(cursor.not_a_number(self.what).into());
        };
        if is_fraction && self.arithmetic == Arithmetic::DoubleUntilFraction {
            return Err(Halt::Fraction);
        }
        let is_zero = |text: &[u8]| {
            text.iter().take_while(|b| !matches!(b, b'e' | b'E' | b'/')).all(|b| !(b'1'..=b'9').contains(b))
        };
        if self.sign == Sign::NotNegative
            && cursor.peek() == Some(b'-')
            && !is_zero(&cursor.bytes[start..end])
        {
            let message = format!("{} is negative: {}", cursor.script.show(start..end), self.what);
            return Err(cursor.script.refuse(codes::EXPLICIT_NUMBER, start..end, message).into());
        }
        cursor.at = end;
        Ok(start..end)
    }

    /// Appends a number, or an interval with these bounds where the column has intervals.
    fn push(&mut self, cursor: &Cursor<'t>, lower: Range<usize>, upper: Range<usize>) -> Result<(), Halt> {
        let what = self.what;
        let refused = |at: &Range<usize>| {
            let mut there = cursor.clone();
            there.at = at.start;
            Halt::from(there.not_a_number(what))
        };
        let double = |at: &Range<usize>| match decimals::double(&cursor.bytes[..at.end], at.start) {
            Some((value, _, _)) => Ok(value),
            None => Err(refused(at)),
        };
        let text = |at: &Range<usize>| &cursor.bytes[at.clone()];
        match &mut self.column {
            Column::Doubles(values) => values.push(double(&lower)?),
            Column::Intervals(values) => values.push([double(&lower)?, double(&upper)?]),
            Column::Exact(table) => {
                table.push(text(&lower), || decimals::exact(text(&lower))).map_err(|_| refused(&lower))?;
            }
            Column::ExactIntervals(table) => {
                for at in [&lower, &upper] {
                    table.push(text(at), || decimals::exact(text(at))).map_err(|_| refused(at))?;
                }
            }
            Column::Symbolic(_) => self.push_text(text(&(lower.start..upper.end))),
        }
        match &self.column {
            Column::Doubles(values) => self.largest = self.largest.max(values.last().copied().unwrap_or(0.0)),
            Column::Intervals(values) => self.largest = self.largest.max(values.last().map_or(0.0, |i| i[1])),
            _ => {}
        }
        Ok(())
    }

    /// Makes intervals of the numbers so far.
    fn make_intervals(&mut self) {
        self.column = match std::mem::replace(&mut self.column, Column::Doubles(Vec::new())) {
            Column::Doubles(values) => Column::Intervals(values.into_iter().map(|v| [v, v]).collect()),
            Column::Exact(mut table) => {
                table.codes = table.codes.into_iter().flat_map(|code| [code, code]).collect();
                Column::ExactIntervals(table)
            }
            other => other,
        };
    }
}

impl Table<'_, RBig> {
    /// Appends a number that has no text.
    fn push_value(&mut self, value: RBig) {
        let place = match self.computed.get(&value) {
            Some(&place) => place,
            None => {
                let place = self.values.len() as u32;
                self.values.push(value.clone());
                self.texts.push(b"");
                self.computed.insert(value, place);
                place
            }
        };
        self.codes.push(place);
    }

    fn push_zeros(&mut self, count: usize) {
        for _ in 0..count {
            let pushed: Result<_, NotANumber> = self.push(b"0", || Ok(RBig::ZERO));
            debug_assert!(pushed.is_ok());
        }
    }
}

/// Rationals of several tables under construction: equal ones are stored once, in the order of their first occurrence.
#[derive(Default)]
struct Merged {
    places: HashMap<RBig, u32>,
    distinct: Vec<RBig>,
    codes: Vec<u32>,
}

impl Merged {
    fn add(&mut self, table: Table<'_, RBig>) {
        let new: Vec<u32> = (table.values.into_iter())
            .map(|value| {
                *self.places.entry(value).or_insert_with_key(|value| {
                    self.distinct.push(value.clone());
                    (self.distinct.len() - 1) as u32
                })
            })
            .collect();
        self.codes.extend(table.codes.into_iter().map(|code| new[code as usize]));
    }
}

/// Joins the columns of all pieces. Where one of them has intervals, all numbers become intervals.
pub(crate) fn join(mut columns: Vec<Gathered<'_>>, allowance: &Allowance<'_>) -> Result<Numbers, Finding> {
    let count: usize = columns.iter().map(Gathered::len).sum();
    let intervals =
        columns.iter().any(|c| matches!(c.column, Column::Intervals(_) | Column::ExactIntervals(_)));
    let arithmetic = columns.first().map_or(Arithmetic::Double, |c| c.arithmetic);
    if intervals {
        columns.iter_mut().for_each(Gathered::make_intervals);
    }
    Ok(match (arithmetic, intervals) {
        (Arithmetic::Double | Arithmetic::DoubleUntilFraction, false) => {
            let mut all = allowance.vec(count)?;
            for column in columns {
                if let Column::Doubles(values) = column.column {
                    all.extend_from_slice(&values);
                }
            }
            Numbers::Double(all)
        }
        (Arithmetic::Double | Arithmetic::DoubleUntilFraction, true) => {
            let mut all = allowance.vec(count)?;
            for column in columns {
                if let Column::Intervals(values) = column.column {
                    all.extend_from_slice(&values);
                }
            }
            Numbers::DoubleInterval(all)
        }
        (Arithmetic::Exact, _) => {
            let entries = if intervals { 2 * count } else { count };
            let mut all = Merged { codes: allowance.vec(entries)?, ..Merged::default() };
            for column in columns {
                if let Column::Exact(table) | Column::ExactIntervals(table) = column.column {
                    all.add(table);
                }
            }
            let ratios = Ratios::new(all.distinct, all.codes);
            if intervals { Numbers::ExactInterval(ratios) } else { Numbers::Exact(ratios) }
        }
        (Arithmetic::Symbolic, _) => {
            let mut codes: Vec<u32> = allowance.vec(count)?;
            let mut places: HashMap<&[u8], u32> = HashMap::new();
            let mut distinct = Vec::new();
            for column in columns {
                let Column::Symbolic(table) = column.column else { continue };
                let new: Vec<u32> = (table.texts.iter())
                    .map(|text| {
                        *places.entry(text).or_insert_with(|| {
                            distinct.push(String::from_utf8_lossy(text).into_owned());
                            (distinct.len() - 1) as u32
                        })
                    })
                    .collect();
                codes.extend(table.codes.iter().map(|&code| new[code as usize]));
            }
            Numbers::Symbolic(Texts::new(distinct, codes))
        }
    })
}

/// Numbers as intervals.
pub(crate) fn to_intervals(values: Numbers) -> Numbers {
    match values {
        Numbers::Double(values) => {
            Numbers::DoubleInterval(values.into_iter().map(|value| [value, value]).collect())
        }
        Numbers::Exact(values) => {
            let codes = values.codes().iter().flat_map(|&code| [code, code]).collect();
            Numbers::ExactInterval(Ratios::new(values.distinct().to_vec(), codes))
        }
        other => other,
    }
}
