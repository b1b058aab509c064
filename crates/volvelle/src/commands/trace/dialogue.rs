//! `volvelle trace --interactive`: a person chooses the steps.

use super::Teller;
use crate::machine;
use crate::screen::path::{self, PathTable};
use std::io::{self, BufRead};
use volvelle_verify::{Path, PathEnd, PathPlan};

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// The step with this number in the list, from 1.
    Take(usize),
    /// So many steps as they are drawn.
    Random(u32),
    Back,
    Quit,
}

impl Wish {
    /// What a line says; `options` is how many steps there are.
    fn read(line: &str, options: usize) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let (word, rest) = (words.next().unwrap_or(""), words.next());
        let wish = match (word, rest) {
            ("q" | "quit", None) => Some(Wish::Quit),
            ("b" | "back", None) => Some(Wish::Back),
            ("r" | "random", None) => Some(Wish::Random(1)),
            ("r" | "random", Some(count)) => count.parse().ok().filter(|&n| n > 0).map(Wish::Random),
            (number, None) => {
                number.parse().ok().filter(|number| (1..=options).contains(number)).map(Wish::Take)
            }
            _ => None,
        };
        let wish = wish.filter(|_| words.next().is_none());
        wish.ok_or_else(|| match options {
            0 => format!("`{}` is neither b nor q", line.trim()),
            1 => format!("`{}` is neither 1 nor r, r 10, b or q", line.trim()),
            n => format!("`{}` is no number from 1 to {n}, and neither r, r 10, b nor q", line.trim()),
        })
    }
}

/// Goes where a person wants to go.
pub fn walk<'p>(
    path: Path<'p>,
    plan: &PathPlan,
    table: &mut PathTable<'_>,
    teller: &mut Teller<'_>,
    limit: u32,
) -> Path<'p> {
    let cancel = machine::cancel_on_signal();
    let mut path = path.remembering();
    while !cancel.is_cancelled() && path.steps() < limit {
        let options = match path.options() {
            Ok(options) => options,
            Err(complaint) => {
                teller.complaints.push(complaint);
                break;
            }
        };
        let output = teller.output;
        match path.end() {
            None => output.print(&path::options(&options, output.style)),
            Some(PathEnd::Failed(diagnostic)) => {
                output.complain(std::slice::from_ref(diagnostic), teller.session.sources());
            }
            Some(end) => output.print(&format!("\n    here the path ends: {}\n", end.message())),
        }
        match ask(&path, options.len(), teller) {
            Wish::Quit => break,
            Wish::Back if path.back() => {
                output.print(&format!("    back to step {}\n", path.steps()));
            }
            Wish::Back => output.print("    there is nothing to go back to\n"),
            Wish::Take(number) => {
                if let Some(step) = path.take(&options[number - 1]) {
                    teller.tell(plan, table, step);
                }
            }
            Wish::Random(count) => {
                for _ in 0..count {
                    if path.steps() >= limit || cancel.is_cancelled() {
                        break;
                    }
                    let Some(step) = path.step() else { break };
                    teller.tell(plan, table, step);
                }
            }
        }
    }
    path
}

/// Asks until there is an answer; the end of the input is one.
fn ask(path: &Path<'_>, options: usize, teller: &Teller<'_>) -> Wish {
    let mut line = String::new();
    let question = match options {
        0 => "  b goes back, q ends: ".to_owned(),
        1 => format!("  step {}: 1, r draws it, r 10 draws ten, b goes back, q ends: ", path.steps() + 1),
        n => format!(
            "  step {}: 1 to {n}, r draws it, r 10 draws ten, b goes back, q ends: ",
            path.steps() + 1
        ),
    };
    loop {
        teller.output.print(&question);
        line.clear();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => {
                teller.output.print("\n");
                return Wish::Quit;
            }
            Ok(_) => {}
        }
        match Wish::read(&line, options) {
            Ok(Wish::Random(_)) if options == 0 => teller.output.print("  there is nothing to draw\n"),
            Ok(wish) => return wish,
            Err(complaint) => teller.output.print(&format!("  {complaint}\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Wish;

    #[test]
    fn lines_are_wishes() {
        assert_eq!(Wish::read("2\n", 3), Ok(Wish::Take(2)));
        assert_eq!(Wish::read(" r\n", 3), Ok(Wish::Random(1)));
        assert_eq!(Wish::read("r 10", 3), Ok(Wish::Random(10)));
        assert_eq!(Wish::read("back", 0), Ok(Wish::Back));
        assert_eq!(Wish::read("q", 0), Ok(Wish::Quit));
        for line in ["", "0", "4", "-1", "r 0", "r ten", "r 1 2", "1 2", "x", "99999999999999999999"] {
            assert!(Wish::read(line, 3).is_err(), "{line}");
        }
        assert!(Wish::read("1", 0).is_err());
    }
}
