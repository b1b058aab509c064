//! CUDA: on a device where there is one; its compiler wherever it is found; and everything on a stand-in for both libraries,
//! which a C++ compiler makes.

use crate::{Folder, differential, first_device, launches, lifetimes, storage, texts};
use std::path::PathBuf;
use std::process::Command;
use volvelle_kernel::{Const, Exit};
use volvelle_runtime::{Error, Executor, Launch, Lent, Place, Technology};
use volvelle_technologies::cuda::Nvrtc;
use volvelle_technologies::{Alive, Cache, Cuda};

/// The folder of NVIDIA's compiler: what somebody names, or what Python has. The system may have another one.
fn libraries() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("VOLVELLE_CUDA_LIBRARIES") {
        return Some(folder.into());
    }
    let script = "import nvidia.cuda_nvrtc as n; print(list(n.__path__)[0])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    let package = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(package.trim()).join("lib")).filter(|folder| folder.is_dir())
}

#[expect(clippy::print_stderr, reason = "a test says that it is skipped")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

fn compiler() -> Option<Nvrtc> {
    Nvrtc::open(libraries().as_deref()).map_err(|why| skipped(&why.to_string())).ok()
}

#[test]
fn a_device() {
    let technology = Cuda::new(Cache::none(), libraries());
    let Some(device) = first_device(&technology) else { return };
    storage::check(&*device);
    launches::check(&*device, 64);
    differential::check(&*device, 0..100);
    drop(device);
    lifetimes::check(technology.open(0).unwrap(), &|| technology.alive());
}

#[test]
fn without_a_driver() {
    let offers = Cuda::new(Cache::none(), Some("no such folder".into())).offers();
    match offers {
        Ok(offers) => assert!(!offers.is_empty()),
        Err(error) => {
            assert!(matches!(&error, Error::Unavailable(why) if !why.contains('\n')), "{error}");
            assert!(error.to_string().starts_with("no CUDA: "), "{error}");
        }
    }
}

#[test]
fn every_text_compiles() {
    let Some(compiler) = compiler() else { return };
    let known = compiler.architectures().unwrap();
    assert!(known.is_sorted() && known.contains(&90), "{known:?}");
    let bare = texts::function("bare", &[], &[], "if (lane == 5) FAIL(1);");
    for function in [texts::scale_and_add(), texts::sometimes_failing(), texts::all_types(), bare] {
        let text = &function.texts["cuda"];
        let compiled = compiler.compile(text, "sm_90").unwrap();
        assert!(compiled.binary.starts_with(b"\x7fELF"), "{}", compiled.log);
        let ptx = compiler.compile(text, "compute_80").unwrap().binary;
        let ptx = String::from_utf8(ptx).unwrap();
        assert!(
            ptx.contains(".target sm_80") && ptx.contains(&format!(".entry {}(", function.name)),
            "{ptx}"
        );
        assert!(ptx.ends_with('\0'));
    }
}

/// Options that would change results are not in force.
#[test]
fn arithmetic_is_exact() {
    let Some(compiler) = compiler() else { return };
    let text = "extern \"C\" __global__ void k(float *x, double *y) {\n    \
                x[0] = x[1] * x[2] + x[3]; x[4] = x[5] / x[6]; x[7] = sqrtf(x[8]); y[0] = y[1] * y[2] + y[3];\n}\n";
    let ptx = String::from_utf8(compiler.compile(text, "compute_90").unwrap().binary).unwrap();
    for (wanted, why) in [
        ("mul.rn.f32", "products are rounded"),
        ("div.rn.f32", "divisions are rounded correctly"),
        ("sqrt.rn.f32", "roots are rounded correctly"),
        ("mul.rn.f64", "products are rounded"),
    ] {
        assert!(ptx.contains(wanted), "{why}: {ptx}");
    }
    assert!(!ptx.contains("fma") && !ptx.contains(".ftz"), "{ptx}");
}

