import type { TaskRow } from '../live/protocol.ts';
import { text } from '../text/english.ts';
import { Icon, type IconName } from './icon.tsx';

type Shown = Pick<TaskRow, 'status' | 'outcome'>;

const ICONS: Readonly<Record<string, IconName>> = {
  new: 'dashed',
  awaiting_assignment: 'radar',
  assigned: 'user',
  accepted: 'accepted',
  in_transit: 'moving',
  completed: 'check',
  cancelled: 'ban',
  failed: 'failed',
};

/** A status by its shape, its word and its colour. */
function statusName({ status, outcome }: Shown): string {
  return status === 'completed' && outcome === 'failed' ? 'failed' : status;
}

export function StatusSign({ task }: { readonly task: Shown }) {
  const name = statusName(task);
  return (
    <span class={`status-sign ${name}`} title={text.status[name]}>
      <Icon name={ICONS[name]!} />
      <span class="hidden">{text.status[name]}</span>
    </span>
  );
}

export function StatusChip({ task }: { readonly task: Shown }) {
  const name = statusName(task);
  return (
    <span class={`status-chip ${name}`}>
      <Icon name={ICONS[name]!} />
      {text.status[name]}
    </span>
  );
}
