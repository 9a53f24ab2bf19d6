//! Keys: one table for the shortcuts and for the help that lists them.

use egui::{Key, Modifiers};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Run or pause.
    RunPause,
    /// One frame.
    Step,
    /// Back to the start.
    Restart,
    /// Show everything.
    FrameAll,
    /// Hide or show panels.
    Panels,
    /// Show or hide the help.
    Help,
    /// Undo.
    Undo,
    /// Redo.
    Redo,
    /// Save.
    Save,
    /// Open.
    Open,
    /// Remove the selected object.
    Remove,
    /// Duplicate the selected object.
    Duplicate,
    /// Remember the state.
    Keep,
    /// Return to the stored state.
    Restore,
    /// A picture of the view.
    Screenshot,
    /// Let go, deselect, close.
    Escape,
    /// Choose a tool.
    Tool(Tool),
}

/// What the left button does in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Pull vertices.
    #[default]
    Pull,
    /// Move the selected object.
    Move,
    /// Turn the selected object.
    Rotate,
    /// Scale the selected object.
    Scale,
    /// Select vertices in a rectangle.
    Box,
    /// Select vertices in a drawn outline.
    Lasso,
    /// Paint factors on weights.
    Brush,
}

impl Tool {
    /// All of them, in the order of the tool bar.
    pub const ALL: [Self; 7] =
        [Self::Pull, Self::Move, Self::Rotate, Self::Scale, Self::Box, Self::Lasso, Self::Brush];

    /// Name on the tool bar.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pull => "Pull",
            Self::Move => "Move",
            Self::Rotate => "Rotate",
            Self::Scale => "Scale",
            Self::Box => "Box",
            Self::Lasso => "Lasso",
            Self::Brush => "Brush",
        }
    }

    /// What it does.
    pub fn about(self) -> &'static str {
        match self {
            Self::Pull => "Drag a vertex to pull it; click to select; Shift-click to pin or unpin",
            Self::Move => "Drag an arrow to move the selected object",
            Self::Rotate => "Drag a ring to rotate the selected object",
            Self::Scale => "Drag the handle to scale the selected object",
            Self::Box => "Drag a rectangle to select vertices; Shift adds, Alt removes",
            Self::Lasso => "Draw an outline to select vertices; Shift adds, Alt removes",
            Self::Brush => "Paint vertices with a factor on the weights of the selected object",
        }
    }
}

/// A key, its action, and the text for both.
pub struct Shortcut {
    /// Held with it.
    pub modifiers: Modifiers,
    /// The key.
    pub key: Key,
    /// What it does.
    pub action: Action,
    /// The key as text.
    pub keys: &'static str,
    /// What it does as text.
    pub words: &'static str,
}

/// All shortcuts. Those with more modifiers come first.
pub const SHORTCUTS: &[Shortcut] = &[
    shortcut(Modifiers::NONE, Key::Space, Action::RunPause, "Space", "run or pause"),
    shortcut(Modifiers::NONE, Key::Period, Action::Step, ".", "one frame"),
    shortcut(Modifiers::NONE, Key::R, Action::Restart, "R", "restart"),
    shortcut(Modifiers::NONE, Key::F, Action::FrameAll, "F", "frame everything"),
    shortcut(Modifiers::NONE, Key::H, Action::Panels, "H", "hide or show panels"),
    shortcut(Modifiers::NONE, Key::F1, Action::Help, "F1", "this help"),
    shortcut(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z, Action::Redo, "Ctrl+Shift+Z", "redo"),
    shortcut(Modifiers::COMMAND, Key::Z, Action::Undo, "Ctrl+Z", "undo"),
    shortcut(Modifiers::COMMAND, Key::Y, Action::Redo, "Ctrl+Y", "redo"),
    shortcut(Modifiers::COMMAND, Key::S, Action::Save, "Ctrl+S", "save the scene"),
    shortcut(Modifiers::COMMAND, Key::O, Action::Open, "Ctrl+O", "open a scene"),
    shortcut(Modifiers::COMMAND, Key::D, Action::Duplicate, "Ctrl+D", "duplicate the selected object"),
    shortcut(Modifiers::NONE, Key::Delete, Action::Remove, "Delete", "remove the selected object"),
    shortcut(Modifiers::NONE, Key::K, Action::Keep, "K", "store the state"),
    shortcut(Modifiers::NONE, Key::J, Action::Restore, "J", "return to the stored state"),
    shortcut(Modifiers::NONE, Key::F12, Action::Screenshot, "F12", "screenshot"),
    shortcut(Modifiers::NONE, Key::Escape, Action::Escape, "Esc", "release, deselect, close"),
    shortcut(Modifiers::NONE, Key::Q, Action::Tool(Tool::Pull), "Q", "pull tool"),
    shortcut(Modifiers::NONE, Key::W, Action::Tool(Tool::Move), "W", "move tool"),
    shortcut(Modifiers::NONE, Key::E, Action::Tool(Tool::Rotate), "E", "rotate tool"),
    shortcut(Modifiers::NONE, Key::T, Action::Tool(Tool::Scale), "T", "scale tool"),
    shortcut(Modifiers::NONE, Key::B, Action::Tool(Tool::Box), "B", "box selection"),
    shortcut(Modifiers::NONE, Key::L, Action::Tool(Tool::Lasso), "L", "lasso selection"),
    shortcut(Modifiers::NONE, Key::P, Action::Tool(Tool::Brush), "P", "weight brush"),
];

/// What the mouse and the touchpad do, as text.
pub const MOUSE: &[(&str, &str)] = &[
    ("Left-drag on a body", "pull the vertex"),
    ("Left-drag on the background", "orbit"),
    ("Click", "select the body or obstacle"),
    ("Shift-click on a body", "pin or unpin the vertex"),
    ("Right-drag", "orbit anywhere"),
    ("Middle-drag, Ctrl-drag", "pan"),
    ("Wheel, pinch", "zoom"),
    ("Two fingers", "zoom, or orbit if set in Display"),
    ("Shift + two fingers", "pan"),
];

const fn shortcut(
    modifiers: Modifiers,
    key: Key,
    action: Action,
    keys: &'static str,
    words: &'static str,
) -> Shortcut {
    Shortcut { modifiers, key, action, keys, words }
}

/// The actions whose keys were pressed; none while text is being typed.
pub fn pressed(ctx: &egui::Context) -> Vec<Action> {
    if ctx.egui_wants_keyboard_input() {
        return vec![];
    }
    ctx.input_mut(|input| {
        let mut actions = vec![];
        for shortcut in SHORTCUTS {
            if input.consume_key(shortcut.modifiers, shortcut.key) {
                actions.push(shortcut.action);
            }
        }
        actions
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_given_twice_and_every_tool_has_one() {
        for (k, a) in SHORTCUTS.iter().enumerate() {
            for b in &SHORTCUTS[..k] {
                assert!(a.key != b.key || a.modifiers != b.modifiers, "{}", a.keys);
            }
        }
        for tool in Tool::ALL {
            assert!(SHORTCUTS.iter().any(|s| s.action == Action::Tool(tool)), "{tool:?}");
        }
    }
}
