//! Each switch of the renderer does what it says: tests of what is in the pictures.

use crate::common::{SIZE, at, at_rest, changed, draw, light, offscreen, pixel_of, run};
use pd_core::Vec3;
use pd_viewer::draw::{
    ColourRange, Legend, Line, Marker, MatCap, Options, Plane, Ramp, Shading, Theme, find_contacts,
    touch_distance,
};

#[test]
fn an_object_shades_the_floor_behind_it_as_seen_from_the_light() {
    let (drawing, mut camera) = at_rest("ball", 35.0, 30.0);
    camera.dolly(4.0);
    let with = Options { light_azimuth: -15.0, light_elevation: 52.0, ..Options::default() };
    let lit = draw(&drawing, &camera, &Options { shadows: false, ..with });
    let shaded = draw(&drawing, &camera, &with);
    // The ball's centre is 1.8 m above the floor; its shadow is where a ray of light through it ends.
    let (a, e) = (with.light_azimuth.to_radians(), with.light_elevation.to_radians());
    let to_light = Vec3::new(f64::from(a.sin() * e.cos()), f64::from(e.sin()), f64::from(a.cos() * e.cos()));
    let centre = Vec3::new(0.0, 0.8, 0.0);
    let shadow = centre - to_light * ((centre.y + 1.0) / to_light.y);
    let pixel = pixel_of(&camera, shadow);
    assert!(
        light(&shaded, pixel) < light(&lit, pixel) - 90,
        "{pixel:?}: {:?} {:?}",
        at(&shaded, pixel),
        at(&lit, pixel)
    );
    // On the sunny side of the ball the floor is as it was.
    let sunny = pixel_of(&camera, Vec3::new(to_light.x, -1.0, to_light.z) * 1.0);
    assert!((light(&shaded, sunny) - light(&lit, sunny)).abs() <= 6, "{sunny:?}");
    // A shadow only takes light away.
    assert!(
        lit.pixels.iter().zip(&shaded.pixels).all(|(lit, shaded)| i32::from(*shaded) <= i32::from(*lit) + 3)
    );
}

#[test]
fn a_larger_light_makes_softer_shadows() {
    let (drawing, mut camera) = at_rest("ball", 35.0, 30.0);
    camera.dolly(4.0);
    let lit = draw(&drawing, &camera, &Options { shadows: false, ..Options::default() });
    // Pixels neither in full light nor in full shadow.
    let half = |softness: f32| {
        let image = draw(&drawing, &camera, &Options { softness, ..Options::default() });
        let gaps = image.pixels.iter().zip(&lit.pixels).map(|(a, b)| i32::from(*b) - i32::from(*a));
        gaps.filter(|gap| (8..36).contains(gap)).count()
    };
    let (hard, soft) = (half(0.1), half(4.0));
    assert!(soft > 2 * hard, "{soft} {hard}");
}

#[test]
fn a_wireframe_darkens_edges_and_nothing_else() {
    let (drawing, camera) = at_rest("bar", 50.0, 20.0);
    let plain = draw(&drawing, &camera, &Options::default());
    let wired = draw(&drawing, &camera, &Options { wireframe: true, ..Options::default() });
    let share = changed(&plain, &wired);
    assert!((0.01..0.30).contains(&share), "{share}");
    let brighter =
        plain.pixels.iter().zip(&wired.pixels).filter(|(a, b)| i32::from(**b) > i32::from(**a) + 12).count();
    assert!(brighter < 60, "{brighter} channels are brighter");
    // One body's own wireframe changes only that body.
    let (mut drawing, camera) = at_rest("cloth-pair", 0.0, 50.0);
    let plain = draw(&drawing, &camera, &Options::default());
    drawing.wireframes[0] = true;
    let one = draw(&drawing, &camera, &Options::default());
    let side = |right: bool| {
        let half = |x: u32| if right { x >= SIZE[0] / 2 + 8 } else { x < SIZE[0] / 2 - 8 };
        let pixels = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| [x, y])).filter(|p| half(p[0]));
        pixels.filter(|p| (light(&plain, *p) - light(&one, *p)).abs() > 40).count()
    };
    // The soft cloth, body 0, lies at larger x.
    assert!(side(true) > 200 && side(false) == 0, "{} {}", side(true), side(false));
}

