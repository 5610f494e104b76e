// The table of events. Only visible rows are elements: there may be a hundred thousand events.
const ROW = 26;
const table = {
  box: byId("events"),
  room: byId("events-room"),
  now: -1,

  make() {
    byId("n-events").textContent = `(${events.length + data.unlisted})`;
    if (data.unlisted) byId("events-hint").textContent = `A click jumps there. ${data.unlisted} more are counted, not listed.`;
    // with time stepping only names are known
    if (!events.some((event) => event[3])) byId("events-panel").classList.add("places");
    if (!events.length) byId("events-hint").textContent = "None.";
    this.room.style.height = `${ROW * events.length}px`;
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest(".event");
      if (row) player.seek(events[Number(row.dataset.index)][0], true);
    });
    this.draw();
  },

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 4);
    const last = Math.min(events.length, first + Math.ceil(this.box.clientHeight / ROW) + 8);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.row(i));
    this.room.replaceChildren(...rows);
  },

  row(i) {
    const [time, kind, , normal] = events[i];
    const row = document.createElement("div");
    row.className = i === this.now ? "event now" : "event";
    row.dataset.index = i;
    row.setAttribute("role", "listitem");
    row.style.top = `${ROW * i}px`;
    const cells = [`${time.toFixed(5)} s`, EVENT_WORDS[kind] || kind, placeOf(events[i]), normal ? `${shown(normal)} N s` : ""];
    cells.forEach((text, k) => {
      const cell = document.createElement("span");
      if (k === 1) {
        const dot = document.createElement("i");
        dot.style.background = EVENT_COLOURS[kind] || "#888";
        cell.append(dot);
      }
      cell.append(text);
      cell.title = text;
      row.append(cell);
    });
    return row;
  },

  // the latest event is marked and kept visible
  follow(t) {
    const now = eventAfter(t) - 1;
    if (now === this.now) return;
    this.now = now;
    const top = ROW * now;
    if (now >= 0 && (top < this.box.scrollTop || top > this.box.scrollTop + this.box.clientHeight - ROW)) {
      this.box.scrollTop = Math.max(0, top - 0.4 * this.box.clientHeight);
    }
    this.draw();
  },
};
