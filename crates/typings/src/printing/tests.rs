//! Systems on paper: all media have all of the examples, and whatever a rule file says, LaTeX and HTML stay what they are.

use super::{html, latex, sheets, text};
use volvelle_diagnostics::FileId;
use volvelle_rules::ast::File;
use volvelle_rules::parse::parse;

fn read(name: &str) -> String {
    macro_rules! examples {
        ($($name:literal)*) => {
            match name {
                $($name => include_str!(concat!("../../../../examples/rules/", $name)),)*
                _ => panic!("no example {name}"),
            }
        };
    }
    examples!("lambda.rules" "fj.rules" "coerce.rules" "coerce-extended.rules").to_owned()
}

fn parsed(text: &str) -> File {
    parse(FileId(0), text).0
}

/// Whether braces, environments, formulas and pairs of delimiters have their ends.
fn is_balanced(latex: &str) -> Result<(), String> {
    let (mut open, mut is_formula, mut left) = (Vec::new(), false, 0_i32);
    let mut rest = latex;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => open.push("{"),
            '}' if open.pop() != Some("{") => return Err(format!("`}}` before {rest:.40}")),
            '$' => return Err("a dollar".to_owned()),
            c if !c.is_ascii() || c.is_control() && c != '\n' => return Err(format!("{c:?}")),
            '\\' => {
                let word: &str = &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())];
                rest = &rest[word.len()..];
                match word {
                    "" => {
                        match rest.chars().next() {
                            Some('[') if !is_formula => is_formula = true,
                            Some(']') if is_formula => is_formula = false,
                            Some('[' | ']') => return Err("a formula in a formula".to_owned()),
                            _ => {}
                        }
                        let next = rest.chars().next().map_or(0, char::len_utf8);
                        rest = &rest[next..];
                    }
                    "begin" | "end" => {
                        let name = &rest[..=rest.find('}').ok_or("no end of a name")?];
                        rest = &rest[name.len()..];
                        if word == "begin" {
                            open.push(name);
                        } else if open.pop() != Some(name) {
                            return Err(format!("end of {name}"));
                        }
                    }
                    "left" => left += 1,
                    "right" => left -= 1,
                    "input" | "include" | "write" | "def" | "catcode" => return Err(word.to_owned()),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    match (open.as_slice(), is_formula, left) {
        ([], false, 0) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// Whether elements have their ends, and no others are there than those that are written here.
fn is_well_formed(markup: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').ok_or("a tag without an end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        if !["div", "span", "table", "tbody", "tr", "td", "i", "b", "strong", "code"].contains(&name) {
            return Err(format!("<{tag}>"));
        }
        if !tag.starts_with('/') {
            open.push(name);
        } else if open.pop() != Some(name) {
            return Err(format!("<{tag}> before {rest:.40}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?}")) }
}

/// Both documents of a file, which must be whole.
fn both(file: File) -> (String, String) {
    let sheets = sheets::sheets(&[file]);
    let latex = latex::document(&sheets);
    let markup: String = sheets.iter().flat_map(html::parts).flat_map(|(_, all)| all).collect();
    is_balanced(&latex).unwrap_or_else(|why| panic!("{why}\n{latex}"));
    is_well_formed(&markup).unwrap_or_else(|why| panic!("{why}\n{markup}"));
    (latex, markup)
}

#[test]
fn examples_are_printed() {
    for (name, rules, judgments) in
        [("lambda", 9, 2), ("fj", 9, 4), ("coerce", 13, 8), ("coerce-extended", 2, 0)]
    {
        let file = parsed(&read(&format!("{name}.rules")));
        let (latex, markup) = both(file.clone());
        assert_eq!(latex.matches("\n\\inference{").count(), file.rules.len() + file.checks.len(), "{name}");
        assert_eq!(latex.matches("\\boxed{").count(), judgments, "{name}");
        assert!(file.rules.len() >= rules, "{name}: {}", file.rules.len());
        let lines: Vec<String> = sheets::sheets(std::slice::from_ref(&file))
            .iter()
            .flat_map(text::parts)
            .flat_map(|(_, lines)| lines)
            .map(|(_, line)| line)
            .collect();
        for rule in &file.rules {
            let is_there =
                |line: &String| line.starts_with('─') && line.ends_with(&format!("({})", rule.name.text));
            assert!(lines.iter().any(is_there), "{name}: {}", rule.name.text);
            assert!(markup.contains(&format!("({})", rule.name.text)), "{name}: {}", rule.name.text);
        }
    }
}

#[test]
fn a_rule_on_paper() {
    let text = "system s judgments { type |- Expr e : output Type below ||~ Type a <: Type b }
        rule Plus G |- Plus e : Type t from {
            G, \"x\" <- Int |- e.left : t
            { t == Int && !no(e) } or { fail error \"text\" }
            if (t == Str) { t = Int } else { e.all.forall[one | one != null] }
        }
        auxiliary f(Plus e) { if (no(e)) 1 else 2 + 3 * (4 + 5) }";
    let sheets = sheets::sheets(&[parsed(text)]);
    let parts = text::parts(&sheets[0]);
    let lines: Vec<String> = parts
        .into_iter()
        .flat_map(|(_, lines)| lines)
        .map(|(indent, line)| format!("{}{line}", " ".repeat(indent)).trim_end().to_owned())
        .collect();
    let wanted = [
        "  Γ ⊢ Expr e : Type    (type)",
        "  Γ ||∼ Type a <: Type b    (below)",
        "  f =",
        "    Plus e →",
        "      if no(e)",
        "        1",
        "      otherwise",
        "        2 + 3 · (4 + 5)",
        "  G, \"x\" ↦ Int ⊢ e.left : t",
        "    t = Int ∧ ¬no(e)",
        "  or",
        "    fail",
        "  if t = Str",
        "    t ≔ Int",
        "  otherwise",
        "    ∀one ∈ e.all. one ≠ null",
        "  ────────────────────────── (Plus)",
        "  G ⊢ Plus e : Type t",
        "",
    ];
    assert_eq!(lines, wanted);
}

/// What is inherited and overridden is on the sheet of the system that overrides it alone.
#[test]
fn what_is_overridden_is_told_once() {
    let files = [parsed(&read("coerce.rules")), parsed(&read("coerce-extended.rules"))];
    let latex = latex::document(&sheets::sheets(&files));
    assert_eq!(latex.matches("\\inference{Settled}").count(), 1);
    assert_eq!(latex.matches("\\inference{Number}").count(), 1);
}

/// Numbers that depend on the first one only.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Texts that would be something else, if they were not escaped.
const HOSTILE: [&str; 6] = [
    "\"\\\\end{document} \\\\input{/etc/passwd} % $x_1^2$ & ~#\"",
    "\"<script>alert(1)</script> </div> &amp; '\"",
    "\"\u{1b}[31m \u{202e} é }{ }}}\"",
    "__proto__",
    "\"\\\\] \\\\right\"",
    "'--' + \"``''\"",
];

#[test]
fn changed_files_are_whole() {
    let mut draws = Draws(11);
    let mut rules = 0;
    for name in ["lambda.rules", "fj.rules", "coerce.rules"] {
        let whole = read(name);
        let mut pieces: Vec<&str> = Vec::new();
        let mut rest = whole.as_str();
        while let Some(first) = rest.chars().next() {
            let kind = |c: char| (c.is_alphanumeric() || c == '_', c.is_whitespace());
            let end = rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len());
            pieces.push(&rest[..end]);
            rest = &rest[end..];
        }
        for _ in 0..150 {
            let mut changed = pieces.clone();
            for _ in 0..=draws.below(6) {
                let (at, other) = (draws.below(changed.len()), draws.below(changed.len()));
                match draws.below(4) {
                    0 => drop(changed.remove(at)),
                    1 => changed.swap(at, other),
                    2 => changed.insert(at, HOSTILE[draws.below(HOSTILE.len())]),
                    _ => changed[at] = HOSTILE[draws.below(HOSTILE.len())],
                }
            }
            let file = parsed(&changed.concat());
            rules += file.rules.len();
            both(file);
        }
    }
    assert!(rules > 2_000, "only {rules} rules were printed");
}

#[test]
fn what_is_not_balanced_is_found() {
    for wrong in ["{", "}", "\\begin{a}", "\\begin{a}\\end{b}", "\\[", "\\left(", "$", "é", "\\input{x}"] {
        assert!(is_balanced(wrong).is_err(), "{wrong}");
    }
    for wrong in ["<div>", "</div>", "<script></script>", "<div><i></div></i>", "<div"] {
        assert!(is_well_formed(wrong).is_err(), "{wrong}");
    }
}
