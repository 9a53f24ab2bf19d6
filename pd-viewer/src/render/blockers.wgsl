// Mean depth of what lies between p and the light within reach, and how many samples met something, of 16 or of none.
fn blockers(uv: vec2<f32>, z: f32, slope: f32, reach: f32, samples: i32) -> vec2<f32> {
    let size = vec2<f32>(textureDimensions(shadow_map));
    var sum = 0.0;
    var count = 0.0;
    var a = vec2(1.0, 0.0);
    for (var k = 0; k < samples; k++) {
        let r = radius_of(k, 16.0) * reach;
        let at = clamp((uv + r * a) * size, vec2(0.0), size - 1.0);
        let depth = textureLoad(shadow_map, vec2<i32>(at), 0);
        if (depth < z - slope * r) { sum += depth; count += 1.0; }
        a = turned(a);
    }
    return vec2(sum / max(count, 1.0), count);
}
