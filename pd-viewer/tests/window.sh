#!/bin/sh
# Drives the real window with a synthetic mouse and keys, and keeps a picture of it.
# Needs Xvfb, xdotool and ImageMagick's import. Usage: pd-viewer/tests/window.sh [PROGRAM] [PICTURE]
# Run it at the root of the repository. It opens the cloth, runs it, pins a vertex by Shift-click, saves, pulls another with
# the left button, takes the picture while pulling, lets go and closes the window. It fails if the window does not open, if
# nothing moves, or if the saved scene lacks the pin.
set -eu
program=$(realpath "${1:-target/release/pd-viewer}")
picture=${2:-docs/images/viewer.png}
work=$(mktemp -d)
display=${PD_TEST_DISPLAY:-:97}
Xvfb "$display" -screen 0 1280x720x24 >"$work/xvfb.log" 2>&1 &
server=$!
export DISPLAY="$display" HOME="$work" XDG_DATA_HOME="$work" XDG_CONFIG_HOME="$work"
unset WAYLAND_DISPLAY || true
viewer=
trap 'kill $viewer $server 2>/dev/null || true; rm -rf "$work"' EXIT
sleep 2
cp scenes/cloth.toml "$work/cloth.toml"
(cd "$work" && exec "$program" cloth.toml) >"$work/viewer.log" 2>&1 &
viewer=$!

for try in $(seq 1 60); do
    window=$(xdotool search --onlyvisible --name '^pd-viewer$' 2>/dev/null | head -n 1 || true)
    [ -n "$window" ] && break
    kill -0 $viewer 2>/dev/null || { cat "$work/viewer.log"; exit 1; }
    sleep 1
done
[ -n "$window" ] || { echo "no window"; exit 1; }
xdotool windowmove "$window" 0 0 windowsize "$window" 1280 720
# There is no window manager to give it the keyboard.
xdotool windowfocus "$window"
sleep 2
shot() { import -window root "$work/$1.png"; }
hash_of() { identify -format '%#' "$1"; }

# Waits until the picture stands still: a slow machine takes its time.
settle() {
    before=
    for try in $(seq 1 30); do
        shot now
        now=$(hash_of "$work/now.png")
        [ "$now" = "$before" ] && return
        before=$now
        sleep 1
    done
}

settle
shot opened
xdotool mousemove 640 330 key space
sleep 6
xdotool key space
settle
shot ran
# A pin: Shift-click on the cloth.
xdotool mousemove 800 160; sleep 1
xdotool keydown shift; sleep 0.5; xdotool click 1; sleep 0.5; xdotool keyup shift
settle
xdotool key ctrl+s
settle
shot pinned
grep -q 'at = ' "$work/cloth.toml" || { echo "the saved scene has no new pin"; exit 1; }
# A pull: the left button goes down on the cloth and moves while the scene runs.
xdotool key space; sleep 2
xdotool mousemove 690 330; sleep 1
xdotool mousedown 1; sleep 1
for step in 1 2 3 4 5 6 7 8; do
    xdotool mousemove $((690 - step * 30)) $((330 + step * 8)); sleep 0.2
done
sleep 0.3
shot pulled
mkdir -p "$(dirname "$picture")"
cp "$work/pulled.png" "$picture"
xdotool mouseup 1
sleep 6
shot released
[ "$(hash_of "$work/opened.png")" != "$(hash_of "$work/ran.png")" ] || { echo "nothing moved"; exit 1; }
[ "$(hash_of "$work/pulled.png")" != "$(hash_of "$work/released.png")" ] || { echo "the pull changed nothing"; exit 1; }
kill -0 $viewer || { echo "the viewer ended by itself"; cat "$work/viewer.log"; exit 1; }
if [ -n "${PD_KEEP_SHOTS:-}" ]; then cp "$work"/*.png "$PD_KEEP_SHOTS"/; fi
echo "pulled and pinned; the picture is $picture"
