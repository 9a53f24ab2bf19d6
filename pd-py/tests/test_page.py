"""The page that plays, in headless Chromium: it shows the frame it says, where a camera of the same angles sees it."""

import html
import json
import os
import re
import shutil
import subprocess

import numpy as np
import projdyn
import pytest
from models import cloth

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PD = os.environ.get("PD")
WIDTH, HEIGHT = 800, 600
TURN, RISE, ANGLE = 0.6, 0.4, 0.7  # rad: about +y, above the horizon, opening
pytestmark = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")


def chromium(*arguments):
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    size = [f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=8000"]
    done = subprocess.run([BROWSER, *options, *size, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(page, frame):
    text = chromium("--dump-dom", f"{page.as_uri()}#{frame}")
    return json.loads(html.unescape(re.search(r'data-shown="([^"]*)"', text).group(1)))


def picture(path):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(path).convert("RGB")).astype(int)


def screenshot(page, frame, path):
    chromium(f"--screenshot={path}", f"{page.as_uri()}#{frame}")
    return picture(path)


def filled(screen, triangles):
    """Pixels whose middle lies in a triangle."""
    mask = np.zeros((HEIGHT, WIDTH), dtype=bool)
    for corners in screen[triangles]:
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, [WIDTH, HEIGHT])
        y, x = np.mgrid[low[1] : high[1], low[0] : high[0]] + 0.5
        sides = [
            (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            for a, b in zip(corners, np.roll(corners, -1, axis=0))
        ]
        inside = np.all([s >= 0 for s in sides], axis=0) | np.all([s <= 0 for s in sides], axis=0)
        mask[low[1] : high[1], low[0] : high[0]] |= inside
    return mask


def overlap(a, b):
    return (a & b).sum() / (a | b).sum()


def boxed(mask, side=96):
    """The mask within its own box, as so many pixels each way."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    pick = lambda ends: np.linspace(ends[0], ends[-1], side).round().astype(int)
    return mask[np.ix_(pick(rows), pick(columns))]


def test_the_page_shows_the_frame_from_the_camera_it_says(tmp_path):
    film = projdyn.Simulation(cloth(12), threads=1).record(40)
    page = tmp_path / "a.html"
    film.save(page)
    x = film.positions
    seen = shown(page, 40)
    step = np.ptp(x, axis=(0, 1)).max() / 65535
    assert (seen["frame"], seen["frames"], seen["vertices"]) == (40, 41, 169)
    np.testing.assert_allclose(seen["mean"], x[40].mean(axis=0), atol=step)
    # The camera looks at the middle of the box around the run, from 3.1 times half its diagonal.
    low, high = x.min(axis=(0, 1)), x.max(axis=(0, 1))
    back = np.array([np.sin(TURN) * np.cos(RISE), np.sin(RISE), np.cos(TURN) * np.cos(RISE)])
    right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    eye = (low + high) / 2 + back * 3.1 * np.linalg.norm(high - low) / 2
    away = x[40] - eye
    depth, scale = -away @ back, HEIGHT / 2 / np.tan(ANGLE / 2)
    screen = np.stack(
        [WIDTH / 2 + scale * away @ right / depth, HEIGHT / 2 - scale * away @ np.cross(back, right) / depth], axis=1
    )
    expected = filled(screen, film.triangles)
    image = screenshot(page, 40, tmp_path / "a.png")
    different = np.abs(image - image[2, WIDTH - 2]).max(axis=2) > 24
    region = np.zeros_like(different)
    region[60 : HEIGHT - 60] = True  # without title and bar
    assert expected.sum() > 10_000
    assert overlap(different & region, expected & region) > 0.97


@pytest.mark.skipif(PD is None, reason="PD names no command pd")
def test_the_page_looks_like_the_picture_of_the_command(tmp_path):
    page = tmp_path / "b.html"
    film = projdyn.Scene("cloth").run(frames=90)
    film.save(page)
    np.testing.assert_allclose(shown(page, 60)["mean"], film.positions[60].mean(axis=0), atol=1e-4)
    angles = f"{np.degrees(TURN)},{np.degrees(RISE)}"
    command = [PD, "picture", "cloth", "--frame", "60", "--view", angles, "--out", str(tmp_path / "c.png")]
    subprocess.run([*command, "--size", f"{WIDTH}x{HEIGHT}"], check=True, capture_output=True)
    # The cloth is red in both; one picture is in perspective, the other is not.
    red = lambda image: (image[..., 0] > 1.35 * image[..., 2]) & (image[..., 0] > 40)
    ours, theirs = red(screenshot(page, 60, tmp_path / "b.png")), red(picture(tmp_path / "c.png"))
    assert min(ours.sum(), theirs.sum()) > 10_000
    assert overlap(boxed(ours), boxed(theirs)) > 0.85
