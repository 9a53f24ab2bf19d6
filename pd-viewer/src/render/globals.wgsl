// What all pipelines share. The layout is that of `Globals` in globals.rs.
struct Globals {
    view_projection: mat4x4<f32>,
    light_projection: mat4x4<f32>,
    view: mat4x4<f32>,
    eye: vec4<f32>,
    light: vec4<f32>,       // xyz: unit vector to the light
    sky: vec4<f32>,         // light from above
    ground: vec4<f32>,      // light from below
    top: vec4<f32>,         // background, upper edge
    bottom: vec4<f32>,      // background, lower edge
    ramp: vec4<f32>,        // lowest value, 1 / span, on or off
    shadow: vec4<f32>,      // texel, spread per depth, offset along the normal in m, on or off
    shading: vec4<f32>,     // 0 Phong, 1 MatCap, 2 normals; MatCap layer; flat or smooth
    viewport: vec4<f32>,    // width, height, pixels
    wire: vec4<f32>,        // colour of wireframes
};
@group(0) @binding(0) var<uniform> g: Globals;
