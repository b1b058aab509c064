//! The derivative of a formula by a letter, the paper's function *af*: the obligation that is left after the letter.
//!
//! A word satisfies φ if and only if the rest of it after its first letter satisfies `af(φ, letter)`. Limit
//! operators stay as they are, since the beginning of a word does not matter to them.

use rustc_hash::FxHashMap;

use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};
use crate::normal::{NormalId, Normals, TooLarge};

/// Derivatives by a fixed set of letters; known ones are kept.
#[derive(Clone, Debug)]
pub(crate) struct Derivative {
    /// For every letter whether each proposition holds.
    letters: Vec<Vec<bool>>,
    formulas: FxHashMap<(FormulaId, u32), NormalId>,
    normals: FxHashMap<(NormalId, u32), NormalId>,
}

impl Derivative {
    pub fn new(letters: Vec<Vec<bool>>) -> Self {
        Derivative { letters, formulas: FxHashMap::default(), normals: FxHashMap::default() }
    }

    pub fn num_letters(&self) -> usize {
        self.letters.len()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        36 * (self.formulas.len() + self.normals.len())
    }

    /// The derivative of a combination.
    pub fn normal(
        &mut self,
        formulas: &mut Formulas,
        normals: &mut Normals,
        id: NormalId,
        letter: u32,
    ) -> Result<NormalId, TooLarge> {
        if id == Normals::TRUE || id == Normals::FALSE {
            return Ok(id);
        }
        if let Some(&known) = self.normals.get(&(id, letter)) {
            return Ok(known);
        }
        let mut result = Normals::FALSE;
        for conjunction in normals.get(id).to_vec() {
            let mut product = Normals::TRUE;
            for &formula in &conjunction {
                let factor = self.formula(formulas, normals, formula, letter)?;
                product = normals.join(formulas, product, factor, true)?;
                if product == Normals::FALSE {
                    break;
                }
            }
            result = normals.join(formulas, result, product, false)?;
        }
        self.normals.insert((id, letter), result);
        Ok(result)
    }

    /// The derivative of a formula.
    fn formula(
        &mut self,
        formulas: &mut Formulas,
        normals: &mut Normals,
        id: FormulaId,
        letter: u32,
    ) -> Result<NormalId, TooLarge> {
        if let Some(&known) = self.formulas.get(&(id, letter)) {
            return Ok(known);
        }
        let less = |bound: u64| if bound == UNBOUNDED { bound } else { bound - 1 };
        let result = match formulas.get(id).clone() {
            Node::True => Normals::TRUE,
            Node::False => Normals::FALSE,
            Node::Literal { proposition, positive } => {
                let holds = self.letters[letter as usize][proposition as usize];
                Normals::constant(holds == positive)
            }
            Node::And(operands) => self.junction(formulas, normals, &operands, letter, true)?,
            Node::Or(operands) => self.junction(formulas, normals, &operands, letter, false)?,
            Node::Delay { steps, hold, then, all } => {
                let now = self.formula(formulas, normals, hold, letter)?;
                let later = formulas.delay(steps - 1, hold, then, all);
                let later = normals.of(formulas, later)?;
                normals.join(formulas, now, later, all)?
            }
            Node::Until { hold, goal, bound } => {
                let waiting = self.formula(formulas, normals, hold, letter)?;
                let arrived = self.formula(formulas, normals, goal, letter)?;
                let later = if bound == 1 { goal } else { formulas.until_within(hold, goal, less(bound)) };
                let later = normals.of(formulas, later)?;
                let waiting = normals.join(formulas, waiting, later, true)?;
                normals.join(formulas, arrived, waiting, false)?
            }
            Node::Release { release, goal, bound } => {
                let released = self.formula(formulas, normals, release, letter)?;
                let fine = self.formula(formulas, normals, goal, letter)?;
                let later =
                    if bound == 1 { goal } else { formulas.release_within(release, goal, less(bound)) };
                let later = normals.of(formulas, later)?;
                let released = normals.join(formulas, released, later, false)?;
                normals.join(formulas, fine, released, true)?
            }
            Node::InfinitelyOften(_) | Node::AlmostAlways(_) => normals.of(formulas, id)?,
        };
        self.formulas.insert((id, letter), result);
        Ok(result)
    }

    fn junction(
        &mut self,
        formulas: &mut Formulas,
        normals: &mut Normals,
        operands: &[FormulaId],
        letter: u32,
        all: bool,
    ) -> Result<NormalId, TooLarge> {
        let mut result = Normals::constant(all);
        for &operand in operands {
            let operand = self.formula(formulas, normals, operand, letter)?;
            result = normals.join(formulas, result, operand, all)?;
        }
        Ok(result)
    }
}
