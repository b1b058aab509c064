//! The functions of a text, and which of them is the kernel.

use super::{End, Function, Lowerer, Request, Space, Value};
use crate::expression::{Expr, mul};
use crate::kernel::Node;
use crate::launch::{Argument, Element, Launch};
use crate::text::{Cleaned, Mark};
use std::collections::HashMap;
use tree_sitter::Node as Syntax;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Limit of `typedef` names for one type.
const NAMES_OF_A_TYPE: usize = 8;

/// The types that `typedef`s at the top of the text name: `typedef float4 vector`.
pub(super) fn typedefs(root: Syntax<'_>, cleaned: &Cleaned) -> HashMap<String, String> {
    let mut cursor = root.walk();
    let definitions = root.named_children(&mut cursor).filter(|item| item.kind() == "type_definition");
    let named = |item: Syntax<'_>| {
        let (ty, name) = (item.child_by_field_name("type")?, item.child_by_field_name("declarator")?);
        let text = |node: Syntax<'_>| cleaned.code.get(node.byte_range()).unwrap_or("").to_owned();
        Some((text(name), text(ty)))
    };
    definitions.filter_map(named).collect()
}

/// All functions of the text.
pub(super) fn collect<'t>(root: Syntax<'t>, cleaned: &Cleaned) -> Vec<Function<'t>> {
    let mut cursor = root.walk();
    let mut found = Vec::new();
    for item in root.named_children(&mut cursor) {
        if item.kind() != "function_definition" {
            continue;
        }
        let mut declarator = item.child_by_field_name("declarator");
        while let Some(inner) = declarator.filter(|d| d.kind() != "function_declarator") {
            declarator = inner.child_by_field_name("declarator");
        }
        let Some(declarator) = declarator else { continue };
        let (name, list) =
            (declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters"));
        let (Some(name), Some(list), Some(body)) = (name, list, item.child_by_field_name("body")) else {
            continue;
        };
        let head = cleaned.code_before(item.start_byte())..name.start_byte();
        let mut walk = list.walk();
        let parameters =
            list.named_children(&mut walk).filter(|p| p.kind() == "parameter_declaration").collect();
        found.push(Function {
            name: cleaned.code.get(name.byte_range()).unwrap_or("").to_owned(),
            name_at: name.byte_range(),
            start: item.start_byte(),
            is_kernel: cleaned.marks_in(head).any(|mark| mark == Mark::Kernel),
            parameters,
            body,
        });
    }
    found
}

/// Where the name of a function stands.
pub(super) fn span(function: &Function<'_>, cleaned: &Cleaned, file: FileId) -> Span {
    let range = cleaned.origins.of_range(&function.name_at);
    Span::new(file, range.start, range.end)
}

/// The kernel that is asked for.
pub(super) fn choose<'f, 't>(
    functions: &'f [Function<'t>],
    request: &Request,
    launch: &Launch,
    (file, cleaned): (FileId, &Cleaned),
    found: &mut Vec<Diagnostic>,
) -> Option<&'f Function<'t>> {
    let kernels: Vec<&Function<'t>> = functions.iter().filter(|f| f.is_kernel).collect();
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let described = launch.kernel.as_ref().map(|(name, span)| (name.clone(), Some(*span)));
    let wanted = request.kernel.clone().map(|name| (name, None)).or(described);
    if let Some((name, span)) = wanted {
        if let Some(kernel) = kernels.iter().find(|kernel| kernel.name == name) {
            return Some(kernel);
        }
        let mut diagnostic =
            Diagnostic::error(codes::KERNEL_CHOICE, format!("the text has no kernel `{name}`"));
        if let Some(span) = span {
            diagnostic = diagnostic.at(span, "");
        }
        found.push(diagnostic.misspelt_or(&name, &names, || match names.is_empty() {
            true => "a kernel is a function with `__kernel` before its type".to_owned(),
            false => format!("its kernels are `{}`", names.join("`, `")),
        }));
        return None;
    }
    match kernels.as_slice() {
        [kernel] => Some(kernel),
        [] => {
            let help = "a kernel is a function with `__kernel` before its type: `__kernel void minimum(...)`";
            found.push(Diagnostic::error(codes::KERNEL_CHOICE, "the text has no kernel").help(help));
            None
        }
        [first, second, ..] => {
            let message = format!("the text has {} kernels", kernels.len());
            found.push(
                Diagnostic::error(codes::KERNEL_CHOICE, message)
                    .at(span(first, cleaned, file), "one")
                    .also(span(second, cleaned, file), "another")
                    .help(format!("choose one of them: `--kernel {}`", first.name)),
            );
            None
        }
    }
}

