//! Files as users see them: what a run reads stays as it is, results are whole or say that they are not, and reading has limits.

mod limits;
mod pipelines;
mod targets;
mod whole;

use crate::common::Folder;
use std::collections::BTreeMap;
use std::path::Path;

/// All files of a folder with their contents, and its folders.
pub fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    fn visit(base: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(base).expect("it is below").display().to_string();
            let data = std::fs::symlink_metadata(&path).expect("a file");
            if data.is_dir() {
                found.insert(name, Vec::new());
                visit(base, &path, found);
            } else if data.is_file() {
                found.insert(name, std::fs::read(&path).expect("a file"));
            } else {
                found.insert(name, b"something else".to_vec());
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(folder.path(), folder.path(), &mut found);
    found
}

/// A decision process with properties.
pub const MDP: &str = "mdp
const int N;
module m
  s : [0..2] init 0;
  [a] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=0);
  [b] s=0 -> (s'=2);
  [] s>0 -> true;
endmodule
rewards \"r\" s=0 : N; endrewards
";

/// A network of two systems.
pub const NETWORK: &str = "\"a.aut\" |[X]| \"b.aut\"\n";
pub const SYSTEM: &str = "des (0, 2, 2)\n(0, \"X\", 1)\n(1, \"Y; rate 2\", 0)\n";

/// A kernel, and what it runs on.
pub const KERNEL: &str = "// volvelle: parameter WG = 1, 2, 4
// volvelle: global = size, local = WG
__kernel void twice(__global float *data) {
  data[get_global_id(0)] *= 2;
}
";
pub const PLATFORM: &str = "[device]\nunits = 2\nelements = 4\n[time]\nglobal = 4\n";
