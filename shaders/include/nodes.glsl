// Node matrices: three texels per node, the affine rows as they lie in memory (render/upload.py).
uniform sampler2D node_rows;

const int NODES_PER_ROW = 341;
const uint WORLD = 0xFFFFFFFFu;   // the node of what lies in world space

mat3x4 world_from_node(uint node) {
    if (node == WORLD) {
        return mat3x4(1.0);
    }
    ivec2 at = ivec2((int(node) % NODES_PER_ROW) * 3, int(node) / NODES_PER_ROW);
    return mat3x4(texelFetch(node_rows, at, 0),
                  texelFetch(node_rows, at + ivec2(1, 0), 0),
                  texelFetch(node_rows, at + ivec2(2, 0), 0));
}

vec3 world_position(uint node, vec3 position) {
    return vec4(position, 1.0) * world_from_node(node);
}

vec3 world_direction(uint node, vec3 direction) {
    return vec4(direction, 0.0) * world_from_node(node);
}
