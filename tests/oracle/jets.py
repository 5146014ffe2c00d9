"""Expressions of the model file in Python: functions of time with two derivatives, and of sensors."""
import math
import re


class Jet:
    """A function of time at an instant: value, first and second derivative."""

    __slots__ = ("v", "d", "dd")

    def __init__(self, v, d=0.0, dd=0.0):
        self.v, self.d, self.dd = v, d, dd

    def __add__(self, o):
        o = jet(o)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __mul__(self, o):
        o = jet(o)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d,
                   self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    def of(self, f, df, ddf):
        return Jet(f, df * self.d, ddf * self.d**2 + df * self.dd)

    def __pow__(self, n):
        return self.of(self.v**n, n * self.v**(n - 1), n * (n - 1) * self.v**(n - 2) if n > 1 else 0.0)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, o):
        return self + -jet(o)

    def __rsub__(self, o):
        return jet(o) + -self

    def __truediv__(self, o):
        return self * jet(o).of(1 / jet(o).v, -1 / jet(o).v**2, 2 / jet(o).v**3)


def jet(x):
    return x if isinstance(x, Jet) else Jet(x)


def on_jets(f, df, ddf):
    return lambda x: x.of(f(x.v), df(x.v), ddf(x.v)) if isinstance(x, Jet) else f(x)


FUNCTIONS = {
    "sin": on_jets(math.sin, math.cos, lambda x: -math.sin(x)),
    "cos": on_jets(math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    "exp": on_jets(math.exp, math.exp, math.exp),
    "tanh": math.tanh,
    "__builtins__": {},
}
SENSOR = re.compile(r"(pos|vel|acc|rot|omega|alpha|joint|rate|accel|force|moment|energy|power)"
                    r"(\([^()]*(?:\([^()]*\)[^()]*)*\))?(?:\.(\w+))?")


def split_sensor(text):
    """Kind, arguments, component."""
    kind, inside, component = SENSOR.fullmatch(text).groups()
    arguments = re.split(r",\s*(?![^()]*\))", inside[1:-1]) if inside else []
    return kind, [a.strip() for a in arguments], component


def function(text):
    """f(t, look) of an expression; look(sensor) gives its value, t may be a Jet."""
    if isinstance(text, (int, float)):
        return lambda t, look: text
    sensors = []

    def place(match):
        sensors.append(split_sensor(match[0]))
        return f"_s[{len(sensors) - 1}]"

    code = compile(SENSOR.sub(place, text).replace("^", "**"), text, "eval")
    return lambda t, look: eval(code, FUNCTIONS, {"t": t, "_s": [look(s) for s in sensors]})


def in_time(text):
    """Value, first and second derivative of an expression of t."""
    f = function(text)
    return lambda t: jet(f(Jet(t, 1.0), None))
