// A law of a user's own: |x - anchor| <= length. Columns: anchor (3). Uniforms: length.
extern "C" __global__ void leash(LOCAL_ARGUMENTS) {
  int e = THREAD;
  if (e >= n) return;
  vec3 d = load(x, vertices[e]) - v3(columns[e], columns[n + e], columns[2 * n + e]);
  real length = norm(d), most = uniforms[0];
  store(r, e, length > most ? d * (R(1) - most / length) : v3(R(0), R(0), R(0)));
}
