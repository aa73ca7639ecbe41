import { type CustomLayerInterface, type Map as GlMap, MercatorCoordinate } from 'maplibre-gl';
import type { CourierPin } from '../live/protocol.ts';
import { courierAtlas, PICTURES, pictureOf, REACH_PX } from './courier-images.ts';
import { FRAGMENT_SHADER, VERTEX_SHADER } from './courier-shaders.ts';
import type { MapColors } from './map-colors.ts';

const STALE_OPACITY = 0.4;
const FLOATS = 5;
const CORNERS = 4;
/** Two of them between the corners of a picture. */
const TRIANGLES = [0, 1, 2, 2, 1, 3];
/** Where the picture of a courier ends for a pointer, beside its reach. */
const BODY_PX = 7;
/** Pixels of the world at zoom 0. */
const WORLD_PX = 512;

const UNIFORMS = ['u_centre', 'u_world', 'u_pixel', 'u_reach', 'u_pictures'] as const;

/** A courier's place in Mercator coordinates. */
interface Spot {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** The objects on the graphics card. */
interface Loaded {
  readonly gl: WebGL2RenderingContext;
  readonly program: WebGLProgram;
  readonly vertices: WebGLVertexArrayObject;
  readonly buffer: WebGLBuffer;
  readonly triangles: WebGLBuffer;
  readonly atlas: WebGLTexture;
  readonly uniforms: Readonly<Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>>;
}

/**
 * All couriers in one call to the graphics card. A source of the map would cut each second's positions into tiles, place
 * each picture and send everything to a thread and back; this writes 80 bytes a courier. The corners are written out:
 * without a graphics card each instance of a picture would cost as much as a call of its own.
 */
export class CourierLayer implements CustomLayerInterface {
  readonly id = 'couriers';
  readonly type = 'custom';
  readonly #scale: number;
  #map: GlMap | undefined;
  #loaded: Loaded | undefined;
  #pictures: OffscreenCanvas | undefined;
  #spots: Spot[] = [];
  #values = new Float32Array();
  /** Places are kept from here, so that 32 bits are enough for a metre. */
  #origin = { x: 0, y: 0 };
  #isNew = { places: true, pictures: true };
  /** There are triangles for so many pictures. */
  #room = 0;

  /** `scale`: of everything on the screen. */
  constructor(scale: number) {
    this.#scale = scale;
  }

  dress(colors: MapColors): void {
    this.#pictures = courierAtlas(colors);
    this.#isNew.pictures = true;
  }

  show(pins: readonly CourierPin[]): void {
    this.#spots = pins.map(({ id, longitude, latitude }) => {
      const { x, y } = MercatorCoordinate.fromLngLat([longitude, latitude]);
      return { id, x, y };
    });
    this.#origin = this.#spots[0] ?? this.#origin;
    this.#values = new Float32Array(pins.length * CORNERS * FLOATS);
    for (const [index, { heading, state, isStale }] of pins.entries()) {
      const { x, y } = this.#spots[index]!;
      const turn = ((heading ?? 0) * Math.PI) / 180;
      const picture = pictureOf(state, heading !== null && !isStale);
      const opacity = isStale ? STALE_OPACITY : 1;
      const values = [x - this.#origin.x, y - this.#origin.y, turn, picture, opacity];
      for (let corner = 0; corner < CORNERS; corner++) this.#values.set(values, (index * CORNERS + corner) * FLOATS);
    }
    this.#isNew.places = true;
    this.#map?.triggerRepaint();
  }

