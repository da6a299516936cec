// The color of a band from 0, cold, to 6, hot; the same in viewer/session/view/coloring.py.
vec3 heat(uint number) {
    const vec3 COLD = vec3(0.20, 0.50, 0.85), WARM = vec3(0.95, 0.85, 0.25), HOT = vec3(0.95, 0.20, 0.15);
    float share = float(number) / 3.0;
    return share < 1.0 ? mix(COLD, WARM, share) : mix(WARM, HOT, share - 1.0);
}

// A color per number: hues a golden ratio apart, so that adjacent numbers differ; the same in
// viewer/session/view/coloring.py. High bits are mixed in, as a float would lose them or the low ones.
vec3 palette(uint number) {
    float mixed = float(number ^ (number >> 16));
    float hue = fract(mixed * 0.61803399 + 0.08);
    float value = 0.68 + 0.22 * fract(mixed * 0.38196601);
    vec3 pure = clamp(abs(fract(hue + vec3(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return value * mix(vec3(1.0), pure, 0.52);
}
