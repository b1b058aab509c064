//! Precedence and associativity, construct by construct, and against a second parser that follows PRISM's
//! grammar literally.

use crate::common::{Random, property, property_tree, sexpr, tree};

#[test]
fn arithmetic() {
    assert_eq!(tree("a+b*c-d/e"), "(- (+ a (* b c)) (/ d e))");
    assert_eq!(tree("a-b-c"), "(- (- a b) c)");
    assert_eq!(tree("a/b/c*d"), "(* (/ (/ a b) c) d)");
    assert_eq!(tree("-a*b"), "(* (neg a) b)");
    assert_eq!(tree("--a"), "(neg (neg a))");
    assert_eq!(tree("a*-b"), "(* a (neg b))");
    assert_eq!(tree("a - -1"), "(- a (neg 1))");
    assert_eq!(tree("(a+b)*c"), "(* (+ a b) c)");
    assert_eq!(tree("x<-1"), "(< x (neg 1))");
    assert_eq!(tree("1e-3+.5+007"), "(+ (+ 0.001 0.5) 7.0)");
}

#[test]
fn powers() {
    assert_eq!(tree("2*a^b"), "(* 2 (^ a b))");
    assert_eq!(tree("2^-3*b"), "(* (^ 2 (neg 3)) b)");
    assert_eq!(tree("(-a)^(b^c)"), "(^ (neg a) (^ b c))");
}

#[test]
fn comparisons_and_connectives() {
    assert_eq!(tree("!x=1&y>2"), "(& (! (= x 1)) (> y 2))");
    assert_eq!(tree("a=b<c"), "(= a (< b c))");
    assert_eq!(tree("a<b=c<d"), "(= (< a b) (< c d))");
    assert_eq!(tree("!!a"), "(! (! a))");
    assert_eq!(tree("a|b&c|d"), "(| (| a (& b c)) d)");
    assert_eq!(tree("a=>b=>c"), "(=> (=> a b) c)");
    assert_eq!(tree("a<=>b=>c<=>d"), "(=> (<=> a b) (<=> c d))");
    assert_eq!(tree("a&!b|c"), "(| (& a (! b)) c)");
}

#[test]
fn conditionals() {
    assert_eq!(tree("a?b:c"), "(? a b c)");
    assert_eq!(tree("a?b:c?d:e"), "(? a b (? c d e))");
    assert_eq!(tree("a?b?c:d:e"), "(? a (? b c d) e)");
    assert_eq!(tree("a=>b?c+1:d=2"), "(? (=> a b) (+ c 1) (= d 2))");
    assert_eq!(tree("(a?b:c)?d:e"), "(? (? a b c) d e)");
}

#[test]
fn functions() {
    assert_eq!(tree("min(a,b,c)+max(1,x)"), "(+ (Min a b c) (Max 1 x))");
    assert_eq!(tree("func(mod, a, b)"), "(Mod a b)");
    assert_eq!(tree("func(min, a, b)"), "(Min a b)");
    assert_eq!(tree("floor(x)+ceil(y)+round(z)"), "(+ (+ (Floor x) (Ceil y)) (Round z))");
    assert_eq!(tree("pow(2,3)*log(x,2)*mod(a,b)"), "(* (* (Pow 2 3) (Log x 2)) (Mod a b))");
    // Names of functions are not reserved, except `min` and `max`.
    assert_eq!(tree("floor + mod"), "(+ floor mod)");
}

#[test]
fn temporal_operators() {
    assert_eq!(property_tree("P=? [ F a=>b ]"), "(P=? (F (=> a b)))");
    assert_eq!(property_tree("P=? [ F a U b ]"), "(P=? (U (F a) b))");
    assert_eq!(property_tree("P=? [ a&b U c|d ]"), "(P=? (U (& a b) (| c d)))");
    assert_eq!(property_tree("P=? [ a?b:c U d ]"), "(P=? (U (? a b c) d))");
    assert_eq!(property_tree("P=? [ a U F b ]"), "(P=? (U a (F b)))");
    assert_eq!(property_tree("P=? [ G F a ]"), "(P=? (G (F a)))");
    assert_eq!(property_tree("P=? [ (F a) & (G b) ]"), "(P=? (& (F a) (G b)))");
    assert_eq!(property_tree("P=? [ a W (b R c) ]"), "(P=? (W a (R b c)))");
    // Wider than PRISM: as far to the right as possible.
    assert_eq!(property_tree("P=? [ a & F b & c ]"), "(P=? (& a (F (& b c))))");
    assert_eq!(property_tree("P=? [ !F a & b ]"), "(P=? (! (F (& a b))))");
    assert_eq!(property_tree("P=? [ a & F b U c ]"), "(P=? (U (& a (F b)) c))");
}

