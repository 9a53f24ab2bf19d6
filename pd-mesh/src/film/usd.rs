//! USD as text (`.usda`): a prim for every part and shape, points and transforms sampled over time (Universal Scene
//! Description, openusd.org). Units are metres, +y is up, a time code is a frame.

use super::names::prims;
use super::{Film, Part, Rigid, Shape, linear};
use crate::Vec3;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};

/// Writes a run. Positions have the fewest digits that read back to the same 32-bit float, which is what USD holds.
///
/// # Errors
/// An inconsistent film; errors of the writer.
pub fn write_usda(out: impl Write, film: &Film) -> std::io::Result<()> {
    film.check()?;
    let mut out = BufWriter::new(out);
    let rate = film.rate();
    let codes: Vec<f64> = film.times.iter().map(|t| code((t - film.times[0]) * rate)).collect();
    let last = codes.last().copied().unwrap_or(0.0);
    writeln!(out, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {}", text(&film.title))?;
    writeln!(out, "    endTimeCode = {last}\n    framesPerSecond = {rate}\n    metersPerUnit = 1")?;
    writeln!(out, "    startTimeCode = 0\n    timeCodesPerSecond = {rate}\n    upAxis = \"Y\"\n)\n")?;
    writeln!(out, "def Xform \"World\"\n{{")?;
    let names = film.parts.iter().map(|p| p.name.as_str()).chain(film.rigid.iter().map(|r| r.name.as_str()));
    let names = prims(std::iter::once("Looks").chain(names));
    for (part, name) in film.parts.iter().zip(&names[1..]) {
        write_part(&mut out, part, name, film, &codes)?;
    }
    for (shape, name) in film.rigid.iter().zip(&names[1 + film.parts.len()..]) {
        write_shape(&mut out, shape, name, &codes)?;
    }
    writeln!(out, "    def Scope \"Looks\"\n    {{")?;
    let colours = film.parts.iter().map(|p| p.colour).chain(film.rigid.iter().map(|r| r.colour));
    for (colour, name) in colours.zip(&names[1..]) {
        write_look(&mut out, colour, name)?;
    }
    writeln!(out, "    }}\n}}")?;
    out.flush()
}

fn write_part(
    out: &mut impl Write,
    part: &Part,
    name: &str,
    film: &Film,
    codes: &[f64],
) -> std::io::Result<()> {
    let points = part.triangles.is_empty();
    let kind = if points { "Points" } else { "Mesh" };
    open(out, kind, name)?;
    if points {
        let widths = vec![(2.0 * part.radius) as f32; part.vertices.len()];
        writeln!(out, "        float[] widths = [{}]", list(&widths))?;
    } else {
        writeln!(out, "        int[] faceVertexCounts = [{}]", list(&vec![3; part.triangles.len()]))?;
        writeln!(out, "        int[] faceVertexIndices = [{}]", list(part.triangles.as_flattened()))?;
        writeln!(out, "        uniform token subdivisionScheme = \"none\"\n        bool doubleSided = true")?;
    }
    writeln!(out, "        float3[] extent.timeSamples = {{")?;
    for (code, frame) in codes.iter().zip(&film.frames) {
        let x = part.of(frame);
        let low = x.iter().fold(Vec3::repeat(f64::INFINITY), |low, x| low.inf(x)).add_scalar(-part.radius);
        let high = x.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |h, x| h.sup(x)).add_scalar(part.radius);
        writeln!(out, "            {code}: [{}],", triples(&[low, high]))?;
    }
    writeln!(out, "        }}\n        point3f[] points.timeSamples = {{")?;
    for (code, frame) in codes.iter().zip(&film.frames) {
        writeln!(out, "            {code}: [{}],", triples(part.of(frame)))?;
    }
    writeln!(out, "        }}")?;
    close(out, part.colour, name)
}

