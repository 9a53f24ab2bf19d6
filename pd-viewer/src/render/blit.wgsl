// Copies the picture. Sampling gives linear light; a target that is not sRGB gets it encoded.
struct Out { @builtin(position) clip: vec4<f32>, @location(0) uv: vec2<f32> };
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;
@vertex fn vs(@builtin(vertex_index) k: u32) -> Out {
    let uv = vec2(f32((k << 1u) & 2u), f32(k & 2u));
    return Out(vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}
@fragment fn fs(i: Out) -> @location(0) vec4<f32> {
    return vec4(textureSampleLevel(picture, nearest, i.uv, 0.0).rgb, 1.0);
}
@fragment fn fs_encode(i: Out) -> @location(0) vec4<f32> {
    let c = textureSampleLevel(picture, nearest, i.uv, 0.0).rgb;
    return vec4(select(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3(0.0031308)), 1.0);
}
