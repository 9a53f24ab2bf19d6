// Mean depth of what lies between p and the light within reach, and how many of 16 samples met something.
fn blockers(uv: vec2<f32>, z: f32, slope: f32, reach: f32) -> vec2<f32> {
    let size = vec2<f32>(textureDimensions(shadow_map));
    var sum = 0.0;
    var count = 0.0;
    for (var k = 0; k < 16; k++) {
        let shift = disc(k, 16.0) * reach;
        let at = clamp((uv + shift) * size, vec2(0.0), size - 1.0);
        let depth = textureLoad(shadow_map, vec2<i32>(at), 0);
        if (depth < z - slope * length(shift)) { sum += depth; count += 1.0; }
    }
    return vec2(sum / max(count, 1.0), count);
}
