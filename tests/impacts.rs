//! Impact laws: exact results, and no gain of energy.

mod common;
use common::model;
use stiction::model::Model;
use stiction::scene::spec::{ImpactLaw, Settings};
use stiction::simulation::Simulation;

/// A body of unit mass that touches the floor, without gravity.
struct Case {
    shape: &'static str,
    inertia: f64,
    height: f64,
    angle: f64,
    velocity: [f64; 3],
    friction: f64,
    e: f64,
    e_tangential: f64,
}

fn scene(case: &Case) -> Model {
    let [vx, vy, rate] = case.velocity;
    model(&format!(
        r#"
        gravity = [0.0, 0.0]
        [[body]]
        name = "body"
        kind = "rigid"
        mass = 1.0
        inertia = {:.17}
        position = [0.0, {:.17}]
        angle = {:.17}
        velocity = [{vx:.17}, {vy:.17}]
        angular_velocity = {rate:.17}
        shape = [{}]
        [contact_default]
        friction = {}
        restitution = {}
        tangential_restitution = {}
        [[ground.shape]]
        kind = "half_plane"
        normal = [0.0, 1.0]
        "#,
        case.inertia, case.height, case.angle, case.shape, case.friction, case.e, case.e_tangential
    ))
}

/// Kinetic energy before, velocities and kinetic energy after the impact.
fn strike(case: &Case, change: impl FnOnce(&mut Settings)) -> (f64, [f64; 3], f64, u64) {
    let model = scene(case);
    let mut settings = model.settings.clone();
    change(&mut settings);
    let mut simulation = Simulation::with_settings(model, settings);
    let before = simulation.energy().kinetic;
    simulation.advance_to(1e-12).unwrap();
    let after = simulation.energy().kinetic;
    let v = &simulation.state().velocity;
    (
        before,
        [v[0], v[1], v[2]],
        after,
        simulation.report().limited_impacts,
    )
}

const ROD: &str =
    r#"{ kind = "point", position = [-1.0, 0.0] }, { kind = "point", position = [1.0, 0.0] }"#;
const BALL: &str = r#"{ kind = "circle", radius = 0.5 }"#;

fn ball(velocity: [f64; 3], friction: f64, e: f64, e_tangential: f64) -> Case {
    Case {
        shape: BALL,
        inertia: 0.1, // 2/5 m r^2
        height: 0.5,
        angle: 0.0,
        velocity,
        friction,
        e,
        e_tangential,
    }
}

#[test]
fn poissons_rule_as_printed_gains_energy_with_friction_and_the_guard_holds_it() {
    let tilt = 35.0_f64.to_radians();
    let rod = Case {
        shape: ROD,
        inertia: 1.0 / 3.0,
        height: tilt.sin(),
        angle: tilt,
        velocity: [-1.0, -1.0, 2.0],
        friction: 1.0,
        e: 1.0,
        e_tangential: 0.0,
    };
    let (before, _, unlimited, _) = strike(&rod, |s| {
        s.impact_law = ImpactLaw::PoissonPrinted;
        s.impact_energy_limit = false;
    });
    let (_, v, limited, count) = strike(&rod, |s| s.impact_law = ImpactLaw::PoissonPrinted);
    // with friction in both phases the tip sticks in both: e = 1 gives back all of the compression
    let (_, _, both, _) = strike(&rod, |s| s.impact_energy_limit = false);
    let (_, _, expedient, _) = strike(&rod, |s| s.impact_law = ImpactLaw::Expedient);
    println!(
        "energy before {before:.6}, printed {unlimited:.6}, limited {limited:.6}, in both phases {both:.6}, expedient {expedient:.6}"
    );
    assert!(unlimited > 1.4 * before);
    assert!(limited <= before * (1.0 + 1e-12) && limited > 0.99 * before && count == 1);
    assert!(expedient <= before * (1.0 + 1e-12) && both <= before * (1.0 + 1e-12));
    // still a bounce: the tip leaves the floor
    assert!(v[1] - v[2] * tilt.cos() > 0.0);
}

