// The section plane: what has a negative distance is clipped while GL_CLIP_DISTANCE0 is on, which passes of models switch
// on (`cut` in render/programs.py); Mesa's llvmpipe clips even while it is off, so without a plane the distance is 1.
// Requires frame.glsl before it; for vertex shaders that no geometry shader follows.
void cut(vec3 world) {
    // From the origin, as the plane is: a model 1 unit wide at 1e5 is cut where it is asked for.
    gl_ClipDistance[0] = dot(section.xyz, world - origin.xyz) + section.w;
}
