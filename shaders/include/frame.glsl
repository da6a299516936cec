// Uniforms that all passes of a frame share; written by render/programs.py in this order.
layout(std140, row_major) uniform Frame {
    mat4 clip_from_world;
    mat4 view_from_world;
    vec4 eye;     // position and 1, or for an orthographic projection the direction towards the eye and 0
    vec2 size;    // size of the target, pixels
};

vec3 towards_eye(vec3 world) {
    return normalize(eye.xyz - world * eye.w);
}