  /** The courier nearest to a point of the screen, within reach. */
  near(point: { readonly x: number; readonly y: number }, reachPx: number): number | undefined {
    if (!this.#map) return undefined;
    const { x, y, worldPx, width, height } = this.#viewOf(this.#map);
    let nearest: number | undefined;
    let leastPx = reachPx + BODY_PX * this.#sizeAt(this.#map.getZoom());
    for (const spot of this.#spots) {
      const px = Math.hypot(
        (spot.x - x) * worldPx + width / 2 - point.x,
        (spot.y - y) * worldPx + height / 2 - point.y,
      );
      if (px <= leastPx) [nearest, leastPx] = [spot.id, px];
    }
    return nearest;
  }

  onAdd(map: GlMap, context: WebGLRenderingContext | WebGL2RenderingContext): void {
    const gl = context as WebGL2RenderingContext;
    this.#map = map;
    this.#loaded = load(gl);
    this.#isNew = { places: true, pictures: true };
    this.#room = 0;
  }

  onRemove(): void {
    if (!this.#loaded) return;
    const { gl, program, vertices, buffer, triangles, atlas } = this.#loaded;
    gl.deleteProgram(program);
    gl.deleteVertexArray(vertices);
    gl.deleteBuffer(buffer);
    gl.deleteBuffer(triangles);
    gl.deleteTexture(atlas);
    this.#loaded = undefined;
  }

  render(): void {
    if (!this.#loaded || !this.#map || !this.#pictures || this.#spots.length === 0) return;
    const { gl, program, vertices, uniforms } = this.#loaded;
    this.#upload(this.#loaded, this.#pictures);
    const { x, y, worldPx, width, height } = this.#viewOf(this.#map);
    const size = this.#sizeAt(this.#map.getZoom());
    gl.useProgram(program);
    gl.uniform2f(uniforms.u_centre, x - this.#origin.x, y - this.#origin.y);
    gl.uniform2f(uniforms.u_world, worldPx / (width / 2), worldPx / (height / 2));
    gl.uniform2f(uniforms.u_pixel, size / (width / 2), size / (height / 2));
    gl.uniform3f(uniforms.u_reach, REACH_PX.side, REACH_PX.up, REACH_PX.down);
    gl.uniform1f(uniforms.u_pictures, PICTURES);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindVertexArray(vertices);
    gl.drawElements(gl.TRIANGLES, this.#spots.length * TRIANGLES.length, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
  }

  #upload({ gl, vertices, buffer, atlas }: Loaded, pictures: OffscreenCanvas): void {
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, atlas);
    if (this.#isNew.pictures) {
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, pictures);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
        gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    }
    if (this.#isNew.places) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, this.#values, gl.DYNAMIC_DRAW);
    }
    if (this.#spots.length > this.#room) {
      this.#room = this.#spots.length;
      gl.bindVertexArray(vertices);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, trianglesOf(this.#room), gl.DYNAMIC_DRAW);
    }
    this.#isNew = { places: false, pictures: false };
  }

  /** The centre of the screen in Mercator coordinates, and the sizes of world and screen in pixels. */
  #viewOf(map: GlMap) {
    const { x, y } = MercatorCoordinate.fromLngLat(map.getCenter());
    const { clientWidth: width, clientHeight: height } = map.getContainer();
    return { x, y, width, height, worldPx: WORLD_PX * 2 ** map.getZoom() };
  }

  /** From far away couriers are smaller. */
  #sizeAt(zoom: number): number {
    const far = Math.min(1, Math.max(0, (zoom - 8) / 5));
    const near = Math.min(1, Math.max(0, (zoom - 13) / 3));
    return (0.55 + 0.35 * far + 0.25 * near) * this.#scale;
  }
}

function trianglesOf(pictures: number): Uint32Array {
  return Uint32Array.from({ length: pictures * TRIANGLES.length }, (_, index) => {
    const picture = Math.floor(index / TRIANGLES.length);
    return picture * CORNERS + TRIANGLES[index % TRIANGLES.length]!;
  });
}

function load(gl: WebGL2RenderingContext): Loaded {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX_SHADER],
    [gl.FRAGMENT_SHADER, FRAGMENT_SHADER],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(`The couriers cannot be drawn: ${gl.getProgramInfoLog(program)}`);
  const vertices = gl.createVertexArray();
  const buffer = gl.createBuffer();
  const triangles = gl.createBuffer();
  gl.bindVertexArray(vertices);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
  let offset = 0;
  for (const [name, size] of [
    ['a_place', 2],
    ['a_heading', 1],
    ['a_picture', 1],
    ['a_opacity', 1],
  ] as const) {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, FLOATS * 4, offset);
    offset += size * 4;
  }
  gl.bindVertexArray(null);
  const places = UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]);
  const uniforms = Object.fromEntries(places) as Loaded['uniforms'];
  return { gl, program, vertices, buffer, triangles, atlas: gl.createTexture(), uniforms };
}
