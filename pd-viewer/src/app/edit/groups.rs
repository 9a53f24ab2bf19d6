//! Named groups of vertices, and paint.

use pd_sim::scene::desc::{GroupDesc, ObjectDesc};

/// Creates a group of these vertices (own numbers), or replaces the one of that name.
pub fn set_group(object: &mut ObjectDesc, name: &str, mut vertices: Vec<u32>, weight: Option<f64>) {
    vertices.sort_unstable();
    vertices.dedup();
    if vertices.is_empty() {
        object.groups.retain(|group| group.name != name);
        return;
    }
    match object.groups.iter_mut().find(|group| group.name == name) {
        Some(group) => {
            *group =
                GroupDesc { name: name.to_owned(), vertices, weight, mass: group.mass, ..Default::default() }
        }
        None => {
            object.groups.push(GroupDesc { name: name.to_owned(), vertices, weight, ..Default::default() })
        }
    }
}

/// Paints vertices (own numbers) with a factor on the weights: they go into the group of that factor and leave those of
/// other painted factors. A factor of 1 removes the paint.
pub fn paint(object: &mut ObjectDesc, vertices: &[u32], factor: f64) {
    let name = |factor: f64| format!("painted x{factor}");
    for group in &mut object.groups {
        if group.name.starts_with("painted x") && group.name != name(factor) {
            group.vertices.retain(|v| !vertices.contains(v));
        }
    }
    object.groups.retain(|group| !(group.name.starts_with("painted x") && group.vertices.is_empty()));
    if factor != 1.0 {
        let old = object.groups.iter().find(|group| group.name == name(factor));
        let mut all = old.map_or_else(Vec::new, |group| group.vertices.clone());
        all.extend_from_slice(vertices);
        set_group(object, &name(factor), all, Some(factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::scene::read_desc;

    #[test]
    fn painting_moves_vertices_between_factors_and_one_takes_it_away() {
        let mut object = read_desc("cloth").unwrap().0.objects.remove(0);
        paint(&mut object, &[3, 1, 2], 4.0);
        paint(&mut object, &[2, 5], 0.5);
        assert_eq!(object.groups[0].vertices, [1, 3]);
        assert_eq!((object.groups[1].vertices.as_slice(), object.groups[1].weight), (&[2, 5][..], Some(0.5)));
        paint(&mut object, &[1, 3, 5], 1.0);
        assert_eq!(object.groups.len(), 1);
        assert_eq!(object.groups[0].vertices, [2]);
        set_group(&mut object, "corner", vec![9, 9, 4], None);
        assert_eq!(object.groups[1].vertices, [4, 9]);
    }
}
