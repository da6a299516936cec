#version 330 core
#include "frame.glsl"
#include "materials.glsl"
#include "coverage.glsl"
#include "effect_lights.glsl"
#include "light.glsl"
#include "fog.glsl"

in vec3 world;
in vec3 normal;
in vec2 lightmap_uv;
in vec2 micro_uv;
in vec2 other_uv;
in vec2 other_micro_uv;
in float second_alpha;
in vec3 stream_color;
in vec3 first_color;
in vec3 second_color;
in vec3 over_first_color;
in vec3 over_second_color;

out vec4 color;

uniform sampler2D light_map;
uniform bool has_lightmaps;
uniform sampler2D second_map;
uniform int second_row;         // the second material of terrain, or NO_ROW
uniform sampler2D micro_map;
uniform int micro_row;          // the material that has the microtexture of the first, or NO_ROW
uniform sampler2D second_micro_map;
uniform int second_micro_row;   // and of the second
uniform float absence; // share of the mean color while the texture fades in
uniform float draw_opacity; // of a sign that fades with its distance

uniform bool is_ground;     // the coordinates are those of terrain, which start over after 64 turns

const int NO_ROW = -1;
const float SMALLEST_LEVEL = 32.0;

uniform bool has_game_look;
uniform bool has_normals;   // else the game's look is lit by the normals of the triangles

// The plain look.
const float AMBIENT = 0.7, LAMP = 0.9;
const vec3 LAMP_IN_VIEW = normalize(vec3(-0.35, 0.5, 0.9));
const float SHAPE_AMBIENT = 0.65, SHAPE_LIGHT = 0.35;   // of the modes that only show the shape
const float CHECKS = 8.0;
const vec3 NO_LIGHTMAP = vec3(0.24, 0.24, 0.27);

// Of the signed and the unsigned reading of coordinates that of a triangle which does not run through all
// turns. It is the one that grows less from pixel to pixel; where both are right they grow alike but for
// rounding, and 0.9 keeps all pixels of a triangle in one reading.
vec2 across_seam(vec2 signed_turns, vec2 unsigned_turns) {
    return mix(signed_turns, unsigned_turns, lessThan(fwidth(unsigned_turns), 0.9 * fwidth(signed_turns)));
}

// The place in the texture of a material, beyond 1 in its repeats.
vec2 place_in_texture(Material m) {
    return is_ground ? m.sub_image.xy + across_seam(uv, other_uv) * m.sub_image.zw : texture_uv(m);
}

vec3 lightmap() {
    return has_lightmaps ? texture(light_map, lightmap_uv).rgb : vec3(1.0);
}

vec3 surface_normal() {
    if (dot(normal, normal) > 1e-4) {
        // Both sides are drawn: in the plain look the back is lit by the normal that faces the eye. The game's look
        // lights vertices, by the normal as it is.
        return normalize(gl_FrontFacing ? normal : -normal);
    }
    vec3 face = normalize(cross(dFdx(world), dFdy(world)));
    face = dot(face, towards_eye(world)) < 0.0 ? -face : face;
    return gl_FrontFacing || !has_game_look ? face : -face;
}

vec3 lamp_direction() {
    return normalize(LAMP_IN_VIEW * mat3(view_from_world));
}

vec3 plain_light(Material m, vec3 n) {
    vec3 light = m.emissive.rgb + m.ambient.rgb * (m.is_lit ? AMBIENT : 1.0);
    if (m.is_lit) {
        light += m.diffuse.rgb * LAMP * max(dot(n, lamp_direction()), 0.0);
    }
    return clamp(light + effect_light(world, n) * m.diffuse.rgb, 0.0, 1.0);
}

vec3 highlight(Material m, vec3 n) {
    vec3 lamp = lamp_direction();
    float facing = max(dot(n, normalize(lamp + towards_eye(world))), 0.0);
    bool is_shiny = m.is_lit && m.power > 0.0 && dot(n, lamp) > 0.0;
    return is_shiny ? m.specular.rgb * pow(facing, m.power) : vec3(0.0);
}

