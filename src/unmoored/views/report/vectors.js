// Small vectors, quaternions (w, x, y, z) and 4×4 matrices, columns one after another as WebGL takes them.

const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, b, s) => a + s * (b - a);

function product(a, b) {
  const c = new Float32Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      c[4 * column + row] = sum;
    }
  return c;
}

function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0,
    0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}

// World to camera, for an eye and the camera's axes (right, up, towards the eye).
function viewFrom(eye, [right, up, towards]) {
  return new Float32Array([right[0], up[0], towards[0], 0, right[1], up[1], towards[1], 0,
    right[2], up[2], towards[2], 0, -dot(right, eye), -dot(up, eye), -dot(towards, eye), 1]);
}

// The pose between two records of seven numbers each (position, quaternion) at offsets i and k of `data`.
function poseBetween(data, i, k, s) {
  const sign = data[i + 3] * data[k + 3] + data[i + 4] * data[k + 4] + data[i + 5] * data[k + 5]
    + data[i + 6] * data[k + 6] < 0 ? -1 : 1;
  const q = [3, 4, 5, 6].map(n => mix(data[i + n], sign * data[k + n], s));
  const scale = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const [w, x, y, z] = q;
  return new Float32Array([
    1 - scale * (y * y + z * z), scale * (x * y + w * z), scale * (x * z - w * y), 0,
    scale * (x * y - w * z), 1 - scale * (x * x + z * z), scale * (y * z + w * x), 0,
    scale * (x * z + w * y), scale * (y * z - w * x), 1 - scale * (x * x + y * y), 0,
    mix(data[i], data[k], s), mix(data[i + 1], data[k + 1], s), mix(data[i + 2], data[k + 2], s), 1]);
}