#[test]
fn no_impact_law_gains_energy_on_a_thousand_random_rods() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |low: f64, high: f64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        low + (high - low) * (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut worst = [0.0_f64; 4];
    for _ in 0..1000 {
        let tilt = random(0.0, 1.5);
        let rod = Case {
            shape: ROD,
            inertia: random(0.05, 2.0),
            height: tilt.sin(),
            angle: tilt,
            velocity: [random(-4.0, 4.0), random(-4.0, 0.0), random(-4.0, 4.0)],
            friction: random(0.0, 2.0),
            e: random(0.0, 1.0),
            e_tangential: random(0.0, 1.0),
        };
        let laws = [
            ImpactLaw::Poisson,
            ImpactLaw::PoissonPrinted,
            ImpactLaw::Newton,
            ImpactLaw::Expedient,
        ];
        for (worst, law) in worst.iter_mut().zip(laws) {
            let (before, _, after, _) = strike(&rod, |s| s.impact_law = law);
            *worst = worst.max(after / before - 1.0);
        }
    }
    println!("largest relative gain, Poisson, printed, Newton, expedient: {worst:?}");
    assert!(worst.iter().all(|gain| *gain <= 1e-11));
}

/// A ball that sticks during compression keeps m_t = 1/(1/m + r^2/J) of its sliding momentum: the impulse is -m_t u,
/// and a superball (e = e_T = 1) gets it back, so that its sliding velocity u = v_x + r w is reversed exactly.
#[test]
fn a_superball_reverses_its_sliding_velocity_and_keeps_its_energy() {
    let (r, j) = (0.5, 0.1);
    let m_t = 1.0 / (1.0 + r * r / j);
    for velocity in [[1.0, -2.0, 0.0], [0.5, -1.0, 3.0], [-1.0, -3.0, 2.0]] {
        let u = velocity[0] + r * velocity[2];
        let impulse = -2.0 * m_t * u;
        let expected = [
            velocity[0] + impulse,
            -velocity[1],
            velocity[2] + r * impulse / j,
        ];
        let (before, v, after, limited) = strike(&ball(velocity, 1.0, 1.0, 1.0), |_| {});
        println!("{velocity:?} -> {v:?}, expected {expected:?}");
        for (found, expected) in v.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14);
        }
        assert!((after - before).abs() < 1e-14 * before && limited == 0);
    }
}

#[test]
fn tangential_restitution_stays_inside_the_friction_cone() {
    // slides during compression: mu = 0.1 bounds both phases
    let (_, v, _, _) = strike(&ball([3.0, -1.0, 0.0], 0.1, 0.5, 1.0), |_| {});
    let (normal, shear) = (1.5, 3.0 - v[0]);
    println!("normal impulse {normal}, shear {shear}");
    assert!((v[1] - 0.5).abs() < 1e-14 && (shear - 0.1 * normal).abs() < 1e-14);
}

