//! Building programs from a text, or from the kept binary of an earlier build.

use super::code_name;
use super::find::text;
use super::handles::{Kernel, Program};
use super::opened::Opened;
use crate::cache::{Cache, Key};
use cl3::kernel as clk;
use cl3::program as cl;
use std::ffi::{CStr, CString};
use volvelle_runtime::Error;
use volvelle_source::Dialect;

/// The option for correctly rounded division; devices without it reject the option.
const EXACT_DIVISION: &str = "-cl-fp32-correctly-rounded-divide-sqrt";

/// A text that is being built.
pub(super) struct Source<'a> {
    opened: &'a Opened,
    text: &'a str,
    options: CString,
    key: Key,
}

impl<'a> Source<'a> {
    pub(super) fn new(opened: &'a Opened, text: &'a str) -> Self {
        let options = Dialect::OpenCl.options().iter().copied();
        let options = options.filter(|option| opened.facts.has_f32_division || *option != EXACT_DIVISION);
        // No warnings, which some drivers print.
        let options = std::iter::once("-w").chain(options).collect::<Vec<_>>().join(" ");
        let mut parts = vec!["opencl", text, &options];
        parts.extend(opened.facts.identity.iter().map(String::as_str));
        let key = Key::new(&parts);
        let options = CString::new(options).unwrap_or_default();
        Source { opened, text, options, key }
    }

    /// Loads the kept binary of an earlier build. `whole` checks whether the program is usable, which some
    /// drivers find out late. An unusable binary is removed.
    pub(super) fn kept<T>(
        &self,
        cache: &Cache,
        whole: impl FnOnce(Program) -> Result<T, Error>,
    ) -> Option<T> {
        let binary = cache.get(&self.key)?;
        let found = self.load(&binary).map_err(no_compiler).and_then(whole);
        if found.is_err() {
            cache.forget(&self.key);
        }
        found.ok()
    }

    fn load(&self, binary: &[u8]) -> Result<Program, i32> {
        let Opened { context, device, live, .. } = self.opened;
        let program = Program::from_binary(context, *device, binary, live)?;
        program.build(*device, &self.options)?;
        Ok(program)
    }

    /// Compiles the text. Also returns the compiler's messages.
    ///
    /// # Errors
    /// The compiler rejects it.
    pub(super) fn compile(&self) -> Result<(Program, String), Error> {
        let Opened { context, device, live, .. } = self.opened;
        let program = Program::from_text(context, self.text, live).map_err(no_compiler)?;
        match program.build(*device, &self.options) {
            Ok(()) => {
                let log = log(self.opened, &program);
                Ok((program, log))
            }
            Err(cl3::error_codes::CL_BUILD_PROGRAM_FAILURE) => Err(Error::Build(log(self.opened, &program))),
            Err(code) => Err(no_compiler(code)),
        }
    }

    /// Keeps the built program.
    pub(super) fn keep(&self, cache: &Cache, program: &Program) {
        if cache.is_kept()
            && let Some(binary) = binary(program)
        {
            cache.put(&self.key, &binary);
        }
    }
}

/// An error other than a mistake in the text: another device may accept it.
fn no_compiler(code: i32) -> Error {
    Error::Refused(format!("its compiler stops with {}", code_name(code)))
}

/// The messages of the compiler.
fn log(opened: &Opened, program: &Program) -> String {
    let log = cl::get_program_build_data(program.raw(), opened.device.0, cl::CL_PROGRAM_BUILD_LOG);
    text(&log.unwrap_or_default())
}

/// The binary of a program that was built for one device, if the driver provides it.
fn binary(program: &Program) -> Option<Vec<u8>> {
    let binaries = cl::get_program_info(program.raw(), cl::CL_PROGRAM_BINARIES).ok()?;
    let mut binaries = binaries.to_vec_vec_uchar();
    (binaries.len() == 1 && !binaries[0].is_empty()).then(|| binaries.swap_remove(0))
}

/// A kernel of a program, which takes as many arguments as it should.
pub(super) fn kernel(
    opened: &Opened,
    program: &Program,
    name: &CStr,
    arguments: usize,
) -> Result<Kernel, Error> {
    let shown = name.to_string_lossy();
    let kernel = Kernel::new(program, name, &opened.live).map_err(|code| match code {
        cl3::error_codes::CL_INVALID_KERNEL_NAME => Error::Build(format!("the text has no kernel `{shown}`")),
        code => no_compiler(code),
    })?;
    let count = clk::get_kernel_data(kernel.raw(), clk::CL_KERNEL_NUM_ARGS).map_err(no_compiler)?;
    match count.try_into().map(u32::from_ne_bytes) {
        Ok(count) if count as usize == arguments => Ok(kernel),
        Ok(count) => {
            Err(Error::Build(format!("kernel `{shown}` takes {count} arguments instead of {arguments}")))
        }
        Err(_) => Err(no_compiler(cl3::error_codes::CL_INVALID_VALUE)),
    }
}

/// The sizes of a kernel's groups, in work items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its limit.
    most: usize,
    /// Items that the hardware runs together.
    multiple: usize,
    /// The default.
    usual: usize,
}

impl Group {
    pub(super) fn of(opened: &Opened, kernel: &Kernel) -> Self {
        let ask = |what| {
            let bytes = clk::get_kernel_work_group_data(kernel.raw(), opened.device.0, what).ok()?;
            bytes.try_into().map(usize::from_ne_bytes).ok()
        };
        let most = ask(clk::CL_KERNEL_WORK_GROUP_SIZE).unwrap_or(opened.facts.most_in_group);
        let most = most.clamp(1, opened.facts.most_in_group);
        let multiple = ask(clk::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).unwrap_or(1).max(1);
        let usual = if opened.facts.is_cpu { CPU_GROUP } else { GPU_GROUP };
        Group { most, multiple, usual }
    }

    /// The number of work items in a group: `wanted` within the limits, or the default.
    pub(super) fn size(&self, wanted: Option<u32>) -> u32 {
        let size = match wanted {
            Some(wanted) => (wanted as usize).clamp(1, self.most),
            None if self.usual >= self.multiple && self.most >= self.multiple => {
                let fits = self.usual.min(self.most);
                fits - fits % self.multiple
            }
            None => self.usual.min(self.most),
        };
        u32::try_from(size).unwrap_or(1)
    }
}

/// Default of work items in a group on processors. It is large enough that handing out groups takes no time
/// even if lanes do almost nothing (on PoCL, 4 times as fast as groups of one), and small enough that long
/// lanes are spread. All launches use the same, since PoCL compiles for each size.
const CPU_GROUP: usize = 32;
/// Default of work items in a group on other devices: enough to hide latencies, few enough for kernels with
/// many registers.
const GPU_GROUP: usize = 128;
