/** Programs that run inside the page. They are texts: what the loader adds to functions does not exist there. */

/** A page that shows nothing for so long is broken. */
const PATIENCE_MS = 20_000;

/** Notes how long each frame took, in milliseconds, from now on. */
export const WATCH_FRAMES = `(() => {
  const meter = (globalThis.benchFrames = { times: [], before: 0 });
  const frame = (now) => {
    if (meter.before > 0) meter.times.push(now - meter.before);
    meter.before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

/** The frames since the last call. */
export const TAKE_FRAMES = 'benchFrames.times.splice(0)';

/**
 * Begins to wait for a key: TAKE_REACTION then resolves to the milliseconds from its press until the frame after the one in
 * which the condition holds, so that it has been painted.
 */
export function awaitReaction(condition: string): string {
  return `void (globalThis.benchReaction = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(${JSON.stringify(`no reaction: ${condition}`)})), ${PATIENCE_MS});
    addEventListener('keydown', ({ timeStamp }) => {
      const frame = () => {
        if (${condition}) requestAnimationFrame((now) => resolve(now - timeStamp));
        else requestAnimationFrame(frame);
      };
      frame();
    }, { once: true, capture: true });
  }))`;
}

export const TAKE_REACTION = 'benchReaction';

/** Resolves to the time of the frame after the one in which the condition holds, in milliseconds since 1970. */
export function shownAt(condition: string): string {
  return `new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(${JSON.stringify(`never shown: ${condition}`)})), ${PATIENCE_MS});
    const frame = () => {
      if (${condition}) requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(frame);
    };
    frame();
  })`;
}

/** The task under the keyboard. */
export const CURSOR = `document.querySelector('.task-row.cursor')?.dataset.task`;
export const PANEL = `document.querySelector('aside.panel .code')`;

/** The step that the row of a task shows. */
export function rowShows(taskId: number, word: string): string {
  return `document.querySelector('[data-task="${taskId}"] .status-sign')?.title === ${JSON.stringify(word)}`;
}
