import type { Map as GlMap } from 'maplibre-gl';
import { drawMs } from '../../page/link.ts';
import { AsideBuffer } from './aside-buffer.ts';
import { DrawPace } from './draw-pace.ts';

/** Between two looks whether a drawing is done. */
const LOOK_MS = 8;

/**
 * Draws the map so that the page does not wait for it. Without a graphics card the browser reads the canvas back before it
 * shows a frame, and everything on the page stands still until the drawing is done. So a slow map is drawn at its own pace,
 * into a buffer, and comes onto the canvas when it is done. Returns the way to stop.
 */
export function drawAside(map: GlMap): () => void {
  const { gl } = map.painter.context;
  const pace = new DrawPace();
  const buffer = new AsideBuffer(gl);
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  /** The end of the drawing that is under way. */
  let fence: WebGLSync | null = null;

  const drawNow = map.triggerRepaint.bind(map);
  map.triggerRepaint = () => {
    const now = performance.now();
    isWanted = true;
    pace.want(now);
    if (fence && pace.isSlow) return;
    clearTimeout(timer);
    const dueAt = pace.dueAt(now);
    if (dueAt > now) timer = setTimeout(map.triggerRepaint, dueAt - now);
    else drawNow();
  };

  const look = (end: WebGLSync, beganAt: number) => {
    if (end !== fence) return;
    if (gl.getSyncParameter(end, gl.SYNC_STATUS) === gl.UNSIGNALED) {
      setTimeout(look, LOOK_MS, end, beganAt);
      return;
    }
    gl.deleteSync(end);
    fence = null;
    buffer.show();
    const now = performance.now();
    pace.end(now, now - beganAt);
    drawMs.value = pace.drawMs;
    buffer.use(pace.isSlow);
    if (isWanted) map.triggerRepaint();
  };
  map.on('render', () => {
    pace.begin();
    isWanted = false;
    if (fence) return;
    fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (fence) setTimeout(look, LOOK_MS, fence, performance.now());
  });
  const abandon = () => {
    fence = null;
  };
  map.on('move', () => pace.move(performance.now()));
  map.on('resize', () => {
    // A canvas of another size is empty until it is drawn.
    abandon();
    buffer.use(false);
    drawNow();
  });
  map.on('webglcontextlost', () => {
    abandon();
    buffer.forget();
  });
  const meet = ({ target }: Event) => {
    const isOnMap = target instanceof Node && map.getContainer().contains(target);
    pace[isOnMap ? 'move' : 'press'](performance.now());
  };
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, meet, { capture: true, signal: stop.signal });
  return () => {
    stop.abort();
    clearTimeout(timer);
    abandon();
  };
}
