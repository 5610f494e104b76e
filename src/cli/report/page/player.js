// The clock of the page: everything on it shows the time of the player.
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const view = data.stage ? (data.dimension === 3 ? new SpaceView(byId("stage")) : new PlaneView(byId("stage"))) : null;

const player = {
  t: data.start,
  playing: false,
  speed: 1,
  last: 0,

  seek(t, pause) {
    if (pause) this.pause();
    this.t = Math.min(data.reached, Math.max(data.start, t));
    this.show();
  },

  play() {
    if (this.t >= data.reached) this.t = data.start;
    this.playing = true;
    this.last = performance.now();
    byId("play").innerHTML = "&#10074;&#10074; pause";
    requestAnimationFrame((now) => this.frame(now));
  },

  pause() {
    this.playing = false;
    byId("play").innerHTML = "&#9654; play";
  },

  frame(now) {
    if (!this.playing) return;
    this.t += (this.speed * Math.max(0, now - this.last)) / 1000;
    this.last = now;
    if (this.t >= data.reached) {
      this.t = data.reached;
      this.pause();
    }
    this.show();
    if (this.playing) requestAnimationFrame((later) => this.frame(later));
  },

  show() {
    const digits = length < 0.1 ? 6 : length < 10 ? 4 : 3;
    byId("scrub").value = Math.round((1e6 * (this.t - data.start)) / length);
    byId("clock").textContent = `${this.t.toFixed(digits)} of ${shown(data.reached)} s`;
    this.stage();
    for (const plot of plots) plot.cursor(this.t);
    table.follow(this.t);
  },

  stage() {
    if (!view) return;
    view.draw(this.t, {
      forces: byId("show-forces").checked,
      names: byId("show-names").checked,
      paths: byId("show-paths").checked,
    });
  },

  event(step) {
    const after = eventAfter(this.t + (step > 0 ? 1e-9 * length : -1e-6 * length));
    const event = events[step > 0 ? after : after - 1];
    this.seek(event ? event[0] : step > 0 ? data.reached : data.start, true);
  },
};

function tell() {
  byId("name").textContent = data.name;
  byId("description").textContent = data.description;
  byId("subtitle").textContent = data.subtitle;
  for (const text of data.story) byId("sentences").append(sentence("li", text));
  if (!data.story.length) byId("story").querySelector("h2").remove();
  for (const { severity, text } of data.notes) {
    const item = sentence("li", text);
    item.className = severity;
    byId("notes").append(item);
  }
  if (!data.notes.length) byId("notes").append(sentence("li", "Nothing out of the ordinary."));
  for (const [title, lines] of data.groups) {
    const box = document.createElement("div");
    box.className = "statistics";
    const heading = document.createElement("h2");
    heading.textContent = title;
    const rows = document.createElement("table");
    for (const line of lines) {
      const row = rows.insertRow();
      for (const text of line) row.insertCell().textContent = text.trim();
    }
    box.append(heading, rows);
    byId("statistics").append(box);
  }
  const entry = (colour, text) => {
    const item = document.createElement("span");
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = colour;
    item.append(swatch, text);
    byId("legend").append(item);
  };
  for (const status of ["stick", "slip", "closed", "open"]) entry(STATUS_COLOURS[status], STATUS_WORDS[status]);
  if (data.stage && data.stage.applied.length) entry(APPLIED, "applied force");
}

function listen() {
  const speeds = byId("speed");
  for (const speed of SPEEDS) speeds.add(new Option(`${speed} x`, speed, false, speed === 1));
  // short runs are played slowly, long ones fast
  const fitting = SPEEDS.filter((speed) => length / speed >= 4 && length / speed <= 90);
  if (length < 4) player.speed = fitting.length ? Math.max(...fitting) : SPEEDS[0];
  else if (length > 90) player.speed = fitting.length ? Math.min(...fitting) : SPEEDS[SPEEDS.length - 1];
  speeds.value = String(player.speed);
  speeds.addEventListener("change", () => (player.speed = Number(speeds.value)));
  byId("play").addEventListener("click", () => (player.playing ? player.pause() : player.play()));
  byId("back").addEventListener("click", () => player.event(-1));
  byId("forth").addEventListener("click", () => player.event(1));
  byId("scrub").addEventListener("input", (event) => player.seek(data.start + (length * event.target.value) / 1e6, true));
  for (const id of ["show-forces", "show-names", "show-paths"]) byId(id).addEventListener("change", () => player.stage());
  byId("reset-view").addEventListener("click", () => {
    if (view) view.reset();
    player.stage();
  });
  byId("follow").addEventListener("change", (event) => {
    if (view) view.follows = event.target.checked;
    player.stage();
  });
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|BUTTON|TEXTAREA)$/.test(event.target.tagName)) return;
    const act = {
      " ": () => (player.playing ? player.pause() : player.play()),
      ArrowLeft: () => player.seek(player.t - length / 500, true),
      ArrowRight: () => player.seek(player.t + length / 500, true),
      PageUp: () => player.event(-1),
      PageDown: () => player.event(1),
      Home: () => player.seek(data.start, true),
      End: () => player.seek(data.reached, true),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  window.addEventListener("resize", drawAll);
}

function drawAll() {
  for (const plot of plots) plot.draw();
  table.draw();
  player.show();
}

tell();
makePlots();
table.make();
listen();
// names of many bodies hide them
if (data.stage && data.stage.bodies.length > 12) byId("show-names").checked = false;
if (view) {
  view.changed = () => player.stage();
  byId("follow").checked = view.follows;
  byId("stage-hint").textContent = data.dimension === 3 ? "drag to turn, shift-drag to move, wheel to zoom" : "drag to move, wheel to zoom";
} else {
  byId("stage-panel").remove();
  byId("side").classList.add("wide");
  if (!events.length) byId("events-panel").style.display = "none";
}
drawAll();
