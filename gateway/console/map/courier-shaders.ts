/**
 * Draws the picture of each courier, turned by its heading. Its four corners come one after the other. The map is never
 * turned or tilted.
 */

export const VERTEX_SHADER = `#version 300 es
uniform vec2 u_centre;      // of the screen, from the origin of the places
uniform vec2 u_world;       // the width of the world in halves of the screen, as x and y
uniform vec2 u_pixel;       // a pixel of a picture in halves of the screen, as x and y
uniform vec3 u_reach;       // of a picture around its place, in its pixels: to a side, up, down
uniform float u_pictures;
in vec2 a_place;            // Mercator, from the origin
in float a_heading;         // clockwise, in radians
in float a_picture;
in float a_opacity;
out vec2 v_texture;
out float v_opacity;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * 2.0 - 1.0;
  vec2 reached = vec2(corner.x * u_reach.x, corner.y < 0.0 ? -u_reach.y : u_reach.z);
  float c = cos(a_heading), s = sin(a_heading);
  vec2 turned = vec2(reached.x * c - reached.y * s, reached.x * s + reached.y * c);
  vec2 place = (a_place - u_centre) * u_world + turned * u_pixel;
  gl_Position = vec4(place.x, -place.y, 0.0, 1.0);
  v_texture = vec2((a_picture + corner.x * 0.5 + 0.5) / u_pictures, corner.y * 0.5 + 0.5);
  v_opacity = a_opacity;
}`;

export const FRAGMENT_SHADER = `#version 300 es
precision mediump float;
uniform sampler2D u_atlas;
in vec2 v_texture;
in float v_opacity;
out vec4 color;
void main() {
  color = texture(u_atlas, v_texture) * v_opacity;
}`;
