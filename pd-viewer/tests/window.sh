#!/bin/sh
# Drives the real window with a synthetic mouse and keys, and keeps a picture of it.
# Needs Xvfb, xdotool and ImageMagick's import. Usage: pd-viewer/tests/window.sh [PROGRAM] [PICTURE]
# It opens the cloth, runs it, pins a vertex by Shift-click, pulls another with the left button, takes the picture while
# pulling, lets go and closes the window. It fails if the window does not open or does not change.
set -eu
program=${1:-target/release/pd-viewer}
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
"$program" cloth >"$work/viewer.log" 2>&1 &
viewer=$!

for try in $(seq 1 60); do
    window=$(xdotool search --name '^pd-viewer$' 2>/dev/null | head -n 1 || true)
    [ -n "$window" ] && break
    kill -0 $viewer 2>/dev/null || { cat "$work/viewer.log"; exit 1; }
    sleep 1
done
[ -n "$window" ] || { echo "no window"; exit 1; }
xdotool windowmove "$window" 0 0 windowsize "$window" 1280 720
sleep 4
shot() { import -window root "$work/$1.png"; }
hash_of() { identify -format '%#' "$1"; }

shot opened
xdotool mousemove 640 330 key space
sleep 3
xdotool key space
sleep 1
shot ran
# A pin: Shift-click in the middle of the cloth.
xdotool mousemove 600 340; sleep 1
xdotool keydown shift; sleep 0.3; xdotool click 1; sleep 0.3; xdotool keyup shift
sleep 3
shot pinned
# A pull: the left button goes down on the cloth and moves.
xdotool key space; sleep 1
xdotool mousemove 680 360; sleep 1
xdotool mousedown 1; sleep 0.5
for step in 1 2 3 4 5 6 7 8; do
    xdotool mousemove $((680 + step * 18)) $((360 - step * 6)); sleep 0.1
done
sleep 2
shot pulled
mkdir -p "$(dirname "$picture")"
cp "$work/pulled.png" "$picture"
xdotool mouseup 1
sleep 2
shot released
[ "$(hash_of "$work/opened.png")" != "$(hash_of "$work/ran.png")" ] || { echo "nothing moved"; exit 1; }
[ "$(hash_of "$work/ran.png")" != "$(hash_of "$work/pinned.png")" ] || { echo "the pin changed nothing"; exit 1; }
[ "$(hash_of "$work/pulled.png")" != "$(hash_of "$work/released.png")" ] || { echo "the pull changed nothing"; exit 1; }
kill -0 $viewer || { echo "the viewer ended by itself"; cat "$work/viewer.log"; exit 1; }
if [ -n "${PD_KEEP_SHOTS:-}" ]; then cp "$work"/*.png "$PD_KEEP_SHOTS"/; fi
echo "pulled and pinned; the picture is $picture"
