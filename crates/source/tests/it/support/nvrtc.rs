//! Compiling CUDA text with NVRTC, which needs no device.

use super::{compile, folder, talk};
use std::path::PathBuf;
use volvelle_source::Dialect;

/// The result of compiling a text.
pub struct Compiled {
    /// Its messages.
    pub log: String,
    /// PTX, where the text is accepted.
    pub ptx: Option<String>,
}

/// Compiles texts; an error where there is no NVRTC, or no C++ compiler to call it from.
pub fn run(test: &str, texts: &[String]) -> Result<Vec<Compiled>, String> {
    let library = library().ok_or("there is no NVRTC")?;
    let program = compile(
        &folder(test),
        "nvrtc",
        &include_str!("nvrtc.cpp").replace("// WIRE", include_str!("wire.h")),
        &["-ldl"],
    )
    .ok_or("there is no C++ compiler")?;
    let mut input = Vec::new();
    let mut text = |text: &str| {
        input.extend((text.len() as u64).to_le_bytes());
        input.extend(text.as_bytes());
    };
    text(&library.to_string_lossy());
    text(&format!("{} --gpu-architecture=compute_90", Dialect::Cuda.options().join(" ")));
    texts.iter().for_each(|one| text(one));
    text("");
    let output = talk(&program, &[], input)?;
    let mut at = 0;
    let mut take = || {
        let length = u64::from_le_bytes(output[at..at + 8].try_into().expect("eight bytes")) as usize;
        at += 8 + length;
        String::from_utf8_lossy(&output[at - length..at]).into_owned()
    };
    Ok(texts
        .iter()
        .map(|_| {
            let (log, ptx) = (take(), take());
            Compiled { log, ptx: (!ptx.is_empty()).then_some(ptx) }
        })
        .collect())
}

/// The library: where the loader finds it, or where Python's packages have it.
fn library() -> Option<PathBuf> {
    let script = "import nvidia.cuda_nvrtc as n; print(list(n.__path__)[0])";
    let output = std::process::Command::new("python3").args(["-c", script]).output().ok();
    let wheel = output.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let wheel = PathBuf::from(wheel.trim()).join("lib/libnvrtc.so.12");
    if wheel.exists() {
        return Some(wheel);
    }
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&variable).map(|folder| folder.join("libnvrtc.so.12")).find(|path| path.exists())
}
