//! What a system looks like on paper: forms of judgments, functions by cases, rules with premises above a line. The same for all media.

use volvelle_rules::tokens::Kind;

/// A system, or the part of it that one file has.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Its name, or that of its file.
    pub name: String,
    /// Judgments.
    pub judgments: Vec<Form>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Rules, axioms and checks.
    pub rules: Vec<Inference>,
}

/// The form of a judgment.
#[derive(Clone, Debug)]
pub struct Form {
    /// Its name.
    pub name: String,
    /// The form.
    pub form: Line,
}

/// A function with its cases.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name and parameters, with the type of the result.
    pub head: Line,
    /// The parameters that a case is for, and what it does.
    pub cases: Vec<(Line, Vec<Premise>)>,
}

/// Premises, and what follows from them.
#[derive(Clone, Debug)]
pub struct Inference {
    /// A rule or a check.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What must hold.
    pub premises: Vec<Premise>,
    /// What holds then.
    pub conclusion: Line,
}

/// Something above the line.
#[derive(Clone, Debug)]
pub enum Premise {
    /// A judgment, a condition, an assignment.
    Line(Line),
    /// The first that holds.
    Either(Vec<Vec<Premise>>),
    /// The first whose condition holds; the last one may have none.
    Cases(Vec<(Option<Line>, Vec<Premise>)>),
    /// What is done for each item, or as long as something holds.
    Repeated(Line, Vec<Premise>),
}

/// Signs and names of a line.
pub type Line = Vec<Part>;

/// A sign or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A word of the language of rules.
    Word(&'static str),
    /// A variable, a field, a function.
    Name(String),
    /// A type.
    Type(String),
    /// A text between quotation marks.
    Text(String),
    /// Digits.
    Number(String),
    /// A sign.
    Sign(Sign),
    /// Between parts.
    Space,
}

/// A sign: for texts, for LaTeX in formulas, and whether there is room around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// The characters.
    pub text: &'static str,
    /// Commands of LaTeX and `amsmath`.
    pub latex: &'static str,
    /// Whether it stands between two things.
    pub is_relation: bool,
}

/// A sign between two things.
pub const fn between(text: &'static str, latex: &'static str) -> Part {
    Part::Sign(Sign { text, latex, is_relation: true })
}

/// A sign that stands close.
pub const fn close(text: &'static str, latex: &'static str) -> Part {
    Part::Sign(Sign { text, latex, is_relation: false })
}

/// The sign of a judgment or between its places.
pub fn of_judgment(kind: Kind) -> Part {
    match kind {
        Kind::Entails => between("⊢", "\\vdash"),
        Kind::Entails2 => between("⊩", "|\\mkern-3mu\\vdash"),
        Kind::Tilde => between("|∼", "|\\mkern-3mu\\sim"),
        Kind::Tilde2 => between("||∼", "||\\mkern-3mu\\sim"),
        Kind::Models => between("⊨", "\\models"),
        Kind::Models2 => between("|⊨", "|\\mkern-3mu\\models"),
        Kind::Yields => between("▷", "\\triangleright"),
        Kind::Yields2 => between("|▷", "|\\mkern-2mu\\triangleright"),
        Kind::LeftBang => between("<!", "<!"),
        Kind::BangRight => between("!>", "!>"),
        Kind::Left2Bang => between("≪!", "\\ll!"),
        Kind::BangRight2 => between("!≫", "!\\gg"),
        Kind::LeftTildeBang => between("<∼!", "<\\mkern-2mu\\sim!"),
        Kind::BangTildeRight => between("!∼>", "!\\sim\\mkern-2mu>"),
        Kind::Below => between("<:", "<:"),
        Kind::Above => between(":>", ":>"),
        Kind::Left2 => between("≪", "\\ll"),
        Kind::Right2 => between("≫", "\\gg"),
        Kind::Tildes => between("≈", "\\approx"),
        Kind::LeftBar => between("◁", "\\triangleleft"),
        Kind::Maps => between("←", "\\leftarrow"),
        Kind::LongArrow => between("⟶", "\\longrightarrow"),
        Kind::LeftTilde => between("<∼", "<\\mkern-2mu\\sim"),
        Kind::TildeRight => between("∼>", "\\sim\\mkern-2mu>"),
        Kind::Join => between("∨", "\\vee"),
        Kind::Meet => between("∧", "\\wedge"),
        _ => between(":", ":"),
    }
}
