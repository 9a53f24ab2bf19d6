//! `pd keys`: the keys of a scene, who takes them, and what they are for.

use crate::failure::Failure;
use crate::print_line::print_line;
use pd_sim::scene::settings::{did_you_mean, keys, markdown};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  pd keys\n  pd keys rigid")]
pub(crate) struct Arguments {
    /// Only keys that begin with this.
    prefix: Option<String>,
    /// The whole table as Markdown.
    #[arg(long, conflicts_with = "prefix")]
    markdown: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.markdown {
        return print_line(markdown().trim_end());
    }
    let prefix = arguments.prefix.as_deref().unwrap_or_default();
    let found: Vec<_> = keys().filter(|key| key.path.starts_with(prefix)).collect();
    if found.is_empty() {
        let near = did_you_mean(prefix, keys().map(|key| key.path));
        return Err(Failure::Input(format!("no key begins with {prefix:?}{near}")));
    }
    for key in found {
        let unit = if key.unit.is_empty() { String::new() } else { format!(", {}", key.unit) };
        let flag = key.flag.map_or_else(String::new, |flag| format!(" ({flag})"));
        print_line(format_args!("{}{flag}: {}{unit} [{}]", key.path, key.about, key.taken_by()))?;
    }
    Ok(())
}