#[test]
fn time_bounds() {
    for (text, tree) in [
        ("F<=10 x=2", "(F<=10 (= x 2))"),
        ("F<=t x=2", "(F<=t (= x 2))"),
        ("F<=t (x=2)&y", "(F<=t (& (= x 2) y))"),
        ("F<=2*t x", "(F<=(* 2 t) x)"),
        ("F<=(2*t) (x)", "(F<=(* 2 t) x)"),
        ("F<t x", "(F<t x)"),
        ("F>=t x", "(F>=t x)"),
        ("F>t x", "(F>t x)"),
        ("F=t x", "(F=t x)"),
        ("F[t,t] x", "(F[t,t] x)"),
        ("F[0.5,2*t] (x)", "(F[0.5,(* 2 t)] x)"),
        ("a U<=t b", "(U<=t a b)"),
        ("a U>=t \"b\"", "(U>=t a \"b\")"),
        ("a U[1,2] b", "(U[1,2] a b)"),
        ("sm=c U<=t sm<c", "(U<=t (= sm c) (< sm c))"),
        ("G<=t !\"b\"", "(G<=t (! \"b\"))"),
        ("F<=t P>0.5 [ X x ]", "(F<=t (P>0.5 (X x)))"),
        ("F<=5 R>1 [ F x ]", "(F<=5 (R>1 (F x)))"),
        // Only names directly before `(` are no calls.
        ("F<=min(a,b) x", "(F<=(Min a b) x)"),
        ("F<=floor(t) x", "(F<=(Floor t) x)"),
        ("F<=floor (t)&x", "(F<=floor (& t x))"),
        // As in PRISM, the bound is as long as possible.
        ("F<=a+b c", "(F<=(+ a b) c)"),
        ("F<=a-b c", "(F<=(- a b) c)"),
        ("X<=3 a", "(X<=3 a)"),
        ("a W<=3 b", "(W<=3 a b)"),
        ("a R<=3 b", "(R<=3 a b)"),
    ] {
        assert_eq!(property_tree(&format!("P=? [ {text} ]")), format!("(P=? {tree})"), "{text}");
    }
}

/// PRISM's grammar as it is written down, one function a level: slow, recursive and obvious.
mod reference {
    pub struct Grammar<'a> {
        pub tokens: Vec<&'a str>,
        pub at: usize,
    }

    type Tree = Option<String>;

    impl<'a> Grammar<'a> {
        fn peek(&self) -> &'a str {
            self.tokens.get(self.at).copied().unwrap_or("")
        }

        fn eat(&mut self, token: &str) -> bool {
            let found = self.peek() == token;
            self.at += usize::from(found);
            found
        }

        /// The whole text as a path formula.
        pub fn whole(&mut self) -> Tree {
            let tree = self.temporal_binary()?;
            (self.at == self.tokens.len()).then_some(tree)
        }

        fn temporal_binary(&mut self) -> Tree {
            let left = self.temporal_unary()?;
            for op in ["U", "W", "R"] {
                if self.eat(op) {
                    return Some(format!("({op} {left} {})", self.temporal_unary()?));
                }
            }
            Some(left)
        }

        fn temporal_unary(&mut self) -> Tree {
            for op in ["X", "F", "G"] {
                if self.eat(op) {
                    return Some(format!("({op} {})", self.temporal_unary()?));
                }
            }
            self.ite()
        }

        fn ite(&mut self) -> Tree {
            let cond = self.left(0)?;
            if !self.eat("?") {
                return Some(cond);
            }
            let yes = self.left(0)?;
            if !self.eat(":") {
                return None;
            }
            Some(format!("(? {cond} {yes} {})", self.ite()?))
        }

        /// The levels of binary operators, weakest first; `!` stands between `&` and `=`.
        fn left(&mut self, level: usize) -> Tree {
            const LEVELS: [&[&str]; 9] = [
                &["=>"],
                &["<=>"],
                &["|"],
                &["&"],
                &[], // `!`
                &["=", "!="],
                &["<", "<=", ">", ">="],
                &["+", "-"],
                &["*", "/"],
            ];
            if level == LEVELS.len() {
                return self.unary_minus();
            }
            if level == 4 && self.eat("!") {
                return Some(format!("(! {})", self.left(4)?));
            }
            let mut tree = self.left(level + 1)?;
            while LEVELS[level].contains(&self.peek()) {
                let op = self.peek();
                self.at += 1;
                tree = format!("({op} {tree} {})", self.left(level + 1)?);
            }
            Some(tree)
        }

        fn unary_minus(&mut self) -> Tree {
            if self.eat("-") {
                return Some(format!("(neg {})", self.unary_minus()?));
            }
            if self.eat("(") {
                let tree = self.temporal_binary()?;
                return self.eat(")").then_some(tree);
            }
            let token = self.peek();
            self.at += 1;
            token.starts_with(|c: char| c.is_ascii_lowercase()).then(|| token.to_string())
        }
    }
}

/// Random token sequences, most of them well-formed except for precedence.
fn random_tokens(random: &mut Random, budget: usize, tokens: &mut Vec<&'static str>) {
    const BINARY: [&str; 17] =
        ["=>", "<=>", "|", "&", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "U", "W", "R"];
    let mut left = budget;
    loop {
        while random.chance(25) {
            tokens.push(random.pick(&["!", "-", "X", "F", "G", "!", "-"]));
        }
        if left > 2 && random.chance(25) {
            tokens.push("(");
            random_tokens(random, left / 2, tokens);
            tokens.push(")");
        } else {
            tokens.push(random.pick(&["a", "b", "c", "d"]));
        }
        left = left.saturating_sub(1);
        if left == 0 || random.chance(15) {
            return;
        }
        if random.chance(12) {
            tokens.push("?");
            random_tokens(random, left / 3, tokens);
            tokens.push(":");
        } else {
            tokens.push(random.pick(&BINARY));
        }
    }
}

#[test]
fn agrees_with_the_grammar() {
    let mut random = Random(1);
    let (mut accepted, mut refused_by_both) = (0, 0);
    for _ in 0..60_000 {
        let mut tokens = Vec::new();
        let size = 1 + random.below(8);
        random_tokens(&mut random, size, &mut tokens);
        let text = tokens.join(" ");
        let expected = reference::Grammar { tokens, at: 0 }.whole();
        let (file, diagnostics) = property(&format!("P=? [ {text} ]"));
        let found = sexpr(&file.exprs, file.properties[0].body);
        match expected {
            Some(expected) => {
                accepted += 1;
                assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
                assert_eq!(found, format!("(P=? {expected})"), "{text}");
            }
            None => refused_by_both += usize::from(!diagnostics.is_empty()),
        }
    }
    assert!(accepted > 10_000 && refused_by_both > 5_000, "{accepted} {refused_by_both}");
}
