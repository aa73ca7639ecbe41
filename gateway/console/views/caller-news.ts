import { effect, untracked } from '@preact/signals';
import type { CallerView } from '../../../schema/accounts/caller.ts';
import { session } from '../page/link.ts';
import { text } from '../text/english.ts';
import { settingsText } from '../text/english-settings.ts';
import { say } from '../ui/toasts.tsx';

/** Says that the user has another role, or the organization another time zone: the console looks and counts differently from now on. */
export function startCallerNews(): void {
  let before: CallerView | undefined;
  effect(() => {
    const now = session.value;
    const caller = now.state === 'signed-in' ? now.caller : undefined;
    if (caller && caller.user.id === before?.user.id) untracked(() => tellChange(before!, caller));
    before = caller;
  });
}

function tellChange(before: CallerView, now: CallerView): void {
  const { role } = now.user;
  if (role !== before.user.role) say(settingsText.newRole(text.user.roles[role] ?? role));
  const zone = now.organization?.timeZone;
  if (zone !== undefined && zone !== before.organization?.timeZone)
    say(settingsText.newZone(zone.replaceAll('_', ' ')));
}
