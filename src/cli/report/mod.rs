//! The report of a run: a self-contained HTML file that needs no network.

mod pack;
mod time_stepping;
mod words;

pub use words::{Note, Severity, solver_notes, story};

use super::record::{Channel, Group, Recording, TrackStatus};
use pack::{packed, times};
use serde_json::{Value, json};
use stiction::math::norm;

/// Template of the page and its parts.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPTS: [&str; 7] = [
    include_str!("page/data.js"),
    include_str!("page/marks.js"),
    include_str!("page/plane.js"),
    include_str!("page/space.js"),
    include_str!("page/plots.js"),
    include_str!("page/events.js"),
    include_str!("page/player.js"),
];

/// Peaks are drawn if they exceed the line by this part of the plot's range: half a pixel.
const SEEN: f64 = 0.003;

/// Forces with time stepping are clipped at this multiple of their 95th percentile; longer arrows are indistinguishable.
const LARGEST: f64 = 10.0;

/// Lines of a table with a title.
pub type Lines = (String, Vec<(String, String)>);

/// Contents of the page.
pub struct Page<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Subtitle: what was run.
    pub subtitle: String,
    /// Sentences on what add_event.
    pub story: Vec<String>,
    /// Notes and warnings.
    pub notes: Vec<Note>,
    /// Statistics.
    pub groups: Vec<Lines>,
}

