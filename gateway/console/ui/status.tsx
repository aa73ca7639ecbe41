import type { ShownStatus } from '../live/shown-status.ts';
import { text } from '../text/english.ts';
import { Icon, type IconName } from './icon.tsx';

const ICONS: Readonly<Record<ShownStatus, IconName>> = {
  new: 'dashed',
  awaiting_assignment: 'radar',
  nobody: 'nobody',
  unassigned: 'dashed',
  assigned: 'user',
  accepted: 'accepted',
  in_transit: 'moving',
  completed: 'check',
  cancelled: 'ban',
  failed: 'failed',
};

/** A status by its shape, its word and its colour. */
export function StatusSign({ status }: { readonly status: ShownStatus }) {
  return (
    <span class={`status-sign ${status}`} title={text.status[status]}>
      <Icon name={ICONS[status]} />
      <span class="hidden">{text.status[status]}</span>
    </span>
  );
}

export function StatusChip({ status }: { readonly status: ShownStatus }) {
  return (
    <span class={`status-chip ${status}`}>
      <Icon name={ICONS[status]} />
      {text.status[status]}
    </span>
  );
}
