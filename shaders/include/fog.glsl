// The fog of a sky: how much of its color something keeps at a distance from the eye. Requires frame.glsl before it;
// viewer/model/sky/dome.py computes the same.
uniform bool has_fog;
uniform vec2 fog_range; // squares of the distances where it begins and where nothing is left
uniform vec3 fog_color;

float fog_share(vec3 world) {
    // Of squared distances: that is the game's curve (spec/field-notes.md 4.3), not an approximation.
    vec3 seen = (view_from_world * vec4(world, 1.0)).xyz;
    return clamp(1.0 - (dot(seen, seen) - fog_range.x) / (fog_range.y - fog_range.x), 0.0, 1.0);
}
