//! Scenes of many bodies, by their number.

// balls in a row
fn side(n: usize) -> usize {
    (n as f64).cbrt().round().max(2.0) as usize
}

/// How far the walls of a pile are from its middle, m.
pub fn half_width(n: usize) -> f64 {
    side(n) as f64 * 0.055 + 0.06
}

/// Balls in a grid above a floor between four walls.
pub fn pile(n: usize, time_stepping: &str) -> String {
    let (side, half) = (side(n), half_width(n));
    let mut text = format!(
        "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[settings.time_stepping]\n{time_stepping}\n[contact_default]\nfriction = 0.4\n"
    );
    for (point, normal) in [
        ([0.0, 0.0, 0.0], [0, 0, 1]),
        ([-half, 0.0, 0.0], [1, 0, 0]),
        ([half, 0.0, 0.0], [-1, 0, 0]),
        ([0.0, -half, 0.0], [0, 1, 0]),
        ([0.0, half, 0.0], [0, -1, 0]),
    ] {
        text += &format!(
            "[[ground.shape]]\nkind = \"half_space\"\npoint = {point:?}\nnormal = {normal:?}\n"
        );
    }
    let mut seed = 7_u64;
    let mut jitter = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        0.008 * ((seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
    };
    for i in 0..n {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let at = |k: usize| (k as f64 - 0.5 * (side as f64 - 1.0)) * 0.11;
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\ndensity = 1000\nposition = [{}, {}, {}]\nshape = [{{ kind = \"sphere\", radius = 0.05 }}]\n",
            at(x) + jitter(),
            at(y) + jitter(),
            0.06 + 0.11 * z as f64
        );
    }
    text
}

/// Links of 0.1 m, held at one end and let go level.
pub fn chain(n: usize) -> String {
    let mut text = "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[settings.time_stepping]\n".to_owned();
    for i in 0..n {
        text += &format!(
            "[[body]]\nname = \"link{i}\"\nkind = \"rigid\"\nmass = 0.1\ninertia = [2e-5, 1e-4, 1e-4]\nposition = [{}, 0, 0]\n",
            0.1 * (i as f64 + 0.5)
        );
        let before = match i.checked_sub(1) {
            Some(before) => format!("link{before}"),
            None => "ground".to_owned(),
        };
        text += &format!(
            "[[joint]]\nname = \"pin{i}\"\nkind = \"spherical\"\nbodies = [\"{before}\", \"link{i}\"]\nat = [{}, 0, 0]\n",
            0.1 * i as f64
        );
    }
    text
}

/// A wedge whose two faces carry pads, `n` by `n` on each, pushed into a groove. Those of one radius are seen to be between
/// others when the scene is read, those of different radii when they touch.
pub fn pawl(n: usize, merge_distance: f64, are_alike: bool) -> String {
    let mut text = format!(
        "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[settings.time_stepping]\nmerge_distance = {merge_distance}\nsleep_speed = 0\n[contact_default]\nfriction = 0.2\n[[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"pawl\"\npoint = [0.01, 0, 0]\nforce = [3, 2, -20]\n"
    );
    for side in [-1.0, 1.0] {
        text += &format!(
            "[[ground.shape]]\nname = \"face{}\"\nkind = \"half_space\"\nnormal = [{side}, 0, 1]\n",
            if side > 0.0 { "_right" } else { "_left" }
        );
    }
    text += "[[body]]\nname = \"pawl\"\nkind = \"rigid\"\nmass = 0.5\ninertia = [1e-3, 1e-3, 1e-3]\nposition = [0, 0, 0.102]\n";
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for side in [-1.0, 1.0] {
        for i in 0..n {
            for j in 0..n {
                // along the face from the edge of the wedge, and along the edge
                let along = 0.01 + 0.08 * i as f64 / (n as f64 - 1.0);
                let y = 0.1 * (j as f64 / (n as f64 - 1.0) - 0.5);
                let x = -side * along * half;
                let z = along * half - 0.1 + 0.002 / half;
                let finer = if are_alike { 0.0 } else { 1e-10 };
                let radius = 0.002 - finer * (i * n + j) as f64;
                text += &format!(
                    "[[body.shape]]\nkind = \"sphere\"\nradius = {radius}\nposition = [{x}, {y}, {z}]\n"
                );
            }
        }
    }
    text
}
