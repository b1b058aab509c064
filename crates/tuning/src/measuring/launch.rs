//! From the launch description of a kernel to a task.

use super::{Compared, Condition, Contents, Task, TaskArgument};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_opencl::expression::{Expr, Names, Op, Values};
use volvelle_opencl::launch::{Argument, Choice, Compare, Described, Element, Fill, sizes};
use volvelle_tune::Value;
use volvelle_tune::space::Parameter;

/// What a user says about a parameter: its name, and values where the description's are not meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The name.
    pub name: String,
    /// The values, if given.
    pub values: Option<Vec<Value>>,
}

impl Task {
    /// The task of a described kernel. Parameters that are not wanted keep the value of the reference; without wanted ones, all
    /// are tuned.
    ///
    /// # Errors
    /// Everything that is missing or wrong.
    pub fn from_launch(
        described: &Described,
        text: &str,
        wanted: &[Wanted],
    ) -> Result<Task, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let launch = &described.launch;
        let names = &described.names;
        let size = sizes(described);
        let mut known = vec![0; names.len()];
        if let Some((id, value)) = size {
            known[id.0 as usize] = value;
        }
        let mut task = Task { text: text.to_owned(), kernel: described.kernel.clone(), ..Task::default() };
        if let Some((_, value)) = size {
            task.sizes.push(("size".to_owned(), Value::Int(value)));
        }
        let reference = |name: &str| {
            let expr =
                launch.reference.iter().find(|(id, _)| names.text(*id) == name).map(|(_, expr)| expr)?;
            expr.value(&Values::of(&known)).ok()
        };
        for parameter in &launch.parameters {
            let name = names.text(parameter.name);
            let said = wanted.iter().find(|wanted| wanted.name == name);
            if !wanted.is_empty()
                && said.is_none()
                && let Some(value) = reference(name)
            {
                let values = vec![Value::Int(value)];
                task.parameters.push(Parameter { name: name.to_owned(), values });
                continue;
            }
            let values = match (said.and_then(|wanted| wanted.values.clone()), &parameter.choice) {
                (Some(values), _) => values,
                (None, choice) => match listed(choice.as_ref(), &known, size.map(|(_, value)| value)) {
                    Ok(values) => values,
                    Err(why) => {
                        let message = format!("`{name}` has no values: {why}");
                        let diagnostic = Diagnostic::error(codes::KERNEL_PARAMETER, message);
                        found.push(match parameter.span {
                            Some(span) => diagnostic.at(span, ""),
                            None => diagnostic,
                        });
                        continue;
                    }
                },
            };
            task.parameters.push(Parameter { name: name.to_owned(), values });
        }
        for wanted in wanted {
            if task.parameters.iter().any(|parameter| parameter.name == wanted.name) {
                continue;
            }
            if !occurs(text, &wanted.name) {
                let message = format!("the parameter `{}` occurs nowhere in the kernel", wanted.name);
                let help = "parameters are macros of the text, which `-D` sets";
                found.push(Diagnostic::error(codes::KERNEL_PARAMETER, message).help(help));
                continue;
            }
            match wanted.values.clone().map_or_else(|| listed(None, &known, size.map(|(_, value)| value)), Ok)
            {
                Ok(values) => task.parameters.push(Parameter { name: wanted.name.clone(), values }),
                Err(why) => {
                    let message = format!("`{}` has no values: {why}", wanted.name);
                    let help = format!("give some: --parameters {}=1,2,4", wanted.name);
                    found.push(Diagnostic::error(codes::KERNEL_PARAMETER, message).help(help));
                }
            }
        }
        if task.parameters.is_empty() && found.is_empty() {
            found.push(Diagnostic::error(codes::KERNEL_PARAMETER, "the kernel has no parameters").help(
                "name them: --parameters WG=1,2,4, or in the text: // volvelle: parameter WG = powers(1, 64)",
            ));
        }
        if launch.global.is_empty() || launch.local.is_empty() {
            found.push(
                Diagnostic::error(codes::KERNEL_LAUNCH, "the text does not say how the kernel is launched")
                    .help("add a comment: // volvelle: global = size, local = WG"),
            );
        }
        let text = |expr: &Expr| python(expr, names);
        for constraint in &launch.constraints {
            let condition = Condition { text: text(&constraint.test), reason: constraint.reason.clone() };
            task.conditions.push(condition);
        }
        task.global = launch.global.iter().map(text).collect();
        task.local = launch.local.iter().map(text).collect();
        task.arguments = launch.arguments.iter().map(|named| task_argument(&named.argument, names)).collect();
        let values: Option<Vec<Value>> =
            task.parameters.iter().map(|parameter| reference(&parameter.name).map(Value::Int)).collect();
        task.reference = values.filter(|values| !values.is_empty());
        if found.is_empty() { Ok(task) } else { Err(found) }
    }
}

