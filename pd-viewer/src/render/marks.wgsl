// Lines and dots of constant width on the screen, and wireframes.
struct Colour {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec4<f32>,
    @location(1) at: vec2<f32>,
    @location(2) size: f32,
};

// Nearer by a little, so that lines win over the surface they lie on.
fn nearer(clip: vec4<f32>) -> vec4<f32> { return vec4(clip.xy, clip.z - 3e-4 * clip.w, clip.w); }

@vertex fn vs_wire(@location(0) position: vec3<f32>) -> Colour {
    return Colour(nearer(g.view_projection * vec4(position, 1.0)), g.wire, vec2(0.0), 1.0);
}
@fragment fn fs_wire(i: Colour) -> @location(0) vec4<f32> { return i.colour; }

struct Line {
    @location(0) start: vec3<f32>,
    @location(1) end: vec3<f32>,
    @location(2) colour: vec4<f32>,
    @location(3) width: f32,
};

// The part of a line in front of the near plane.
fn clipped(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    if (a.z >= 0.0) { return a; }
    return mix(a, b, a.z / (a.z - b.z));
}

@vertex fn vs_line(@builtin(vertex_index) k: u32, line: Line) -> Colour {
    let a0 = g.view_projection * vec4(line.start, 1.0);
    let b0 = g.view_projection * vec4(line.end, 1.0);
    if (a0.z < 0.0 && b0.z < 0.0) { return Colour(vec4(2.0, 2.0, 2.0, 1.0), line.colour, vec2(0.0), 1.0); }
    let a = clipped(a0, b0);
    let b = clipped(b0, a0);
    let along = (b.xy / b.w - a.xy / a.w) * g.viewport.xy;
    let across = vec2(-along.y, along.x) / max(length(along), 1e-4);
    let corner = vec2(f32(k & 1u), f32(k >> 1u) * 2.0 - 1.0);
    var clip = mix(a, b, corner.x);
    clip = vec4(clip.xy + across * corner.y * line.width / g.viewport.xy * clip.w, clip.zw);
    return Colour(nearer(clip), line.colour, vec2(0.0), 1.0);
}

struct Dot {
    @location(0) centre: vec3<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) size: f32,
};

fn square(k: u32) -> vec2<f32> { return vec2(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0; }

fn corner_of(mark: Dot, k: u32) -> Colour {
    let corner = square(k);
    var clip = g.view_projection * vec4(mark.centre, 1.0);
    clip = vec4(clip.xy + corner * (mark.size + 1.0) / g.viewport.xy * clip.w, clip.zw);
    return Colour(nearer(clip), mark.colour, corner * (mark.size + 1.0), mark.size);
}
@vertex fn vs_dot(@builtin(vertex_index) k: u32, mark: Dot) -> Colour { return corner_of(mark, k); }
// Every vertex of the bodies: only a position each.
@vertex fn vs_vertex(@builtin(vertex_index) k: u32, @location(0) centre: vec3<f32>) -> Colour {
    return corner_of(Dot(centre, vec4(g.wire.rgb, 0.9), 3.5), k);
}
@fragment fn fs_dot(i: Colour) -> @location(0) vec4<f32> {
    let alpha = clamp((i.size - length(i.at)) * 0.5 + 0.5, 0.0, 1.0);
    if (alpha == 0.0) { discard; }
    // A darker rim sets a dot off from a surface of its own colour.
    let rim = smoothstep(i.size - 2.5, i.size - 1.0, length(i.at)) * step(5.0, i.size);
    return vec4(i.colour.rgb * (1.0 - 0.6 * rim), i.colour.a * alpha);
}
