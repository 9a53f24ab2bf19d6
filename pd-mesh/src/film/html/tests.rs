//! The page is decoded again, by the rule that its player follows.

use super::*;
use crate::film::Pose;
use crate::generate;

/// Positions of all frames as the player sees them, and the text of the page.
fn played(film: &Film) -> (Vec<Vec<Vec3>>, String) {
    let mut page = Vec::new();
    write_html(&mut page, film).unwrap();
    let page = String::from_utf8(page).unwrap();
    let between =
        |start: &str| page.split_once(start).unwrap().1.split_once("</script>").unwrap().0.to_owned();
    let meta = between("application/json\">");
    let number = |name: &str| -> f64 {
        let text = meta.split_once(&format!("\"{name}\":")).unwrap().1;
        text.split([',', '}']).next().unwrap().parse().unwrap()
    };
    let data = between("text/plain\">");
    let (packed, _) = crate::io::base64_decode(data.as_bytes()).unwrap();
    let raw = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap();
    let (frames, vertices, step) = (number("frames") as usize, number("vertices") as usize, number("step"));
    let low = bounds(film).0;
    let (width, total) = (3 * vertices, 3 * vertices * frames);
    let mut q = vec![0u16; total];
    for p in 0..total {
        let z = i32::from(raw[p]) | i32::from(raw[total + p]) << 8;
        let d = (z >> 1) ^ -(z & 1);
        let back = |k: usize| i32::from(q[p - k * width]);
        q[p] = match p / width {
            0 => d,
            1 => back(1) + d,
            _ => 2 * back(1) - back(2) + d,
        } as u16;
    }
    let at = |frame: usize, v: usize| {
        Vec3::from_fn(|k, _| low[k] + step * f64::from(q[frame * width + k * vertices + v]))
    };
    ((0..frames).map(|f| (0..vertices).map(|v| at(f, v)).collect()).collect(), page)
}

fn film() -> Film {
    let cloth = generate::grid(6, 5, 1.0, 2.0).unwrap();
    let mut film = Film::new("a </script> & b");
    film.parts.push(Part::surface("cloth", 0..cloth.positions.len() as u32, cloth.triangles));
    for k in 0..12 {
        let t = f64::from(k) / 60.0;
        let moved = |x: &Vec3| x + Vec3::new((9.0 * t * x.z).sin(), -5.0 * t * t, 3.0 * t * x.x);
        film.push(t, cloth.positions.iter().map(moved).collect());
    }
    film
}

#[test]
fn the_page_is_within_the_stated_error() {
    let film = film();
    let (played, page) = played(&film);
    let error = html_error(&film);
    let reach = |axis: usize| {
        let of =
            |pick: fn(f64, f64) -> f64| film.frames.iter().flatten().map(|x| x[axis]).reduce(pick).unwrap();
        of(f64::max) - of(f64::min)
    };
    let longest = reach(0).max(reach(1)).max(reach(2));
    assert!((error - longest / 131_070.0).abs() < 1e-15, "half a step of the longest side: {error}");
    let mut worst = 0.0f64;
    for (seen, meant) in played.iter().flatten().zip(film.frames.iter().flatten()) {
        worst = worst.max((seen - meant).amax());
    }
    assert!(worst <= error * (1.0 + 1e-9), "{worst} against {error}");
    assert!(worst > 0.5 * error, "the stated error is no idle bound: {worst} against {error}");
    // One script ends where the page says it ends, and nothing is fetched.
    assert_eq!(page.matches("</script>").count(), 3);
    for word in ["http:", "https:", "src=", "import "] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn vertices_that_no_triangle_uses_are_left_out() {
    let bar = generate::bar(3, 3, 3, 1.0).unwrap();
    let mut film = Film::new("bar");
    let surface = bar.surface_triangles();
    film.parts.push(Part::surface("bar", 0..bar.positions.len() as u32, surface));
    film.push(0.0, bar.positions);
    let (played, _) = played(&film);
    assert_eq!((film.vertices(), played[0].len()), (64, 56));
}

/// A run of rigid bodies alone has no vertices: the camera must find the bodies.
#[test]
fn the_camera_shows_all_that_moves() {
    let ball = |centre: Vec3, obstacle| Rigid {
        name: "ball".into(),
        colour: [0.5; 3],
        shape: Shape::Sphere(0.5),
        poses: vec![Pose::at(centre), Pose::at(centre + Vec3::y())],
        obstacle,
    };
    let mut film = Film::new("bodies");
    film.rigid = vec![ball(Vec3::new(10.0, 0.0, 0.0), false), ball(Vec3::new(14.0, 0.0, 0.0), false)];
    let floor = Rigid { shape: Shape::Floor(100.0), ..ball(Vec3::zeros(), true) };
    film.rigid.push(Rigid { poses: vec![Pose::at(Vec3::zeros())], ..floor });
    film.push(0.0, vec![]);
    film.push(0.5, vec![]);
    let (middle, diagonal) = framing(&film);
    // From 9.5 to 14.5, from −0.5 to 1.5, from −0.5 to 0.5; the polygons of the balls lie within a hundredth.
    assert!((middle - Vec3::new(12.0, 0.5, 0.0)).norm() < 0.01, "{middle}");
    assert!((diagonal - Vec3::new(5.0, 2.0, 1.0).norm()).abs() < 0.02, "{diagonal}");
    film.rigid.drain(..2);
    assert!(framing(&film).1 > 200.0, "obstacles where nothing moves");
    assert_eq!(framing(&Film::new("empty")), (Vec3::zeros(), 0.0));
}
