//! Values of constants that the command line gives.

use super::exact;
use crate::ast::{self, ConstType, ExprKind, Model, PropertyFile};
use crate::lower::names::for_each_identifier;
use volvelle_diagnostics::{Diagnostic, Span, codes, suggest};
use volvelle_logic::{Constant, ConstantValue, rational};

/// `--const`: constants with what was given for them. It becomes a value where a declaration says of which type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    given: Vec<Constant>,
}

impl Constants {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a value; a later one replaces an earlier one of the same name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<ConstantValue>) {
        let (name, value) = (name.into(), value.into());
        match self.given.iter_mut().find(|constant| constant.name == name) {
            Some(constant) => constant.value = value,
            None => self.given.push(Constant { name, value }),
        }
    }

    /// The value given for a name.
    pub fn get(&self, name: &str) -> Option<&ConstantValue> {
        self.given.iter().find(|constant| constant.name == name).map(|constant| &constant.value)
    }

    /// All, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Constant> {
        self.given.iter()
    }
}

impl<N: Into<String>, V: Into<ConstantValue>> FromIterator<(N, V)> for Constants {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut constants = Constants::new();
        for (name, value) in pairs {
            constants.set(name, value);
        }
        constants
    }
}

impl<'c> FromIterator<&'c Constant> for Constants {
    fn from_iter<I: IntoIterator<Item = &'c Constant>>(given: I) -> Self {
        given.into_iter().map(|constant| (constant.name.clone(), constant.value.clone())).collect()
    }
}

/// A value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `int`
    Int(i64),
    /// `double`
    Double(f64),
    /// `bool`
    Bool(bool),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Double(value) => f.write_str(&number(*value)),
            Value::Bool(value) => write!(f, "{value}"),
        }
    }
}

impl From<Value> for ConstantValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(value) => value.into(),
            Value::Double(number) => ConstantValue::of_number(number, value.to_string()),
            Value::Bool(value) => value.into(),
        }
    }
}

/// A double for users: the shortest text that reads back the same; `0.3` and `1e-12`, not `0.30000`.
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e15).contains(&value.abs()) || !value.is_finite() {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Parses a value of a type; `None` if the text is not such a value. Booleans may be in upper or lower case.
pub fn parse(text: &str, ty: ConstType) -> Option<Value> {
    let text = text.trim();
    match ty {
        ConstType::Int => {
            let written = text.parse::<i32>().ok();
            let computed =
                || rational(text).filter(|n| n.is_int()).and_then(|n| i32::try_from(n.numerator()).ok());
            // `1.0` is a double, however whole it is.
            let is_whole = |c: char| c.is_ascii_digit() || "+-*/^() ".contains(c);
            let is_expression =
                || text.chars().all(is_whole) && text.contains(['+', '-', '*', '/', '^', '(']);
            let value = written.or_else(|| is_expression().then(computed).flatten());
            value.map(|value| Value::Int(value.into()))
        }
        ConstType::Double => {
            let unsigned = text.strip_prefix('-').unwrap_or(text);
            if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '(') {
                return None; // `inf`, `nan` and the like
            }
            let written = text.parse::<f64>().ok();
            let number = written.or_else(|| rational(text).map(|number| number.to_f64().value()));
            number.filter(|value| value.is_finite()).map(Value::Double)
        }
        ConstType::Bool if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        ConstType::Bool if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        ConstType::Bool => None,
    }
}

/// Parses a value of an unknown type: an `int` if possible, else a `double` or a `bool`.
pub fn parse_any(text: &str) -> Option<Value> {
    [ConstType::Int, ConstType::Double, ConstType::Bool].into_iter().find_map(|ty| parse(text, ty))
}

/// The exact value behind the text of a number.
pub fn exact_of(text: &str) -> Option<dashu_ratio::RBig> {
    exact::literal(text.trim()).or_else(|| rational(text))
}

/// A text that is no value of the declared type.
pub fn not_a_value(text: &str, constant: &ast::Constant) -> Diagnostic {
    let (ty, help) = match constant.ty {
        ConstType::Int => ("int", "give an integer: --const {}=2"),
        ConstType::Double => ("double", "give a number: --const {}=0.5, or {}=1/3"),
        ConstType::Bool => ("bool", "give a truth value: --const {}=true"),
    };
    let name = &constant.name;
    Diagnostic::error(
        codes::BAD_CONST_OPTION,
        format!("`{text}` is not a value for the constant `{}` of type {ty}", name.text),
    )
    .at(name.span, "declared here")
    .help(help.replace("{}", &name.text))
}

