// OpenGL cannot read a depth texture that is also compared with. Whether something is in the way is known from
// comparisons; how far away it is not, and is taken to be a twelfth of the depth of the map.
fn blockers(uv: vec2<f32>, z: f32, slope: f32, reach: f32, samples: i32) -> vec2<f32> {
    var light = 0.0;
    var a = vec2(1.0, 0.0);
    for (var k = 0; k < samples; k++) {
        let r = radius_of(k, 16.0) * reach;
        light += textureSampleCompareLevel(shadow_map, shadow_compare, uv + r * a, z - slope * r);
        a = turned(a);
    }
    let dark = f32(samples) - light;
    return vec2(z - 0.08, select(0.0, dark, dark > 0.01));
}