/// One contact without friction: all three laws agree. With friction and a central normal they agree in the normal
/// direction, and differ in when the friction acts.
#[test]
fn newtons_and_the_expedient_rule_have_their_exact_results() {
    for law in [ImpactLaw::Poisson, ImpactLaw::Newton, ImpactLaw::Expedient] {
        let (_, v, _, _) = strike(&ball([1.0, -2.0, 0.0], 0.0, 0.6, 0.0), |s| {
            s.impact_law = law
        });
        assert!((v[1] - 1.2).abs() < 1e-14 && v[0] == 1.0, "{law:?} {v:?}");
    }
    // sticking ball: compression takes all of u, Newton's total impulse also, the expedient rule gives e back
    let velocity = [1.0, -2.0, 0.0];
    let m_t = 1.0 / (1.0 + 0.25 / 0.1);
    for (law, factor) in [
        (ImpactLaw::Poisson, 1.0),
        (ImpactLaw::Newton, 1.0),
        (ImpactLaw::Expedient, 1.6),
    ] {
        let (_, v, _, _) = strike(&ball(velocity, 1.0, 0.6, 0.0), |s| s.impact_law = law);
        println!("{law:?}: {v:?}");
        assert!((v[1] - 1.2).abs() < 1e-14);
        assert!((v[0] - (1.0 - factor * m_t)).abs() < 1e-14);
    }
    // Newton's rule takes the restitution from velocities, also for a rod that hits off centre
    let tilt = 0.4_f64;
    let rod = Case {
        shape: ROD,
        inertia: 1.0 / 3.0,
        height: tilt.sin(),
        angle: tilt,
        velocity: [0.3, -1.0, 0.2],
        friction: 0.0,
        e: 0.7,
        e_tangential: 0.0,
    };
    let approach = -(rod.velocity[1] - rod.velocity[2] * tilt.cos());
    let (_, v, _, _) = strike(&rod, |s| s.impact_law = ImpactLaw::Newton);
    let leaves = v[1] - v[2] * tilt.cos();
    println!("approach {approach}, leaves {leaves}");
    assert!((leaves - 0.7 * approach).abs() < 1e-14);
}

/// Impulses along normal and tangent that take a contact with the velocity `u` (normal, tangent) through one phase, after Coulomb:
/// every combination of pressing or not with sticking or sliding either way, on paper. None where there is not just one.
fn phase(u: [f64; 2], w: [[f64; 2]; 2], mu: f64, given: f64) -> Option<[f64; 2]> {
    let start = [u[0] + w[0][0] * given, u[1] + w[1][0] * given];
    let mut found: Vec<[f64; 2]> = Vec::new();
    let mut look = |more: f64, shear: f64, slides: f64| {
        let normal = start[0] + w[0][0] * more + w[0][1] * shear;
        let along = start[1] + w[1][0] * more + w[1][1] * shear;
        let bound = mu * (given + more);
        let fits = more >= 0.0
            && normal >= -1e-12
            && shear.abs() <= bound * (1.0 + 1e-12)
            && (slides == 0.0 || along * slides > 0.0);
        if fits {
            found.push([given + more, shear]);
        }
    };
    let det = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    look(0.0, -start[1] / w[1][1], 0.0);
    look(
        (w[0][1] * start[1] - w[1][1] * start[0]) / det,
        (w[1][0] * start[0] - w[0][0] * start[1]) / det,
        0.0,
    );
    for slides in [-1.0, 1.0] {
        look(0.0, -slides * mu * given, slides);
        let across = w[0][0] - slides * mu * w[0][1];
        let more = -(start[0] - slides * mu * given * w[0][1]) / across;
        if across > 0.0 {
            look(more, -slides * mu * (given + more), slides);
        }
    }
    let first = *found.first()?;
    let same = |c: &[f64; 2]| (c[0] - first[0]).abs() + (c[1] - first[1]).abs() < 1e-9;
    found.iter().all(same).then_some(first)
}