/// A declared constant without a value, whether the command line gives one or not.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenConstant {
    /// Name.
    pub name: String,
    /// Declared type.
    pub ty: ConstType,
    /// The span of its declaration.
    pub span: Span,
    /// Declared by a property file, not by the model.
    pub in_properties: bool,
}

/// The constants that a model and property files leave open, in the order of their declarations.
pub fn open_constants(model: &Model, files: &[&PropertyFile]) -> Vec<OpenConstant> {
    let of = |constants: &[ast::Constant], in_properties| {
        let open = constants.iter().filter(|c| c.value.is_none());
        open.map(|c| OpenConstant { name: c.name.text.clone(), ty: c.ty, span: c.name.span, in_properties })
            .collect::<Vec<_>>()
    };
    let mut open = of(&model.constants, false);
    open.extend(files.iter().flat_map(|file| of(&file.constants, true)));
    open
}

/// Diagnostics for given constants that are not open: neither the model nor a property file
/// declares them without a value, and no property mentions them.
pub fn unknown_constants(constants: &Constants, model: &Model, files: &[&PropertyFile]) -> Vec<Diagnostic> {
    let open = open_constants(model, files);
    let mentioned = |name: &str| {
        files.iter().any(|file| {
            file.properties.iter().any(|property| {
                let mut found = false;
                for_each_identifier(&file.exprs, property.body, |other, _| found |= other == name);
                found
            })
        })
    };
    let declared = |name: &str| {
        let all = model.constants.iter().chain(files.iter().flat_map(|file| &file.constants));
        all.into_iter().find(|c| c.name.text == name).map(|c| c.name.span)
    };
    let mut diagnostics = Vec::new();
    for Constant { name, .. } in constants.iter() {
        if open.iter().any(|c| c.name == *name) {
            continue;
        }
        let mut diagnostic = Diagnostic::error(
            codes::UNKNOWN_CONSTANT_OPTION,
            format!("`{name}` is not an undefined constant"),
        );
        if let Some(span) = declared(name) {
            diagnostic = diagnostic.at(span, "it has a value here");
        } else if mentioned(name) && !model_declares(model, name) {
            continue;
        }
        let names = || open.iter().map(|c| c.name.as_str());
        diagnostic = match (suggest(name, names()), open.len()) {
            (Some(near), _) => diagnostic.help(format!("did you mean `{near}`?")),
            (None, 0) => diagnostic.help("the model has no undefined constants"),
            (None, 1) => diagnostic.help(format!("the model has the undefined constant `{}`", open[0].name)),
            (None, _) => {
                let list: Vec<String> = names().map(|name| format!("`{name}`")).collect();
                diagnostic.help(format!("the model has the undefined constants {}", list.join(", ")))
            }
        };
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Whether the model uses a name for something that is no constant.
fn model_declares(model: &Model, name: &str) -> bool {
    let variables = |variables: &[ast::Variable]| variables.iter().any(|v| v.name.text == name);
    model.formulas.iter().any(|f| f.name.text == name)
        || variables(&model.globals)
        || model.modules.iter().any(|module| match &module.body {
            ast::ModuleBody::Plain { variables: locals, .. } => variables(locals),
            ast::ModuleBody::Renamed { renames, .. } => renames.iter().any(|r| r.to.text == name),
        })
}

/// The text of an expression, cut where it is long: for messages.
pub fn excerpt(sources: &volvelle_diagnostics::Sources, span: Span) -> String {
    let text = sources.text(span);
    let mut short: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if short.chars().count() > 60 {
        short = short.chars().take(57).collect::<String>() + "...";
    }
    short
}

/// Whether an expression is written as a literal (possibly negated or in parentheses).
pub fn is_literal(exprs: &ast::Exprs, mut id: ast::ExprId) -> bool {
    loop {
        match exprs.get(id).kind {
            ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Bool(_) => return true,
            ExprKind::Neg(inner) | ExprKind::Paren(inner) => id = inner,
            _ => return false,
        }
    }
}
