//! Texts of functions in the language of a device: written by hand, or printed from the IR.

use crate::arguments::Signature;
use volvelle_kernel::Type;
use volvelle_runtime::{Error, Function};
use volvelle_source::{Dialect, Jumps, Notes};

/// A text and its requirements.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// The name of its kernel.
    pub(crate) entry: String,
    /// Whether it calculates in double precision.
    pub(crate) needs_f64: bool,
    /// Whether it calculates in single precision.
    pub(crate) needs_f32: bool,
}

impl Text {
    /// The text of a function for a technology: the handwritten one if there is one, otherwise printed from
    /// the IR.
    ///
    /// # Errors
    /// There is neither, or the IR cannot be printed in this language.
    pub(crate) fn of(
        function: &Function,
        signature: &Signature,
        technology: &str,
        dialect: Dialect,
        jumps: Jumps,
    ) -> Result<Self, Error> {
        if let Some(text) = function.texts.get(technology) {
            return Ok(Text::written(text, signature));
        }
        let Some(kernel) = &function.ir else {
            return Err(Error::Refused(format!("`{}` has no text in {}", function.name, dialect.name())));
        };
        match volvelle_source::source_with(kernel, dialect, &Notes::default(), jumps) {
            Ok(source) => Ok(Text {
                text: source.text,
                entry: source.entry,
                needs_f64: source.needs_f64,
                needs_f32: source.needs_f32,
            }),
            Err(refusal) => Err(Error::Refused(refusal.to_string())),
        }
    }

    /// A handwritten text; its needs are guessed from the words in it.
    pub(crate) fn written(text: &str, signature: &Signature) -> Self {
        let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mentions = |name: &str| text.split(|c| !part_of_word(c)).any(|word| word == name);
        Text {
            text: text.to_owned(),
            entry: signature.name().to_owned(),
            needs_f64: signature.mentions(Type::F64) || mentions("double"),
            needs_f32: signature.mentions(Type::F32) || mentions("float"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_kernel::{Kernel, Stmt};

    fn function() -> Function {
        let mut kernel = Kernel::new("double");
        kernel.param("lane", Type::U64);
        kernel.body.push(Stmt::Return);
        Function::of(kernel)
    }

    fn text(function: &Function, dialect: Dialect) -> Result<Text, Error> {
        let technology = if dialect == Dialect::OpenCl { "opencl" } else { "cuda" };
        Text::of(function, &Signature::of(function)?, technology, dialect, Jumps::default())
    }

    #[test]
    fn by_hand_goes_before_the_ir() {
        let mut function = function();
        for dialect in Dialect::ALL {
            let printed = text(&function, dialect).unwrap();
            assert!(printed.entry != "double" && printed.text.contains(&printed.entry), "{printed:?}");
        }
        function.texts.insert("cuda".to_owned(), "a text".to_owned());
        let written = text(&function, Dialect::Cuda).unwrap();
        assert_eq!((written.text.as_str(), written.entry.as_str()), ("a text", "double"));
        assert!(text(&function, Dialect::OpenCl).unwrap().text.contains("kernel"));
    }

    #[test]
    fn no_text() {
        let mut function = function();
        // A break outside of every loop.
        function.ir.as_mut().unwrap().body.push(Stmt::Break);
        assert!(matches!(text(&function, Dialect::Cuda), Err(Error::Refused(_))));
        function.ir = None;
        assert!(matches!(text(&function, Dialect::Cuda), Err(Error::Refused(why)) if why.contains("CUDA")));
    }

    #[test]
    fn what_texts_mention() {
        let mut function = function();
        let of = |function: &Function, text| {
            let text = Text::written(text, &Signature::of(function).unwrap());
            (text.needs_f64, text.needs_f32)
        };
        assert_eq!(of(&function, "long doubled; // afloat"), (false, false));
        assert_eq!(of(&function, "(double)x"), (true, false));
        assert_eq!(of(&function, "float*p"), (false, true));
        let x = volvelle_kernel::LocalDecl { name: "x".to_owned(), ty: Type::F64 };
        function.params.push(x);
        assert_eq!(of(&function, ""), (true, false));
    }
}
