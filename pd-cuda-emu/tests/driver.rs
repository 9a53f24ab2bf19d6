//! Unchanged `cudarc` host code on the stand-in driver: load, launch, capture, replay, and faults as CUDA errors.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests stop at the first surprise")]

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

const AXPY: &str = r#"
.version 8.0
.target sm_75
.address_size 64
.visible .entry axpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra $done;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.s32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.nc.f32 %f2, [%rd6];
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f4;
$done:
    ret;
}
"#;

fn stream() -> (pd_cuda_emu::Driver, Arc<CudaContext>, Arc<CudaStream>) {
    let driver = pd_cuda_emu::install().expect("the stand-in is built beside this test");
    let context = CudaContext::new(0).expect("the stand-in has a device");
    // SAFETY: all work of a test goes through one stream.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().expect("streams are free");
    (driver, context, stream)
}

#[test]
fn loads_launches_and_replays() -> Result<(), DriverError> {
    let (driver, context, stream) = stream();
    assert_eq!(context.name()?, "pd-emu");
    assert_eq!(context.compute_capability()?, (7, 5));
    let axpy = context.load_module(Ptx::from_src(AXPY))?.load_function("axpy")?;
    let n = 1000usize;
    let x: Vec<f32> = (0..n).map(|k| k as f32).collect();
    let dx = stream.clone_htod(&x)?;
    let mut dy = stream.alloc_zeros::<f32>(n)?;
    let config = LaunchConfig::for_num_elems(n as u32);
    let before = driver.launches();
    let (a, count) = (0.5f32, n as i32);
    let launch = |dy: &mut _| {
        let mut builder = stream.launch_builder(&axpy);
        builder.arg(&a).arg(&dx).arg(dy).arg(&count);
        // SAFETY: the arguments are those of the kernel above.
        unsafe { builder.launch(config) }.map(|_| ())
    };
    launch(&mut dy)?;
    assert_eq!(driver.launches(), before + 1);

    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    launch(&mut dy)?;
    launch(&mut dy)?;
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.expect("a graph was captured");
    assert_eq!(driver.launches(), before + 1, "capturing runs nothing");
    for _ in 0..3 {
        graph.launch()?;
    }
    stream.synchronize()?;
    assert_eq!(driver.launches(), before + 7);
    let y = stream.clone_dtoh(&dy)?;
    for k in 0..n {
        assert_eq!(y[k], 3.5 * k as f32);
    }
    Ok(())
}

#[test]
fn a_short_buffer_is_a_cuda_error_with_its_place() -> Result<(), DriverError> {
    let (driver, context, stream) = stream();
    let axpy = context.load_module(Ptx::from_src(AXPY))?.load_function("axpy")?;
    let dx = stream.clone_htod(&vec![1.0f32; 100])?;
    let mut dy = stream.alloc_zeros::<f32>(99)?;
    let (a, count) = (1.0f32, 100i32);
    driver.clear_fault();
    let mut builder = stream.launch_builder(&axpy);
    builder.arg(&a).arg(&dx).arg(&mut dy).arg(&count);
    // SAFETY: the arguments are those of the kernel; the buffer is short on purpose.
    let error = unsafe { builder.launch(LaunchConfig::for_num_elems(100)) }.err();
    assert_eq!(error, Some(DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)));
    let text = driver.last_fault().expect("a fault was kept");
    assert!(text.contains("kernel `axpy`") && text.contains("thread (99,0,0)"), "{text}");
    assert!(
        text.contains("byte 396 of an allocation of 396 bytes") && text.contains("PTX line 27"),
        "{text}"
    );
    Ok(())
}

#[test]
fn bad_ptx_and_unknown_kernels_are_refused() -> Result<(), DriverError> {
    let (driver, context, _) = stream();
    let bad = AXPY.replace("fma.rn.f32", "fuse.rn.f32");
    let error = context.load_module(Ptx::from_src(bad)).err();
    assert_eq!(error, Some(DriverError(CUresult::CUDA_ERROR_INVALID_PTX)));
    assert_eq!(
        driver.last_fault().as_deref(),
        Some("PTX line 28: `fuse.rn.f32`: instruction is not supported")
    );
    let module = context.load_module(Ptx::from_src(AXPY))?;
    assert_eq!(module.load_function("axpby").err(), Some(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)));
    Ok(())
}

#[test]
fn what_cannot_be_captured_is_refused() -> Result<(), DriverError> {
    let (_, _, stream) = stream();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    assert_eq!(stream.synchronize(), Err(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)));
    let ended = stream.end_capture(CUgraphInstantiate_flags(0)).map(|g| g.is_some());
    assert_eq!(ended, Err(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)));
    Ok(())
}

