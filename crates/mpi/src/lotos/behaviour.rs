//! Behaviours as text, with indentation.

use std::fmt::Write;

/// Actions that come to an end within so many characters are one line.
const SHORT: usize = 60;

/// A behaviour.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Behaviour {
    /// A call, or `stop`.
    Text(String),
    /// Actions one after the other, and what follows.
    Actions(Vec<String>, Box<Behaviour>),
    /// A condition, and what is possible if it holds.
    Guard(String, Box<Behaviour>),
    /// `X : SORT = value`, and where it holds.
    Let(String, Box<Behaviour>),
    /// Any of these.
    Choice(Vec<Behaviour>),
}

impl Behaviour {
    pub fn stop() -> Behaviour {
        Behaviour::Text("stop".to_owned())
    }

    /// Any of some behaviours; alternatives of alternatives are alternatives.
    pub fn any(all: Vec<Behaviour>) -> Behaviour {
        let flat = all.into_iter().flat_map(|one| match one {
            Behaviour::Choice(inner) => inner,
            other => vec![other],
        });
        let mut flat: Vec<Behaviour> = flat.collect();
        if flat.len() == 1 { flat.remove(0) } else { Behaviour::Choice(flat) }
    }

    /// Appends the behaviour, with a new line behind it. Recursion is as deep as it nests, which its makers limit.
    pub fn write(&self, text: &mut String, indent: usize) {
        let space = " ".repeat(indent);
        match self {
            Behaviour::Text(line) => {
                let _ = writeln!(text, "{space}{line}");
            }
            Behaviour::Actions(actions, then) => {
                if let Behaviour::Text(line) = &**then {
                    let one = format!("{}; {line}", actions.join("; "));
                    if actions.len() == 1 || one.len() <= SHORT {
                        let _ = writeln!(text, "{space}{one}");
                        return;
                    }
                }
                for action in actions {
                    let _ = writeln!(text, "{space}{action};");
                }
                then.inside(text, indent);
            }
            Behaviour::Guard(condition, then) => {
                let _ = writeln!(text, "{space}[{condition}] ->");
                then.inside(text, indent + 2);
            }
            Behaviour::Let(binding, then) => {
                let _ = writeln!(text, "{space}let {binding} in");
                then.inside(text, indent + 2);
            }
            Behaviour::Choice(all) if all.is_empty() => Behaviour::stop().write(text, indent),
            Behaviour::Choice(all) => {
                for (number, one) in all.iter().enumerate() {
                    if number > 0 {
                        let _ = writeln!(text, "{space}[]");
                    }
                    match one {
                        // What binds more loosely than alternatives.
                        Behaviour::Let(..) => one.inside(text, indent),
                        _ => one.write(text, indent),
                    }
                }
            }
        }
    }

    /// The same where only what binds as an action may stand.
    fn inside(&self, text: &mut String, indent: usize) {
        match self {
            Behaviour::Text(_) | Behaviour::Actions(..) => self.write(text, indent),
            _ => {
                let space = " ".repeat(indent);
                let _ = writeln!(text, "{space}(");
                self.write(text, indent + 2);
                let _ = writeln!(text, "{space})");
            }
        }
    }
}
