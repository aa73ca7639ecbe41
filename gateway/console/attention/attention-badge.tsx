import { exceptions } from '../page/link.ts';

/** How many things need the dispatcher, beside the name of the view. */
export function AttentionBadge() {
  const now = exceptions.value;
  if (!now || now.total === 0) return null;
  return <span class={`badge ${now.counts.late > 0 ? 'late' : ''}`}>{now.total.toLocaleString('en')}</span>;
}
