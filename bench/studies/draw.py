# SPDX-License-Identifier: BSD-3-Clause
"""A diagram of measured rows as SVG: both axes by powers of two, a line and a name for each row."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 56, 190, 40, 44
COLOURS = ['#b3261e', '#1a5fb4', '#26a269', '#7a4fbf', '#a86500', '#555']
FONT = 'font-family="sans-serif" font-size="12" fill="#222"'


def spread(ys, least):
    """Places of labels, from below, so that none lies on another."""
    order = sorted(range(len(ys)), key=lambda i: -ys[i])
    out = list(ys)
    for below, above in zip(order, order[1:]):
        out[above] = min(out[above], out[below] - least)
    return out


def svg(title, axis, xs, rows):
    top = max(1, math.ceil(math.log2(max(max(r) for r in rows.values()))))
    low, high = math.log2(xs[0]), math.log2(xs[-1])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(n):
        return LEFT + (right - LEFT) * ((math.log2(n) - low) / (high - low) if high > low else 0.5)

    def y(v):
        return bottom - (bottom - TOP) * (math.log2(v) + 0.25) / (top + 0.25)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">'
           % (WIDTH, HEIGHT, WIDTH, HEIGHT),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="22" %s font-weight="bold">%s</text>' % (LEFT, FONT, title)]
    for n in xs:
        out.append('<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}" stroke="#eee"/>'
                   .format(x(n), TOP, bottom))
        out.append('<text x="%.1f" y="%d" text-anchor="middle" %s>%d</text>'
                   % (x(n), bottom + 18, FONT, n))
    for k in range(top + 1):
        out.append('<line x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}" stroke="#ddd"/>'
                   .format(LEFT, right, y(2 ** k)))
        out.append('<text x="%d" y="%.1f" text-anchor="end" %s>%d x</text>'
                   % (LEFT - 8, y(2 ** k) + 4, FONT, 2 ** k))
    out.append('<text x="%d" y="%d" text-anchor="middle" %s>%s</text>' % ((LEFT + right) / 2,
                                                                          HEIGHT - 8, FONT, axis))
    labels = spread([y(r[-1]) for r in rows.values()], 15)
    for (name, row), colour, at in zip(rows.items(), COLOURS, labels):
        points = ' '.join('%.1f,%.1f' % (x(n), y(v)) for n, v in zip(xs, row))
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>'
                   % (points, colour))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x(n), y(v), colour)
                for n, v in zip(xs, row)]
        out.append('<text x="%d" y="%.1f" font-family="sans-serif" font-size="12" '
                   'fill="%s">%s</text>' % (right + 8, at + 4, colour, name))
    return '\n'.join(out + ['</svg>', ''])
