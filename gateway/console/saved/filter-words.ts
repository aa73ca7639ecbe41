import type { Courier } from '../live/protocol.ts';
import { text } from '../text/english.ts';
import { savedText as words } from '../text/english-saved.ts';
import type { ListFilter } from './saved-views.ts';

/** A filter in a few words. */
export function filterWords(filter: ListFilter, couriers: readonly Courier[]): string {
  const { search, statuses, agentId, onlyLate, withDone, ended, grouping } = filter;
  const parts = [
    search !== '' && words.searching(search),
    ...statuses.map((status) => text.status[status]),
    ended !== null && text.list.ended[ended],
    agentId !== null && (couriers.find(({ id }) => id === agentId)?.name ?? words.courier(agentId)),
    onlyLate && text.list.onlyLate,
    withDone && text.list.withDone,
    grouping === 'status' && `${text.list.grouping}: ${text.list.byStatus}`,
  ].filter(Boolean);
  return parts.length === 0 ? words.everything : parts.join(' · ');
}