fn task_argument(argument: &Argument, names: &Names) -> TaskArgument {
    let text = |expr: &Expr| python(expr, names);
    match argument {
        Argument::Buffer { element, length, fill, output } => TaskArgument::Buffer {
            element: element_name(*element).to_owned(),
            length: text(length),
            contents: match fill {
                Fill::Zero => Contents::Constant(0.0),
                Fill::Iota => Contents::Counting,
                Fill::Random => Contents::Random,
            },
            compared: output.map(|compare| match compare {
                Compare::Each => Compared::Each,
                Compare::Min => Compared::Least,
                Compare::Max => Compared::Greatest,
                Compare::Sum => Compared::Sum,
            }),
        },
        Argument::Local { element, length } => {
            TaskArgument::Local { element: element_name(*element).to_owned(), length: text(length) }
        }
        Argument::Scalar { element, value } => {
            TaskArgument::Scalar { element: element_name(*element).to_owned(), value: text(value) }
        }
        Argument::Real { element, value } => {
            TaskArgument::Scalar { element: element_name(*element).to_owned(), value: format!("{value:?}") }
        }
    }
}

fn element_name(element: Element) -> &'static str {
    Element::ALL.iter().find(|(other, ..)| *other == element).map_or("int", |row| row.1)
}

/// The values of a choice; powers of two up to the size where nothing is said.
fn listed(choice: Option<&Choice>, known: &[i64], size: Option<i64>) -> Result<Vec<Value>, String> {
    let values = match (choice, size) {
        (Some(choice), _) => choice.values(known).map_err(|fault| fault.to_string())?,
        (None, Some(size)) => (0..62).map(|n| 1_i64 << n).take_while(|power| *power <= size).collect(),
        (None, None) => return Err("neither values nor a size are given".to_owned()),
    };
    if values.is_empty() {
        Err("the list is empty".to_owned())
    } else {
        Ok(values.into_iter().map(Value::Int).collect())
    }
}

/// Whether a name is a word of a text.
fn occurs(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

/// An expression in the notation of conditions. Sizes are not negative, so that both kinds of whole division agree.
fn python(expr: &Expr, names: &Names) -> String {
    let of = |expr: &Expr| python(expr, names);
    match expr {
        Expr::Int(value) => format!("({value})"),
        Expr::Name(id) => names.text(*id).to_owned(),
        Expr::Not(inner, _) => format!("(not {})", of(inner)),
        Expr::Binary(op, both, _) => {
            let (a, b) = (of(&both.0), of(&both.1));
            let sign = match op {
                Op::Min => return format!("min({a}, {b})"),
                Op::Max => return format!("max({a}, {b})"),
                Op::Add => "+",
                Op::Sub => "-",
                Op::Mul => "*",
                Op::Div => "//",
                Op::Rem => "%",
                Op::Shl => "<<",
                Op::Shr => ">>",
                Op::BitAnd => "&",
                Op::BitOr => "|",
                Op::BitXor => "^",
                Op::And => "and",
                Op::Or => "or",
                Op::Lt => "<",
                Op::Le => "<=",
                Op::Gt => ">",
                Op::Ge => ">=",
                Op::Eq => "==",
                Op::Ne => "!=",
                Op::Pow => "**",
            };
            format!("({a} {sign} {b})")
        }
        Expr::Choose(all, _) => format!("({} if {} else {})", of(&all.1), of(&all.0), of(&all.2)),
        // Sizes of launches do not depend on these.
        Expr::Local(_) | Expr::Group(_) | Expr::Counter(_) => "(0)".to_owned(),
    }
}