/// The page.
pub fn html(page: &Page<'_>) -> String {
    // a name may contain `</script>`
    let data = data(page).to_string().replace('<', "\\u003c");
    let title = escaped(&page.recording.name);
    let mut text = String::with_capacity(data.len() + 100_000);
    // substituted text is not searched again
    for (i, piece) in PAGE.split("<!--{").enumerate() {
        let Some((name, rest)) = piece.split_once("}-->").filter(|_| i > 0) else {
            text.push_str(piece);
            continue;
        };
        match name {
            "title" => text.push_str(&title),
            "style" => text.push_str(STYLE),
            "scripts" => SCRIPTS.iter().for_each(|script| text.push_str(script)),
            "data" => text.push_str(&data),
            other => text.push_str(other),
        }
        text.push_str(rest);
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn data(page: &Page<'_>) -> Value {
    let recording = page.recording;
    let length = recording.until - recording.start;
    json!({
        "name": recording.name,
        "description": recording.description,
        "subtitle": page.subtitle,
        "story": page.story,
        "notes": page.notes.iter().map(note).collect::<Vec<Value>>(),
        "groups": page.groups,
        "dimension": recording.dimension,
        "start": recording.start,
        "until": recording.until,
        "reached": recording.reached(),
        "rows": recording.n_rows,
        "stage": recording.stage,
        "times": times(&recording.times),
        "channels": channels(recording),
        "peaks": peaks(recording),
        "tracks": recording.tracks.iter().map(|track| {
            let changes = track.drawn(length);
            let changes = changes.iter().map(|(t, status)| json!([fine(*t), status.name()]));
            json!({
                "name": track.name,
                "bodies": track.bodies,
                "changes": changes.collect::<Vec<Value>>(),
            })
        }).collect::<Vec<Value>>(),
        "touches": contact_forces(recording),
        "arrows": arrows(recording),
        "events": events(recording),
        "unlisted": recording.n_unlisted,
    })
}

fn note(note: &Note) -> Value {
    json!({ "severity": note.severity.name(), "text": note.text })
}

// nine digits
fn fine(x: f64) -> f64 {
    format!("{x:.8e}").parse().unwrap_or(x)
}

// four digits: impulses are shown as text, not drawn
fn coarse(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn group(channel: &Channel) -> &'static str {
    match channel.group {
        Group::Position => "position",
        Group::Orientation => "orientation",
        Group::Velocity => "velocity",
        Group::Force => "force",
        Group::Energy => "energy",
        Group::Count => "count",
        Group::Input => "input",
        Group::Other => "other",
    }
}

fn channels(recording: &Recording) -> Vec<Value> {
    let columns = recording.channels.iter().zip(&recording.columns);
    columns
        .map(|(channel, column)| {
            json!({
                "name": channel.name,
                "unit": channel.unit,
                "group": group(channel),
                "values": packed(column),
            })
        })
        .collect()
}

// channel, row, lowest, highest
fn peaks(recording: &Recording) -> Vec<Value> {
    let seen = recording.seen_peaks(SEEN);
    let is_drawn = |channel: usize| recording.channels[channel].group != Group::Orientation;
    seen.iter()
        .filter(|peak| is_drawn(peak.channel))
        .map(|p| json!([p.channel, p.row, coarse(p.low), coarse(p.high)]))
        .collect()
}

/// For each track, the intervals of rows in which it is closed, followed by points and forces in them.
fn contact_forces(recording: &Recording) -> Vec<Value> {
    let axes = recording.dimension.clamp(2, 3);
    let mut all = Vec::new();
    for track in 0..recording.tracks.len() {
        let mut spans: Vec<[usize; 2]> = Vec::new();
        let mut columns = vec![Vec::new(); 2 * axes];
        for (row, contact_forces) in recording.contact_forces.iter().enumerate() {
            let Some(contact_force) = contact_forces
                .iter()
                .find(|contact_force| contact_force.track == track)
            else {
                continue;
            };
            match spans.last_mut() {
                Some([first, n]) if *first + *n == row => *n += 1,
                _ => spans.push([row, 1]),
            }
            for k in 0..axes {
                columns[k].push(contact_force.point[k]);
                columns[axes + k].push(contact_force.force[k]);
            }
        }
        let columns: Vec<Value> = columns.iter().map(|column| packed(column)).collect();
        all.push(json!({ "spans": spans, "values": columns }));
    }
    all
}

/// Arrows with time stepping: the number in each row, then all of them in sequence. The largest forces, those of impacts,
/// are clipped, so that the others keep their resolution.
fn arrows(recording: &Recording) -> Value {
    if recording.outcome.is_none() {
        return Value::Null;
    }
    let all = || recording.arrows.iter().flatten();
    let mut sizes: Vec<f64> = all().map(|arrow| norm(&arrow.force)).collect();
    sizes.sort_by(f64::total_cmp);
    let most = sizes
        .get(sizes.len() * 19 / 20)
        .map_or(1.0, |x| LARGEST * x);
    let mut columns = vec![Vec::new(); 6];
    let mut statuses = String::new();
    for arrow in all() {
        let shorter = (most / norm(&arrow.force).max(f64::MIN_POSITIVE)).min(1.0);
        for k in 0..3 {
            columns[k].push(arrow.point[k]);
            columns[3 + k].push(shorter * arrow.force[k]);
        }
        statuses.push(match arrow.status {
            TrackStatus::Open => 'o',
            TrackStatus::Closed => 'c',
            TrackStatus::Stick => 's',
            TrackStatus::Slip => 'l',
        });
    }
    let counts = recording.arrows.iter().map(|row| json!(row.len()));
    json!({
        "counts": counts.collect::<Vec<Value>>(),
        "values": columns.iter().map(|column| packed(column)).collect::<Vec<Value>>(),
        "statuses": statuses,
    })
}

fn events(recording: &Recording) -> Value {
    let rows = recording.events.iter().map(|event| {
        let [normal, tangential] = event.impulse.map(coarse);
        let place = event.place.map_or(json!(null), |place| json!(place));
        if [normal, tangential] == [0.0, 0.0] {
            json!([fine(event.time), event.kind, place])
        } else {
            json!([fine(event.time), event.kind, place, normal, tangential])
        }
    });
    // only names of contacts with events
    let mut places = vec![Value::Null; recording.places.len()];
    for event in &recording.events {
        if let Some(place) = event.place {
            places[place] = json!(recording.places[place]);
        }
    }
    json!({ "rows": rows.collect::<Vec<Value>>(), "places": places })
}
