//! Labels of transitions as disjunctions of cubes, and acceptance conditions.

use super::HoaError;
use super::token::{Kind, T, Tokens};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use volvelle_logic::{Acceptance, Among, Cube};
use volvelle_syntax::Parse;

/// Parentheses and negations within one another, at most.
const DEEPEST: usize = Tokens::DEEPEST as usize;

/// Cubes of one label, at most.
const MOST_CUBES: usize = 1 << 12;

/// Products of cubes that one conjunction may ask for.
const MOST_PRODUCTS: usize = 1 << 18;

/// A condition on letters.
#[derive(Clone, Debug)]
pub enum Label {
    /// All letters, or none.
    Constant(bool),
    /// The letters in which a proposition holds.
    Proposition(u32),
    /// The others.
    Not(Box<Label>),
    /// Those in all of them.
    All(Vec<Label>),
    /// Those in one of them.
    Any(Vec<Label>),
    /// What a name stands for.
    Alias(Rc<Alias>),
}

/// A named condition, whose cubes and those of its opposite are computed once.
#[derive(Debug)]
pub struct Alias {
    label: Label,
    depth: usize,
    cubes: [OnceCell<Option<Vec<Cube>>>; 2],
}

/// Named conditions.
pub type Aliases = FxHashMap<String, Rc<Alias>>;

impl Alias {
    /// A name for a condition that is nested as deeply as that.
    pub fn new((label, depth): (Label, usize)) -> Rc<Self> {
        Rc::new(Alias { label, depth, cubes: Default::default() })
    }
}

impl Label {
    /// The condition, or its opposite, as a disjunction; `None` if that is too large.
    pub fn cubes(&self, holds: bool) -> Option<Vec<Cube>> {
        match self {
            Label::Constant(value) => Some(if *value == holds { vec![Cube::ALL] } else { Vec::new() }),
            Label::Proposition(number) => {
                let mask = 1u64 << number;
                Some(vec![Cube { mask, value: if holds { mask } else { 0 } }])
            }
            Label::Not(inner) => inner.cubes(!holds),
            Label::Alias(alias) => {
                alias.cubes[usize::from(holds)].get_or_init(|| alias.label.cubes(holds)).clone()
            }
            Label::Any(operands) | Label::All(operands) => {
                let is_union = matches!(self, Label::Any(_)) == holds;
                let mut cubes = if is_union { Vec::new() } else { vec![Cube::ALL] };
                for operand in operands {
                    let more = operand.cubes(holds)?;
                    if is_union {
                        cubes.extend(more);
                    } else {
                        if cubes.len() * more.len() > MOST_PRODUCTS {
                            return None;
                        }
                        let both = |one: &Cube| more.iter().filter_map(|other| one.and(*other)).collect();
                        cubes = cubes.iter().flat_map(|one| -> Vec<Cube> { both(one) }).collect();
                    }
                    cubes.sort_unstable();
                    cubes.dedup();
                    if cubes.contains(&Cube::ALL) {
                        cubes = vec![Cube::ALL];
                    }
                    if cubes.len() > MOST_CUBES {
                        return None;
                    }
                }
                Some(cubes)
            }
        }
    }
}

/// The disjunction of a label that begins at `place`.
pub fn cubes(label: &Label, place: Range<usize>) -> Result<Vec<Cube>, HoaError> {
    let message = format!("as a disjunction this label has more than {MOST_CUBES} parts");
    label.cubes(true).ok_or_else(|| HoaError::new(place, message))
}

/// The condition on letters of a label or alias, and how deeply it is nested. `propositions`: their number.
pub fn label(
    tokens: &mut Tokens,
    propositions: usize,
    aliases: &Aliases,
) -> Result<(Label, usize), HoaError> {
    let mut reader = Reader { propositions, aliases, deepest: 0 };
    let label = reader.any(tokens, 0)?;
    Ok((label, reader.deepest))
}