#[test]
fn random_rods_and_discs_bounce_as_coulombs_law_in_both_phases_says() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |low: f64, high: f64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        low + (high - low) * (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut n, mut worst, mut kinds) = (0, 0.0_f64, [[0; 2]; 2]);
    for k in 0..1500 {
        let tilt = random(0.1, 1.5);
        let is_disc = k % 3 == 0;
        let case = Case {
            shape: if is_disc { BALL } else { ROD },
            inertia: random(0.05, 2.0),
            height: if is_disc { 0.5 } else { tilt.sin() },
            angle: if is_disc { 0.0 } else { tilt },
            velocity: [random(-4.0, 4.0), random(-4.0, -0.5), random(-4.0, 4.0)],
            friction: random(0.0, 1.5),
            e: [0.0, 1.0, random(0.0, 1.0)][k % 3],
            e_tangential: 0.0,
        };
        let arm = if is_disc {
            [0.0, -0.5]
        } else {
            [-tilt.cos(), -tilt.sin()]
        };
        let [vx, vy, rate] = case.velocity;
        let u = [vy + rate * arm[0], vx - rate * arm[1]];
        if u[0] > -0.01 {
            continue;
        }
        let j = case.inertia;
        let w = [
            [1.0 + arm[0] * arm[0] / j, -arm[0] * arm[1] / j],
            [-arm[0] * arm[1] / j, 1.0 + arm[1] * arm[1] / j],
        ];
        let Some(c) = phase(u, w, case.friction, 0.0) else {
            continue;
        };
        let middle = [
            u[0] + w[0][0] * c[0] + w[0][1] * c[1],
            u[1] + w[1][0] * c[0] + w[1][1] * c[1],
        ];
        let Some(p) = phase(middle, w, case.friction, case.e * c[0]) else {
            continue;
        };
        let (normal, shear) = (c[0] + p[0], c[1] + p[1]);
        let expected = [
            vx + shear,
            vy + normal,
            rate + (arm[0] * normal - arm[1] * shear) / j,
        ];
        let (before, v, after, _) = strike(&case, |s| s.impact_energy_limit = false);
        let off = (0..3).fold(0.0_f64, |m, i| m.max((v[i] - expected[i]).abs()));
        worst = worst.max(off);
        n += 1;
        let sticks = |c: [f64; 2]| usize::from(c[1].abs() < 0.999_999 * case.friction * c[0]);
        kinds[sticks(c)][sticks(p)] += 1;
        assert!(off < 1e-10, "{k}: {v:?}, expected {expected:?}");
        assert!(
            after <= before * (1.0 + 1e-12),
            "{k}: {before} J, {after} J after"
        );
    }
    println!(
        "{n} impacts, off by {worst:.1e}; slides or sticks in compression, then in restitution: {kinds:?}"
    );
    assert!(
        n > 1000 && kinds.iter().flatten().all(|n| *n > 20),
        "{kinds:?}"
    );
}

/// mu p_n while it slides through both phases; all of its sliding momentum m_t u where it sticks in either.
#[test]
fn a_disc_has_its_closed_forms_with_any_restitution() {
    let m_t = 1.0 / (1.0 + 0.25 / 0.1);
    for e in [0.0, 0.3, 0.8, 1.0] {
        // slides through; sticks in compression; slides in compression and sticks in restitution (for e > 0.25)
        for (u, mu) in [(6.0, 0.3), (1.0, 0.5), (4.2, 0.48)] {
            let (_, v, _, limited) = strike(&ball([u, -2.0, 0.0], mu, e, 0.0), |_| {});
            let normal = 2.0 * (1.0 + e);
            let shear = (mu * normal).min(m_t * u);
            println!("e {e}, u {u}: {v:?}");
            assert!((v[1] - 2.0 * e).abs() < 1e-14 && limited == 0);
            assert!((u - v[0] - shear).abs() < 1e-14, "{} {shear}", u - v[0]);
        }
    }
}

