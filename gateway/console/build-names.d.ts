/** Filled in by engine/launcher/build/build-console.mjs. */
declare const LIVE_WORKER_URL: string;
declare const MAP_WORKER_URL: string;

declare module '*.svg' {
  const text: string;
  export default text;
}
declare module '*.css';
