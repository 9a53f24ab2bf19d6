//! The smallest scene that still breaks a law: things, keys and frames are taken away while it does.

use super::draft::{Draft, LISTS};
use super::laws::Law;
use toml::Value;

/// Trials at most.
const TRIALS: usize = 200;

/// Keys that a thing cannot lack, or without which it would be another scene: all things in one place.
const NEEDED: [&str; 16] = [
    "name",
    "kind",
    "shape",
    "law",
    "min",
    "max",
    "radius",
    "mass",
    "count",
    "centre",
    "from",
    "to",
    "height",
    "half-extents",
    "position",
    "translate",
];

/// The scene without what a law does not need to be broken.
pub fn shrink(draft: &Draft, law: &Law) -> Draft {
    let (mut best, mut trials) = (draft.clone(), 0);
    let first = (law.test)(draft).err().map(|why| sign(&why));
    let mut breaks = |draft: &Draft| {
        trials += 1;
        trials <= TRIALS && (law.test)(draft).err().map(|why| sign(&why)) == first
    };
    loop {
        let smaller = candidates(&best).into_iter().find(|draft| breaks(draft));
        let Some(smaller) = smaller else { return best };
        best = smaller;
    }
}

/// What a fault is, without its numbers and names.
fn sign(why: &str) -> String {
    let words = why.split('"').step_by(2).collect::<String>();
    words.chars().filter(|c| c.is_alphabetic() || *c == ' ').take(40).collect()
}

/// Everything with one thing, one key or half the frames less.
fn candidates(draft: &Draft) -> Vec<Draft> {
    let mut all = vec![];
    for list in LISTS {
        for k in 0..draft.list(list).len() {
            let mut other = draft.clone();
            other.list_mut(list).remove(k);
            if other.list(list).is_empty() {
                other.0.remove(list);
            }
            all.push(other);
        }
    }
    if draft.frames() > 2 {
        let mut other = draft.clone();
        other.0.insert("frames".into(), Value::Integer(draft.frames() as i64 / 2));
        all.push(other);
    }
    for list in LISTS {
        for (k, thing) in draft.list(list).iter().enumerate() {
            let keys = thing.as_table().into_iter().flat_map(|table| table.keys());
            for key in keys.filter(|key| !NEEDED.contains(&key.as_str())) {
                let mut other = draft.clone();
                if let Some(table) = other.list_mut(list)[k].as_table_mut() {
                    table.remove(key);
                }
                all.push(other);
            }
        }
    }
    for key in ["coupling", "step", "grid"] {
        if draft.0.contains_key(key) {
            let mut other = draft.clone();
            other.0.remove(key);
            all.push(other);
        }
    }
    all
}
