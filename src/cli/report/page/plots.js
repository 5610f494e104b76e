// Plots over time with a common cursor.
const PLOT_HEIGHT = 210;
const FRAME = { left: 62, right: 12, top: 16, bottom: 32 };
const LINE_COLOURS = ["#19558f", "#d9580d", "#2e7d32", "#8e24aa", "#c0262d", "#00838f", "#8d6e63", "#5d6d7e", "#b8860b", "#3949ab"];
const MOST_LINES = 6;
const GROUPS = [
  ["position", "m", "Positions"], ["position", "rad", "Angles"], ["velocity", "m/s", "Velocities"],
  ["velocity", "rad/s", "Angular velocities"], ["force", "N", "Contact forces"], ["input", "N", "Applied forces"],
  ["energy", "J", "Energy"], ["count", "", "Numbers of contacts and of bodies asleep"],
];
const plots = [];
const length = Math.max(1e-12, data.until - data.start);

function shortName(channel) {
  return channel.group === "energy" ? channel.name.replace("energy.", "").replaceAll("_", " ") : channel.name;
}

const peaksOf = new Map();
for (const [channel, row, low, high] of data.peaks) {
  if (!peaksOf.has(channel)) peaksOf.set(channel, []);
  peaksOf.get(channel).push([row, low, high]);
}

function spanOf(channel) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of valuesOf(channel)) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  for (const [, least, most] of peaksOf.get(channel) || []) {
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  return [low, high];
}

function panel(title) {
  const section = document.createElement("section");
  section.className = "plot";
  const heading = document.createElement("h2");
  heading.textContent = title;
  const box = document.createElement("div");
  box.className = "box";
  const [under, over] = [document.createElement("canvas"), document.createElement("canvas")];
  over.className = "over";
  box.append(under, over);
  section.append(heading, box);
  byId("plots").append(section);
  return { section, under, over };
}

