//! Random models of modules that are copies of each other, and often interchangeable.

use super::Choices;
use std::fmt::Write;

/// Writes a model of two to four copies of a module, often with a server that treats them alike. Most are symmetric; now and then
/// something tells the copies apart. The same choices give the same text.
pub fn symmetric_model(choices: &mut Choices<'_>) -> String {
    let copies = 2 + choices.below(3) as usize;
    let kind = *choices.pick(&["dtmc", "ctmc", "mdp"]);
    let has_server = choices.chance(60);
    let mut writer = Writer { choices, copies, kind, has_server, text: String::new() };
    writer.model();
    writer.text
}

struct Writer<'w, 'c> {
    choices: &'w mut Choices<'c>,
    copies: usize,
    kind: &'static str,
    has_server: bool,
    text: String,
}

impl Writer<'_, '_> {
    fn model(&mut self) {
        let _ = writeln!(self.text, "{}\nglobal g : [0..2];", self.kind);
        (1..=self.copies).for_each(|i| _ = writeln!(self.text, "const int id{i} = {i};"));
        let _ = writeln!(self.text, "global turn : [0..{}];\n\nmodule m1", self.copies);
        let start = self.choices.below(2);
        let _ = writeln!(self.text, "  a1 : [0..2] init {start};\n  b1 : bool;");
        for _ in 0..2 + self.choices.below(3) {
            self.command("");
        }
        if self.choices.chance(50) {
            self.command("together");
        }
        if self.has_server {
            self.command("ask1");
        }
        self.text.push_str("endmodule\n");
        for copy in 2..=self.copies {
            let _ = writeln!(
                self.text,
                "module m{copy} = m1 [a1=a{copy}, a{copy}=a1, b1=b{copy}, b{copy}=b1, y1=y{copy}, y{copy}=y1, ask1=ask{copy}, id1=id{copy}, id{copy}=id1] endmodule"
            );
        }
        if self.has_server {
            self.server();
        }
        self.observations();
    }

    /// A command of the first module. Others may be mentioned all alike.
    fn command(&mut self, action: &str) {
        let others = (2..=self.copies).map(|i| format!("a{i}")).collect::<Vec<_>>().join("+");
        let guards = ["a1<2", "a1>0", "b1", "!b1", "g=0", "g<2", "a1=0 & !b1", "a1=2", "true"];
        let mut guard = (*self.choices.pick(&guards)).to_owned();
        if self.choices.chance(20) {
            let _ = write!(guard, " & {others}<=2");
        }
        if self.has_server && self.choices.chance(20) {
            guard.push_str(" & !y1");
        }
        if self.choices.chance(20) {
            let also = *self.choices.pick(&[" & turn=id1", " & turn=0", " & turn!=id1"]);
            guard.push_str(also);
        }
        // Something that tells the second from the others.
        if self.choices.chance(4) {
            let also = *self.choices.pick(&[" & a2<2", " & turn<=id1", " & turn!=id2"]);
            guard.push_str(also);
        }
        let is_shared = !action.is_empty();
        let _ = write!(self.text, "  [{action}] {guard} -> ");
        let weights: &[&str] = match (self.kind, self.choices.below(3)) {
            ("ctmc", 0) => &["2", "0.5"],
            ("ctmc", 1) => &["1+a1"],
            ("ctmc", _) => &["3"],
            (_, 0) => &["0.25", "0.75"],
            (_, _) => &["1"],
        };
        for (i, weight) in weights.iter().enumerate() {
            let updates =
                ["(a1'=mod(a1+1, 3))", "(a1'=0)", "(b1'=!b1)", "(a1'=max(0, a1-1)) & (b1'=true)", "true"];
            let mut update = (*self.choices.pick(&updates)).to_owned();
            if !is_shared && self.choices.chance(25) && update != "true" {
                let global =
                    self.choices.pick(&["(g'=min(2, g+1))", "(g'=0)", "(g'=a1)", "(turn'=id1)", "(turn'=0)"]);
                let _ = write!(update, " & {global}");
            }
            let plus = if i > 0 { " + " } else { "" };
            let _ = write!(self.text, "{plus}{weight} : {update}");
        }
        self.text.push_str(";\n");
    }

    /// A module that every copy asks, and that notes which did.
    fn server(&mut self) {
        self.text.push_str("module server\n  w : [0..3];\n");
        (1..=self.copies).for_each(|i| _ = writeln!(self.text, "  y{i} : bool;"));
        let limit = self.choices.below(4);
        let odd = self.choices.chance(10);
        for i in 1..=self.copies {
            let limit = if odd && i == 1 { 0 } else { limit };
            let _ = writeln!(self.text, "  [ask{i}] w<={limit} & !y{i} -> (w'=min(3, w+1)) & (y{i}'=true);");
        }
        let clear = (1..=self.copies).map(|i| format!("(y{i}'=false)")).collect::<Vec<_>>().join(" & ");
        let _ = writeln!(self.text, "  [] w>0 -> (w'=w-1) & {clear};\nendmodule");
    }

    fn observations(&mut self) {
        let all = |part: &dyn Fn(usize) -> String, between: &str| {
            (1..=self.copies).map(part).collect::<Vec<_>>().join(between)
        };
        let some = all(&|i| format!("a{i}=2 & b{i}"), " | ");
        let equal = (2..=self.copies).map(|i| format!("a{}=a{i}", i - 1)).collect::<Vec<_>>().join(" & ");
        let sum = all(&|i| format!("a{i}"), "+");
        let asked = all(&|i| format!("  [ask{i}] true : 2;\n"), "");
        let _ = writeln!(
            self.text,
            "label \"some\" = {some};\nlabel \"equal\" = {equal};\nlabel \"high\" = {sum}>{};",
            self.copies
        );
        // A property of one of them.
        if self.choices.chance(15) {
            self.text.push_str("label \"one\" = a1=2;\n");
        }
        let _ = write!(self.text, "rewards \"sum\"\n  true : {sum};\n  [] g>0 : 1;\nendrewards\n");
        if self.has_server {
            let _ = write!(self.text, "rewards \"asked\"\n{asked}endrewards\n");
        }
    }
}