fn write_shape(out: &mut impl Write, shape: &Rigid, name: &str, codes: &[f64]) -> std::io::Result<()> {
    let mut scale = None;
    match &shape.shape {
        Shape::Sphere(radius) => {
            open(out, "Sphere", name)?;
            writeln!(out, "        double radius = {radius}")?;
        }
        Shape::Block(half) => {
            open(out, "Cube", name)?;
            writeln!(out, "        double size = 2")?;
            scale = Some(*half);
        }
        Shape::Capsule(radius, half) => {
            open(out, "Capsule", name)?;
            writeln!(out, "        uniform token axis = \"Y\"\n        double radius = {radius}")?;
            writeln!(out, "        double height = {}", 2.0 * half)?;
        }
        other => {
            let (mesh, _) = other.surface();
            open(out, "Mesh", name)?;
            writeln!(out, "        int[] faceVertexCounts = [{}]", list(&vec![3; mesh.triangles.len()]))?;
            writeln!(out, "        int[] faceVertexIndices = [{}]", list(mesh.triangles.as_flattened()))?;
            writeln!(out, "        point3f[] points = [{}]", triples(&mesh.positions))?;
            writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
        }
    }
    let place = |k: usize| {
        let p = shape.pose(k).position;
        format!("({}, {}, {})", p.x, p.y, p.z)
    };
    // USD writes the real part of a quaternion first.
    let turn = |k: usize| {
        let q = shape.pose(k).rotation.coords.map(|c| c as f32);
        format!("({}, {}, {}, {})", q.w, q.x, q.y, q.z)
    };
    sampled(out, "double3 xformOp:translate", shape.poses.len(), codes, place)?;
    sampled(out, "quatf xformOp:orient", shape.poses.len(), codes, turn)?;
    let mut order = "\"xformOp:translate\", \"xformOp:orient\"".to_owned();
    if let Some(half) = scale {
        writeln!(out, "        double3 xformOp:scale = ({}, {}, {})", half.x, half.y, half.z)?;
        order.push_str(", \"xformOp:scale\"");
    }
    writeln!(out, "        uniform token[] xformOpOrder = [{order}]")?;
    close(out, shape.colour, name)
}

fn sampled(
    out: &mut impl Write,
    what: &str,
    poses: usize,
    codes: &[f64],
    value: impl Fn(usize) -> String,
) -> std::io::Result<()> {
    if poses <= 1 {
        return writeln!(out, "        {what} = {}", value(0));
    }
    writeln!(out, "        {what}.timeSamples = {{")?;
    for (k, code) in codes.iter().enumerate() {
        writeln!(out, "            {code}: {},", value(k))?;
    }
    writeln!(out, "        }}")
}

fn open(out: &mut impl Write, kind: &str, name: &str) -> std::io::Result<()> {
    writeln!(
        out,
        "    def {kind} \"{name}\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {{"
    )
}

fn close(out: &mut impl Write, colour: [f64; 3], name: &str) -> std::io::Result<()> {
    let [r, g, b] = colour.map(|c| linear(c) as f32);
    writeln!(out, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
    writeln!(out, "        rel material:binding = </World/Looks/{name}>\n    }}")
}

fn write_look(out: &mut impl Write, colour: [f64; 3], name: &str) -> std::io::Result<()> {
    let [r, g, b] = colour.map(|c| linear(c) as f32);
    writeln!(
        out,
        "        def Material \"{name}\"\n        {{\n            token outputs:surface.connect = \
         </World/Looks/{name}/Surface.outputs:surface>\n            def Shader \"Surface\"\n            {{\n                \
         uniform token info:id = \"UsdPreviewSurface\"\n                color3f inputs:diffuseColor = ({r}, {g}, {b})\n                \
         float inputs:roughness = 0.8\n                token outputs:surface\n            }}\n        }}"
    )
}

/// A time code without the rounding errors of summed time steps.
fn code(code: f64) -> f64 {
    if (code - code.round()).abs() < 1e-6 { code.round() } else { code }
}

fn triples(x: &[Vec3]) -> String {
    let mut text = String::with_capacity(32 * x.len());
    for (k, x) in x.iter().map(|x| x.map(|c| c as f32)).enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}({}, {}, {})", if k == 0 { "" } else { ", " }, x.x, x.y, x.z);
    }
    text
}

fn list(values: &[impl std::fmt::Display]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A quoted text.
fn text(plain: &str) -> String {
    let escaped: String = plain
        .chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            c => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}
