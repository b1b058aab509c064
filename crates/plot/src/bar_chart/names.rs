//! The names of categories: in one line where they have room, else broken, smaller, turned, and in the end thinned out.

use super::bars::Field;
use crate::font;
use crate::scene::{Anchor, MARGIN, SHARE, SMALL, Shape, Text, WIDTH};
use crate::style::INK;

/// Between names beside each other.
const GAP: f64 = 6.0;
/// From the frame to the names.
const BELOW: f64 = 6.0;
/// Lines of a name.
const MOST_LINES: usize = 4;
const MOST_LINES_TURNED: usize = 3;
/// From a base line to the next one, for size 1.
const LEADING: f64 = 1.15;
/// Sizes of names that are broken, and of those that are turned.
const BROKEN: [f64; 2] = [SMALL, 9.5];
const TURNED: [f64; 3] = [SMALL, 9.5, 8.0];
/// Longest turned name.
const LONGEST: f64 = 100.0;

/// The names, as they are drawn.
pub struct Names {
    /// For each that is drawn, its category and its lines.
    shown: Vec<(usize, Vec<String>)>,
    size: f64,
    turned: bool,
    /// One name in so many is drawn.
    every: usize,
    /// What is left out is no number that follows from those beside it.
    is_missed: bool,
    rank: usize,
}

impl Names {
    /// As there is room for.
    pub fn new(names: &[String], field: &Field) -> Self {
        let names = &names.iter().map(|name| font::fitted(name, SMALL, 4.0 * LONGEST)).collect::<Vec<_>>();
        level(names, field).or_else(|| numbers(names, field)).unwrap_or_else(|| turned(names, field))
    }

    /// Smaller is better.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// What is to be said about names that are not drawn.
    pub fn remark(&self) -> Option<String> {
        let is_said = self.every > 1 && self.is_missed;
        is_said.then(|| format!("One name in {} is written.", self.every))
    }

    /// Draws the names below a height; gives where they end.
    pub fn draw(&self, field: &Field, top: f64, shapes: &mut Vec<Shape>) -> f64 {
        let mut end = top + BELOW + SMALL;
        for (category, lines) in &self.shown {
            let center = field.center(*category);
            if self.every > 1 {
                // What a name belongs to.
                shapes.push(Shape::line((center, field.bottom), (center, field.bottom + 4.0), INK, 0.7));
            }
            for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
                let leading = LEADING * self.size;
                let (at, anchor) = match self.turned {
                    false => ((center, top + BELOW + SMALL + leading * i as f64), Anchor::Middle),
                    true => {
                        let middle = i as f64 - (lines.len() - 1) as f64 / 2.0;
                        ((center + 0.36 * self.size + leading * middle, top + BELOW), Anchor::End)
                    }
                };
                let length = if self.turned { font::width(line, self.size) / SHARE } else { 0.0 };
                end = end.max(at.1 + length);
                shapes.push(Shape::Text(Text {
                    at,
                    text: line.clone(),
                    anchor,
                    upwards: self.turned,
                    size: self.size,
                    color: INK,
                }));
            }
        }
        end
    }
}

/// Whether names that are centred at their categories touch neither each other nor the border of the picture.
fn have_room(shown: &[(usize, Vec<String>)], size: f64, field: &Field) -> bool {
    let extents = shown.iter().map(|(category, lines)| {
        let widest = lines.iter().map(|line| font::width(line, size) / SHARE).fold(0.0, f64::max);
        let center = field.center(*category);
        [center - widest / 2.0, center + widest / 2.0]
    });
    let mut end = MARGIN - GAP;
    for [from, to] in extents {
        if from < end + GAP {
            return false;
        }
        end = to;
    }
    end <= WIDTH - 2.0
}

/// All names, in one line or several.
fn level(names: &[String], field: &Field) -> Option<Names> {
    for (rank, size) in BROKEN.into_iter().enumerate() {
        for most in 1..=MOST_LINES {
            let lines = |name: &String| match most {
                1 => Some(vec![name.clone()]),
                _ => broken(name, size, (field.room - GAP) * SHARE, most),
            };
            let all: Option<Vec<Vec<String>>> = names.iter().map(lines).collect();
            let Some(all) = all else { continue };
            let shown: Vec<(usize, Vec<String>)> = all.into_iter().enumerate().collect();
            if have_room(&shown, size, field) {
                let rank = 2 * rank + usize::from(most > 1);
                return Some(Names { shown, size, turned: false, every: 1, is_missed: false, rank });
            }
        }
    }
    None
}

/// A name in lines, broken at spaces only; `None` if it has no room.
fn broken(name: &str, size: f64, room: f64, most: usize) -> Option<Vec<String>> {
    if room <= 0.0 {
        return None;
    }
    let lines = font::wrapped(name, size, room, most);
    (lines.join(" ") == *name).then_some(lines)
}

/// Names that are whole numbers at equal distances: some of them are enough.
fn numbers(names: &[String], field: &Field) -> Option<Names> {
    let numbers: Vec<i64> = names.iter().map(|name| name.parse().ok()).collect::<Option<_>>()?;
    let (first, second) = (*numbers.first()?, *numbers.get(1)?);
    let step = second.checked_sub(first).filter(|step| *step > 0)?;
    if numbers.windows(2).any(|pair| pair[1].checked_sub(pair[0]) != Some(step)) {
        return None;
    }
    // Round ones, if the numbers are multiples of their distance.
    let start = if first % step == 0 { first / step } else { 0 };
    let shown_of = |every: usize| -> Vec<(usize, Vec<String>)> {
        let is_shown = |k: &usize| (start + *k as i64).rem_euclid(every as i64) == 0;
        (0..names.len()).filter(is_shown).map(|k| (k, vec![names[k].clone()])).collect()
    };
    let strides = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)));
    let mut tried = strides.take_while(|every| *every <= names.len()).map(|every| (every, shown_of(every)));
    let (every, shown) = tried.find(|(_, shown)| !shown.is_empty() && have_room(shown, SMALL, field))?;
    Some(Names { shown, size: SMALL, turned: false, every, is_missed: false, rank: 2 })
}

/// Names that run upwards, in as many lines as have room; the fewer the less room there is.
fn turned(names: &[String], field: &Field) -> Names {
    let height = |size: f64| (font::ASCENT + font::DESCENT) * size + 0.2;
    let fitting = TURNED.into_iter().position(|size| height(size) <= field.room);
    let size = fitting.map_or(TURNED[1], |i| TURNED[i]);
    let every = if fitting.is_some() { 1 } else { (height(size) / field.room).ceil() as usize };
    let more = ((field.room - height(size) - GAP) / (LEADING * size)).max(0.0) as usize;
    let lines = |name: &String| font::wrapped(name, size, LONGEST * SHARE, (1 + more).min(MOST_LINES_TURNED));
    let shown = names.iter().enumerate().step_by(every).map(|(k, name)| (k, lines(name))).collect();
    let rank = 4 + fitting.unwrap_or(TURNED.len());
    Names { shown, size, turned: true, every, is_missed: true, rank }
}
