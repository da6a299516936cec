// Uniforms that all passes of a frame share; written by render/programs.py in this order.
layout(std140, row_major) uniform Frame {
    mat4 clip_from_origin;
    mat4 view_from_world;
    vec4 eye;     // position from the origin and 1; for an orthographic projection the direction towards the eye and 0
    vec4 origin;  // a point in world space near what is seen, from which numbers are small: a model may be far away
    vec2 size;    // size of the target, pixels
    vec4 section; // normal of the section plane, and its distance from the origin
};

vec4 clip_of(vec3 world) {
    // The difference of two close floats is exact: a model 1 unit wide at 1e5 keeps all its digits.
    return clip_from_origin * vec4(world - origin.xyz, 1.0);
}

vec3 towards_eye(vec3 world) {
    return normalize(eye.xyz - (world - origin.xyz) * eye.w);
}
