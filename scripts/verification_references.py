"""Values that limber's results are held against on the pages of docs/: published ones, those of independent
computations, and closed forms that take more than a line.
"""
import math

# ---- beams ----

# omega sqrt(rhoA L^4/EI) of uniform beams: squares of the roots of cos x cosh x = -1 and 1.
CLAMPED_FREE = (3.5160152685, 22.0344915647, 61.6972144135)
CLAMPED_CLAMPED = (22.3732854481, 61.6728228676, 120.9033916369)
PINNED_PINNED = tuple((k * math.pi) ** 2 for k in (1, 2, 3))

# Rigid finite elements: n divisions, clamped-free and pinned-pinned. Cubic splines of n intervals, clamped-free.
RFE = {8: ((3.52866, 22.31150, 62.94986), (9.86944, 39.46637, 88.66360)),
       16: ((3.51917, 22.10323, 62.01200), (9.86959, 39.47774, 88.81838)),
       32: ((3.51680, 22.05165, 61.77600), (9.86960, 39.47838, 88.82597))}
SPLINES = {4: (3.51628, 22.09462, 62.97037), 8: (3.51603, 22.03745, 61.76368)}
PORTAL = (3.20457, 12.6480, 20.6291, 22.3733, 45.203)
L_FRAME = (1.17178, 3.19092, 15.7546, 23.0912)
SPACE_FRAME = (11.8, 34.1)  # Hz, Petyt

# Cantilever with a dead force at its tip, P L^2/EI: back u/L, across w/L, turn (elliptic integrals).
ELASTICA = {1: (.05643324, .30172077, .46135195), 2: (.16064172, .49345748, .78174983),
            5: (.38762836, .71379152, 1.21536812), 10: (.55499560, .81060902, 1.43028554)}

# Princeton beam, load P and angle in degrees: column and value.
PRINCETON = {(4.448, 0): {"u_stiff": 5.35954e-3},
             (4.448, 45): {"u_stiff": 3.9652e-3, "u_soft": 5.60552e-2, "twist": -.007609},
             (4.448, 90): {"u_soft": 7.80819e-2},
             (8.896, 45): {"u_stiff": 8.8889e-3, "u_soft": .1090416, "twist": -.029060}}

# ---- rotating beams: omega T against gamma = W T, T = sqrt(rhoA L^4/EI) ----

# Wright et al. 1982; Yoo and Shin 1998.
FLAP = {0: (3.5160, 22.0345, 61.6972), 1: (3.6816, 22.1810, 61.8418), 2: (4.1373, 22.6149, 62.2732),
        4: (5.5850, 24.2733, 63.9668), 6: (7.3604, 26.8091, 66.6839), 10: (11.2023, 33.6404, 74.6493),
        12: (13.1702, 37.6031, 79.6145)}
CHORD = {1: 3.5427, 2: 3.6196, 5: 4.0581, 10: 4.9700, 20: 6.3637}
T_BEAM = math.sqrt(1.5 * 2 ** 4 / 50)  # of models/rotating_beam.yaml

# ---- motions ----

# Tip at 0.25, 0.5, 0.75 and 1 s: chains of rigid rods (models/rod_chain.yaml), one flexible link
# (flexible_chain.yaml) with a converged mesh and by geometrically exact beams.
RODS = {1: [(.897540708, -.440931602), (-.090229209, -.995921026), (-.941402791, -.337284429), (-.999966588, -.008174518)],
        2: [(1.926820576, -.281262121), (1.296688536, -1.405779923), (-.742604236, -1.758097034), (-1.662115136, -1.041466637)],
        4: [(3.940362167, -.307125806), (3.516440515, -1.217607220), (2.285683923, -2.854751513), (-1.001231214, -3.607961551)],
        8: [(7.950878694, -.306575614), (7.637870757, -1.226425000), (6.836434266, -2.755921870), (5.183553317, -4.878764573)]}
LINK = [(.897734, -.440542), (-.089734, -.995971), (-.941522, -.336955), (-.999970, -.007589)]
LINK_EXACT = [(.897733, -.440545), (-.089757, -.995969), (-.941503, -.337009), (-.999970, -.007551)]

# models/flexible_pendulum.yaml: hinge angle by geometrically exact beams; tip, mean of MBDyn, Chrono, Exudyn.
PENDULUM_ANGLE = {1: -.0535, 2: -.2102, 3: -.4657, 4: -.8136, 5: -1.2333, 6: -1.6865, 8: -2.5117, 10: -3.0250}
PENDULUM_TIP = ((1.25, 140.9561, -11.4462), (2.5, 134.0918, -44.9338), (3.75, 106.4918, -93.0551),
                (5, 46.9029, -133.4167), (6.25, -32.0361, -137.7446), (7.5, -97.3432, -102.5871),
                (8.75, -130.7984, -53.7727), (10, -140.4637, -16.4194), (11.25, -141.4194, -0.4101),
                (12.5, -141.2305, -7.3163), (13.75, -136.5602, -36.7549), (15, -114.2801, -83.3057),
                (16.25, -60.9388, -127.6180), (17.5, 16.5232, -140.4524), (18.75, 86.8249, -111.6302),
                (20, 126.5700, -63.0855))

