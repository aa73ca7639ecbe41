/** A buffer that drawings go into in place of the canvas, and come from when they are done. */
export class AsideBuffer {
  readonly #gl: WebGL2RenderingContext;
  readonly #bind: WebGL2RenderingContext['bindFramebuffer'];
  #buffer: WebGLFramebuffer | null = null;
  #parts: readonly WebGLRenderbuffer[] = [];
  #width = 0;
  #height = 0;
  #isUsed = false;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#bind = gl.bindFramebuffer.bind(gl);
    // Null is the canvas.
    gl.bindFramebuffer = (target, buffer) => this.#bind(target, buffer ?? (this.#isUsed ? this.#buffer : null));
  }

  /** Whether the next drawing goes into it. */
  use(isUsed: boolean): void {
    const { drawingBufferWidth: width, drawingBufferHeight: height } = this.#gl;
    if (isUsed && (width !== this.#width || height !== this.#height)) this.#make(width, height);
    this.#isUsed = isUsed;
  }

  /** Brings what was drawn onto the canvas. */
  show(): void {
    if (!this.#isUsed) return;
    const gl = this.#gl;
    const [width, height] = [this.#width, this.#height];
    this.#bind(gl.READ_FRAMEBUFFER, this.#buffer);
    this.#bind(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    this.#bind(gl.FRAMEBUFFER, this.#buffer);
  }

  /** The graphics card was lost, and the buffer with it. */
  forget(): void {
    [this.#buffer, this.#parts, this.#width, this.#height, this.#isUsed] = [null, [], 0, 0, false];
  }

  #make(width: number, height: number): void {
    const gl = this.#gl;
    gl.deleteFramebuffer(this.#buffer);
    for (const part of this.#parts) gl.deleteRenderbuffer(part);
    this.#buffer = gl.createFramebuffer();
    this.#bind(gl.FRAMEBUFFER, this.#buffer);
    const parts = [
      [gl.RGBA8, gl.COLOR_ATTACHMENT0],
      [gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT],
    ] as const;
    this.#parts = parts.map(([format, place]) => {
      const part = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, part);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, part);
      return part;
    });
    [this.#width, this.#height] = [width, height];
  }
}
