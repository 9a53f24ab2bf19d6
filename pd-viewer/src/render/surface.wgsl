// Surfaces: Blinn-Phong with soft shadows, MatCap, normals as colours; colours by value; the checker floor.
struct Draw {
    offset: vec4<f32>,
    front: vec4<f32>,       // colour, specular
    back: vec4<f32>,        // colour, shininess
    flags: vec4<f32>,       // flat, coloured by value; of the floor: side of its tiles, radius
    shading: vec4<f32>,     // own light model or -1, MatCap layer
};
@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_compare: sampler_comparison;
@group(2) @binding(2) var ramp_map: texture_2d<f32>;
@group(2) @binding(3) var matcaps: texture_2d_array<f32>;
@group(2) @binding(4) var smooth_sampler: sampler;
@group(1) @binding(0) var<uniform> d: Draw;

struct In {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) value: f32,
};
struct Out {
    @builtin(position) clip: vec4<f32>,
    @location(0) p: vec3<f32>,
    @location(1) n: vec3<f32>,
    @location(2) value: f32,
};

@vertex fn vs(v: In) -> Out {
    let p = v.position + d.offset.xyz;
    return Out(g.view_projection * vec4(p, 1.0), p, v.normal, v.value);
}

@vertex fn vs_shadow(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return g.light_projection * vec4(position + d.offset.xyz, 1.0);
}

// Points spread evenly over the unit disc (Vogel's spiral): the k-th of n lies at radius sqrt((k + 1/2) / n), the golden
// angle on from the one before.
fn turned(a: vec2<f32>) -> vec2<f32> {
    return vec2(-0.737368878 * a.x - 0.675490294 * a.y, 0.675490294 * a.x - 0.737368878 * a.y);
}
fn radius_of(k: i32, n: f32) -> f32 { return sqrt((f32(k) + 0.5) / n); }

//BLOCKERS
// Share of the light that reaches p: percentage-closer soft shadows (Fernando 2005). First the mean depth of what
// blocks the light nearby; the further away it is, the wider the shadow is blurred.
//
// What is not needed is left out by loops of no length, not by branches: the software driver executes both sides of a
// branch, and loops of known length whole, for every pixel.
fn lit(p: vec3<f32>, n: vec3<f32>, wanted: bool) -> f32 {
    let q = g.light_projection * vec4(p + n * g.shadow.z, 1.0);
    let uv = q.xy * vec2(0.5, -0.5) + 0.5;
    let inside = all(uv >= vec2(0.0)) && all(uv <= vec2(1.0));
    let z = min(q.z, 1.0);
    // Depth of the surface's own slope per distance in the map: without it a slanted surface would shade itself.
    let c = clamp(dot(n, g.light.xyz), 0.1, 1.0);
    let slope = 0.5 * sqrt(1.0 - c * c) / c;
    let reach = clamp(g.shadow.y * z, 2.0 * g.shadow.x, 0.03);
    let found = blockers(uv, z, slope, reach, select(0, 16, wanted && inside && g.shadow.w > 0.5));
    let radius = clamp(g.shadow.y * (z - found.x), 1.2 * g.shadow.x, reach);
    let samples = select(0, 24, found.y > 0.0);
    var light = 0.0;
    var a = vec2(1.0, 0.0);
    for (var k = 0; k < samples; k++) {
        let r = radius_of(k, 24.0) * radius;
        light += textureSampleCompareLevel(shadow_map, shadow_compare, uv + r * a, z - slope * r);
        a = turned(a);
    }
    return select(1.0, light / 24.0, samples > 0);
}

// Share of odd tiles in a pixel of width w: the integral of the checker pattern, so that it does not flicker far away.
fn wave(x: vec2<f32>) -> vec2<f32> { return abs(fract(x * 0.5) - 0.5) * 2.0; }
fn checker(p: vec2<f32>) -> f32 {
    let w = max(fwidth(p), vec2(1e-5));
    let i = (wave(p - 0.5 * w) - wave(p + 0.5 * w)) / w;
    return 0.5 - 0.5 * i.x * i.y;
}

