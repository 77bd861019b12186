// The run in the picture: bodies, trails and frames at a time.

function unpacked(text, Kind) {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  return new Kind(bytes.buffer);
}

class Player {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.painter = new Painter(canvas);
    this.stage = data.stage;
    this.vehicle = data.vehicle;
    this.times = unpacked(data.times, Float32Array);
    this.poses = unpacked(data.poses, Float32Array);
    this.trails = data.trails.map(({ points }) => unpacked(points, Float32Array));
    this.targets = data.targets.map(({ turns, poses, path }) => ({ turns,
      poses: unpacked(poses, Float32Array), path: unpacked(path, Float32Array) }));
    this.ties = data.ties.map(tie => ({ ...tie, acts: unpacked(tie.acts, Uint8Array) }));
    this.shapes = data.bodies.flatMap(({ shapes }, body) => shapes.map(({ rgba, vertices, normals, triangles }) => ({
      body, rgba, mesh: this.painter.mesh(
        unpacked(vertices, Float32Array), unpacked(normals, Int8Array), unpacked(triangles, Uint32Array)),
    }))).sort((a, b) => b.rgba[3] - a.rgba[3]);
    this.bodies = data.bodies.length;
    this.show = { trails: true, frames: false, targets: true, follow: data.camera.follow };
    this.time = this.times[0];
    this.camera = new OrbitCamera(data.camera, () => this.refresh());
    this.camera.listen(canvas);
    new ResizeObserver(() => this.refresh()).observe(canvas);
  }

  get start() { return this.times[0]; }
  get end() { return this.times[this.times.length - 1]; }

  seek(time) {
    this.time = Math.max(this.start, Math.min(this.end, time));
    this.refresh();
  }

  // One picture for all changes since the last one.
  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  // The record before the time, and how far on towards the next.
  place() {
    const last = this.times.length - 1, span = this.end - this.start || 1;
    const exact = Math.min((this.time - this.start) / span * last, last);
    const before = Math.min(Math.floor(exact), Math.max(last - 1, 0));
    return [before, exact - before];
  }

  posesNow() {
    const [before, part] = this.place(), row = 7 * this.bodies;
    const after = Math.min(before + 1, this.times.length - 1);
    return Array.from({ length: this.bodies }, (_, body) =>
      poseBetween(this.poses, before * row + 7 * body, after * row + 7 * body, part));
  }

  draw() {
    const canvas = this.canvas, sharpness = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * sharpness));
    const height = Math.max(1, Math.round(canvas.clientHeight * sharpness));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const poses = this.posesNow(), at = poses[this.vehicle];
    const carried = this.carried(at);
    const view = this.camera.eyeAndMatrix(width / height, carried);
    this.painter.begin(width, height, view);
    if (this.stage.height !== null) this.painter.drawFloor(this.stage, view.eye);
    if (this.show.trails) for (const trail of this.trails) this.drawTrail(trail, view, height);
    if (this.show.frames) this.drawFrames(poses);
    this.drawTies(poses, view, height);
    for (const { body, mesh, rgba } of this.shapes) this.painter.drawMesh(mesh, poses[body], rgba);
    if (this.show.targets) this.drawTargets(view, height);
  }

  // The home view's target is given about the vehicle if the camera follows it from the start, else in the world.
  carried(at) {
    const now = [at[12], at[13], at[14]], first = [this.poses[7 * this.vehicle], this.poses[7 * this.vehicle + 1],
      this.poses[7 * this.vehicle + 2]];
    if (this.camera.home.follow) return this.show.follow ? now : first;
    return this.show.follow ? subtract(now, first) : [0, 0, 0];
  }

  // Springs and lines in orange, closures in purple, between their frames, while they act.
  drawTies(poses, view, height) {
    const [before, part] = this.place(), row = Math.floor(before + part);
    const place = ({ body, at }) => body < 0 ? at : [0, 1, 2].map(i =>
      poses[body][12 + i] + at.reduce((sum, x, k) => sum + poses[body][4 * k + i] * x, 0));
    this.tiesDrawn = this.ties.filter(({ acts }) => acts[row]).map(({ ends, closes }) => {
      const points = ends.map(place), shade = closes ? [0.8, 0.475, 0.655] : [0.902, 0.624, 0];
      this.drawRibbon(points, view, height, () => shade);
      return points;
    });
  }

  // What the law wants, seen through everything: axes at poses, crosses at points, and the ways of those that move.
  drawTargets(view, height) {
    const [before] = this.place(), size = 0.22 * this.stage.scale;
    const colours = [[0.835, 0.369, 0], [0, 0.62, 0.451], [0, 0.447, 0.698]], way = [0.8, 0.475, 0.655];
    this.targetsDrawn = 0;
    this.painter.gl.disable(this.painter.gl.DEPTH_TEST);
    for (const { turns, poses, path } of this.targets) {
      const points = Array.from({ length: path.length / 3 }, (_, k) => [...path.subarray(3 * k, 3 * k + 3)]);
      if (points.length > 1) this.drawRibbon(points, view, height, () => way);
      const g = poses.subarray(16 * before, 16 * before + 16), origin = [g[12], g[13], g[14]];
      if (!g.every(Number.isFinite)) continue;
      this.targetsDrawn += 1;
      for (let axis = 0; axis < 3; axis++) {
        const along = [g[4 * axis], g[4 * axis + 1], g[4 * axis + 2]], reach = turns ? size : 0.3 * size;
        const ends = [add(origin, along, turns ? 0 : -reach), add(origin, along, reach)];
        this.drawRibbon(ends, view, height, () => turns ? colours[axis] : way);
      }
    }
    this.painter.gl.enable(this.painter.gl.DEPTH_TEST);
  }

  // A ribbon that faces the eye, as wide as three pixels, with a shade for each point.
  drawRibbon(points, view, height, shadeAt) {
    const pixel = 2 * Math.tan(this.camera.home.fieldOfView / 2) / height, count = points.length;
    const positions = new Float32Array(6 * count), shades = new Float32Array(6 * count);
    points.forEach((p, k) => {
      const along = subtract(points[Math.min(k + 1, count - 1)], points[Math.max(k - 1, 0)]);
      const sight = subtract(p, view.eye), side = cross(along, sight), length = Math.hypot(...side) || 1;
      const half = 1.6 * pixel * Math.hypot(...sight) * Math.min(window.devicePixelRatio || 1, 2);
      positions.set(add(p, side, half / length), 6 * k);
      positions.set(add(p, side, -half / length), 6 * k + 3);
      const shade = shadeAt(k);
      shades.set([...shade, ...shade], 6 * k);
    });
    this.painter.drawLoose(positions, shades, this.painter.gl.TRIANGLE_STRIP);
  }

  // The way up to now; old parts are paler.
  drawTrail(points, view, height) {
    const [before, part] = this.place(), count = before + 2;
    if (this.time <= this.start) return;
    const at = k => {
      const i = 3 * Math.min(k, before), j = 3 * Math.min(k, this.times.length - 1), s = k > before ? part : 0;
      return [mix(points[i], points[j], s), mix(points[i + 1], points[j + 1], s), mix(points[i + 2], points[j + 2], s)];
    };
    const shadeAt = k => this.stage.trail.map((x, c) => mix(this.stage.bottom[c], x, 0.3 + 0.7 * k / (count - 1)));
    this.drawRibbon(Array.from({ length: count }, (_, k) => at(k)), view, height, shadeAt);
  }

  // Axes of every body: x, y, z in vermilion, green and blue.
  drawFrames(poses) {
    const colours = [[0.835, 0.369, 0], [0, 0.62, 0.451], [0, 0.447, 0.698]], size = 0.12 * this.stage.scale;
    const positions = [], shades = [];
    for (const g of poses)
      for (let axis = 0; axis < 3; axis++) {
        const origin = [g[12], g[13], g[14]];
        positions.push(...origin, ...add(origin, [g[4 * axis], g[4 * axis + 1], g[4 * axis + 2]], size));
        shades.push(...colours[axis], ...colours[axis]);
      }
    this.painter.gl.disable(this.painter.gl.DEPTH_TEST);
    this.framesDrawn = positions.length / 18;
    this.painter.drawLoose(new Float32Array(positions), new Float32Array(shades), this.painter.gl.LINES);
    this.painter.gl.enable(this.painter.gl.DEPTH_TEST);
  }
}
