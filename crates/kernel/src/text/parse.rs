//! Parsing kernels: declarations and statements.

use super::ParseError;
use super::exprs::{self, Names, site};
use super::lex::{Cursor, Token};
use super::places::{Located, Places};
use super::print::{access_name, fail_name};
use crate::entities::{ExprId, Local, Site};
use crate::kernel::{Access, Block, FailKind, Kernel, Stmt};
use crate::types::Type;
use crate::verify::MAX_BLOCK_NESTING;

/// The number of errors after which the rest of a text is skipped.
const MAX_ERRORS: usize = 20;

/// Reads the kernels of a text. They are well-typed as far as expressions go, and otherwise as they were
/// written: [`crate::verify::verify`] checks them.
pub fn parse(text: &str) -> Result<Vec<Kernel>, Vec<ParseError>> {
    let (kernels, errors) = parse_with_places(text);
    if errors.is_empty() {
        Ok(kernels.into_iter().map(|located| located.kernel).collect())
    } else {
        Err(errors)
    }
}

/// The same, with places: the kernels without errors, and the errors of the others.
pub fn parse_with_places(text: &str) -> (Vec<Located>, Vec<ParseError>) {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        names: Names::default(),
        kernel: Kernel::default(),
        places: Places::default(),
        errors: Vec::new(),
    };
    let mut kernels = Vec::new();
    while parser.cursor.peek() != Token::End && parser.errors.len() < MAX_ERRORS {
        let before = parser.errors.len();
        if let Err(error) = parser.kernel() {
            parser.errors.push(error);
            while !matches!(parser.cursor.peek(), Token::End | Token::Word("kernel")) {
                parser.cursor.take();
            }
        }
        let kernel = std::mem::take(&mut parser.kernel);
        let places = std::mem::take(&mut parser.places);
        if parser.errors.len() == before {
            kernels.push(Located { kernel, places });
        }
    }
    (kernels, parser.errors)
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    names: Names<'t>,
    kernel: Kernel,
    places: Places,
    errors: Vec<ParseError>,
}

impl<'t> Parser<'t> {
    fn kernel(&mut self) -> Result<(), ParseError> {
        self.names = Names::default();
        self.cursor.expect_word("kernel")?;
        self.places.kernel = self.cursor.at();
        self.kernel = Kernel::new(self.cursor.name()?);
        self.parameters()?;
        self.cursor.expect("{")?;
        self.kernel.body = self.statements(0)?;
        self.cursor.expect("}")
    }

