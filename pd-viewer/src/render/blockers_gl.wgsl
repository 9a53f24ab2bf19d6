// OpenGL cannot read a depth texture that is also compared with. Whether something is in the way is known from
// comparisons; how far away it is not, and is taken to be a twelfth of the depth of the map.
fn blockers(uv: vec2<f32>, z: f32, slope: f32, reach: f32) -> vec2<f32> {
    var light = 0.0;
    for (var k = 0; k < 16; k++) {
        let shift = disc(k, 16.0) * reach;
        light += textureSampleCompareLevel(shadow_map, shadow_compare, uv + shift, z - slope * length(shift));
    }
    return vec2(z - 0.08, select(16.0 - light, 0.0, light > 15.99));
}
