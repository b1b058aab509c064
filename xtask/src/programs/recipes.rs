//! How programs are compiled, and what they are asked to do: about a hundred million instructions at most.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program.
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// The package of Debian that has its sources.
    pub package: &'static str,
    /// Where its files are, and which.
    folder: &'static str,
    files: Files,
    /// Options of the compiler.
    options: &'static [&'static str],
    /// Files that a configuration would have made, in a folder where they are found.
    made: &'static [(&'static str, &'static str)],
    /// Runs.
    pub cases: &'static [Case],
}

/// Files in C.
enum Files {
    These(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// A run.
pub struct Case {
    /// Files that are there.
    pub inputs: &'static [Input],
    /// Arguments.
    pub arguments: &'static [&'static str],
    /// Files that are there afterwards.
    pub outputs: &'static [&'static str],
}

/// A file of a run: its name, and what it holds.
pub struct Input(&'static str, Content);

enum Content {
    /// A text of our own.
    Text(&'static str),
    /// A file of the package.
    Of(&'static str),
}

impl Input {
    /// Makes the file.
    pub fn put(&self, source: &Path, folder: &Path) -> Result<(), String> {
        let to = folder.join(self.0);
        let done = match self.1 {
            Content::Text(text) => std::fs::write(&to, text),
            Content::Of(name) => std::fs::copy(source.join(name), &to).map(drop),
        };
        done.map_err(|e| format!("{}: {e}", to.display()))
    }
}

const C: &str = include_str!("work.c");
const LUA: &str = include_str!("work.lua");

/// All programs.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "bzip2",
        package: "bzip2",
        folder: "",
        files: Files::These(&[
            "blocksort.c",
            "huffman.c",
            "crctable.c",
            "randtable.c",
            "compress.c",
            "decompress.c",
            "bzlib.c",
            "bzip2.c",
        ]),
        options: &["-D_FILE_OFFSET_BITS=64"],
        made: &[],
        cases: &[
            Case {
                inputs: &[Input("text", Content::Of("bzip2.c"))],
                arguments: &["-k", "-v", "text"],
                outputs: &["text.bz2"],
            },
            Case {
                inputs: &[Input("text.bz2", Content::Of("sample1.bz2"))],
                arguments: &["-d", "-k", "text.bz2"],
                outputs: &["text"],
            },
            Case {
                inputs: &[Input("text.bz2", Content::Of("sample1.ref"))],
                arguments: &["-t", "text.bz2"],
                outputs: &[],
            },
        ],
    },
    Recipe {
        name: "minigzip",
        package: "zlib",
        folder: "",
        files: Files::AllBut(&[]),
        options: &["-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1", "-I.", "test/minigzip.c"],
        made: &[],
        cases: &[
            Case {
                inputs: &[Input("text", Content::Of("inflate.c"))],
                arguments: &["-9", "text"],
                outputs: &["text.gz"],
            },
            Case { inputs: &[], arguments: &["-d", "missing.gz"], outputs: &[] },
        ],
    },
    Recipe {
        name: "lua",
        package: "lua5.4",
        folder: "src",
        files: Files::AllBut(&["luac.c"]),
        options: &["-DLUA_USE_POSIX", "-lm"],
        made: &[("lua5.4-deb-multiarch.h", "#define DEB_HOST_MULTIARCH \"riscv64-linux-gnu\"\n")],
        cases: &[
            Case {
                inputs: &[Input("work.lua", Content::Text(LUA))],
                arguments: &["work.lua", "100"],
                outputs: &["lines", "again"],
            },
            Case { inputs: &[], arguments: &["-e", "error('as it should')"], outputs: &[] },
        ],
    },
    Recipe {
        name: "tcc",
        package: "tcc",
        folder: "",
        files: Files::These(&["tcc.c"]),
        options: &["-DONE_SOURCE=1", "-DTCC_TARGET_RISCV64", "-lm", "-ldl", "-lpthread"],
        made: &[("config.h", "#define TCC_VERSION \"0.9.27\"\n#define CONFIG_TCCDIR \".\"\n")],
        cases: &[
            Case {
                inputs: &[Input("work.c", Content::Text(C))],
                arguments: &["-c", "work.c", "-o", "work.o"],
                outputs: &["work.o"],
            },
            Case {
                inputs: &[Input("work.c", Content::Text("int main(void) { return nothing; }\n"))],
                arguments: &["-c", "work.c"],
                outputs: &["work.o"],
            },
        ],
    },
];

impl Recipe {
    /// Compiles the program; gives where it is.
    pub fn build(&self, compiler: &str, source: &Path, folder: &Path) -> Result<PathBuf, String> {
        let made = folder.join(format!("{}-made", self.name));
        std::fs::create_dir_all(&made).map_err(|e| format!("{}: {e}", made.display()))?;
        for (name, text) in self.made {
            std::fs::write(made.join(name), text).map_err(|e| format!("{name}: {e}"))?;
        }
        let (source, program) = (source.join(self.folder), folder.join(format!("{}.elf", self.name)));
        let mut command = Command::new(compiler);
        command.current_dir(&source).args(["-O2", "-static", "-w", "-I"]).arg(&made).arg("-o").arg(&program);
        command.args(self.files(&source)?).args(self.options);
        match command.output() {
            Ok(output) if output.status.success() => Ok(program),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr);
                Err(format!("{} does not compile:\n{why}", self.name))
            }
            Err(error) => Err(format!("{compiler}: {error}")),
        }
    }

    fn files(&self, source: &Path) -> Result<Vec<String>, String> {
        let but = match self.files {
            Files::These(files) => return Ok(files.iter().map(|file| (*file).to_owned()).collect()),
            Files::AllBut(but) => but,
        };
        let entries = std::fs::read_dir(source).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut all: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        all.retain(|name| name.ends_with(".c") && !but.contains(&name.as_str()));
        all.sort();
        Ok(all)
    }
}
