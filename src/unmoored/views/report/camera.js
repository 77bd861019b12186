// A camera that turns about a point: by mouse, by touch, by keys.

class OrbitCamera {
  constructor(data, changed) {
    this.home = data;
    this.changed = changed;
    this.reset();
  }

  reset() {
    Object.assign(this, { azimuth: this.home.azimuth, elevation: this.home.elevation, zoom: 1, shift: [0, 0, 0] });
    this.changed();
  }

  get axes() {
    const [a, e] = [this.azimuth, this.elevation];
    const towards = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right = [-Math.sin(a), Math.cos(a), 0];
    return [right, cross(towards, right), towards];
  }

  // The home view for the nearest picture that is not wider than this one.
  fit(aspect) {
    return this.home.fits.findLast(fit => fit.aspect <= aspect) ?? this.home.fits[0];
  }

  distance(aspect) {
    return this.fit(aspect).distance / this.zoom;
  }

  eyeAndMatrix(aspect, carried) {
    const axes = this.axes, distance = this.distance(aspect);
    const target = add(add(this.fit(aspect).target, this.shift), carried);
    const eye = add(target, axes[2], distance);
    const projection = perspective(this.home.fieldOfView, aspect, 0.02 * distance, 60 * distance);
    return { eye, axes, distance, matrix: product(projection, viewFrom(eye, axes)) };
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + dy));
    this.changed();
  }

  zoomBy(factor) {
    this.zoom = Math.max(0.05, Math.min(50, this.zoom * factor));
    this.changed();
  }

  pan(dx, dy, canvas) {
    const metres = 2 * this.distance(canvas.clientWidth / canvas.clientHeight)
      * Math.tan(this.home.fieldOfView / 2) / canvas.clientHeight;
    const [right, up] = this.axes;
    this.shift = add(add(this.shift, right, -dx * metres), up, dy * metres);
    this.changed();
  }

  listen(canvas) {
    const pointers = new Map();
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoomBy(Math.exp(-0.0012 * event.deltaY * (event.deltaMode ? 30 : 1)));
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, event => pointers.delete(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId);
      if (before) this.drag(pointers, before, event, canvas);
    });
  }

  // One pointer turns, with shift or the right button it pans; two pinch and pan.
  drag(pointers, before, event, canvas) {
    const now = [event.clientX, event.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
    const other = [...pointers].find(([id]) => id !== event.pointerId);
    if (other) {
      const apart = p => Math.hypot(p[0] - other[1][0], p[1] - other[1][1]) || 1;
      this.zoomBy(apart(now) / apart(before));
      this.pan(dx / 2, dy / 2, canvas);
    } else if (event.shiftKey || event.buttons & 2) this.pan(dx, dy, canvas);
    else this.turn(0.0065 * dx, 0.0065 * dy);
    pointers.set(event.pointerId, now);
  }
}