// `wanted` is false where a driver that executes both sides of a branch comes by without need.
fn phong(colour: vec3<f32>, specular: f32, shininess: f32, p: vec3<f32>, n: vec3<f32>, wanted: bool) -> vec3<f32> {
    let view = normalize(g.eye.xyz - p);
    let half_way = normalize(g.light.xyz + view);
    let diffuse = max(dot(n, g.light.xyz), 0.0);
    let key = select(0.0, lit(p, n, wanted && diffuse > 0.0), diffuse > 0.0);
    let ambient = mix(g.ground.rgb, g.sky.rgb, 0.5 + 0.5 * n.y);
    let shine = pow(max(dot(n, half_way), 0.0), shininess) * specular * key * min(diffuse * 4.0, 1.0);
    return colour * (ambient + g.light.w * diffuse * key) + vec3(shine);
}

@fragment fn fs(i: Out, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let flat_normal = normalize(cross(dpdx(i.p), dpdy(i.p)));
    let ramp_at = vec2(clamp((i.value - g.ramp.x) * g.ramp.y, 0.0, 1.0) * 0.99609375 + 0.001953125, 0.5);
    let ramp = textureSampleLevel(ramp_map, smooth_sampler, ramp_at, 0.0).rgb;
    var n = normalize(i.n);
    if (!front) { n = -n; }
    if (d.flags.x > 0.5 || g.shading.z > 0.5) {
        n = flat_normal;
        if (dot(n, g.eye.xyz - i.p) < 0.0) { n = -n; }
    }
    let by_value = d.flags.y > 0.5 && g.ramp.z > 0.5;
    var colour = select(d.back.rgb, d.front.rgb, front);
    if (by_value) { colour = ramp; }
    let shading = select(g.shading.xy, d.shading.xy, d.shading.x >= 0.0);
    if (shading.x > 1.5) { return vec4(pow(n * 0.5 + 0.5, vec3(2.2)), 1.0); }
    if (shading.x > 0.5) {
        // The normal as seen from this point of the picture, so that flat parts are not all of one colour.
        let to_eye = normalize(g.eye.xyz - i.p);
        let right = normalize(cross(vec3(g.view[0].y, g.view[1].y, g.view[2].y), to_eye));
        let up = cross(to_eye, right);
        let at = vec2(dot(n, right), -dot(n, up)) * 0.485 + 0.5;
        var ball = textureSampleLevel(matcaps, smooth_sampler, at, i32(shading.y), 0.0).rgb;
        // The last ball, and values, take their colour from the body.
        if (by_value || shading.y > 2.5) { ball = ball * mix(colour, vec3(1.0), 0.12) * 1.5; }
        return vec4(ball, 1.0);
    }
    return vec4(phong(colour, d.front.w, d.back.w, i.p, n, shading.x < 0.5), 1.0);
}

@fragment fn fs_floor(i: Out, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let colour = mix(d.front.rgb, d.back.rgb, checker(i.p.xz / d.flags.z));
    var c = phong(colour, 0.0, 1.0, i.p, vec3(0.0, 1.0, 0.0), true);
    // It fades into the background before it ends, and is glass from below.
    let far = length(i.p.xz - d.offset.xz) / d.flags.w;
    let alpha = 1.0 - smoothstep(0.35, 0.95, far);
    return vec4(c, select(0.15, 1.0, g.eye.y > i.p.y) * alpha);
}

struct Sky { @builtin(position) clip: vec4<f32>, @location(0) y: f32 };
@vertex fn vs_sky(@builtin(vertex_index) k: u32) -> Sky {
    let xy = vec2(f32((k << 1u) & 2u), f32(k & 2u));
    return Sky(vec4(xy * 2.0 - 1.0, 1.0, 1.0), xy.y);
}
@fragment fn fs_sky(i: Sky) -> @location(0) vec4<f32> {
    return vec4(mix(g.bottom.rgb, g.top.rgb, smoothstep(0.0, 1.0, i.y)), 1.0);
}
