#version 330 core

out vec2 uv;

// One triangle that covers the screen: vertices 0, 1, 2 give (0, 0), (2, 0), (0, 2), and the rest is clipped.
void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}