/// A ball in a square corner hits floor and wall at once. Compression stops it; of the impulses n, t at each wall with n + t = m v the least
/// ones with t <= mu n are t = k n, k = min(mu, 1/(1 + m r^2/J)). Then each contact pushes it along the other: both slide, v+ = e v (1 - mu)/(1 + k), and
/// it does not turn.
#[test]
fn a_ball_in_a_corner_slides_on_both_walls_as_it_bounces() {
    for (e, mu) in [(0.5_f64, 0.3_f64), (1.0, 0.2), (0.8, 0.0), (0.6, 0.7)] {
        let corner = model(&format!(
            "gravity = [0, 0]
            [[body]]
            name = \"ball\"
            kind = \"rigid\"
            mass = 2.0
            inertia = 0.2
            position = [0.5, 0.5]
            velocity = [-3, -3]
            shape = [{BALL}]
            [contact_default]
            friction = {mu}
            restitution = {e}
            [[ground.shape]]
            kind = \"half_plane\"
            normal = [0.0, 1.0]
            [[ground.shape]]
            kind = \"half_plane\"
            normal = [1.0, 0.0]"
        ));
        let mut simulation = Simulation::new(corner);
        simulation.advance_to(1e-12).unwrap();
        let v = &simulation.state().velocity;
        let k = mu.min(1.0 / (1.0 + 2.0 * 0.25 / 0.2));
        let expected = 3.0 * e * (1.0 - mu) / (1.0 + k);
        println!("e {e}, mu {mu}: {v:?}, expected {expected}");
        // cones are kept to 1e-9 of their bound
        assert!((v[0] - expected).abs() < 1e-8 && (v[1] - expected).abs() < 1e-8);
        assert!(v[2].abs() < 1e-11);
    }
}

/// A box that is held by nothing lands on one edge and sticks with a tangential restitution: it gets back the fraction of what friction gave.
#[test]
fn tangential_restitution_of_what_sticks_is_the_fraction_of_its_compression() {
    let (tilt, e, e_t) = (1.2_f64, 0.5, 0.3);
    let rod = Case {
        shape: ROD,
        inertia: 1.0 / 3.0,
        height: tilt.sin(),
        angle: tilt,
        velocity: [0.5, -2.0, 0.0],
        friction: 3.0,
        e,
        e_tangential: e_t,
    };
    let arm = [-tilt.cos(), -tilt.sin()];
    let w = |a: usize, b: usize| {
        let of = |k: usize| if k == 0 { arm[0] } else { -arm[1] };
        f64::from(u8::from(a == b)) + of(a) * of(b) * 3.0
    };
    let det = w(0, 0) * w(1, 1) - w(0, 1) * w(0, 1);
    let shear = (w(0, 1) * -2.0 - w(0, 0) * 0.5) / det;
    let (_, v, _, _) = strike(&rod, |s| s.impact_energy_limit = false);
    let slides = v[0] - v[2] * arm[1];
    println!("leaves with {slides}, friction of compression {shear}");
    assert!((slides - w(1, 1) * e_t * shear).abs() < 1e-13);
}

/// A box that rocks on one corner strikes with the other: whether the resting corner gives back its share must not hang
/// on rounding, so shifting all times by rounding must not change the motion.
#[test]
fn a_resting_corner_takes_part_in_an_impact_whatever_the_rounding() {
    let text = r#"
        [[body]]
        name = "crate"
        kind = "rigid"
        mass = 2.0
        position = [0, 1]
        angle = 0.3
        velocity = [1, 0]
        shape = [{ kind = "box", size = [0.4, 0.2] }]
        [[ground.shape]]
        kind = "half_plane"
        normal = [0, 1]
        [contact_default]
        friction = 0.4
        restitution = 0.2
    "#;
    let end = |nudge: f64| {
        let mut simulation = Simulation::new(model(text));
        let mut time = 0.0;
        for i in 1..=200 {
            // the same grid but for some units in the last place
            time = f64::from(i) * 0.01 * (1.0 + nudge * f64::from(i % 3));
            simulation.advance_to(time).unwrap();
        }
        simulation.advance_to(time.max(2.001)).unwrap();
        (
            simulation.state().position[0],
            simulation.report().n_events.impacts,
        )
    };
    let (reference, impacts) = end(0.0);
    for nudge in [2e-16, 4e-16, -3e-16, 1e-15] {
        let (x, n) = end(nudge);
        println!(
            "nudge {nudge:e}: x differs by {:.1e}, {n} impacts",
            x - reference
        );
        assert!((x - reference).abs() < 1e-10 && n == impacts);
    }
}