#[test]
fn texts_that_do_not_compile() {
    let Some(compiler) = compiler() else { return };
    match compiler.compile("this is no text", "sm_90") {
        Err(Error::Build(log)) => assert!(log.contains("kernel.cu(1): error"), "{log}"),
        other => panic!("{other:?}"),
    }
    match compiler.compile("", "sm_1") {
        Err(Error::Refused(why)) => assert!(why.contains("sm_1"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(compiler.compile("a\0b", "sm_90"), Err(Error::Build(_))));
}

/// A stand-in for driver and compiler, in a folder of its own.
struct StandIn {
    folder: Folder,
}

impl StandIn {
    fn new(name: &str) -> Option<Self> {
        const SOURCES: [(&str, &str); 2] = [
            ("libraries.cpp", include_str!("stand_in/libraries.cpp")),
            ("device.h", include_str!("stand_in/device.h")),
        ];
        let folder = Folder::new(name);
        for (name, text) in SOURCES {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let library = folder.path().join("libcuda.so.1");
        let compiled = Command::new("c++")
            .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-o"])
            .arg(&library)
            .arg(folder.path().join("libraries.cpp"))
            .output();
        match compiled {
            Ok(output) if output.status.success() => {
                // The compiler is looked for under several names, the newest first.
                std::os::unix::fs::symlink(&library, folder.path().join("libnvrtc.so.13")).unwrap();
                Some(StandIn { folder })
            }
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(why) => {
                skipped(&format!("no C++ compiler: {why}"));
                None
            }
        }
    }

    fn technology(&self, cache: Cache) -> Cuda {
        Cuda::new(cache, Some(self.folder.path().to_owned()))
    }

    /// What was there when the last context was released: allocations, streams, modules.
    fn live(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("live")).unwrap_or_default()
    }

    fn fail_at(&self, call: usize) {
        std::fs::write(self.folder.path().join("fail_at"), call.to_string()).unwrap();
    }

    /// Whether the call that shall fail has come.
    fn has_failed(&self) -> bool {
        !self.folder.path().join("fail_at").exists()
    }
}

#[test]
fn a_stand_in() {
    let Some(stand_in) = StandIn::new("cuda") else { return };
    let technology = stand_in.technology(Cache::none());
    let offers = technology.offers().unwrap();
    assert_eq!(offers.len(), 1);
    assert_eq!(offers[0].device.place, Place::Pci("0000:3b:00.0".to_owned()));
    assert_eq!(offers[0].driver, "CUDA driver 12.8, NVRTC 12.9");
    assert!(matches!(technology.open(1), Err(Error::Unavailable(_))));
    let device = technology.open(0).unwrap();
    assert_eq!((device.name(), device.lanes()), ("cuda:0", 192));
    storage::check(&*device);
    launches::check(&*device, 8);
    differential::check(&*device, 0..10);
    drop(device);
    assert_eq!(stand_in.live(), "0 0 0");
    lifetimes::check(technology.open(0).unwrap(), &|| technology.alive());
    assert_eq!(stand_in.live(), "0 0 0");
}

#[test]
fn kernels_are_kept() {
    let Some(stand_in) = StandIn::new("cuda-kept") else { return };
    let cache = Cache::at(stand_in.folder.path().join("kernels"));
    let build = || {
        let device = stand_in.technology(cache.clone()).open(0).unwrap();
        let kernel = device.build(&texts::sometimes_failing()).unwrap();
        (step(&*device).unwrap(), kernel.built().from_cache)
    };
    assert_eq!([build(), build()], [(1, false), (1, true)]);
    // The compiler's output is gone: what is kept is of no use, and is replaced.
    for file in std::fs::read_dir(stand_in.folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("kernel_") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(build().0, 1);
}

/// A little of everything; gives an element that a kernel counted up from 0.
fn step(device: &dyn Executor) -> Result<u32, Error> {
    let kernel = device.build(&texts::sometimes_failing())?;
    let storage = device.storage();
    let (one, two) = (storage.allocate(400)?, storage.allocate(400)?);
    one.write(4, &[0; 4])?;
    let buffers = [Lent::first(&*one, 100)];
    let launch = Launch { lanes: 1..90, block: None, params: &[Const::u64(1000)], buffers: &buffers };
    assert_eq!(kernel.launch(&launch)?, Exit::Done);
    two.copy_from(8, &*one, 4, 4)?;
    let mut bytes = [0; 4];
    two.read(8, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Every call of the libraries fails once, from the first to the last: an error, never a wrong number, and nothing is left.
#[test]
fn every_call_fails_once() {
    let Some(stand_in) = StandIn::new("cuda-failing") else { return };
    let technology = stand_in.technology(Cache::none());
    assert_eq!(technology.open(0).and_then(|device| step(&*device)), Ok(1));
    let mut failures = 0;
    for call in 1.. {
        stand_in.fail_at(call);
        let found = technology.open(0).and_then(|device| step(&*device));
        if !stand_in.has_failed() {
            assert_eq!(found, Ok(1));
            break;
        }
        failures += 1;
        match found {
            // Machine code that is not taken is tried once more in another form.
            Ok(value) => assert_eq!(value, 1, "call {call}"),
            Err(
                Error::Unavailable(why) | Error::Refused(why) | Error::Transfer(why) | Error::Launch(why),
            ) => {
                assert!(why.contains("CUDA_ERROR") || why.contains("NVRTC_ERROR"), "call {call}: {why}");
            }
            Err(Error::Memory { why, .. }) => assert!(why.contains("CUDA_ERROR"), "call {call}: {why}"),
            Err(error) => panic!("call {call}: {error}"),
        }
        assert_eq!(technology.alive(), Alive::default(), "call {call}");
        assert_eq!(stand_in.live(), "0 0 0", "call {call}");
    }
    assert!(failures > 20, "{failures} calls");
}