#[test]
fn values_choose_the_colour_and_the_legend_explains_it() {
    let (mut drawing, camera) = at_rest("bar", 50.0, 20.0);
    let range = ColourRange { low: 0.0, high: 2.0, ramp: Ramp::Diverging };
    let options = Options { colour: Some(range), ..Options::default() };
    let centre = pixel_of(&camera, drawing.body_bounds().centre());
    drawing.set_values(&vec![0.0; 208]);
    let [r, _, b] = at(&draw(&drawing, &camera, &options), centre);
    assert!(b > r + 40, "low is blue: {r} {b}");
    drawing.set_values(&vec![2.0; 208]);
    let image = draw(&drawing, &camera, &options);
    let [r, _, b] = at(&image, centre);
    assert!(r > b + 40, "high is red: {r} {b}");
    drawing.set_values(&[]);
    let [r, g, b] = at(&draw(&drawing, &camera, &options), centre);
    assert!(r > g + 40 && r > b + 40, "without values the body's own colour: {r} {g} {b}");

    let legend = Legend { title: "speed, m/s".into(), low: 0.0, high: 2.0, ramp: Ramp::Diverging };
    let marked = offscreen(4).draw(&drawing, &options, &camera, SIZE, Some(&legend)).unwrap();
    let plain = draw(&drawing, &camera, &options);
    assert!(changed(&plain, &marked) > 0.02);
    let near = |wanted: [f32; 3]| {
        let pixels = (0..SIZE[1]).flat_map(|y| (0..SIZE[0] / 3).map(move |x| [x, y]));
        let close = |p: &[u32; 2]| {
            let got = at(&marked, *p);
            (0..3).all(|c| (got[c] as f32 - wanted[c] * 255.0).abs() < 24.0)
        };
        pixels.filter(close).map(|p| p[1]).collect::<Vec<_>>()
    };
    let (low, high) = (near(Ramp::Diverging.srgb(0.01)), near(Ramp::Diverging.srgb(0.99)));
    assert!(low.len() > 6 && high.len() > 6, "{} {}", low.len(), high.len());
    assert!(high.iter().max() < low.iter().min(), "the high end is above the low one");
}

#[test]
fn a_cut_shows_the_inside() {
    let (mut drawing, camera) = at_rest("ball", 90.0, 5.0);
    // The value of a vertex is its distance from the centre: only a cut shows low ones.
    let centre = drawing.body_bounds().centre();
    let values: Vec<f32> = (0..drawing.topology.vertices as u32)
        .map(|v| (drawing.position(v).unwrap() - centre).norm() as f32)
        .collect();
    drawing.set_values(&values);
    let range = ColourRange { low: 0.0, high: 0.4, ramp: Ramp::Diverging };
    let whole = Options { colour: Some(range), obstacles: false, floor: false, ..Options::default() };
    let open = Options { cut: Some(Plane::across(0, 0.0)), ..whole };
    let pixel = pixel_of(&camera, centre);
    let [r, _, b] = at(&draw(&drawing, &camera, &whole), pixel);
    assert!(r > b + 40, "the surface is far from the centre: {r} {b}");
    let [r, _, b] = at(&draw(&drawing, &camera, &open), pixel);
    assert!(b > r + 20, "the inside is near it: {r} {b}");
    // Everything hidden: the picture of nothing.
    let none = draw(&drawing, &camera, &Options { cut: Some(Plane::across(0, -9.0)), ..whole });
    drawing.visible[0] = false;
    assert_eq!(changed(&none, &draw(&drawing, &camera, &whole)), 0.0);
}

#[test]
fn tetrahedra_edges_and_points_are_drawn() {
    let (drawing, camera) = at_rest("bar", 50.0, 20.0);
    let plain = draw(&drawing, &camera, &Options::default());
    let tets = draw(&drawing, &camera, &Options { tets: Some(0.6), ..Options::default() });
    assert!(changed(&plain, &tets) > 0.05);
    let bare = Options { surfaces: false, floor: false, obstacles: false, ..Options::default() };
    let nothing = draw(&drawing, &camera, &bare);
    let edges = draw(&drawing, &camera, &Options { edges: true, ..bare });
    assert!((0.005..0.5).contains(&changed(&nothing, &edges)));
    let points = draw(&drawing, &camera, &Options { points: true, ..bare });
    for vertex in [0, 100, 207] {
        let pixel = pixel_of(&camera, drawing.position(vertex).unwrap());
        assert!(light(&points, pixel) < light(&nothing, pixel) - 100, "vertex {vertex}");
    }
}

#[test]
fn lines_and_dots_are_hidden_by_surfaces_unless_they_are_on_top() {
    let (mut drawing, camera) = at_rest("ball", 0.0, 10.0);
    let centre = drawing.body_bounds().centre();
    let pixel = pixel_of(&camera, centre);
    let plain = draw(&drawing, &camera, &Options::default());
    let green = [0.0, 1.0, 0.0, 1.0];
    let is_green = |image: &pd_viewer::record::Image| {
        let [r, g, b] = at(image, pixel);
        g > 200 && r < 90 && b < 90
    };
    for on_top in [false, true] {
        drawing.markers = vec![Marker { at: centre, colour: green, size: 9.0, on_top }];
        drawing.lines = vec![];
        let dots = draw(&drawing, &camera, &Options::default());
        assert_eq!(is_green(&dots), on_top);
        drawing.markers = vec![];
        let (from, to) = (centre - Vec3::x() * 0.2, centre + Vec3::x() * 0.2);
        drawing.lines = vec![Line { from, to, colour: green, width: 4.0, on_top }];
        let lines = draw(&drawing, &camera, &Options::default());
        assert_eq!(is_green(&lines), on_top);
        assert_eq!(changed(&plain, &lines) > 0.0, on_top);
    }
    // A line that starts behind the eye, to the right, is cut at the near plane and not lost.
    let (right, _, back) = camera.axes();
    let from = camera.eye() + back * 0.5 + right * 0.2;
    drawing.lines = vec![Line { from, to: centre, colour: green, width: 5.0, on_top: true }];
    let image = draw(&drawing, &camera, &Options::default());
    for part in [0.1, 0.3, 0.5] {
        let [r, g, b] = at(&image, pixel_of(&camera, centre + (from - centre) * part));
        assert!(g > 200 && r < 90 && b < 90, "{part}: {r} {g} {b}");
    }
}

