// The recording, unpacked on demand.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const STATUS_COLOURS = { open: "#dfe4e9", closed: "#7b5aa6", stick: "#2368b0", slip: "#d9580d" };
const STATUS_WORDS = { open: "apart", closed: "pressing, no friction", stick: "sticking", slip: "sliding" };
const EVENT_COLOURS = {
  impact: "#c0262d", slip: "#d9580d", stick: "#2368b0", reversal: "#a06a00", "take-off": "#2e8b57", jam: "#7b2d8b",
  "first touch": "#c0262d", sleep: "#2368b0", "wake-up": "#d9580d",
};
const EVENT_WORDS = {
  impact: "impact", slip: "starts to slide", stick: "sticks", reversal: "slides back", "take-off": "lifts off", jam: "jams",
};

function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

// A packed list: a constant, or steps above the minimum; the highest code means "not finite".
function unpack(packed, n) {
  const values = new Float64Array(n);
  if ("all" in packed) return values.fill(packed.all === null ? NaN : packed.all);
  const steps = new Uint16Array(bytesOf(packed.data));
  for (let i = 0; i < n; i++) values[i] = steps[i] === 65535 ? NaN : packed.low + packed.step * steps[i];
  return values;
}

const times = new Float32Array(bytesOf(data.times));
const n_rows = times.length;
const channels = data.channels;
const channelOf = new Map(channels.map((channel, i) => [channel.name, i]));

function valuesOf(index) {
  const channel = channels[index];
  if (!channel.unpacked) channel.unpacked = unpack(channel.values, n_rows);
  return channel.unpacked;
}

// The row at or before a time, and the fraction of the way to the next one.
function rowAt(t) {
  let low = 0;
  let high = n_rows - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  if (high <= low) return { row: 0, next: 0, part: 0 };
  const length = times[high] - times[low];
  const part = length > 0 ? Math.min(1, Math.max(0, (t - times[low]) / length)) : 1;
  return { row: low, next: high, part };
}

// Quantities without a channel, such as the angle of a point mass, are zero.
function valueAt(index, at) {
  if (index === undefined) return 0;
  const values = valuesOf(index);
  return values[at.row] + at.part * (values[at.next] - values[at.row]);
}

// Events: [time, kind, place, normal impulse, tangential impulse].
const events = data.events.rows;
const placeOf = (event) => (event[2] === null ? "" : data.events.places[event[2]] || "");

// Index of the first event after a time.
function eventAfter(t) {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle][0] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Status of a track at a time.
function statusAt(track, t) {
  const changes = data.tracks[track].changes;
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle][0] <= t) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? changes[low - 1][1] : "open";
}

// With time stepping: closed contacts row by row, each with its status.
const STATUSES = { o: "open", c: "closed", s: "stick", l: "slip" };
const arrows = data.arrows && {
  n: data.arrows.counts.reduce((sum, n) => sum + n, 0),

  columns() {
    if (!this.unpacked) this.unpacked = data.arrows.values.map((packed) => unpack(packed, this.n));
    return this.unpacked;
  },

  of(row) {
    if (!this.first) {
      this.first = [0];
      for (const n of data.arrows.counts) this.first.push(this.first.at(-1) + n);
    }
    const columns = this.columns();
    return Array.from({ length: data.arrows.counts[row] }, (_, k) => {
      const i = this.first[row] + k;
      const three = (from) => [columns[from][i], columns[from + 1][i], columns[from + 2][i]];
      return { status: STATUSES[data.arrows.statuses[i]], point: three(0), force: three(3) };
    });
  },
};

// Closed contacts at the row nearest to a time: track, point, force.
const axes = data.dimension === 3 ? 3 : 2;
for (const touch of data.touches) {
  touch.n = touch.spans.reduce((sum, span) => sum + span[1], 0);
}
function touchesAt(at) {
  const row = at.part < 0.5 ? at.row : at.next;
  if (arrows) return arrows.of(row);
  const found = [];
  data.touches.forEach((touch, track) => {
    let before = 0;
    for (const [first, n] of touch.spans) {
      if (row < first) break;
      if (row < first + n) {
        if (!touch.unpacked) touch.unpacked = touch.values.map((packed) => unpack(packed, touch.n));
        const i = before + row - first;
        const column = (k) => touch.unpacked[k][i];
        found.push({
          track,
          point: Array.from({ length: axes }, (_, k) => column(k)),
          force: Array.from({ length: axes }, (_, k) => column(axes + k)),
        });
        break;
      }
      before += n;
    }
  });
  return found;
}

// 90th percentile of the forces, which scales the arrows.
const typicalForce = (() => {
  const sizes = [];
  for (const touch of data.touches) {
    const columns = touch.values.map((packed) => unpack(packed, touch.n));
    const stride = Math.max(1, Math.floor(touch.n / 200));
    for (let i = 0; i < touch.n; i += stride) {
      sizes.push(Math.hypot(...Array.from({ length: axes }, (_, k) => columns[axes + k][i])));
    }
  }
  if (arrows) {
    const columns = arrows.columns();
    const stride = Math.max(1, Math.floor(arrows.n / 5000));
    for (let i = 0; i < arrows.n; i += stride) sizes.push(Math.hypot(columns[3][i], columns[4][i], columns[5][i]));
  }
  for (const [i, channel] of channels.entries()) {
    if (channel.group === "input" && channel.unit === "N") {
      const values = valuesOf(i);
      const stride = Math.max(1, Math.floor(n_rows / 50));
      for (let k = 0; k < n_rows; k += stride) if (values[k] !== 0) sizes.push(Math.abs(values[k]));
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] || 1 : 1;
})();

const BODY_COLOURS = [
  ["#bed7f0", "#195591"], ["#fad7aa", "#a55a0a"], ["#cde6c8", "#286e2d"], ["#e8d0f0", "#733291"], ["#f5cdcd", "#a0282d"],
];

// The next 1, 2 or 5 times a power of ten.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least * 0.999999) return factor * power;
  return 10 * power;
}

// Few digits, no more than a step needs.
function shown(x, step) {
  if (!Number.isFinite(x)) return "-";
  const size = Math.abs(x);
  if (x !== 0 && (size >= 1e6 || size < 1e-4 && step === undefined)) return x.toExponential(2);
  if (step === undefined) return String(Number(x.toPrecision(4)));
  if (step < 1e-5 || size >= 1e6) return x === 0 ? "0" : x.toExponential(Math.max(0, Math.min(6, Math.ceil(Math.log10(size / step)))));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return (Math.abs(x) < step / 1e6 ? 0 : x).toFixed(digits);
}

// A canvas as sharp as the screen; returns its context and its size in CSS pixels.
function sharp(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Text with names in backquotes as an element.
function sentence(tag, text) {
  const element = document.createElement(tag);
  text.split("`").forEach((piece, i) => {
    if (i % 2 === 0) element.append(piece);
    else {
      const name = document.createElement("code");
      name.textContent = piece;
      element.append(name);
    }
  });
  return element;
}
