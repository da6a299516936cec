// A line as a strip of constant width in pixels; GL 3.3 core guarantees only one-pixel lines.
uniform float line_width;

// Moves an end behind the near plane onto it: behind the eye w is negative and would mirror the point.
bool clip_to_near(inout vec4 a, vec4 b) {
    float inside_a = a.z + a.w;
    float inside_b = b.z + b.w;
    if (inside_a < 0.0) {
        a = mix(a, b, inside_a / (inside_a - inside_b));
    }
    return inside_a >= 0.0 || inside_b >= 0.0;
}

void emit_line(vec4 start, vec4 end, vec4 start_color, vec4 end_color) {
    vec4 a = start, b = end;
    if (!clip_to_near(a, end) || !clip_to_near(b, start)) {
        return;
    }
    vec2 along = (b.xy / b.w - a.xy / a.w) * size;
    float length_px = length(along);
    vec2 across = length_px > 0.0 ? vec2(-along.y, along.x) / length_px : vec2(1.0, 0.0);
    // Clip space is 2 wide for `size` pixels, and each side gets half the width: the two factors cancel.
    vec2 offset = across * line_width / size;
    color = start_color;
    // Times w, as the division by w that follows must not change the width.
    gl_Position = a + vec4(offset * a.w, 0.0, 0.0);
    EmitVertex();
    color = start_color;
    gl_Position = a - vec4(offset * a.w, 0.0, 0.0);
    EmitVertex();
    color = end_color;
    gl_Position = b + vec4(offset * b.w, 0.0, 0.0);
    EmitVertex();
    color = end_color;
    gl_Position = b - vec4(offset * b.w, 0.0, 0.0);
    EmitVertex();
    EndPrimitive();
}
