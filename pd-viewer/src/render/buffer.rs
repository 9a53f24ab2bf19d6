//! Device buffers that are reused from frame to frame.

use egui_wgpu::wgpu;

/// A buffer that grows and never shrinks: writing the same amount again allocates nothing.
pub(super) struct Growing {
    buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl Growing {
    pub(super) fn new(device: &wgpu::Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self { buffer: make(device, label, usage, 256), label, usage }
    }

    pub(super) fn vertex(device: &wgpu::Device, label: &'static str) -> Self {
        Self::new(device, label, wgpu::BufferUsages::VERTEX)
    }

    pub(super) fn index(device: &wgpu::Device, label: &'static str) -> Self {
        Self::new(device, label, wgpu::BufferUsages::INDEX)
    }

    /// Replaces the content; returns whether the buffer itself was replaced.
    pub(super) fn write<T: bytemuck::Pod>(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        content: &[T],
    ) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(content);
        let grown = bytes.len() as u64 > self.buffer.size();
        if grown {
            let size = (bytes.len() as u64).next_power_of_two();
            self.buffer = make(device, self.label, self.usage, size);
        }
        if !bytes.is_empty() {
            queue.write_buffer(&self.buffer, 0, bytes);
        }
        grown
    }

    pub(super) fn get(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

fn make(device: &wgpu::Device, label: &str, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}
