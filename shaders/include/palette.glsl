// A color per number: hues a golden ratio apart, so that adjacent numbers differ.
vec3 palette(uint number) {
    float hue = fract(float(number) * 0.61803399 + 0.08);
    float value = 0.68 + 0.22 * fract(float(number) * 0.38196601);
    vec3 pure = clamp(abs(fract(hue + vec3(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return value * mix(vec3(1.0), pure, 0.52);
}
