#!/bin/sh
# Makes the pictures of the scene browser anew. Usage, at the root: pd-viewer/assets/thumbnails/make.sh [PROGRAM]
set -eu
program=${1:-target/release/pd-viewer}
out=$(dirname "$0")
render() { "$program" render "$1" --frame "$2" --size 173x108 --no-legend --out "$out/$1.png"; }
render cloth 45
render cloth-pair 60
render cloth-pair-wind 70
render cloth-100 40
render cloth-140 40
render cloths-8 45
render hemispheres 40
render tubes 40
render bar 60
render bridge 60
render ball 45
render sandbox 30
render bunny-twin 30
render armadillo-twin 10
render armadillo-free-twin 30
render armadillo-pair-twin 20
render dragon-twin 6