# models/spin_up.yaml: tip along, across, turn; mean of MBDyn and Exudyn.
SPIN_UP = ((1, -.000024, -.020543, -.002793), (2, -.000606, -.102380, -.013959), (3, -.002728, -.217267, -.029624),
           (4, -.006766, -.342279, -.046636), (5, -.012655, -.468479, -.063717), (6, -.016972, -.543606, -.073601),
           (7, -.018620, -.571334, -.076783), (8, -.016632, -.542876, -.072240), (9, -.011748, -.460316, -.060566),
           (10, -.007074, -.362864, -.047243), (11, -.003299, -.257390, -.033228), (12, -.000804, -.150925, -.019362),
           (13, .000233, -.069234, -.008850), (14, .000490, -.020297, -.002594), (15, .000514, .001314, .000169))

# models/slider_crank_flexible.yaml: the rod's middle at 0.1 ... 1 s in mm; the slider.
ROD_MIDDLE = (-1.534, -2.821, -2.980, -3.309, -3.402, -1.214, -1.265, -.002, -1.174, -.775)
SLIDER = {.1: 1.492277, .3: 1.197856, .5: .702255, .8: .500001, 1.: .530358}

# models/superelement_pendulum.yaml with its frame on the first node and on the mean of both: rate, deflection.
SUPERELEMENT = {"start": {.5: (-.05017542, .00071573), 1: (-.10029872, .00272301), 1.5: (-.15021691, .00561772)},
                 "mean": {.5: (-.05020396, .00056315), 1: (-.10041233, .00201667), 1.5: (-.15053423, .00364955)}}

# The IFToMM library of computational benchmark problems: output, instant, value. A03 by quadrature in quadruple
# precision and as in the Test Set for IVP Solvers.
A01 = (("x", 1, .9862917511), ("y", 1, -.1650108531), ("x", 5, -.9423054350), ("y", 5, -.3347543384),
       ("x", 10, -.2750874626), ("y", 10, -.9614192051))
A02 = (("x", 1, -.195020302), ("y", 1, -.980799206), ("x", 10, .328458112), ("y", 10, .944518538))
A03 = (("beta", .03, 15.8107711951537), ("Theta", .03, -15.7563710584118), ("gamma", .03, .0408222401196458),
       ("Phi", .03, -.534730116342080), ("delta", .03, .524409965879954), ("Omega", .03, .534730116342080),
       ("epsilon", .03, 1.04808074104194))
A03_PUBLISHED = (("beta", .03, 15.81077119629904), ("Theta", .03, -15.75637105984298), ("gamma", .03, .04082224013073101),
                 ("Phi", .03, -.5347301163226948), ("delta", .03, .5244099658805304), ("Omega", .03, .5347301163226948),
                 ("epsilon", .03, 1.048080741042263))
A05 = (("s", .5, .74324942), ("s", 1, .50142092), ("s", 5, .53556310), ("s", 10, .61962292))


# ---- closed forms ----

def complete_elliptic(m):
    """K(m) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - m)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def oscillator(t, m=2, k=800, d=6, force=10, w=15, x0=0.01, v0=0.1):
    """x and v of m x'' + d x' + k x = F (1 + sin w t)."""
    a, b = d / (2 * m), k - m * w * w
    wd = math.sqrt(k / m - a * a)
    s, c = force * b / (b * b + (d * w) ** 2), -force * d * w / (b * b + (d * w) ** 2)
    p = x0 - force / k - c
    q = (v0 - s * w + a * p) / wd
    free = math.exp(-a * t)
    x = force / k + s * math.sin(w * t) + c * math.cos(w * t) + free * (p * math.cos(wd * t) + q * math.sin(wd * t))
    v = w * (s * math.cos(w * t) - c * math.sin(w * t)) + free * (
        (q * wd - a * p) * math.cos(wd * t) - (p * wd + a * q) * math.sin(wd * t))
    return x, v


def runge_kutta(rates, y, t, end, steps):
    """y at the end, of y' = rates(t, y), by the classical method of order 4."""
    h, add = (end - t) / steps, lambda y, f, k: [a + f * b for a, b in zip(y, k)]
    for i in range(steps):
        s = t + i * h
        k1 = rates(s, y)
        k2 = rates(s + h / 2, add(y, h / 2, k1))
        k3 = rates(s + h / 2, add(y, h / 2, k2))
        k4 = rates(s + h, add(y, h, k3))
        y = [a + h / 6 * (p + 2 * q + 2 * r + u) for a, p, q, r, u in zip(y, k1, k2, k3, k4)]
    return y


def root(f, low, high):
    """Where f changes its sign."""
    rising = f(high) > 0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if (f(middle) > 0) == rising else (middle, high)
    return (low + high) / 2
