import { batch, type Signal, signal } from '@preact/signals';
import type { Session } from '../live/protocol.ts';

const forgets: (() => void)[] = [];
/** Whose state the page holds; undefined before the first user has signed in, and after the last one has left. */
let owner: string | undefined;

/** State of the user who is signed in. The next one never meets it: he may belong to another organization. */
export function ofUser<Value>(empty: Value): Signal<Value> {
  const state = signal(empty);
  forgets.push(() => {
    state.value = empty;
  });
  return state;
}

/** Forgets the state of the last user, before anything of the next one is shown. One whose session has ended goes on where he was. */
export function meetSession(next: Session): void {
  const who = next.state === 'signed-in' ? ownerOf(next) : undefined;
  const hasLeft = next.state === 'signed-out' && next.why === 'left';
  if (hasLeft || (who !== undefined && owner !== undefined && who !== owner)) forgetAll();
  owner = hasLeft ? undefined : (who ?? owner);
}

function ownerOf({ caller }: Session & { readonly state: 'signed-in' }): string {
  return `${caller.organization?.id} ${caller.user.id}`;
}

function forgetAll(): void {
  batch(() => {
    for (const forget of forgets) forget();
  });
}
