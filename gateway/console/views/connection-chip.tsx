import { useEffect, useRef } from 'preact/hooks';
import { clockOf } from '../page/format.ts';
import { connection } from '../page/link.ts';
import { text } from '../text/english.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toasts.tsx';

const { connection: words } = text;

/** How old the screen is, in figures. */
export function ConnectionChip() {
  const now = connection.value;
  const state = now?.state ?? 'loading';
  return (
    <span class={`connection ${state}`} title={words.explain}>
      {state === 'cut' ? <Icon name="cut" /> : <span class="pulse" aria-hidden="true" />}
      <strong>{words[state]}</strong>
      {state === 'live' && <span class="lag">{now!.lagMs === null ? words.quiet : words.lag(now!.lagMs)}</span>}
    </span>
  );
}

/** The whole screen says so, quietly, when it is cut off; and once what came meanwhile when it is back. */
export function CutOff() {
  const now = connection.value;
  const seen = useRef(now?.resumes ?? 0);
  useEffect(() => {
    const resumes = now?.resumes ?? 0;
    if (resumes > seen.current) say(words.back(now!.missed));
    seen.current = resumes;
  }, [now?.resumes]);
  if (now?.state !== 'cut') return null;
  return (
    <p class="cut-off" role="status">
      <Icon name="cut" />
      <strong>{words.seeing(clockOf(now.seenAtMs))}</strong> {words.retrying}
    </p>
  );
}