impl Lowerer<'_> {
    /// Declares what stands outside of functions.
    pub(super) fn outside(&mut self, root: Syntax<'_>) {
        let mut cursor = root.walk();
        let items: Vec<Syntax<'_>> = root.named_children(&mut cursor).collect();
        for item in items {
            let ty = item.child_by_field_name("type");
            let of = [Some(item), ty].into_iter().flatten().find(|node| node.kind() == "enum_specifier");
            if let Some(list) = of.and_then(|of| of.child_by_field_name("body")) {
                self.numbers_of(list);
            }
            if item.kind() == "declaration" {
                self.declaration(item);
            }
            self.globals.append(&mut self.env);
        }
        // Declarations outside functions cost nothing when the kernel runs.
        self.charge = crate::kernel::Charge::default();
    }

    /// Declares the numbers of an `enum`.
    fn numbers_of(&mut self, list: Syntax<'_>) {
        let mut cursor = list.walk();
        let items: Vec<Syntax<'_>> = list.named_children(&mut cursor).collect();
        let mut next = Value::Int(Expr::Int(0));
        for item in items.into_iter().filter(|item| item.kind() == "enumerator") {
            let Some(name) = item.child_by_field_name("name") else { continue };
            if let Some(value) = item.child_by_field_name("value") {
                next = self.expression(value);
            }
            self.env.push((self.code(name).to_owned(), next.clone()));
            next = match next {
                Value::Int(number) => Value::Int(crate::expression::add(number, Expr::Int(1))),
                other => other,
            };
        }
    }

    /// Declares the parameters of the kernel function.
    pub(super) fn arguments(&mut self, kernel: &Function<'_>) {
        let mut seen = Vec::new();
        for (place, parameter) in kernel.parameters.iter().enumerate() {
            let Some((name, value)) = self.parameter(*parameter) else { continue };
            let number = self.numbers.iter().find(|(known, _)| *known == place);
            let value = match (self.launch.argument(&name), value) {
                (None, Value::Data) if number.is_some() => {
                    number.map_or(Value::Data, |(_, number)| Value::Int(Expr::Int(*number)))
                }
                (Some(Argument::Scalar { value, .. }), Value::Data) => {
                    let value = value.clone();
                    Value::Int(self.resolve(&value, 0))
                }
                (_, value) => value,
            };
            seen.push(name.clone());
            if value == Value::Data {
                self.open_numbers.push(name.clone());
            }
            self.env.push((name, value));
        }
        for named in &self.launch.arguments {
            if !seen.contains(&named.name) {
                let message = format!("the kernel has no parameter `{}`", named.name);
                let diagnostic = Diagnostic::error(codes::KERNEL_LAUNCH, message).at(named.span, "");
                self.found.push(diagnostic.misspelt(&named.name, &seen));
            }
            if let Argument::Local { element, length } = &named.argument {
                let length = self.resolve(&length.clone(), 0);
                let bytes = mul(Expr::Int(i64::from(element.bytes())), length);
                self.local_bytes = crate::expression::add(self.local_bytes.clone(), bytes);
            }
        }
    }

    /// A number with unknown value that the kernel is called with, and on which an expression depends.
    pub(super) fn number_without_value(&self, node: Syntax<'_>) -> Option<String> {
        let text = self.code(node);
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = text.split(|c| !is_letter(c));
        words.find(|word| self.open_numbers.iter().any(|name| name == word)).map(str::to_owned)
    }

    /// Name and unknown value of a parameter of a function.
    pub(super) fn parameter(&self, node: Syntax<'_>) -> Option<(String, Value)> {
        let mut declarator = node.child_by_field_name("declarator")?;
        let mut is_pointer = false;
        while declarator.kind() != "identifier" {
            is_pointer |= matches!(declarator.kind(), "pointer_declarator" | "array_declarator");
            declarator = declarator.child_by_field_name("declarator")?;
        }
        let name = self.code(declarator).to_owned();
        if !is_pointer {
            return Some((name, Value::Data));
        }
        let marks = self.cleaned.code_before(node.start_byte())..node.end_byte();
        let space = self.cleaned.marks_in(marks).find_map(space_of).unwrap_or(Space::Private);
        let bytes = self.type_bytes(node.child_by_field_name("type"));
        Some((name, Value::Pointer { space, bytes, offset: Some(Expr::Int(0)), inner: Vec::new() }))
    }

    /// The type that a name stands for: a macro or a `typedef` may name it.
    fn type_name<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name.trim();
        for _ in 0..NAMES_OF_A_TYPE {
            let known = self.cleaned.macros.get(name).map(|known| known.body.as_str());
            match known.or_else(|| self.typedefs.get(name).map(String::as_str)) {
                Some(other) => name = other.trim(),
                None => break,
            }
        }
        name
    }

    /// Bytes of a value of a type, as far as it is known.
    pub(super) fn type_bytes(&self, node: Option<Syntax<'_>>) -> u32 {
        let text = self.type_name(node.map_or("int", |node| self.code(node)));
        let text = text.trim_start_matches("unsigned ").trim_start_matches("signed ").trim();
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let base = &text[..text.len() - digits.len()];
        let lanes: u32 = digits.parse().ok().filter(|lanes| (1..=16).contains(lanes)).unwrap_or(1);
        let element = match base {
            "half" => 2,
            "size_t" | "ptrdiff_t" => 8,
            "bool" => 1,
            _ => Element::named(base).map_or(4, Element::bytes),
        };
        element * lanes
    }

    /// Whether a type is one of real numbers, or of vectors of them; it may be named by a macro.
    pub(super) fn is_real(&self, node: Option<Syntax<'_>>) -> bool {
        let text = self.type_name(node.map_or("", |node| self.code(node)));
        ["float", "double", "half"].iter().any(|real| text.starts_with(real))
    }

    /// Lowers the body of a function.
    pub(super) fn function_body(&mut self, function: &Function<'_>) -> (Vec<Node>, End) {
        self.calls.push(function.name.clone());
        let (scopes, path) = (std::mem::take(&mut self.scopes), std::mem::take(&mut self.path));
        let result = self.collect(|lowerer| lowerer.block(function.body));
        (self.scopes, self.path) = (scopes, path);
        self.calls.pop();
        result
    }
}

/// The space that a keyword names.
pub(super) fn space_of(mark: Mark) -> Option<Space> {
    match mark {
        Mark::Global => Some(Space::Global),
        Mark::Constant => Some(Space::Constant),
        Mark::Local => Some(Space::Local),
        Mark::Private => Some(Space::Private),
        Mark::Kernel | Mark::RequiredSize(..) => None,
    }
}
