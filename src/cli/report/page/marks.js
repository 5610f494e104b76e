// Symbols of springs, joints and forces.
const INK = "#2d3741";
const GROUND = "#e4e7ea";
const GROUND_LINE = "#6e767e";
const APPLIED = "#b8860b";

function stroke(context, points, colour, width, closed) {
  context.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  if (closed) context.closePath();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = "round";
  context.stroke();
}

function fill(context, points, colour) {
  context.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

function disc(context, [x, y], radius, colour, line, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (colour) {
    context.fillStyle = colour;
    context.fill();
  }
  if (line) {
    context.strokeStyle = line;
    context.lineWidth = width || 2;
    context.stroke();
  }
}

// Direction from a to b, its normal, and the distance.
function along(a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  const d = length > 1e-9 ? [dx / length, dy / length] : [1, 0];
  const at = (s, t) => [a[0] + s * d[0] - t * d[1], a[1] + s * d[1] + t * d[0]];
  return { length, at };
}

// The status of a contact; just before it closes and just after it opens the arrow is grey.
function arrowColour(touch, t) {
  const status = touch.status || statusAt(touch.track, t);
  return status === "open" ? "#8793a0" : STATUS_COLOURS[status];
}

function arrow(context, from, to, colour, width = 3) {
  const { length, at } = along(from, to);
  if (length < 2) return;
  const head = Math.min(2 + 3 * width, 0.6 * length);
  // a pale outline separates it from the background
  stroke(context, [from, at(length - 0.7 * head, 0)], "#fff", width + 2.5);
  stroke(context, [from, at(length - 0.7 * head, 0)], colour, width);
  fill(context, [to, at(length - head, 0.45 * head), at(length - head, -0.45 * head)], colour);
}

function zigzag(context, a, b, aside) {
  const { length, at } = along(a, b);
  const end = Math.min(0.15 * length, 24);
  const n = 10;
  const points = [a, at(end, aside)];
  for (let i = 0; i < n; i++) {
    points.push(at(end + ((length - 2 * end) * (i + 0.5)) / n, aside + (i % 2 === 0 ? 7 : -7)));
  }
  points.push(at(length - end, aside), b);
  stroke(context, points, INK, 1.8);
}

function piston(context, a, b, aside) {
  const { length, at } = along(a, b);
  const middle = 0.5 * length;
  const half = Math.min(0.2 * length, 16);
  const bend = Math.min(0.15 * length, 24);
  stroke(context, [at(middle + half, aside - 8), at(middle - half, aside - 8), at(middle - half, aside + 8), at(middle + half, aside + 8)], INK, 1.8);
  stroke(context, [a, at(bend, aside), at(middle - half, aside)], INK, 1.8);
  const place = middle + 0.25 * half;
  stroke(context, [at(place, aside - 5.5), at(place, aside + 5.5)], INK, 2.5);
  stroke(context, [at(place, aside), at(length - bend, aside), b], INK, 1.8);
}

// A spring, a damper, or both side by side.
function element(context, spring, a, b) {
  const aside = spring.spring && spring.damper ? 10 : 0;
  if (spring.spring) zigzag(context, a, b, -aside);
  if (spring.damper) piston(context, a, b, aside);
}

function support(context, [x, y]) {
  const [left, right, base] = [x - 8, x + 8, y + 12];
  fill(context, [[x, y], [right, base], [left, base]], "#fff");
  stroke(context, [[x, y], [right, base], [left, base]], INK, 1.5, true);
  for (let i = 0; i < 4; i++) stroke(context, [[left + 2 + 5 * i, base], [left - 2 + 5 * i, base + 5]], INK, 1);
}

// The symbol of a joint, at the attachment point of its second body.
function jointSign(context, kind, at) {
  if (kind === "distance") return;
  if (kind === "prismatic" || kind === "fixed" || kind === "planar") {
    const [x, y] = at;
    fill(context, [[x - 4.5, y - 4.5], [x + 4.5, y - 4.5], [x + 4.5, y + 4.5], [x - 4.5, y + 4.5]], INK);
  } else disc(context, at, 5, "#fff", INK, 2);
}

function label(context, text, [x, y], colour) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "left";
  context.lineJoin = "round";
  context.strokeStyle = "rgba(255,255,255,0.85)";
  context.lineWidth = 4;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

// Labels next to their points, without overlap; a label without room is left out.
function nameAll(context, named) {
  context.font = "12px system-ui, sans-serif";
  const taken = [];
  for (const [text, [x, y], colour] of named) {
    const width = context.measureText(text).width;
    const offsets = [[9, -9], [9, 19], [-9 - width, -9], [-9 - width, 19], [-width / 2, -20], [-width / 2, 30], [16, -25], [16, 35], [-16 - width, -25], [-16 - width, 35]];
    const isFree = ([left, base]) => taken.every(([l, b, w]) => left > l + w + 3 || l > left + width + 3 || Math.abs(base - b) > 14);
    const place = offsets.map(([dx, dy]) => [x + dx, y + dy]).find(isFree);
    if (!place) continue;
    taken.push([...place, width]);
    label(context, text, place, colour);
  }
}

// Bounding box of all bodies over the run, and at its start.
function travelled(n_axes) {
  const names = ["x", "y", "z"].slice(0, n_axes);
  const box = (rows) => {
    const low = Array(n_axes).fill(Infinity);
    const high = Array(n_axes).fill(-Infinity);
    data.stage.bodies.forEach((body) => {
      const reach = Math.max(0.02, ...body.shapes.flatMap((s) => (s.points || []).map((p) => Math.hypot(...p) + s.radius)));
      names.forEach((name, k) => {
        const values = valuesOf(channelOf.get(`${body.name}.position.${name}`));
        for (const row of rows) {
          if (!Number.isFinite(values[row])) continue;
          low[k] = Math.min(low[k], values[row] - reach);
          high[k] = Math.max(high[k], values[row] + reach);
        }
      });
    });
    for (const shape of data.stage.ground) {
      for (const p of shape.points || []) {
        for (let k = 0; k < n_axes; k++) {
          low[k] = Math.min(low[k], p[k] - shape.radius);
          high[k] = Math.max(high[k], p[k] + shape.radius);
        }
      }
    }
    for (const item of [...data.stage.joints, ...data.stage.springs, ...data.stage.ropes]) {
      item.bodies.forEach((body, i) => {
        if (body >= 0) return;
        for (let k = 0; k < n_axes; k++) {
          low[k] = Math.min(low[k], item.anchors[i][k]);
          high[k] = Math.max(high[k], item.anchors[i][k]);
        }
      });
    }
    return low[0] <= high[0] ? { low, high } : { low: Array(n_axes).fill(-1), high: Array(n_axes).fill(1) };
  };
  const stride = Math.max(1, Math.floor(n_rows / 400));
  const rows = [];
  for (let row = 0; row < n_rows; row += stride) rows.push(row);
  return { all: box([...rows, n_rows - 1]), start: box([0]) };
}

const sizeOf = (box) => Math.hypot(...box.low.map((low, k) => box.high[k] - low));
const middleOf = (box) => box.low.map((low, k) => 0.5 * (low + box.high[k]));

// The view follows a scene that travels far instead of zooming out.
const FAR = 8;
