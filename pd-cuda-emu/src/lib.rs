//! A PTX interpreter behind a stand-in CUDA driver, to test device code without a device.
