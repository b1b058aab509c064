//! Names of functions and variables by address, from the symbol table of a program.

/// A function or variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub start: u64,
    /// Its length in bytes; 0 where the table does not say it.
    pub bytes: u64,
}

/// Bytes of a symbol without a length, at most.
const MOST_WITHOUT_LENGTH: u64 = 1 << 16;

/// All symbols of a program, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    /// The symbols in any order.
    pub fn new(mut all: Vec<Symbol>) -> Self {
        all.sort_by(|a, b| (a.start, a.bytes, &b.name).cmp(&(b.start, b.bytes, &a.name)));
        Symbols(all)
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Symbol] {
        &self.0
    }

    /// The symbol that an address belongs to, and how far behind its beginning.
    ///
    /// A symbol without a length reaches to the next one, but not far: the last one would have all of heap and stack.
    pub fn find(&self, address: u64) -> Option<(&Symbol, u64)> {
        let behind = self.0.partition_point(|symbol| symbol.start <= address);
        let symbol = &self.0[behind.checked_sub(1)?];
        let offset = address - symbol.start;
        let length = match (symbol.bytes, self.0.get(behind)) {
            (0, Some(next)) => (next.start - symbol.start).min(MOST_WITHOUT_LENGTH),
            (0, None) => 1,
            (bytes, _) => bytes,
        };
        (offset < length).then_some((symbol, offset))
    }

    /// The name of an address as `main+0x1c`, where there is one.
    pub fn name(&self, address: u64) -> Option<String> {
        self.find(address).map(|(symbol, offset)| match offset {
            0 => symbol.name.clone(),
            _ => format!("{}+{offset:#x}", symbol.name),
        })
    }
}