#[test]
fn memory_comes_and_goes() -> Result<(), DriverError> {
    let (driver, _, stream) = stream();
    let mut a = stream.clone_htod(&[1u32, 2, 3, 4])?;
    let mut b = stream.alloc_zeros::<u32>(4)?;
    stream.memcpy_dtod(&a, &mut b)?;
    stream.memset_zeros(&mut a)?;
    assert_eq!(stream.clone_dtoh(&b)?, [1, 2, 3, 4]);
    assert_eq!(stream.clone_dtoh(&a)?, [0; 4]);
    assert!(driver.live_bytes() >= 32);
    Ok(())
}

/// All that `cudarc` 0.19 calls with CUDA 12.0 from its safe layer.
const CALLED: &str = "
    cuCtxCreate_v3 cuCtxDestroy_v2 cuCtxGetCacheConfig cuCtxGetCurrent cuCtxGetLimit
    cuCtxGetStreamPriorityRange cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetFlags cuCtxSetLimit
    cuCtxSynchronize cuDestroyExternalMemory cuDeviceGet cuDeviceGetAttribute cuDeviceGetCount
    cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceGetName cuDeviceGetUuid cuDeviceGetUuid_v2
    cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRetain cuDeviceSetMemPool cuDeviceTotalMem_v2
    cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord cuEventSynchronize
    cuExternalMemoryGetMappedBuffer cuFuncGetAttribute cuFuncSetAttribute cuFuncSetCacheConfig
    cuGetErrorName cuGetErrorString cuGraphDestroy cuGraphExecDestroy cuGraphInstantiateWithFlags
    cuGraphLaunch cuGraphUpload cuImportExternalMemory cuInit cuLaunchCooperativeKernel cuLaunchHostFunc
    cuLaunchKernel cuMemAdvise_v2 cuMemAllocAsync cuMemAllocFromPoolAsync cuMemAllocManaged
    cuMemAlloc_v2 cuMemFreeAsync cuMemFreeHost cuMemFree_v2 cuMemGetInfo_v2 cuMemHostAlloc
    cuMemPoolCreate cuMemPoolDestroy cuMemPoolGetAttribute cuMemPoolSetAttribute cuMemPoolTrimTo
    cuMemPrefetchAsync_v2 cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2
    cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeerAsync cuMemsetD8Async cuMemsetD8_v2
    cuModuleGetFunction cuModuleGetGlobal_v2 cuModuleLoad cuModuleLoadData cuModuleUnload
    cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxActiveClusters
    cuOccupancyMaxPotentialBlockSize cuOccupancyMaxPotentialBlockSizeWithFlags
    cuOccupancyMaxPotentialClusterSize cuProfilerStart cuProfilerStop cuStreamAttachMemAsync
    cuStreamBeginCapture_v2 cuStreamCreate cuStreamCreateWithPriority cuStreamDestroy_v2
    cuStreamEndCapture cuStreamIsCapturing cuStreamSynchronize cuStreamWaitEvent
";

#[test]
fn every_function_cudarc_calls_is_there() {
    pd_cuda_emu::install().unwrap();
    // SAFETY: the library is open already under this name.
    let library = unsafe { libloading::Library::new("libcuda.so") }.unwrap();
    for name in CALLED.split_whitespace() {
        // SAFETY: the address is not called.
        let found = unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) };
        assert!(found.is_ok(), "{name} is missing");
    }
}

#[test]
fn the_name_that_nvrtc_asks_for_is_not_taken() {
    pd_cuda_emu::install().unwrap();
    // SAFETY: a system without a driver has no such library; one with a driver has its own.
    if let Ok(library) = unsafe { libloading::Library::new("libcuda.so.1") } {
        // SAFETY: the address is not called.
        assert!(unsafe { library.get::<unsafe extern "C" fn()>(b"pdEmuLastFault") }.is_err());
    }
}

#[test]
fn threads_launch_at_the_same_time_and_keep_their_faults_apart() {
    let run = |short: bool| {
        let (driver, context, stream) = stream();
        driver.clear_fault();
        let axpy = context.load_module(Ptx::from_src(AXPY)).unwrap().load_function("axpy").unwrap();
        let n = 5000usize;
        let dx = stream.clone_htod(&vec![1.0f32; n]).unwrap();
        let mut dy = stream.alloc_zeros::<f32>(if short { n - 1 } else { n }).unwrap();
        let (a, count) = (2.0f32, n as i32);
        for _ in 0..20 {
            let mut builder = stream.launch_builder(&axpy);
            builder.arg(&a).arg(&dx).arg(&mut dy).arg(&count);
            // SAFETY: the arguments are those of the kernel; one buffer is short on purpose.
            let done = unsafe { builder.launch(LaunchConfig::for_num_elems(n as u32)) };
            assert_eq!(done.is_err(), short);
        }
        assert_eq!(driver.last_fault().is_some(), short);
        if !short {
            assert_eq!(stream.clone_dtoh(&dy).unwrap(), vec![40.0f32; n]);
        }
    };
    std::thread::scope(|s| {
        for k in 0..4 {
            s.spawn(move || run(k % 2 == 1));
        }
    });
}
