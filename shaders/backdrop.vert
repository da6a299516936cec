#version 330 core

// One triangle that covers the screen: vertices 0, 1, 2 give (0, 0), (2, 0), (0, 2), and the rest is clipped.
void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    // z = 1 is the far plane; the passes that use it test no depth.
    gl_Position = vec4(corner * 2.0 - 1.0, 1.0, 1.0);
}