// What all plots share: the axis of time, marks of events, the cursor.
class TimePlot {
  constructor(title, height) {
    Object.assign(this, panel(title), { height, left: FRAME.left });
    const jump = (event) => {
      const x = event.clientX - this.over.getBoundingClientRect().left;
      player.seek(this.timeAt(x), true);
    };
    let dragging = false;
    this.over.addEventListener("pointerdown", (event) => {
      dragging = true;
      this.over.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.over.addEventListener("pointermove", (event) => dragging && jump(event));
    this.over.addEventListener("pointerup", () => (dragging = false));
    plots.push(this);
  }

  get width() {
    return this.under.parentElement.clientWidth;
  }

  x(t) {
    return this.left + ((t - data.start) / length) * (this.width - this.left - FRAME.right);
  }

  timeAt(x) {
    const part = (x - this.left) / (this.width - this.left - FRAME.right);
    return data.start + length * Math.min(1, Math.max(0, part));
  }

  begin() {
    const context = sharp(this.under, this.width, this.height);
    this.under.style.height = this.over.style.height = `${this.height}px`;
    context.fillStyle = "#fff";
    context.fillRect(0, 0, this.width, this.height);
    return context;
  }

  timeAxis(context) {
    const bottom = this.height - FRAME.bottom;
    const step = roundStep((length * 80) / (this.width - this.left - FRAME.right));
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    for (let i = Math.ceil(data.start / step - 1e-9); i * step <= data.until * (1 + 1e-12); i++) {
      const x = this.x(i * step);
      stroke(context, [[x, FRAME.top], [x, bottom]], "#eef1f4", 1);
      context.fillStyle = "#5b6875";
      context.fillText(shown(i * step, step), x, bottom + 14);
    }
    context.fillText("time / s", 0.5 * (this.left + this.width - FRAME.right), this.height - 4);
  }

  marks(context) {
    context.globalAlpha = events.length > 300 ? 0.35 : 0.8;
    for (const event of events) {
      const x = this.x(event[0]);
      stroke(context, [[x, FRAME.top - 9], [x, FRAME.top - 2]], EVENT_COLOURS[event[1]] || "#888", 1.5);
    }
    context.globalAlpha = 1;
  }

  cursor(t) {
    const context = sharp(this.over, this.width, this.height);
    context.clearRect(0, 0, this.width, this.height);
    const x = this.x(t);
    stroke(context, [[x, FRAME.top - 10], [x, this.height - FRAME.bottom]], "#c0262d", 1.5);
  }
}

class LinePlot extends TimePlot {
  constructor(title, unit, indices) {
    super(unit ? `${title} / ${unit}` : title, PLOT_HEIGHT);
    this.unit = unit;
    this.spans = indices.map(spanOf);
    this.indices = indices;
    // those that change most are shown first
    const order = indices.map((_, i) => i).sort((a, b) => this.spans[b][1] - this.spans[b][0] - (this.spans[a][1] - this.spans[a][0]));
    const changes = (i) => this.spans[i][1] > this.spans[i][0];
    this.shown = new Set(order.filter(changes).slice(0, MOST_LINES));
    if (!this.shown.size && indices.length) this.shown.add(0);
    this.chips();
  }

  colour(i) {
    return LINE_COLOURS[i % LINE_COLOURS.length];
  }

  chips() {
    const box = document.createElement("div");
    box.className = "chips";
    // those that are drawn come first
    const first = [...this.shown].sort((a, b) => a - b);
    const rest = this.indices.map((_, i) => i).filter((i) => !this.shown.has(i));
    this.readouts = [];
    for (const i of [...first, ...rest]) {
      const index = this.indices[i];
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      const [line, value] = [document.createElement("i"), document.createElement("b")];
      line.style.background = this.colour(i);
      chip.append(line, shortName(channels[index]), value);
      chip.classList.toggle("off", !this.shown.has(i));
      chip.setAttribute("aria-pressed", String(this.shown.has(i)));
      chip.addEventListener("click", () => {
        if (!this.shown.delete(i)) this.shown.add(i);
        chip.classList.toggle("off", !this.shown.has(i));
        chip.setAttribute("aria-pressed", String(this.shown.has(i)));
        this.draw();
        this.cursor(player.t);
      });
      box.append(chip);
      this.readouts[i] = value;
    }
    this.section.append(box);
  }

  draw() {
    const context = this.begin();
    const all = [...this.shown].map((i) => this.spans[i]);
    let low = Math.min(...all.map((span) => span[0]));
    let high = Math.max(...all.map((span) => span[1]));
    if (!(low <= high)) [low, high] = [-1, 1];
    const margin = high > low ? 0.05 * (high - low) : Math.max(1e-9, 0.1 * Math.abs(high)) || 1;
    [low, high] = [low - margin, high + margin];
    const [top, bottom] = [FRAME.top, this.height - FRAME.bottom];
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    this.timeAxis(context);
    const step = roundStep((high - low) / 5);
    context.textAlign = "right";
    for (let i = Math.ceil(low / step); i * step <= high; i++) {
      stroke(context, [[FRAME.left, y(i * step)], [this.width - FRAME.right, y(i * step)]], i === 0 ? "#c4ccd4" : "#eef1f4", 1);
      context.fillStyle = "#5b6875";
      context.fillText(shown(i * step, step), FRAME.left - 6, y(i * step) + 4);
    }
    stroke(context, [[FRAME.left, top], [FRAME.left, bottom], [this.width - FRAME.right, bottom]], "#8793a0", 1);
    this.marks(context);
    for (const i of this.shown) this.line(context, i, y);
  }

  line(context, i, y) {
    const index = this.indices[i];
    const values = valuesOf(index);
    context.beginPath();
    let pen = false;
    for (let row = 0; row < n_rows; row++) {
      if (Number.isNaN(values[row])) {
        pen = false;
        continue;
      }
      const [px, py] = [this.x(times[row]), y(values[row])];
      if (pen) context.lineTo(px, py);
      else context.moveTo(px, py);
      pen = true;
    }
    context.strokeStyle = this.colour(i);
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.stroke();
    // extremes between two rows
    for (const [row, least, most] of peaksOf.get(index) || []) {
      const x = this.x(0.5 * (times[row] + times[Math.min(row + 1, n_rows - 1)]));
      stroke(context, [[x, y(least)], [x, y(most)]], this.colour(i), 1.2);
    }
  }

  cursor(t) {
    super.cursor(t);
    const at = rowAt(t);
    this.indices.forEach((index, i) => {
      if (this.shown.has(i)) this.readouts[i].textContent = shown(valueAt(index, at));
      else this.readouts[i].textContent = "";
    });
  }
}

const BAND = 20;
const MOST_BANDS = 40;
class StatusPlot extends TimePlot {
  constructor() {
    super("Contacts: sticking, sliding or apart", FRAME.top + FRAME.bottom + BAND * Math.min(data.tracks.length, MOST_BANDS));
    this.section.classList.add("wide");
    this.section.append(byId("legend").cloneNode(true));
    const context = this.under.getContext("2d");
    context.font = "12px system-ui, sans-serif";
    const widths = data.tracks.map((track) => context.measureText(track.name).width + 16);
    this.left = Math.min(260, Math.max(FRAME.left, ...widths));
  }

  draw() {
    const context = this.begin();
    this.timeAxis(context);
    data.tracks.slice(0, MOST_BANDS).forEach((track, i) => {
      const y = FRAME.top + BAND * i;
      track.changes.forEach(([since, status], k) => {
        const end = k + 1 < track.changes.length ? track.changes[k + 1][0] : data.reached;
        context.fillStyle = STATUS_COLOURS[status];
        context.fillRect(this.x(since), y + 3, Math.max(0.7, this.x(end) - this.x(since)), BAND - 6);
      });
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "right";
      context.fillStyle = "#1f2933";
      context.fillText(track.name, this.left - 8, y + BAND - 6, this.left - 12);
    });
    this.marks(context);
  }
}

function makePlots() {
  const taken = new Set();
  if (data.tracks.length) new StatusPlot();
  for (const [group, unit, title] of GROUPS) {
    const indices = channels.map((_, i) => i).filter((i) => channels[i].group === group && channels[i].unit === unit);
    indices.forEach((i) => taken.add(i));
    // constant channels are not interesting
    const moving = group === "position" || group === "velocity" ? indices.filter((i) => spanOf(i)[1] > spanOf(i)[0]) : indices;
    if (moving.length) new LinePlot(title, unit, moving);
  }
  const rest = new Map();
  channels.forEach((channel, i) => {
    if (taken.has(i) || channel.group === "orientation") return;
    const key = `${channel.group === "input" ? "Inputs" : channel.group === "other" ? "Outputs" : channel.group}\n${channel.unit}`;
    if (!rest.has(key)) rest.set(key, []);
    rest.get(key).push(i);
  });
  for (const [key, indices] of rest) new LinePlot(...key.split("\n"), indices);
}
