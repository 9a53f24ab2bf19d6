//! Nothing of its own: the programs beside this folder are the content.