struct Reader<'a> {
    propositions: usize,
    aliases: &'a Aliases,
    deepest: usize,
}

impl Reader<'_> {
    fn any(&mut self, tokens: &mut Tokens, depth: usize) -> Result<Label, HoaError> {
        tokens.joined(T!["|"], |tokens| self.all(tokens, depth), Label::Any)
    }

    fn all(&mut self, tokens: &mut Tokens, depth: usize) -> Result<Label, HoaError> {
        tokens.joined(T!["&"], |tokens| self.one(tokens, depth), Label::All)
    }

    fn one(&mut self, tokens: &mut Tokens, depth: usize) -> Result<Label, HoaError> {
        let place = tokens.place();
        let too_deep = || HoaError::new(place.clone(), "this label is nested too deeply");
        if depth > DEEPEST {
            return Err(too_deep());
        }
        self.deepest = self.deepest.max(depth);
        match tokens.peek() {
            T!["!"] => {
                tokens.advance();
                Ok(Label::Not(Box::new(self.one(tokens, depth + 1)?)))
            }
            T!["("] => {
                tokens.advance();
                let inner = self.any(tokens, depth + 1)?;
                tokens.expect(T![")"])?;
                Ok(inner)
            }
            Kind::Name if matches!(tokens.word(), "t" | "f") => {
                let is_true = tokens.word() == "t";
                tokens.advance();
                Ok(Label::Constant(is_true))
            }
            Kind::Number => {
                let number = tokens.take_number("a number")?;
                if number >= self.propositions as u64 {
                    let message =
                        format!("there is no proposition {number}: `AP:` has {}", self.propositions);
                    return Err(HoaError::new(place, message));
                }
                Ok(Label::Proposition(number as u32))
            }
            Kind::Alias => {
                let name = tokens.word();
                let Some(alias) = self.aliases.get(name) else {
                    return Err(HoaError::new(place, format!("there is no alias `{name}` before")));
                };
                self.deepest = self.deepest.max(depth + 1 + alias.depth);
                if self.deepest > DEEPEST {
                    return Err(too_deep());
                }
                tokens.advance();
                Ok(Label::Alias(alias.clone()))
            }
            _ => Err(tokens.unexpected("a label: a number of a proposition, `t`, `f`, `!`, `(` or an alias")),
        }
    }
}

/// An acceptance condition over `sets` sets.
pub fn acceptance(tokens: &mut Tokens, sets: u64) -> Result<Acceptance, HoaError> {
    let all = |tokens: &mut Tokens| tokens.joined(T!["&"], |tokens| one(tokens, sets), Acceptance::All);
    tokens.joined(T!["|"], all, Acceptance::Any)
}

fn one(tokens: &mut Tokens, sets: u64) -> Result<Acceptance, HoaError> {
    if tokens.take(T!["("]) {
        let inner = tokens.nested(|tokens| acceptance(tokens, sets))?;
        tokens.expect(T![")"])?;
        return Ok(inner);
    }
    let name = tokens.word();
    if !tokens.at(Kind::Name) || !["t", "f", "Inf", "Fin"].contains(&name) {
        return Err(tokens.unexpected("an acceptance condition: `Inf(...)`, `Fin(...)`, `t`, `f` or `(`"));
    }
    tokens.advance();
    if name == "t" || name == "f" {
        return Ok(if name == "t" { Acceptance::Always } else { Acceptance::Never });
    }
    tokens.expect(T!["("])?;
    let inside = !tokens.take(T!["!"]);
    let place = tokens.place();
    let set = tokens.take_number("the number of an acceptance set")?;
    if set >= sets {
        return Err(HoaError::new(place, format!("there is no acceptance set {set}: there are {sets}")));
    }
    tokens.expect(T![")"])?;
    let among = Among { set: set as u32, inside };
    Ok(if name == "Inf" { Acceptance::Infinitely(among) } else { Acceptance::Finitely(among) })
}
