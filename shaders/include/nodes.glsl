// Node matrices: three texels per node, the affine rows as stored in memory (render/buffers/upload.py).
uniform sampler2D node_rows;

mat3x4 world_from_node(uint node) {
    // A texture: a uniform array would have room for some 80 nodes. texelFetch takes whole texels, so no filter
    // applies.
    ivec2 at = ivec2((int(node) & 0xFF) * 3, int(node) >> 8);   // 256 nodes per row
    return mat3x4(texelFetch(node_rows, at, 0),
                  texelFetch(node_rows, at + ivec2(1, 0), 0),
                  texelFetch(node_rows, at + ivec2(2, 0), 0));
}

// The vector stands on the left: GLSL's matrices have columns, and each column here is a row of the affine matrix.
vec3 world_position(uint node, vec3 position) {
    return vec4(position, 1.0) * world_from_node(node);
}

vec3 world_direction(uint node, vec3 direction) {
    return vec4(direction, 0.0) * world_from_node(node);
}
