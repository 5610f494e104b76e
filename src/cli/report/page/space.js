// A scene in space, seen by an orbiting camera. Solids are convex and drawn from back to front: for two that overlap on the
// screen, a separating plane decides which one is nearer to the camera.
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const sum = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => {
  const length = Math.hypot(...a) || 1;
  return a.map((x) => x / length);
};
const LIGHT = unit([-0.25, -0.45, 0.86]);
const MOST_COMPARED = 150;

// Two directions normal to a vector, the first as close to a world axis as possible.
function tangents(normal) {
  const k = [0, 1, 2].reduce((best, i) => (Math.abs(normal[i]) < Math.abs(normal[best]) ? i : best), 0);
  const axis = [0, 0, 0];
  axis[k] = 1;
  const first = unit(sum(axis, normal, -dot(axis, normal)));
  return [first, cross(normal, first)];
}

// Position and the columns of the rotation matrix.
function poseFrom(position, [w, x, y, z]) {
  const n = Math.hypot(w, x, y, z) || 1;
  [w, x, y, z] = [w / n, x / n, y / n, z / n];
  return {
    position,
    columns: [
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ],
  };
}
const FIXED = poseFrom([0, 0, 0], [1, 0, 0, 0]);
const turn = (pose, v) => sum(sum(sum([0, 0, 0], pose.columns[0], v[0]), pose.columns[1], v[1]), pose.columns[2], v[2]);
const pointOf = (pose, v) => sum(turn(pose, v), pose.position, 1);

class SpaceView {
  constructor(canvas) {
    this.canvas = canvas;
    this.boxes = travelled(3);
    this.follows = sizeOf(this.boxes.all) > FAR * sizeOf(this.boxes.start);
    const channelsOf = (body, names) => names.map((name) => channelOf.get(`${body.name}.${name}`));
    this.places = data.stage.bodies.map((body) => channelsOf(body, ["x", "y", "z"].map((axis) => `position.${axis}`)));
    this.turns = data.stage.bodies.map((body) => channelsOf(body, ["w", "x", "y", "z"].map((part) => `principal_axes.${part}`)));
    this.applied = data.stage.applied.map((force) => ["x", "y", "z"].map((axis) => channelOf.get(`${force.name}.force_${axis}`)));
    this.solids = [];
    data.stage.ground.forEach((shape) => shape.points && this.solids.push({ shape, body: -1 }));
    data.stage.bodies.forEach((body, i) => body.shapes.forEach((shape) => this.solids.push({ shape, body: i })));
    this.reset();
    this.listen();
  }

  reset() {
    this.yaw = -1.06;
    this.pitch = 0.42;
    this.zoom = 1;
    this.shift = [0, 0, 0];
  }

