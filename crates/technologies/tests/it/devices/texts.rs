//! Functions by hand, in all languages of devices at once: one body with the words that both have, and heads by the calling
//! convention.

use std::collections::BTreeMap;
use volvelle_kernel::{Access, BufferDecl, LocalDecl, Type};
use volvelle_runtime::Function;

/// A function whose body says what one `lane` does. `FAIL(code)` ends the lane with an exit code.
pub fn function(
    name: &str,
    params: &[(&str, Type)],
    buffers: &[(&str, Type, Access)],
    body: &str,
) -> Function {
    let mut texts = BTreeMap::new();
    for language in [&OPENCL, &CUDA] {
        texts.insert(language.technology.to_owned(), language.text(name, params, buffers, body));
    }
    let lane = LocalDecl { name: "lane".to_owned(), ty: Type::U64 };
    let declare = |&(name, ty): &(&str, Type)| LocalDecl { name: name.to_owned(), ty };
    Function {
        name: name.to_owned(),
        params: std::iter::once(lane).chain(params.iter().map(declare)).collect(),
        buffers: buffers
            .iter()
            .map(|&(name, ty, access)| BufferDecl { name: name.to_owned(), ty, access })
            .collect(),
        ir: None,
        texts,
        closure: None,
    }
}

struct Language {
    technology: &'static str,
    prelude: &'static str,
    head: &'static str,
    global: &'static str,
    volatile: &'static str,
    item: &'static str,
}

const OPENCL: Language = Language {
    technology: "opencl",
    prelude: "#pragma OPENCL FP_CONTRACT OFF\n\
              #define FAIL(code) { atomic_cmpxchg(exit_code, 0u, (uint)(code)); return; }\n",
    head: "kernel void ",
    global: "global ",
    volatile: "volatile ",
    item: "get_global_id(0)",
};

const CUDA: Language = Language {
    technology: "cuda",
    prelude: "#define uchar unsigned char\n#define ushort unsigned short\n#define uint unsigned int\n\
              #define ulong unsigned long long\n\
              #define FAIL(code) { atomicCAS(exit_code, 0u, (uint)(code)); return; }\n",
    head: "extern \"C\" __global__ void ",
    global: "",
    volatile: "",
    item: "((ulong)blockIdx.x * blockDim.x + threadIdx.x)",
};

impl Language {
    fn text(
        &self,
        name: &str,
        params: &[(&str, Type)],
        buffers: &[(&str, Type, Access)],
        body: &str,
    ) -> String {
        let mut declared = vec!["ulong first".to_owned(), "ulong end".to_owned()];
        for (name, ty) in params {
            declared.push(format!("{} {name}", self.element(*ty)));
        }
        for (name, ty, access) in buffers {
            let constant = if *access == Access::Read { "const " } else { "" };
            declared.push(format!("{}{constant}{} *{name}", self.global, self.element(*ty)));
            declared.push(format!("ulong {name}_len"));
        }
        declared.push(format!("{}{}uint *exit_code", self.volatile, self.global));
        format!(
            "{}{}{name}({}) {{\n    ulong lane = first + {};\n    if (lane >= end) return;\n    {body}\n}}\n",
            self.prelude,
            self.head,
            declared.join(", "),
            self.item
        )
    }

    fn element(&self, ty: Type) -> &'static str {
        match ty {
            Type::Bool | Type::U8 => "uchar",
            Type::I8 if self.technology == "cuda" => "signed char",
            Type::I8 => "char",
            Type::I16 => "short",
            Type::U16 => "ushort",
            Type::I32 => "int",
            Type::U32 => "uint",
            Type::I64 if self.technology == "cuda" => "long long",
            Type::I64 => "long",
            Type::U64 => "ulong",
            Type::F32 => "float",
            Type::F64 => "double",
        }
    }
}

/// `to[lane - first] = factor * from[lane - first] + lane`, with a check of every index.
pub fn scale_and_add() -> Function {
    function(
        "scale_and_add",
        &[("factor", Type::U64), ("base", Type::U64)],
        &[("from", Type::U64, Access::Read), ("to", Type::U64, Access::Write)],
        "ulong i = lane - base;\n    if (i >= from_len) FAIL(2);\n    ulong x = from[i];\n    \
         if (i >= to_len) FAIL(4);\n    to[i] = factor * x + lane;",
    )
}

/// Fails at site 3 in every lane that is a multiple of `k`, else counts up its element.
pub fn sometimes_failing() -> Function {
    function(
        "sometimes_failing",
        &[("k", Type::U64)],
        &[("to", Type::U32, Access::Write)],
        "if (lane % k == 0) FAIL(1 + 2 * 3);\n    if (lane >= to_len) FAIL(2);\n    to[lane] = to[lane] + 1u;",
    )
}

/// Stores a parameter of each type.
pub fn all_types() -> Function {
    let names: Vec<(String, String)> =
        Type::ALL.iter().map(|ty| (format!("p_{ty}"), format!("b_{ty}"))).collect();
    let params: Vec<(&str, Type)> =
        names.iter().zip(Type::ALL).map(|((p, _), ty)| (p.as_str(), ty)).collect();
    let buffers: Vec<(&str, Type, Access)> =
        names.iter().zip(Type::ALL).map(|((_, b), ty)| (b.as_str(), ty, Access::Write)).collect();
    let stores: Vec<String> = names.iter().map(|(p, b)| format!("{b}[lane] = {p};")).collect();
    function("all_types", &params, &buffers, &stores.join("\n    "))
}
