// A scene in the plane.
class PlaneView {
  constructor(canvas) {
    this.canvas = canvas;
    this.boxes = travelled(2);
    this.follows = sizeOf(this.boxes.all) > FAR * sizeOf(this.boxes.start);
    this.bodies = data.stage.bodies.map((body) => ["x", "y", "angle"].map((name) => channelOf.get(`${body.name}.position.${name}`)));
    this.applied = data.stage.applied.map((force) => ["x", "y"].map((axis) => channelOf.get(`${force.name}.force_${axis}`)));
    this.reset();
    this.listen();
  }

  reset() {
    this.zoom = 1;
    this.shift = [0, 0];
  }

  listen() {
    let last = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      last = [event.clientX, event.clientY];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.shift[0] += event.clientX - last[0];
      this.shift[1] += event.clientY - last[1];
      last = [event.clientX, event.clientY];
      this.changed();
    });
    this.canvas.addEventListener("pointerup", () => (last = null));
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = Math.exp(-0.0015 * event.deltaY);
      const box = this.canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left - 0.5 * box.width, event.clientY - box.top - 0.5 * box.height];
      this.shift = [x - factor * (x - this.shift[0]), y - factor * (y - this.shift[1])];
      this.zoom *= factor;
      this.changed();
    }, { passive: false });
  }

  poseOf(body, at) {
    if (body < 0) return [0, 0, 0];
    return this.bodies[body].map((channel) => valueAt(channel, at));
  }

  // from metres to pixels
  place(at) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const box = this.follows ? this.boxes.start : this.boxes.all;
    const fit = (pixels, k) => (pixels - 110) / Math.max(1e-9, box.high[k] - box.low[k]);
    this.scale = Math.min(fit(width, 0), fit(height, 1)) * this.zoom;
    let middle = middleOf(box);
    if (this.follows && this.bodies.length) {
      const mean = (k) => this.bodies.reduce((sum, channels) => sum + valueAt(channels[k], at), 0) / this.bodies.length;
      const mean0 = (k) => this.bodies.reduce((sum, channels) => sum + valuesOf(channels[k])[0], 0) / this.bodies.length;
      middle = middle.map((m, k) => m + mean(k) - mean0(k));
    }
    this.centre = middle;
    this.origin = [0.5 * width + this.shift[0], 0.5 * height + this.shift[1]];
  }

  pixel([x, y]) {
    return [this.origin[0] + this.scale * (x - this.centre[0]), this.origin[1] - this.scale * (y - this.centre[1])];
  }

  point([x, y, angle], local) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return this.pixel([x + c * local[0] - s * local[1], y + s * local[0] + c * local[1]]);
  }

  draw(t, options) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const context = sharp(this.canvas, width, height);
    const at = rowAt(t);
    this.place(at);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    this.grid(context, width, height);
    const poses = this.bodies.map((_, body) => this.poseOf(body, at));
    const pose = (body) => (body < 0 ? [0, 0, 0] : poses[body]);
    this.ground(context, width, height);
    if (options.paths) this.paths(context, at);
    for (const joint of data.stage.joints) if (joint.kind === "prismatic") this.rail(context, joint, pose);
    data.stage.bodies.forEach((body, i) => this.body(context, body, i, poses[i]));
    for (const rope of data.stage.ropes) {
      const ends = rope.bodies.map((body, i) => this.point(pose(body), rope.anchors[i]));
      stroke(context, ends, INK, 1.5);
      rope.bodies.forEach((body, i) => body < 0 && support(context, ends[i]));
    }
    for (const spring of data.stage.springs) {
      const ends = spring.bodies.map((body, i) => this.point(pose(body), spring.anchors[i]));
      element(context, spring, ...ends);
      spring.bodies.forEach((body, i) => body < 0 && support(context, ends[i]));
    }
    for (const joint of data.stage.joints) {
      const ends = joint.bodies.map((body, i) => this.point(pose(body), joint.anchors[i]));
      if (joint.kind === "distance") stroke(context, ends, INK, 2.5);
      joint.bodies.forEach((body, i) => body < 0 && joint.kind !== "prismatic" && support(context, ends[i]));
      jointSign(context, joint.kind, ends[1]);
    }
    if (options.forces) this.forces(context, t, at, pose, Math.min(width, height));
    if (options.names) {
      nameAll(context, data.stage.bodies.map((body, i) => [body.name, this.pixel(poses[i]), BODY_COLOURS[i % BODY_COLOURS.length][1]]));
    }
    this.axes(context, width, height);
  }

  grid(context, width, height) {
    this.step = roundStep(70 / this.scale);
    for (const [value, pixel] of this.ticks(0, width)) if (value !== null) stroke(context, [[pixel, 0], [pixel, height]], "#eef1f4", 1);
    for (const [value, pixel] of this.ticks(1, height)) if (value !== null) stroke(context, [[0, pixel], [width, pixel]], "#eef1f4", 1);
  }

  ticks(axis, length) {
    const pixel = (value) => this.pixel(axis === 0 ? [value, 0] : [0, value])[axis];
    const world = (p) => this.centre[axis] + ((axis === 0 ? 1 : -1) * (p - this.origin[axis])) / this.scale;
    const [low, high] = [world(axis === 0 ? 0 : length), world(axis === 0 ? length : 0)];
    const ticks = [];
    for (let i = Math.ceil(low / this.step); i * this.step <= high && ticks.length < 60; i++) {
      ticks.push([i * this.step, pixel(i * this.step)]);
    }
    return ticks;
  }

  axes(context, width, height) {
    context.fillStyle = "#5b6875";
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    for (const [value, pixel] of this.ticks(0, width)) {
      if (pixel > 30 && pixel < width - 30) context.fillText(shown(value, this.step), pixel, height - 5);
    }
    context.textAlign = "left";
    for (const [value, pixel] of this.ticks(1, height)) {
      if (pixel > 24 && pixel < height - 24) context.fillText(shown(value, this.step), 4, pixel - 3);
    }
    context.fillText("y / m", 4, 12);
    context.textAlign = "right";
    context.fillText("x / m", width - 4, height - 5);
  }

  ground(context, width, height) {
    const reach = (2 * (width + height)) / this.scale;
    const planes = data.stage.ground.filter((shape) => shape.normal);
    for (const { normal, offset } of planes) {
      const middle = [this.centre[0] - (this.origin[0] - 0.5 * width) / this.scale, this.centre[1] + (this.origin[1] - 0.5 * height) / this.scale];
      const height0 = normal[0] * middle[0] + normal[1] * middle[1] - offset;
      const foot = [middle[0] - normal[0] * height0, middle[1] - normal[1] * height0];
      const corner = (s, d) => this.pixel([foot[0] + s * normal[1] * reach - d * normal[0] * reach, foot[1] - s * normal[0] * reach - d * normal[1] * reach]);
      fill(context, [corner(-1, 0), corner(1, 0), corner(1, 1), corner(-1, 1)], GROUND);
      const [a, b] = [corner(-1, 0), corner(1, 0)];
      stroke(context, [a, b], GROUND_LINE, 2);
    }
    for (const shape of data.stage.ground) if (shape.points) this.convex(context, shape, [0, 0, 0], [GROUND, GROUND_LINE]);
  }

  convex(context, shape, pose, [colour, line]) {
    const points = shape.points.map((p) => this.point(pose, p));
    const radius = shape.radius * this.scale;
    if (points.length === 1) {
      disc(context, points[0], Math.max(radius, 4), colour, line, 2);
      // makes rotation visible
      if (radius > 8) stroke(context, [points[0], this.point(pose, [shape.points[0][0] + 0.8 * shape.radius, shape.points[0][1]])], line, 1.5);
    } else if (points.length === 2) {
      stroke(context, points, line, Math.max(2 * radius, 3) + 2);
      stroke(context, points, colour, Math.max(2 * radius, 3) - 2);
    } else {
      fill(context, points, colour);
      stroke(context, points, line, 2, true);
    }
  }

  body(context, body, i, pose) {
    const colours = BODY_COLOURS[i % BODY_COLOURS.length];
    const centre = this.pixel(pose);
    if (!body.shapes.length) {
      for (const joint of data.stage.joints) {
        joint.bodies.forEach((owner, k) => {
          if (owner !== i) return;
          const end = this.point(pose, joint.anchors[k]);
          stroke(context, [centre, end], colours[1], 9);
          stroke(context, [centre, end], colours[0], 5);
        });
      }
      disc(context, centre, 6, colours[0], colours[1], 2);
    }
    for (const shape of body.shapes) this.convex(context, shape, pose, colours);
    disc(context, centre, 2.5, colours[1]);
  }

  rail(context, joint, pose) {
    const first = pose(joint.bodies[0]);
    const [c, s] = [Math.cos(first[2]), Math.sin(first[2])];
    const axis = [c * joint.axis[0] - s * joint.axis[1], s * joint.axis[0] + c * joint.axis[1]];
    const slider = this.point(pose(joint.bodies[1]), joint.anchors[1]);
    for (const side of [-11, 11]) {
      const end = (d) => [slider[0] + d * axis[0] + side * axis[1], slider[1] - d * axis[1] + side * axis[0]];
      stroke(context, [end(-85), end(85)], GROUND_LINE, 2);
    }
  }

  paths(context, at) {
    this.bodies.forEach(([x, y], i) => {
      const [xs, ys] = [valuesOf(x), valuesOf(y)];
      const points = [];
      for (let row = 0; row <= at.row; row++) points.push(this.pixel([xs[row], ys[row]]));
      if (points.length > 1) stroke(context, points, BODY_COLOURS[i % BODY_COLOURS.length][1] + "88", 1.2);
    });
  }

  forces(context, t, at, pose, size) {
    const scale = (0.2 * size) / typicalForce;
    const tip = ([x, y], force) => {
      const length = Math.hypot(...force) * scale;
      const shorter = length > 0.4 * size ? (0.4 * size) / length : 1;
      return [x + force[0] * scale * shorter, y - force[1] * scale * shorter];
    };
    data.stage.applied.forEach((applied, i) => {
      const force = this.applied[i].map((channel) => valueAt(channel, at));
      const from = this.point(pose(applied.body), applied.point);
      arrow(context, from, tip(from, force), APPLIED);
    });
    for (const touch of touchesAt(at)) {
      const from = this.pixel(touch.point);
      arrow(context, from, tip(from, touch.force), arrowColour(touch, t));
    }
  }
}