  listen() {
    let last = null;
    this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    this.canvas.addEventListener("pointerdown", (event) => {
      last = [event.clientX, event.clientY, event.button === 2 || event.shiftKey];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
      if (last[2]) {
        this.shift = sum(sum(this.shift, this.right, -dx / this.scale), this.up, dy / this.scale);
      } else {
        this.yaw -= 0.008 * dx;
        this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + 0.008 * dy));
      }
      last = [event.clientX, event.clientY, last[2]];
      this.changed();
    });
    this.canvas.addEventListener("pointerup", () => (last = null));
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom *= Math.exp(-0.0015 * event.deltaY);
      this.changed();
    }, { passive: false });
  }

  poseOf(body, at) {
    if (body < 0) return FIXED;
    const position = this.places[body].map((channel) => valueAt(channel, at));
    const q = this.turns[body].map((channel) => [valuesOf(channel)[at.row], valuesOf(channel)[at.next]]);
    // q and -q are the same orientation
    const sign = q.reduce((s, [a, b]) => s + a * b, 0) < 0 ? -1 : 1;
    return poseFrom(position, q.map(([a, b]) => a + at.part * (sign * b - a)));
  }

  // the camera, its axes and the scale
  place(at, width, height) {
    const box = this.follows ? this.boxes.start : this.boxes.all;
    let target = middleOf(box);
    if (this.follows && this.places.length) {
      const mean = (k, value) => this.places.reduce((s, channels) => s + value(channels[k]), 0) / this.places.length;
      target = target.map((x, k) => x + mean(k, (c) => valueAt(c, at)) - mean(k, (c) => valuesOf(c)[0]));
    }
    target = sum(target, this.shift, 1);
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    this.towards = [cp * cy, cp * sy, sp];
    this.right = [-sy, cy, 0];
    this.up = cross(this.towards, this.right);
    this.size = Math.max(1e-6, sizeOf(box));
    this.distance = 2.6 * this.size;
    this.eye = sum(target, this.towards, this.distance);
    this.target = target;
    this.scale = ((Math.min(width, 1.5 * height) * 0.92) / this.size) * this.zoom;
    this.middle = [0.5 * width, 0.5 * height];
  }

  // pixels and perspective scale
  see(p) {
    const v = sum(p, this.target, -1);
    const depth = Math.max(0.05, 1 - dot(v, this.towards) / this.distance);
    return [this.middle[0] + (this.scale * dot(v, this.right)) / depth, this.middle[1] - (this.scale * dot(v, this.up)) / depth, 1 / depth];
  }

  draw(t, options) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const context = sharp(this.canvas, width, height);
    const at = rowAt(t);
    this.place(at, width, height);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    const poses = data.stage.bodies.map((_, body) => this.poseOf(body, at));
    const pose = (body) => (body < 0 ? FIXED : poses[body]);
    const planes = data.stage.ground.filter((shape) => shape.normal);
    const inFront = (plane) => dot(plane.normal, this.eye) < plane.offset;
    for (const plane of planes) if (!inFront(plane)) this.plane(context, plane, false);
    if (options.paths) this.paths(context, at);
    const seen = this.solids.map(({ shape, body }) => this.world(shape, body, pose(body)));
    for (const solid of this.farFirst(seen)) this.solid(context, solid);
    for (const plane of planes) if (inFront(plane)) this.plane(context, plane, true);
    data.stage.bodies.forEach((body, i) => body.shapes.length || this.sticks(context, i, poses[i]));
    for (const rope of data.stage.ropes) {
      const ends = rope.bodies.map((body, i) => this.see(pointOf(pose(body), rope.anchors[i])));
      stroke(context, ends, INK, 1.5);
      rope.bodies.forEach((body, i) => body < 0 && support(context, ends[i]));
    }
    for (const spring of data.stage.springs) {
      const ends = spring.bodies.map((body, i) => this.see(pointOf(pose(body), spring.anchors[i])));
      element(context, spring, ...ends);
      spring.bodies.forEach((body, i) => body < 0 && support(context, ends[i]));
    }
    for (const joint of data.stage.joints) this.joint(context, joint, pose);
    if (options.forces) this.forces(context, t, at, pose);
    if (options.names && data.stage.bodies.length <= 60) {
      nameAll(context, data.stage.bodies.map((body, i) => [body.name, this.see(poses[i].position), BODY_COLOURS[i % BODY_COLOURS.length][1]]));
    }
    this.corner(context, height);
  }

  // a plane that would hide the scene is drawn as an outline
  plane(context, plane, is_frame) {
    const mesh = roundStep(this.size / 16);
    const height = dot(plane.normal, this.target) - plane.offset;
    const foot = sum(this.target, plane.normal, -height);
    const [first, second] = tangents(plane.normal);
    const round = (along) => Math.round(dot(foot, along) / mesh) * mesh;
    const origin = sum(sum(plane.normal.map((x) => x * plane.offset), first, round(first)), second, round(second));
    const n = Math.max(4, Math.ceil((0.75 * this.size) / mesh));
    const corner = (i, j) => this.see(sum(sum(origin, first, i * mesh), second, j * mesh));
    const border = [corner(-n, -n), corner(n, -n), corner(n, n), corner(-n, n)];
    this.mesh = mesh;
    if (is_frame) {
      stroke(context, border, "#c4ccd4", 1, true);
      return;
    }
    fill(context, border, "#eceff2");
    for (let i = -n; i <= n; i++) {
      stroke(context, [corner(i, -n), corner(i, n)], "#d3d9df", 1);
      stroke(context, [corner(-n, i), corner(n, i)], "#d3d9df", 1);
    }
  }

  // a solid in world axes, with its bounding box on the screen
  world(shape, body, pose) {
    const points = shape.points.map((p) => pointOf(pose, p));
    const pixels = points.map((p) => this.see(p));
    const rims = pixels.map((p) => shape.radius * this.scale * p[2]);
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    pixels.forEach(([x, y], i) => {
      box[0] = Math.min(box[0], x - rims[i]);
      box[1] = Math.min(box[1], y - rims[i]);
      box[2] = Math.max(box[2], x + rims[i]);
      box[3] = Math.max(box[3], y + rims[i]);
    });
    const middle = points.reduce((s, p) => sum(s, p, 1 / points.length), [0, 0, 0]);
    const normals = shape.faces.length <= 12 ? shape.faces.map((face) => turn(pose, face.normal)) : null;
    const depth = dot(sum(middle, this.eye, -1), this.towards);
    return { shape, body, pose, points, pixels, rims, box, middle, normals, depth };
  }

  farFirst(solids) {
    const sheets = solids.filter((solid) => solid.shape.sheet).sort((a, b) => a.depth - b.depth);
    const rest = solids.filter((solid) => !solid.shape.sheet).sort((a, b) => a.depth - b.depth);
    if (rest.length > MOST_COMPARED) return [...sheets, ...rest];
    const behind = rest.map(() => []);
    for (let i = 0; i < rest.length; i++) {
      for (let j = 0; j < i; j++) {
        const [a, b] = [rest[i], rest[j]];
        if (a.box[0] > b.box[2] || b.box[0] > a.box[2] || a.box[1] > b.box[3] || b.box[1] > a.box[3]) continue;
        const nearer = this.nearer(a, b);
        if (nearer > 0) behind[i].push(j);
        else if (nearer < 0) behind[j].push(i);
      }
    }
    const done = rest.map(() => false);
    const left = rest.map((_, i) => i);
    const order = [];
    while (left.length) {
      // a cycle of solids that hide each other is broken at the farthest one
      const k = Math.max(0, left.findIndex((i) => behind[i].every((j) => done[j])));
      const [i] = left.splice(k, 1);
      done[i] = true;
      order.push(rest[i]);
    }
    return [...sheets, ...order];
  }

  // 1 if a can hide b, -1 if b can hide a, 0 if undecided
  nearer(a, b) {
    const candidates = [[0, 0, 1], ...(a.normals || []), ...(b.normals || []), unit(sum(a.middle, b.middle, -1)), [1, 0, 0], [0, 1, 0]];
    const range = (solid, n) => {
      let [low, high] = [Infinity, -Infinity];
      for (const p of solid.points) {
        const x = dot(n, p);
        low = Math.min(low, x - solid.shape.radius);
        high = Math.max(high, x + solid.shape.radius);
      }
      return [low, high];
    };
    const slack = 1e-5 * this.size;
    for (const n of candidates) {
      const [ra, rb] = [range(a, n), range(b, n)];
      const eye = dot(n, this.eye);
      if (ra[0] >= rb[1] - slack) return eye > 0.5 * (ra[0] + rb[1]) ? 1 : -1;
      if (rb[0] >= ra[1] - slack) return eye > 0.5 * (rb[0] + ra[1]) ? -1 : 1;
    }
    return 0;
  }

  solid(context, solid) {
    const { shape, pixels, rims } = solid;
    const [colour, line] = solid.body < 0 ? ["#ced2d6", GROUND_LINE] : BODY_COLOURS[solid.body % BODY_COLOURS.length];
    if (!shape.faces.length) {
      if (pixels.length === 1) this.ball(context, solid, colour, line);
      else {
        const width = Math.max(4, rims[0] + rims[1]);
        stroke(context, pixels, line, width + 2);
        stroke(context, pixels, colour, width - 2);
      }
      return;
    }
    const faces = shape.faces.filter((face) => {
      if (shape.sheet) return true;
      return dot(turn(solid.pose, face.normal), sum(this.eye, solid.points[face.corners[0]], -1)) > 0;
    });
    for (const face of faces) {
      const light = 0.84 + 0.16 * dot(turn(solid.pose, face.normal), LIGHT);
      const corners = face.corners.map((i) => pixels[i]);
      const lit = shade(colour, light);
      fill(context, corners, lit);
      stroke(context, corners, lit, 1, true);
    }
    const shared = new Map();
    for (const face of faces) {
      face.corners.forEach((a, k) => {
        const b = face.corners[(k + 1) % face.corners.length];
        const key = a < b ? a * 100000 + b : b * 100000 + a;
        const edge = shared.get(key) || { a, b, n: 0, line: false };
        edge.n += 1;
        edge.line = edge.line || face.lines[k] === 1;
        shared.set(key, edge);
      });
    }
    for (const { a, b, n, line: is_line } of shared.values()) {
      if (is_line || n === 1) stroke(context, [pixels[a], pixels[b]], line, shape.sheet ? 0.6 : 1.5);
    }
  }

  ball(context, solid, colour, line) {
    const [centre, radius] = [solid.pixels[0], Math.max(4, solid.rims[0])];
    const shine = context.createRadialGradient(centre[0] - 0.35 * radius, centre[1] - 0.4 * radius, 0.1 * radius, centre[0], centre[1], radius);
    shine.addColorStop(0, shade(colour, 1.12));
    shine.addColorStop(1, shade(colour, 0.86));
    disc(context, centre, radius, shine, line, 1.5);
    if (radius < 8) return;
    // two great circles make rolling visible
    const middle = solid.points[0];
    const view = unit(sum(this.eye, middle, -1));
    for (const [u, v] of [[0, 1], [1, 2]]) {
      const arcs = [[]];
      for (let i = 0; i <= 48; i++) {
        const angle = (Math.PI * i) / 24;
        const out = sum(solid.pose.columns[u].map((x) => x * Math.cos(angle)), solid.pose.columns[v], Math.sin(angle));
        if (dot(out, view) > 0) arcs[arcs.length - 1].push(this.see(sum(middle, out, solid.shape.radius)));
        else if (arcs[arcs.length - 1].length) arcs.push([]);
      }
      for (const arc of arcs) if (arc.length > 1) stroke(context, arc, line, 1.2);
    }
  }

  // a body without a shape
  sticks(context, i, pose) {
    const [colour, line] = BODY_COLOURS[i % BODY_COLOURS.length];
    const centre = this.see(pose.position);
    for (const joint of data.stage.joints) {
      joint.bodies.forEach((owner, k) => {
        if (owner !== i) return;
        const end = this.see(pointOf(pose, joint.anchors[k]));
        stroke(context, [centre, end], line, 9);
        stroke(context, [centre, end], colour, 5);
      });
    }
    // its axes make rotation visible
    for (const column of pose.columns) stroke(context, [centre, this.see(sum(pose.position, column, 0.05 * this.size))], line, 2);
    disc(context, centre, 6, colour, line, 2);
  }

  joint(context, joint, pose) {
    const [a, b] = joint.bodies.map(pose);
    const ends = [this.see(pointOf(a, joint.anchors[0])), this.see(pointOf(b, joint.anchors[1]))];
    if (joint.kind === "distance") stroke(context, ends, INK, 2.5);
    const slides = joint.kind === "prismatic" || joint.kind === "cylindrical";
    joint.bodies.forEach((body, i) => body < 0 && !slides && support(context, ends[i]));
    if (joint.axis) {
      const axis = turn(a, joint.axis);
      const reach = (slides ? 0.09 : 0.05) * this.size;
      const place = pointOf(b, joint.anchors[1]);
      stroke(context, [this.see(sum(place, axis, -reach)), this.see(sum(place, axis, reach))], INK, slides ? 1.5 : 3);
    }
    jointSign(context, joint.kind, ends[1]);
  }

  paths(context, at) {
    this.places.forEach((channels, i) => {
      const columns = channels.map(valuesOf);
      const points = [];
      for (let row = 0; row <= at.row; row++) points.push(this.see(columns.map((column) => column[row])));
      if (points.length > 1) stroke(context, points, BODY_COLOURS[i % BODY_COLOURS.length][1] + "88", 1.2);
    });
  }

  forces(context, t, at, pose) {
    // with many bodies, each is small
    const [part, most, width] = arrows ? [0.08, 0.16, 1.8] : [0.18, 0.4, 3];
    const scale = (part * this.size) / typicalForce;
    const show = (from, force, colour) => {
      const length = Math.hypot(...force) * scale;
      if (length === 0) return;
      const shorter = length > most * this.size ? (most * this.size) / length : 1;
      arrow(context, this.see(from), this.see(sum(from, force, scale * shorter)), colour, width);
    };
    data.stage.applied.forEach((applied, i) => {
      const force = this.applied[i].map((channel) => valueAt(channel, at));
      show(pointOf(pose(applied.body), applied.point), force, APPLIED);
    });
    for (const touch of touchesAt(at)) {
      show(touch.point, touch.force, arrowColour(touch, t));
    }
  }

  // directions of the axes and the size of the grid
  corner(context, height) {
    const origin = [34, height - 34];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const tip = [origin[0] + 26 * dot(axis, this.right), origin[1] - 26 * dot(axis, this.up)];
      stroke(context, [origin, tip], "#5b6875", 2);
      label(context, "xyz"[k], [tip[0] + 3, tip[1] - 2], "#5b6875");
    });
    if (this.mesh) label(context, `lines every ${shown(this.mesh)} m`, [76, height - 8], "#5b6875");
  }
}

function shade(colour, light) {
  const parts = [1, 3, 5].map((i) => Math.min(255, Math.round(parseInt(colour.slice(i, i + 2), 16) * light)));
  return `rgb(${parts.join(",")})`;
}
