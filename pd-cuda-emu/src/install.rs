//! Making the stand-in the `libcuda.so` of this process, without any environment variable.
//!
//! The shared library calls itself `libcuda.so`. Once it is open under its own path, the dynamic loader answers
//! every later request for `libcuda.so` in this process with it. The interpreter then exists twice: in the program,
//! as a Rust library, and in the shared library, as the driver. What the driver did is asked of the driver.

use crate::{Options, Stats};
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use thiserror::Error;

/// Why the stand-in could not be installed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InstallError {
    /// The shared library was not found.
    #[error("{name} is in none of {searched:?}; set PD_CUDA_EMU_LIB to its path")]
    NotFound {
        /// File name.
        name: String,
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The shared library could not be opened.
    #[error("{path:?} cannot be opened: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the loader said.
        reason: String,
    },
    /// Another `libcuda.so` is already part of the process.
    #[error("another libcuda.so was loaded before")]
    OtherDriver,
    /// Only Linux and its relatives load libraries in this way.
    #[error("not supported on this operating system")]
    Unsupported,
}

type LastFault = unsafe extern "C" fn(*mut c_char, usize) -> usize;
type ClearFault = unsafe extern "C" fn();
type SetOptions = unsafe extern "C" fn(c_int, c_int, u64);
type Counters = unsafe extern "C" fn(*mut [u64; 4]);

/// The installed stand-in driver. Its answers concern the calling thread.
#[derive(Debug, Clone, Copy)]
pub struct Driver {
    last_fault: LastFault,
    clear_fault: ClearFault,
    set_options: SetOptions,
    counters: Counters,
}

impl Driver {
    /// Text of the last fault of this thread's launches and copies, if there was one since it was last cleared.
    pub fn last_fault(&self) -> Option<String> {
        // SAFETY: a null buffer of no length asks for the length alone.
        let len = unsafe { (self.last_fault)(std::ptr::null_mut(), 0) };
        let mut buffer = vec![0u8; len + 1];
        // SAFETY: the buffer has the length it is said to have.
        unsafe { (self.last_fault)(buffer.as_mut_ptr().cast::<c_char>(), buffer.len()) };
        buffer.truncate(len);
        (len > 0).then(|| String::from_utf8_lossy(&buffer).into_owned())
    }

    /// Forgets the last fault of this thread.
    pub fn clear_fault(&self) {
        // SAFETY: takes nothing, touches a variable of the thread.
        unsafe { (self.clear_fault)() };
    }

    /// Chooses what the launches of this thread check.
    pub fn set_options(&self, o: Options) {
        // SAFETY: takes plain numbers.
        unsafe {
            (self.set_options)(
                c_int::from(o.check_global_races),
                c_int::from(o.check_shared),
                o.instruction_limit,
            )
        };
    }

    fn numbers(&self) -> [u64; 4] {
        let mut n = [0; 4];
        // SAFETY: there is room for the four numbers.
        unsafe { (self.counters)(&raw mut n) };
        n
    }

    /// Launches of this thread so far.
    pub fn launches(&self) -> u64 {
        self.numbers()[0]
    }

    /// Instructions executed by this thread's launches so far.
    pub fn stats(&self) -> Stats {
        let [_, thread_instructions, warp_instructions, _] = self.numbers();
        Stats { thread_instructions, warp_instructions }
    }

    /// Bytes in live allocations of the whole process.
    pub fn live_bytes(&self) -> u64 {
        self.numbers()[3]
    }
}

/// Opens the stand-in and makes it the `libcuda.so` of this process. Call it before the first use of `cudarc`;
/// calling it again costs nothing.
///
/// The library is looked for in `PD_CUDA_EMU_LIB`, then beside the running program and in the directories where
/// cargo puts libraries of dependencies.
pub fn install() -> Result<Driver, InstallError> {
    static INSTALLED: OnceLock<Result<Driver, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(open).clone()
}

fn candidates(name: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    if let Some(path) = std::env::var_os("PD_CUDA_EMU_LIB") {
        out.push(PathBuf::from(path));
    }
    let mut beside = |dir: &Path| {
        for d in [Some(dir), dir.parent()].into_iter().flatten() {
            out.push(d.join(name));
            out.push(d.join("deps").join(name));
        }
    };
    if let Some(dir) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
        beside(dir);
    }
    // `OUT_DIR` is `<profile>/build/<crate>/out`: documentation tests run elsewhere but were built there.
    if let Some(dir) = Path::new(env!("OUT_DIR")).ancestors().nth(3) {
        beside(dir);
    }
    out
}

#[cfg(unix)]
fn open() -> Result<Driver, InstallError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    let name = format!("{}pd_cuda_emu{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let searched = candidates(&name);
    let path = searched.iter().find(|p| p.is_file()).cloned();
    let path = path.ok_or(InstallError::NotFound { name, searched })?;
    let failed = |e: libloading::Error| InstallError::Open { path: path.clone(), reason: e.to_string() };
    // SAFETY: the library is this crate; it has no initialisers beyond Rust's own.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.map_err(failed)?;
    // SAFETY: the four functions have these types; they stay valid because the library is never closed.
    let driver = unsafe {
        Driver {
            last_fault: *library.get::<LastFault>(b"pdEmuLastFault").map_err(failed)?,
            clear_fault: *library.get::<ClearFault>(b"pdEmuClearFault").map_err(failed)?,
            set_options: *library.get::<SetOptions>(b"pdEmuSetOptions").map_err(failed)?,
            counters: *library.get::<Counters>(b"pdEmuCounters").map_err(failed)?,
        }
    };
    std::mem::forget(library);
    // The loader must now give this library under the name that `cudarc` asks for.
    // SAFETY: as above: it is either already open or a system's driver, which is safe to open.
    let by_name = unsafe { Library::open(Some("libcuda.so"), RTLD_NOW | RTLD_LOCAL) };
    let by_name = by_name.map_err(|_| InstallError::OtherDriver)?;
    // SAFETY: only the address is compared.
    let same = unsafe { by_name.get::<LastFault>(b"pdEmuLastFault") }
        .is_ok_and(|f| std::ptr::fn_addr_eq(*f, driver.last_fault));
    std::mem::forget(by_name);
    if same { Ok(driver) } else { Err(InstallError::OtherDriver) }
}

#[cfg(not(unix))]
fn open() -> Result<Driver, InstallError> {
    let _ = candidates("");
    Err(InstallError::Unsupported)
}
