import { useEffect, useRef } from 'preact/hooks';
import { clockOf } from '../page/format.ts';
import { isCutOff, nowMs, shownConnection } from '../page/state.ts';
import { text } from '../text/english.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toasts.tsx';

const { connection: words } = text;

/** Older than this, the screen says how long it has heard nothing. */
const SILENT_MS = 4_500;

/** How old the screen is, in figures. */
export function ConnectionChip() {
  const now = shownConnection.value;
  const state = now?.state ?? 'loading';
  return (
    <span class={`connection ${state}`} title={words.explain}>
      {state === 'cut' ? <Icon name="cut" /> : <span class="pulse" aria-hidden="true" />}
      <strong>{words[state]}</strong>
      {state === 'live' && <Lag lagMs={now!.lagMs} seenAtMs={now!.seenAtMs} />}
    </span>
  );
}

function Lag({ lagMs, seenAtMs }: { readonly lagMs: number | null; readonly seenAtMs: number }) {
  const silentMs = nowMs.value - seenAtMs;
  const said = () => {
    if (silentMs > SILENT_MS) return words.silent(Math.round(silentMs / 1_000));
    return lagMs === null ? words.quiet : words.lag(lagMs);
  };
  return <span class="lag">{said()}</span>;
}

/** The whole screen says so, quietly, when it is cut off; and once what came meanwhile when it is back. */
export function CutOff() {
  const now = shownConnection.value;
  const seen = useRef(now?.resumes ?? 0);
  useEffect(() => {
    const resumes = now?.resumes ?? 0;
    if (resumes > seen.current) say(words.back(now!.missed));
    seen.current = resumes;
  }, [now?.resumes]);
  if (!now || !isCutOff.value) return null;
  const isWaiting = now.state === 'loading';
  return (
    <p class="cut-off" role="status">
      <Icon name="cut" />
      <strong>{isWaiting ? words.noAnswer : words.seeing(clockOf(now.seenAtMs))}</strong> {words.retrying}
    </p>
  );
}