    fn parameters(&mut self) -> Result<(), ParseError> {
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            if self.kernel.params > 0 {
                self.cursor.expect(",")?;
            }
            let (name, ty) = self.typed_name()?;
            let local = self.kernel.param(name, ty);
            self.names.locals.entry(name).or_insert(local);
        }
        Ok(())
    }

    fn typed_name(&mut self) -> Result<(&'t str, Type), ParseError> {
        let at = self.cursor.at();
        let name = self.cursor.name()?;
        self.cursor.expect(":")?;
        let ty = self.cursor.ty()?;
        self.places.locals.push(at);
        Ok((name, ty))
    }

    /// Statements (in the body of the kernel: and declarations) up to the closing brace. An error costs the
    /// statement in which it is.
    fn statements(&mut self, depth: usize) -> Result<Block, ParseError> {
        let mut block = Block::new();
        loop {
            let open = self.cursor.open_braces();
            let word = match self.cursor.peek() {
                Token::Symbol("}") | Token::Word("kernel") | Token::End => return Ok(block),
                Token::Word(word) => word,
                _ => "",
            };
            let is_declaration = matches!(word, "buffer" | "site" | "local" | "let");
            let result = if is_declaration && (depth > 0 || !block.is_empty()) {
                Err(self.cursor.error("declarations come before the statements of a kernel"))
            } else if is_declaration {
                self.declaration(word)
            } else {
                self.statement(word, depth).map(|statement| block.push(statement))
            };
            if let Err(error) = result {
                self.errors.push(error);
                // Too deep a nesting would otherwise be reported once for every level.
                if self.errors.len() >= MAX_ERRORS || depth >= MAX_BLOCK_NESTING {
                    return Err(self.errors.pop().expect("it was pushed just now"));
                }
                self.skip(open);
            }
        }
    }

    /// Skips the rest of a statement with an error, which began with `open` braces open: up to its
    /// semicolon or its last block.
    fn skip(&mut self, open: usize) {
        loop {
            let token = self.cursor.peek();
            let outside = self.cursor.open_braces() <= open;
            match token {
                Token::End | Token::Word("kernel") => return,
                Token::Symbol("}") if outside => return,
                _ => {}
            }
            self.cursor.take();
            let ends = match token {
                Token::Symbol(";") => outside,
                Token::Symbol("}") => self.cursor.open_braces() <= open,
                _ => false,
            };
            if ends && self.cursor.peek() != Token::Word("else") {
                return;
            }
        }
    }

    fn declaration(&mut self, word: &str) -> Result<(), ParseError> {
        self.cursor.take();
        match word {
            "buffer" => {
                let at = self.cursor.at();
                let name = self.cursor.name()?;
                self.cursor.expect(":")?;
                let access = self.choose([Access::Read, Access::Write, Access::Append], access_name)?;
                let ty = self.cursor.ty()?;
                let buffer = self.kernel.buffer(name, ty, access);
                self.places.buffers.push(at);
                self.names.buffers.entry(name).or_insert(buffer);
            }
            "site" => {
                let expected = Site(self.kernel.sites.len() as u32);
                let at = self.cursor.at();
                if site(&mut self.cursor)? != expected {
                    return Err(self.cursor.error_at(at, format!("this is site @{}", expected.0)));
                }
                self.cursor.expect(":")?;
                let kinds = [
                    FailKind::Division,
                    FailKind::Overflow,
                    FailKind::Range,
                    FailKind::Conversion,
                    FailKind::Assertion,
                ];
                let kind = self.choose(kinds, fail_name)?;
                self.cursor.expect(",")?;
                self.cursor.expect_word("tag")?;
                let tag = self.cursor.integer(Type::U32)? as u32;
                self.kernel.site(kind, tag);
            }
            "local" => {
                let (name, ty) = self.typed_name()?;
                let local = self.kernel.local(name, ty);
                self.names.locals.entry(name).or_insert(local);
            }
            _ => {
                let n = self.names.lets.len();
                if self.cursor.peek() != Token::Let(&n.to_string()) {
                    return Err(self.cursor.expected(&format!("`${n}`")));
                }
                self.cursor.take();
                self.cursor.expect("=")?;
                let id = self.expr()?;
                self.names.lets.push(id);
            }
        }
        self.cursor.expect(";")
    }

    /// One of some named things.
    fn choose<T: Copy, const N: usize>(
        &mut self,
        all: [T; N],
        name: fn(T) -> &'static str,
    ) -> Result<T, ParseError> {
        for choice in all {
            if self.cursor.eat_word(name(choice)) {
                return Ok(choice);
            }
        }
        let names: Vec<String> = all.iter().map(|&choice| format!("`{}`", name(choice))).collect();
        let (last, others) = names.split_last().expect("there is something to choose");
        Err(self.cursor.expected(&format!("{} or {last}", others.join(", "))))
    }

    fn expr(&mut self) -> Result<ExprId, ParseError> {
        exprs::parse(&mut self.cursor, &self.names, &mut self.kernel, &mut self.places.exprs)
    }

    /// A block in braces.
    fn block(&mut self, depth: usize) -> Result<Block, ParseError> {
        if depth > MAX_BLOCK_NESTING {
            return Err(self.cursor.error(format!("blocks nest more than {MAX_BLOCK_NESTING} deep")));
        }
        self.cursor.expect("{")?;
        let block = self.statements(depth)?;
        self.cursor.expect("}")?;
        Ok(block)
    }

    fn statement(&mut self, word: &str, depth: usize) -> Result<Stmt, ParseError> {
        self.places.statements.push(self.cursor.at());
        match word {
            "if" => return self.choice(depth),
            "switch" => return self.switch(depth),
            "for" => return self.counted_loop(depth),
            "machine" => return self.machine(depth),
            _ => {}
        }
        let statement = self.simple(word)?;
        self.cursor.expect(";")?;
        Ok(statement)
    }

    /// A statement that ends with a semicolon.
    fn simple(&mut self, word: &str) -> Result<Stmt, ParseError> {
        match word {
            "emit" | "truncate" => {
                self.cursor.take();
                let buffer = self.names.buffer(&mut self.cursor)?;
                self.cursor.expect(",")?;
                let value = self.expr()?;
                Ok(if word == "emit" {
                    Stmt::Emit { buffer, value }
                } else {
                    Stmt::Truncate { buffer, len: value }
                })
            }
            "take" => {
                self.cursor.take();
                let local = self.names.local(&mut self.cursor)?;
                self.cursor.expect(",")?;
                let buffer = self.names.buffer(&mut self.cursor)?;
                self.cursor.expect("[")?;
                let index = self.expr()?;
                self.cursor.expect("]")?;
                Ok(Stmt::Take { local, buffer, index })
            }
            "copy" => {
                self.cursor.take();
                let buffer = self.names.buffer(&mut self.cursor)?;
                self.cursor.expect(",")?;
                let from = self.names.buffer(&mut self.cursor)?;
                self.cursor.expect("[")?;
                let start = self.expr()?;
                self.cursor.expect(";")?;
                let count = self.cursor.integer(Type::U32)? as u32;
                self.cursor.expect("]")?;
                Ok(Stmt::Copy { buffer, from, start, count })
            }
            "goto" => {
                self.cursor.take();
                Ok(Stmt::Goto { block: self.cursor.integer(Type::U32)? as u32 })
            }
            "break" => {
                self.cursor.take();
                Ok(Stmt::Break)
            }
            "return" => {
                self.cursor.take();
                Ok(Stmt::Return)
            }
            "fail" => {
                self.cursor.take();
                Ok(Stmt::Fail { site: site(&mut self.cursor)? })
            }
            _ if self.cursor.peek_second() == Token::Symbol("[") => {
                let buffer = self.names.buffer(&mut self.cursor)?;
                self.cursor.expect("[")?;
                let index = self.expr()?;
                self.cursor.expect("]")?;
                self.cursor.expect("=")?;
                Ok(Stmt::Store { buffer, index, value: self.expr()? })
            }
            _ if matches!(self.cursor.peek(), Token::Word(_) | Token::Quoted(_)) => {
                let local = self.names.local(&mut self.cursor)?;
                self.cursor.expect("=")?;
                Ok(Stmt::Set { local, value: self.expr()? })
            }
            _ => Err(self.cursor.expected("a statement")),
        }
    }

    fn choice(&mut self, depth: usize) -> Result<Stmt, ParseError> {
        if depth > MAX_BLOCK_NESTING {
            return Err(self.cursor.error(format!("blocks nest more than {MAX_BLOCK_NESTING} deep")));
        }
        self.cursor.take();
        let cond = self.expr()?;
        let then = self.block(depth + 1)?;
        let otherwise = if !self.cursor.eat_word("else") {
            Block::new()
        } else if self.cursor.peek() == Token::Word("if") {
            self.places.statements.push(self.cursor.at());
            vec![self.choice(depth + 1)?]
        } else {
            self.block(depth + 1)?
        };
        Ok(Stmt::If { cond, then, otherwise })
    }

    fn switch(&mut self, depth: usize) -> Result<Stmt, ParseError> {
        self.cursor.take();
        let on = self.expr()?;
        let key_ty = if self.kernel.exprs.ty(on) == Type::U64 { Type::U64 } else { Type::I64 };
        self.cursor.expect("{")?;
        let mut cases = Vec::new();
        while self.cursor.eat_word("case") {
            let key = self.cursor.integer(key_ty)? as i64;
            cases.push((key, self.block(depth + 1)?));
        }
        let default = if self.cursor.eat_word("default") { self.block(depth + 1)? } else { Block::new() };
        if !self.cursor.eat("}") {
            return Err(self.cursor.expected("`case`, `default` or `}`"));
        }
        Ok(Stmt::Switch { on, cases, default })
    }

    fn counted_loop(&mut self, depth: usize) -> Result<Stmt, ParseError> {
        let (local, from, to) = self.counter()?;
        let body = self.block(depth + 1)?;
        Ok(Stmt::For { local, from, to, body })
    }

    /// Parses the part behind `for` or `machine`: `i in from..to`.
    fn counter(&mut self) -> Result<(Local, ExprId, ExprId), ParseError> {
        self.cursor.take();
        let local = self.names.local(&mut self.cursor)?;
        self.cursor.expect_word("in")?;
        let from = self.expr()?;
        self.cursor.expect("..")?;
        Ok((local, from, self.expr()?))
    }

    fn machine(&mut self, depth: usize) -> Result<Stmt, ParseError> {
        let (local, from, to) = self.counter()?;
        self.cursor.expect_word("at")?;
        let start = self.expr()?;
        self.cursor.expect("{")?;
        let mut blocks = Vec::new();
        while self.cursor.eat_word("block") {
            let at = self.cursor.at();
            if self.cursor.integer(Type::U32)? != blocks.len() as u64 {
                return Err(self.cursor.error_at(at, format!("this is block {}", blocks.len())));
            }
            blocks.push(self.block(depth + 1)?);
        }
        if !self.cursor.eat("}") {
            return Err(self.cursor.expected("`block` or `}`"));
        }
        Ok(Stmt::Machine { local, from, to, start, blocks })
    }
}
