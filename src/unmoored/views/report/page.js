// The page's controls, and cursors on the plots that follow the time.

const $ = id => document.getElementById(id);
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

function cursors(seek) {
  const found = [];
  for (const chart of document.querySelectorAll(".chart")) {
    const plot = chart.querySelector(".plot");
    for (const [left, top, width, height, first, last] of JSON.parse(chart.dataset.axes)) {
      const cursor = Object.assign(document.createElement("i"), { className: "cursor" });
      const axes = Object.assign(document.createElement("div"), { className: "axes" });
      Object.assign(cursor.style, { top: `${100 * top}%`, height: `${100 * height}%` });
      Object.assign(axes.style, { left: `${100 * left}%`, top: `${100 * top}%`,
        width: `${100 * width}%`, height: `${100 * height}%` });
      const timeAt = event => {
        const box = axes.getBoundingClientRect();
        return first + (last - first) * (event.clientX - box.left) / box.width;
      };
      axes.addEventListener("pointerdown", event => seek(timeAt(event)));
      axes.addEventListener("pointermove", event => { if (event.buttons & 1) seek(timeAt(event)); });
      plot.append(axes, cursor);
      found.push({ cursor, left, width, first, last });
    }
  }
  return time => {
    for (const { cursor, left, width, first, last } of found) {
      const part = (time - first) / (last - first || 1);
      cursor.style.left = `${100 * (left + width * part)}%`;
      cursor.hidden = part < 0 || part > 1;
    }
  };
}

class Clock {
  constructor(start, end, show) {
    Object.assign(this, { start, end, show, time: start, speed: 1, loop: true, playing: false });
  }

  seek(time) {
    this.time = Math.max(this.start, Math.min(this.end, time));
    this.show(this.time);
  }

  toggle(playing = !this.playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    if (playing && this.time >= this.end) this.time = this.start;
    if (playing) requestAnimationFrame(now => this.tick(now, now));
    this.show(this.time);
  }

  tick(before, now) {
    if (!this.playing) return;
    const next = this.time + this.speed * (now - before) / 1000, span = this.end - this.start;
    if (next <= this.end) this.seek(next);
    else if (this.loop && span > 0) this.seek(this.start + (next - this.end) % span);
    else { this.seek(this.end); this.toggle(false); return; }
    requestAnimationFrame(later => this.tick(now, later));
  }
}

function background({ top, bottom }) {
  const css = rgb => `rgb(${rgb.map(x => Math.round(255 * x)).join(" ")})`;
  return `linear-gradient(${css(top)}, ${css(bottom)})`;
}

function startPage() {
  const data = JSON.parse($("playback").textContent);
  let player;
  try {
    player = new Player($("canvas"), data);
  } catch (reason) {
    $("canvas").hidden = true;
    $("controls").hidden = true;
    $("excuse").hidden = false;
    return;
  }
  $("still").style.display = "none";
  $("stage").style.background = background(data.stage);
  const digits = player.end - player.start < 5 ? 3 : 2;
  let moveCursors = () => {};
  const clock = new Clock(player.start, player.end, time => {
    player.seek(time);
    moveCursors(time);
    $("time").value = time;
    $("clock").textContent = `${time.toFixed(digits)} / ${player.end.toFixed(digits)} s`;
    $("play").textContent = clock.playing ? "⏸" : "▶";
    $("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  });
  moveCursors = cursors(time => clock.seek(time));
  connect(clock, player);
  clock.seek(player.start);
}

function connect(clock, player) {
  Object.assign($("time"), { min: player.start, max: player.end });
  $("time").addEventListener("input", () => { clock.toggle(false); clock.seek($("time").valueAsNumber); });
  $("play").addEventListener("click", () => clock.toggle());
  $("reset").addEventListener("click", () => player.camera.reset());
  $("speed").append(...SPEEDS.map(speed => new Option(`${speed}×`, speed, speed === 1, speed === 1)));
  $("speed").addEventListener("change", () => { clock.speed = Number($("speed").value); });
  $("loop").addEventListener("change", () => { clock.loop = $("loop").checked; });
  $("targets-label").hidden = !player.targets.length;
  for (const name of ["trails", "frames", "targets", "follow"]) {
    $(name).checked = player.show[name];
    $(name).addEventListener("change", () => { player.show[name] = $(name).checked; player.refresh(); });
  }
  $("canvas").addEventListener("keydown", event => {
    const step = (player.end - player.start) / 100;
    const keys = { " ": () => clock.toggle(), ArrowRight: () => clock.seek(clock.time + step),
      ArrowLeft: () => clock.seek(clock.time - step), "+": () => player.camera.zoomBy(1.2),
      "-": () => player.camera.zoomBy(1 / 1.2) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
}

startPage();
