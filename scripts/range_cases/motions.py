"""Arms that a drive swings, softer with growing P: their deflections, as the first section sees them."""


def arm(gravity="[0, 0, 0]", axis="z", angle=1.5, within=0.5, mass=0.1, com="[0, 0, 0]", length=1.0, EI=(8, 5, 6),
        until=1.0, to=None, more=""):
    end = to or f"[{length}, 0, 0]"
    return (f"limber: 1\nparameters: {{P: 1, n: 4}}\ngravity: {gravity}\n"
            f"sections: {{s: {{shape: stiffness, EA: 1e6, EIy: {EI[0]}/P, EIz: {EI[1]}/P, GJ: {EI[2]}/P, rhoA: 0.2, "
            "rhoIy: 1e-4, rhoIz: 1e-4}}\n"
            f"bodies:\n  a: {{type: beam, section: s, from: [0, 0, 0], to: {end}, elements: n}}\n"
            f"  m: {{type: rigid, mass: {mass}, inertia: [1e-4, 2e-4, 2e-4], com: {com}, position: {end}}}\n"
            f"joints:\n  hinge: {{type: revolute, between: [ground, a.start], axis: {axis}, "
            f"drive: \"{angle}*step(t, 0, 0, {within}, 1)\"{more}}}\n  weld: {{type: fixed, between: [a.end, m]}}\n"
            "outputs: {x: tip(a).x, y: tip(a).y, z: tip(a).z}\n"), until


MOTIONS = [
    ("arm", *arm()),
    ("arm under its weight", *arm(gravity="[0, -9.81, 0]")),
    ("arm out of its plane", *arm(axis="[0, 0.6, 0.8]", gravity="[0, 0, -9.81]")),
    ("long arm, light end", *arm(length=1.6, mass=0.02, EI=(30, 20, 20), until=1.2)),
    ("body beside the end", *arm(com="[0.05, 0.12, 0.03]")),
    ("swung about its axis", *arm(axis="[1, 0.3, 0.2]", com="[0, 0.1, 0]", angle=2.5)),
    ("quick move", *arm(angle=0.6, within=0.12, until=0.6)),
    ("strip", *arm(EI=(60, 5, 4), gravity="[0, 0, -9.81]", axis="[0, 0.2, 1]")),
    ("arm in space", *arm(to="[0.7, 0.4, 0.5]", gravity="[0, 0, -9.81]")),
    ("heavy end, slow", *arm(mass=0.6, within=1.0, angle=2, EI=(20, 12, 15), until=1.5)),
]
