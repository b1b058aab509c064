//! CUDA: on a device where there is one; its compiler wherever it is found; and everything on a stand-in for both libraries,
//! which a C++ compiler makes.

use crate::devices::stand_in::StandIn;
use crate::devices::{differential, launches, lifetimes, storage, texts};
use volvelle_runtime::{Error, Place, Technology};
use volvelle_technologies::testing::{cuda_libraries, first_device, nvrtc};
use volvelle_technologies::{Cache, Cuda};

#[test]
fn a_device() {
    let technology = Cuda::new(Cache::none(), cuda_libraries());
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
    let Some(compiler) = nvrtc() else { return };
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
    let Some(compiler) = nvrtc() else { return };
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
    let Some(compiler) = nvrtc() else { return };
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
fn stand_in(name: &str) -> Option<StandIn> {
    let sources = [("device.h", include_str!("stand_in/device.h"))];
    let stand_in = StandIn::new(name, "libcuda.so.1", include_str!("stand_in/cuda.cpp"), &sources)?;
    // The compiler is looked for under several names, the newest first.
    let library = stand_in.folder.path().join("libcuda.so.1");
    std::os::unix::fs::symlink(library, stand_in.folder.path().join("libnvrtc.so.13")).unwrap();
    Some(stand_in)
}

fn technology(stand_in: &StandIn, cache: Cache) -> Cuda {
    Cuda::new(cache, Some(stand_in.folder.path().to_owned()))
}

#[test]
fn a_stand_in() {
    let Some(stand_in) = stand_in("cuda") else { return };
    let technology = technology(&stand_in, Cache::none());
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
    let Some(stand_in) = stand_in("cuda-kept") else { return };
    let cache = Cache::at(stand_in.folder.path().join("kernels"));
    let build = || {
        let device = technology(&stand_in, cache.clone()).open(0).unwrap();
        let kernel = device.build(&texts::sometimes_failing()).unwrap();
        (lifetimes::step(&*device).unwrap(), kernel.built().from_cache)
    };
    assert_eq!([build(), build()], [(1, false), (1, true)]);
    // The compiler's output is damaged: the kept file is useless, and is replaced.
    for file in std::fs::read_dir(stand_in.folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("kernel_") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(build().0, 1);
}

#[test]
fn every_call_fails_once() {
    let Some(stand_in) = stand_in("cuda-failing") else { return };
    let technology = technology(&stand_in, Cache::none());
    lifetimes::every_call_fails_once(
        &technology,
        &|| technology.alive(),
        &stand_in,
        "0 0 0",
        &["CUDA_ERROR", "NVRTC_ERROR"],
    );
}