#[test]
fn neighbours_and_contacts_are_marked() {
    let (drawing, camera) = at_rest("bar", 50.0, 20.0);
    let vertex = 100;
    let plain = draw(&drawing, &camera, &Options::default());
    let marked = draw(&drawing, &camera, &Options { adjacency: Some(vertex), ..Options::default() });
    for &neighbour in drawing.topology.neighbours(vertex) {
        let pixel = pixel_of(&camera, drawing.position(neighbour).unwrap());
        let [r, g, b] = at(&marked, pixel);
        assert!(g > r + 40 && b > r + 40, "neighbour {neighbour}: {r} {g} {b}");
    }
    assert!((0.0005..0.08).contains(&changed(&plain, &marked)));

    let mut run = run("cloth");
    for _ in 0..30 {
        run.advance().unwrap();
    }
    let (mut drawing, mut camera) = at_rest("cloth", 35.0, 20.0);
    drawing.set_positions(&run.sim.state.x);
    camera.frame(&drawing.body_bounds(), 4.0 / 3.0);
    // The cloth keeps its thickness from the ball.
    find_contacts(
        &run.sim.state.x,
        &run.sim.colliders,
        run.sim.state.time,
        touch_distance(&run.sim.model),
        &mut drawing.contacts,
    );
    assert!(drawing.contacts.len() > 10, "the cloth lies on the ball");
    let plain = draw(&drawing, &camera, &Options::default());
    let marked = draw(&drawing, &camera, &Options { contacts: true, ..Options::default() });
    assert!(changed(&plain, &marked) > 0.002);
}

#[test]
fn shadings_differ_and_flat_is_not_smooth() {
    let (mut drawing, camera) = at_rest("hemispheres", 10.0, 20.0);
    let balls = MatCap::ALL.map(Shading::MatCap);
    let all = [&[Shading::Phong, Shading::Normals][..], &balls[..]].concat();
    let images: Vec<_> = all
        .iter()
        .map(|&shading| draw(&drawing, &camera, &Options { shading, ..Options::default() }))
        .collect();
    for (i, a) in images.iter().enumerate() {
        for b in &images[..i] {
            assert!(changed(a, b) > 0.05);
        }
    }
    let (ball, near) = at_rest("ball", 10.0, 20.0);
    let smooth_and_flat =
        [false, true].map(|flat| draw(&ball, &near, &Options { flat, ..Options::default() }));
    let share = changed(&smooth_and_flat[0], &smooth_and_flat[1]);
    assert!(share > 0.01, "{share}");
    // A body's own light model wins over that of the picture.
    drawing.shadings.fill(Some(Shading::Normals));
    assert!(changed(&draw(&drawing, &camera, &Options::default()), &images[1]) < 0.001);
}

#[test]
fn themes_set_the_background_and_samples_smooth_edges() {
    let (drawing, camera) = at_rest("bar", 50.0, 20.0);
    let corner = |theme| light(&draw(&drawing, &camera, &Options { theme, ..Options::default() }), [3, 3]);
    assert!(corner(Theme::Light) > 500 && corner(Theme::Dark) < 120);
    // Between two colours of a silhouette there are others only if a pixel is averaged.
    let kinds = |samples| {
        let image = offscreen(samples).draw(&drawing, &Options::default(), &camera, SIZE, None).unwrap();
        let mut colours: Vec<_> = image.pixels.chunks_exact(3).map(<[u8]>::to_vec).collect();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    };
    let (one, four) = (kinds(1), kinds(4));
    assert!(four > one + 100, "{one} {four}");
}

#[test]
fn pictures_repeat_and_sizes_are_checked() {
    let (drawing, camera) = at_rest("cloth", 35.0, 20.0);
    let mut offscreen = offscreen(4);
    let first = offscreen.draw(&drawing, &Options::default(), &camera, [97, 61], None).unwrap();
    assert_eq!((first.width, first.height, first.pixels.len()), (97, 61, 97 * 61 * 3));
    offscreen
        .draw(&drawing, &Options { theme: Theme::Dark, ..Options::default() }, &camera, SIZE, None)
        .unwrap();
    let again = offscreen.draw(&drawing, &Options::default(), &camera, [97, 61], None).unwrap();
    assert_eq!(first, again);
    let error = offscreen.draw(&drawing, &Options::default(), &camera, [0, 61], None).unwrap_err();
    assert!(error.to_string().starts_with("a picture of 0x61 pixels"), "{error}");
}