vec3 textured(Material m, vec4 texel, vec3 n, TwoColors colors) {
    if (has_game_look) {
        TwoColors lit = colors;
        if (!has_normals) {
            lit = two_colors(m, n, world);
        }
        return min(texel.rgb * lightmap() * lit.first + lit.second, 1.0);
    }
    return texel.rgb * lightmap() * plain_light(m, n) + highlight(m, n) * (m.is_gloss ? texel.a : 1.0);
}

vec3 plain_color(Material m, vec4 texel) {
    return texel.rgb * (m.is_lit ? m.diffuse.rgb : m.ambient.rgb);
}

vec3 material_color(Material m, vec4 texel, vec3 n, TwoColors colors) {
    return shading == ALBEDO ? plain_color(m, texel) : textured(m, texel, n, colors);
}

// The factor of a microtexture of terrain, in which a mid grey changes nothing.
vec3 micro(sampler2D map, int row) {
    if (row == NO_ROW) {
        return vec3(1.0);
    }
    vec4 part = material_of(row).sub_image;
    // Times 2, so that 128 of 255 is about 1 (spec/field-notes.md 7).
    return 2.0 * texture(map, part.xy + across_seam(micro_uv, other_micro_uv) * part.zw).rgb;
}

// Each material is held to 1 before the two are mixed, as the game draws one after the other.
vec3 with_second_material(vec3 first, vec3 n) {
    if (second_row == NO_ROW) {
        return first;
    }
    Material m = material_of(second_row);
    vec4 texel = texture(second_map, place_in_texture(m));
    texel.rgb *= micro(second_micro_map, second_micro_row);
    vec3 second = material_color(m, texel, n, TwoColors(over_first_color, over_second_color));
    return mix(min(first, 1.0), min(second, 1.0), clamp(second_alpha * m.ambient.a, 0.0, 1.0));
}

vec3 checks() {
    vec2 at = is_ground ? across_seam(uv, other_uv) : uv;
    vec2 check = floor(at * CHECKS);
    float shade = mod(check.x + check.y, 2.0) < 0.5 ? 1.0 : 0.55;
    return shade * vec3(0.25 + 0.75 * fract(at), 0.45);
}

vec3 shaped(vec3 base, vec3 n) {
    return base * (SHAPE_AMBIENT + SHAPE_LIGHT * abs(dot(n, towards_eye(world))));
}

void main() {
    Material m = material_of(material_row);
    vec2 at = place_in_texture(m);
    vec4 texel = texture(base_map, at);
    if (absence > 0.0) {
        // GL takes the last level for any higher number: one pixel, the mean color.
        texel.rgb = mix(texel.rgb, textureLod(base_map, at, SMALLEST_LEVEL).rgb, absence);
    }
    texel.rgb *= micro(micro_map, micro_row);
    vec3 n = surface_normal();
    float opacity = opacity_of(m, texel.a);
    if (is_hole(m, opacity)) {
        discard;
    }
    vec3 result = shading == LIGHTMAP ? (m.has_lightmap ? lightmap() : shaped(NO_LIGHTMAP, n))
                : shading == ALPHA ? vec3(texel.a)
                : shading == UV_CHECKER ? shaped(checks(), n)
                : shading == STREAM18 ? stream_color
                : with_second_material(material_color(m, texel, n, TwoColors(first_color, second_color)), n);
    if (has_fog && has_game_look && shading == TEXTURED) {
        // The color is chosen by the blend mode of the call: what the layer fades towards must change nothing behind
        // it.
        result = mix(fog_color, result, fog_share(world));
    }
    bool is_blended = shading == TEXTURED || shading == ALBEDO;
    color = vec4(result, draw_opacity * (is_blended && !m.is_cut_out ? opacity : 1.0));
}
