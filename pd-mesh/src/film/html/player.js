'use strict';
// Plays the run embedded in this page. Positions are whole numbers of `step` from `low`; of every coordinate the second
// difference in time is stored, low bytes first and high bytes after them.
const $ = id => document.getElementById(id);
const meta = JSON.parse($('meta').textContent);

async function unpack() {
  const packed = Uint8Array.from(atob($('data').textContent.trim()), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return await new Response(stream).arrayBuffer();
}

// Unsigned 16-bit positions of all frames: x of all vertices, then y, then z.
function positions(buffer) {
  const C = 3 * meta.vertices, total = meta.frames * C, bytes = new Uint8Array(buffer), q = new Uint16Array(total);
  for (let p = 0; p < total; p++) {
    const z = bytes[p] | bytes[total + p] << 8, d = z >> 1 ^ -(z & 1);
    q[p] = p < C ? d : p < 2 * C ? q[p - C] + d : 2 * q[p - C] - q[p - 2 * C] + d;
  }
  return q;
}

// The sections that follow the frames, in the order in which they were written.
function sections(buffer) {
  let at = 6 * meta.vertices * meta.frames;
  const take = (Kind, n) => { const part = new Kind(buffer.slice(at, at + 4 * n)); at += 4 * n; return part; };
  const parts = meta.parts.map(p => ({ ...p, triangles: take(Uint32Array, 3 * p.triangles) }));
  const rigid = meta.rigid.map(r => ({ ...r, position: take(Float32Array, 3 * r.vertices), normal: take(Float32Array, 3 * r.vertices),
    triangles: take(Uint32Array, 3 * r.triangles), poses: take(Float32Array, 7 * r.poses) }));
  return { parts, rigid };
}

// 4 by 4 matrices by columns.
const multiply = (a, b) => { const m = new Float32Array(16); for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) m[4 * c + r] += a[4 * k + r] * b[4 * c + k]; return m; };
const perspective = (fov, aspect, near, far) => { const f = 1 / Math.tan(fov / 2), d = near - far; return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(c => c / l); };
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
// A pose between two frames: its place and, on the shorter way, its quaternion are interpolated.
function pose(p, t) {
  const last = p.length / 7 - 1, f = Math.min(Math.floor(t), last), g = Math.min(f + 1, last), s = g > f ? t - f : 0, a = 7 * f, b = 7 * g;
  const way = p[a + 3] * p[b + 3] + p[a + 4] * p[b + 4] + p[a + 5] * p[b + 5] + p[a + 6] * p[b + 6] < 0 ? -1 : 1;
  const c = [0, 1, 2, 3, 4, 5, 6].map(k => (1 - s) * p[a + k] + s * (k > 2 ? way : 1) * p[b + k]), l = Math.hypot(...c.slice(3)) || 1, [x, y, z, w] = c.slice(3).map(k => k / l);
  return new Float32Array([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, c[0], c[1], c[2], 1]);
}

const VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal; layout(location=2) in vec3 tint;
uniform mat4 camera, model; uniform float size; out vec3 n, world, colour;
void main() { vec4 p = model * vec4(position, 1.); world = p.xyz; n = mat3(model) * normal; colour = tint; gl_Position = camera * p; gl_PointSize = max(2., size / gl_Position.w); }`;
const FRAGMENT = `#version 300 es
precision highp float; in vec3 n, world, colour; uniform vec3 eye, paint, sky; uniform float mode, reach; out vec4 pixel;
void main() {
  if (mode == 1.) { pixel = vec4(paint, 1.); return; }
  vec3 view = normalize(eye - world), m = length(n) > 0. ? normalize(n) : view, base = pow(paint * colour, vec3(2.2)); if (dot(m, view) < 0.) m = -m;
  if (mode == 3.) { vec2 c = gl_PointCoord * 2. - 1.; float d = dot(c, c); if (d > 1.) discard; m = view; base *= 1. - .4 * d; }
  if (mode == 2.) { vec2 c = floor(world.xz * 4.); base *= mod(c.x + c.y, 2.) < 1. ? 1. : .72; }
  vec3 sun = normalize(vec3(.45, .8, .4)), h = normalize(sun + view);
  vec3 light = base * (.34 + .12 * m.y + .62 * max(dot(m, sun), 0.)) + .1 * pow(max(dot(m, h), 0.), 40.);
  pixel = vec4(pow(light, vec3(1. / 2.2)), 1.);
  if (mode == 2.) pixel.rgb = mix(pixel.rgb, sky, smoothstep(.25, 1., length(world.xz - eye.xz) / reach));
}`;

// Blue for nothing over white to red for `most`.
function ramp(t, out, o) {
  const hot = t > .5, s = hot ? 2 - 2 * t : 2 * t;
  out[o] = hot ? .9 : .15 + .75 * s; out[o + 1] = .2 + .7 * s; out[o + 2] = hot ? .15 + .75 * s : .9;
}

async function main() {
  const buffer = await unpack(), q = positions(buffer), { parts, rigid } = sections(buffer);
  const N = meta.vertices, F = meta.frames, C = 3 * N, end = meta.times[F - 1] - meta.times[0];
  const canvas = $('view'), gl = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
  if (!gl) throw new Error('this browser has no WebGL 2');
  const compile = (type, text) => { const s = gl.createShader(type); gl.shaderSource(s, text); gl.compileShader(s); if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s)); return s; };
  const program = gl.createProgram(); gl.attachShader(program, compile(gl.VERTEX_SHADER, VERTEX)); gl.attachShader(program, compile(gl.FRAGMENT_SHADER, FRAGMENT)); gl.linkProgram(program); gl.useProgram(program);
  const at = Object.fromEntries(['camera', 'model', 'eye', 'paint', 'sky', 'mode', 'reach', 'size'].map(n => [n, gl.getUniformLocation(program, n)]));
  const fill = (target, id, data, use) => { gl.bindBuffer(target, id); gl.bufferData(target, data, use); };
  const lines = triangles => { // every edge once
    const seen = new Set(), out = [];
    for (let t = 0; t < triangles.length; t += 3) for (let k = 0; k < 3; k++) {
      const a = triangles[t + k], b = triangles[t + (k + 1) % 3], key = Math.min(a, b) * 4294967296 + Math.max(a, b);
      if (!seen.has(key)) { seen.add(key); out.push(a, b); }
    }
    return new Uint32Array(out);
  };
  const geometry = (position, normal, triangles, use) => {
    const g = { vao: gl.createVertexArray(), p: gl.createBuffer(), n: gl.createBuffer(), c: gl.createBuffer(), faces: gl.createBuffer(), edges: gl.createBuffer(), count: triangles.length };
    gl.bindVertexArray(g.vao);
    [[g.p, position], [g.n, normal]].forEach(([id, data], k) => { fill(gl.ARRAY_BUFFER, id, data, use); gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0); });
    gl.vertexAttrib3f(2, 1, 1, 1);
    fill(gl.ELEMENT_ARRAY_BUFFER, g.faces, triangles, gl.STATIC_DRAW);
    const l = lines(triangles); fill(gl.ELEMENT_ARRAY_BUFFER, g.edges, l, gl.STATIC_DRAW); g.lines = l.length;
    return g;
  };
  const x = new Float32Array(C), normals = new Float32Array(C), tint = new Float32Array(C), all = [].concat(...parts.map(p => Array.from(p.triangles)));
  const cloth = geometry(x, normals, new Uint32Array(all), gl.DYNAMIC_DRAW);
  let offset = 0; for (const p of parts) { p.offset = offset; offset += p.triangles.length; }
  for (const r of rigid) r.shape = geometry(r.position, r.normal, r.triangles, gl.STATIC_DRAW);

  // Positions between two frames, and normals of the triangles around every vertex, weighted by area.
  let fastest = 0;
  const speedOf = (f, i) => { if (F < 2) return 0; const a = Math.min(f, F - 2) * C, b = a + C, dt = meta.times[Math.min(f, F - 2) + 1] - meta.times[Math.min(f, F - 2)]; return Math.hypot(q[b + i] - q[a + i], q[b + N + i] - q[a + N + i], q[b + 2 * N + i] - q[a + 2 * N + i]) * meta.step / dt; };
  for (let f = 0; f < F; f += Math.ceil(F / 60)) for (let i = 0; i < N; i += Math.ceil(N / 500)) fastest = Math.max(fastest, speedOf(f, i));
  function pose_at(t) {
    const f = Math.min(Math.floor(t), F - 1), g = Math.min(f + 1, F - 1), s = t - f, a = f * C, b = g * C;
    for (let i = 0; i < N; i++) for (let k = 0; k < 3; k++) { const u = q[a + k * N + i]; x[3 * i + k] = meta.low[k] + meta.step * (u + s * (q[b + k * N + i] - u)); }
    normals.fill(0);
    for (let j = 0; j < all.length; j += 3) {
      const A = 3 * all[j], B = 3 * all[j + 1], D = 3 * all[j + 2];
      const ux = x[B] - x[A], uy = x[B + 1] - x[A + 1], uz = x[B + 2] - x[A + 2], vx = x[D] - x[A], vy = x[D + 1] - x[A + 1], vz = x[D + 2] - x[A + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (const o of [A, B, D]) { normals[o] += nx; normals[o + 1] += ny; normals[o + 2] += nz; }
    }
    gl.bindVertexArray(cloth.vao); fill(gl.ARRAY_BUFFER, cloth.p, x, gl.DYNAMIC_DRAW); fill(gl.ARRAY_BUFFER, cloth.n, normals, gl.DYNAMIC_DRAW);
    if (by_speed) { for (let i = 0; i < N; i++) ramp(Math.min(speedOf(f, i) / (fastest || 1), 1), tint, 3 * i); fill(gl.ARRAY_BUFFER, cloth.c, tint, gl.DYNAMIC_DRAW); gl.enableVertexAttribArray(2); gl.vertexAttribPointer(2, 3, gl.FLOAT, false, 0, 0); } else gl.disableVertexAttribArray(2);
  }

  // Camera: about `look`, at `distance`, by two angles.
  const extent = Math.max(meta.extent, 1e-6);
  const start = { look: meta.middle, distance: extent * 3.1, turn: meta.view[0], rise: meta.view[1] };
  let { look, distance, turn, rise } = start, by_speed = false, wire = false, playing = !location.hash, time = 0, shown = -1, dirty = true, last = null;
  if (location.hash) time = Math.min(Math.max(+location.hash.slice(1) || 0, 0), F - 1);
  const held = new Map(); let spread = 0;
  canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, [e.clientX, e.clientY]); spread = 0; };
  canvas.onpointerup = canvas.onpointercancel = e => { held.delete(e.pointerId); spread = 0; };
  canvas.oncontextmenu = e => e.preventDefault();
  canvas.onpointermove = e => {
    const before = held.get(e.pointerId); if (!before) return;
    const dx = e.clientX - before[0], dy = e.clientY - before[1]; held.set(e.pointerId, [e.clientX, e.clientY]); dirty = true;
    if (held.size === 2) { const [a, b] = [...held.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]); if (spread) distance *= spread / now; spread = now; }
    if (held.size === 2 || e.shiftKey || e.buttons & 6) {
      const c = Math.cos(turn), s = Math.sin(turn), unitary = distance / canvas.clientHeight, r = [c, 0, -s], u = [-s * Math.sin(rise), Math.cos(rise), -c * Math.sin(rise)];
      look = look.map((l, k) => l - (r[k] * dx - u[k] * dy) * unitary * (held.size === 2 ? .5 : 1));
    } else { turn -= dx * .008; rise = Math.max(-1.55, Math.min(1.55, rise + dy * .008)); }
  };
  canvas.onwheel = e => { e.preventDefault(); distance *= Math.exp(Math.sign(e.deltaY) * .1); dirty = true; };
  canvas.ondblclick = () => { ({ look, distance, turn, rise } = start); dirty = true; };

  const play = on => { playing = on; $('play').textContent = on ? '❚❚' : '▶'; $('play').setAttribute('aria-label', on ? 'pause' : 'play'); };
  const seek = t => { time = Math.max(0, Math.min(F - 1, t)); dirty = true; };
  $('time').max = F - 1; $('play').onclick = () => play(!playing); $('time').oninput = () => { play(false); seek(+$('time').value); };
  $('wire').onchange = () => { wire = $('wire').checked; dirty = true; }; $('paint').onchange = () => { by_speed = $('paint').value === 'speed'; dirty = true; };
  addEventListener('keydown', e => {
    if (e.target.tagName === 'SELECT') return;
    if (e.key === ' ') { e.preventDefault(); play(!playing); } else if (e.key === 'ArrowRight') { play(false); seek(Math.floor(time) + 1); } else if (e.key === 'ArrowLeft') { play(false); seek(Math.ceil(time) - 1); } else if (e.key === 'w') { $('wire').click(); }
  });
  addEventListener('resize', () => { dirty = true; });

  function draw() {
    const w = canvas.width = Math.round(canvas.clientWidth * devicePixelRatio), h = canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    const back = [Math.sin(turn) * Math.cos(rise), Math.sin(rise), Math.cos(turn) * Math.cos(rise)], eye = look.map((l, k) => l + back[k] * distance), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
    const view = new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
    const camera = multiply(perspective(.7, w / h, Math.max(distance - 8 * extent, .01 * extent), distance + 20 * extent), view), sky = [.93, .945, .96];
    gl.viewport(0, 0, w, h); gl.clearColor(...sky, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT); gl.enable(gl.DEPTH_TEST); gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 1);
    gl.uniformMatrix4fv(at.camera, false, camera); gl.uniform3fv(at.eye, eye); gl.uniform3fv(at.sky, sky); gl.uniform1f(at.reach, 14 * extent);
    const still = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    gl.uniformMatrix4fv(at.model, false, still); gl.bindVertexArray(cloth.vao); gl.vertexAttrib3f(2, 1, 1, 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, cloth.faces);
    for (const p of parts) {
      gl.uniform3fv(at.paint, by_speed ? [1, 1, 1] : p.colour);
      if (p.triangles.length) { gl.uniform1f(at.mode, 0); gl.drawElements(gl.TRIANGLES, p.triangles.length, gl.UNSIGNED_INT, 4 * p.offset); }
      else { gl.uniform1f(at.mode, 3); gl.uniform1f(at.size, 2 * p.radius * h / Math.tan(.35) / 2); gl.drawArrays(gl.POINTS, p.first, p.count); }
    }
    if (wire) { gl.uniform1f(at.mode, 1); gl.uniform3fv(at.paint, [.08, .09, .12]); gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, cloth.edges); gl.drawElements(gl.LINES, cloth.lines, gl.UNSIGNED_INT, 0); }
    for (const r of rigid) {
      gl.bindVertexArray(r.shape.vao); gl.disableVertexAttribArray(2); gl.vertexAttrib3f(2, 1, 1, 1); gl.uniformMatrix4fv(at.model, false, pose(r.poses, time));
      gl.uniform1f(at.mode, r.floor ? 2 : 0); gl.uniform3fv(at.paint, r.colour); gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, r.shape.faces); gl.drawElements(gl.TRIANGLES, r.shape.count, gl.UNSIGNED_INT, 0);
      if (wire && !r.floor) { gl.uniform1f(at.mode, 1); gl.uniform3fv(at.paint, [.25, .26, .3]); gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, r.shape.edges); gl.drawElements(gl.LINES, r.shape.lines, gl.UNSIGNED_INT, 0); }
    }
  }
  function tick(now) {
    // The first time of a page may lie before the moment it was asked for.
    const passed = last === null ? 0 : Math.max(0, now - last) / 1000; last = now;
    if (playing && F > 1) { time += passed * +$('speed').value * (F - 1) / end; if (time > F - 1) time %= F - 1; dirty = true; }
    if (dirty) {
      pose_at(time); draw(); dirty = false; $('time').value = time;
      const f = Math.min(Math.floor(time), F - 2), s = time - f, t = F > 1 ? meta.times[f] + s * (meta.times[f + 1] - meta.times[f]) : meta.times[0];
      $('label').textContent = t.toFixed(2) + ' s';
      if (shown < 0) { const mean = [0, 0, 0]; for (let i = 0; i < C; i++) mean[i % 3] += x[i] / N; document.body.dataset.shown = JSON.stringify({ frame: time, mean, vertices: N, frames: F }); }
      shown = time;
    }
    requestAnimationFrame(tick);
  }
  play(playing); requestAnimationFrame(tick);
}
main().catch(error => { document.body.dataset.shown = 'failed'; $('label').textContent = 'This run cannot be shown: ' + error.message; });
