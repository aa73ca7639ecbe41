import type { SeededTasks } from '../seed/seed-tasks.ts';

/** One kind of list that consoles and integrations ask for. */
export interface ListKind {
  readonly name: string;
  /** How often it is asked for, of the sum of all weights. */
  readonly weight: number;
  /** A query of this kind; `draw(bound)` is a number below `bound`. */
  readonly query: (seeded: SeededTasks, draw: (bound: number) => number) => string;
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const daysAgo = (seeded: SeededTasks, draw: (bound: number) => number) => {
  const days = draw(300);
  return `scheduledFrom=${day(-days)}T00:00:00Z&scheduledTo=${day(-days + 1)}T00:00:00Z&channelId=${seeded.channelIds[0]}`;
};
const agentOf = ({ agentIds }: SeededTasks, draw: (bound: number) => number) => agentIds[draw(agentIds.length)];
const OPEN = 'new,awaiting_assignment,assigned,accepted,in_transit';
const CARRIED = 'assigned,accepted,in_transit';

/** The published mix: pages of 20, the default. */
export const LIST_MIX: readonly ListKind[] = [
  { name: 'newest', weight: 20, query: () => '' },
  { name: 'open board', weight: 12, query: () => `status=${OPEN}` },
  { name: 'waiting longest', weight: 6, query: () => 'status=new&sortOrder=ASC' },
  { name: 'channel', weight: 6, query: ({ channelIds }, draw) => `channelId=${channelIds[draw(channelIds.length)]}` },
  { name: 'type and status', weight: 4, query: () => 'taskType=pickup,return&status=completed' },
  { name: 'rare type', weight: 2, query: () => 'taskType=cash_drop' },
  { name: 'changed last', weight: 10, query: () => 'sortBy=updatedAt' },
  { name: 'completed last', weight: 4, query: () => 'status=completed&sortBy=updatedAt' },
  { name: 'by status', weight: 2, query: () => 'sortBy=status&sortOrder=ASC' },
  { name: 'agent, carried', weight: 10, query: (seeded, draw) => `agentId=${agentOf(seeded, draw)}&status=${CARRIED}` },
  { name: 'agent, all', weight: 4, query: (seeded, draw) => `agentId=${agentOf(seeded, draw)}` },
  { name: 'customer', weight: 8, query: ({ customerIds }, draw) => `customerId=${customerIds.plain + draw(20_000)}` },
  { name: 'busy customer', weight: 2, query: ({ customerIds }) => `customerId=${customerIds.busy}` },
  { name: 'schedule of a day', weight: 5, query: daysAgo },
  { name: 'order number', weight: 5, query: ({ tasks }, draw) => `integrationData.orderId=ORD-${draw(tasks)}` },
  { name: 'source, new', weight: 2, query: () => 'integrationData.source=shop&status=new' },
  { name: 'place', weight: 2, query: ({ locationId }, draw) => `locationId=${locationId + draw(20)}` },
  { name: 'page 40', weight: 2, query: () => 'status=completed&page=40' },
];

/** Filters that nobody has asked for before, each counted once. */
export const NEW_FILTERS: readonly { readonly name: string; readonly query: (seeded: SeededTasks) => string }[] = [
  { name: 'busy customer', query: ({ customerIds }) => `customerId=${customerIds.busy}&status=completed` },
  { name: 'agent', query: ({ agentIds }) => `agentId=${agentIds[1]}&taskType=delivery` },
  { name: 'twenty agents', query: ({ agentIds }) => `agentId=${agentIds.slice(20, 40).join(',')}` },
  { name: 'all agents', query: ({ agentIds }) => `agentId=${agentIds.join(',')}&taskType=delivery` },
  { name: 'all that were scheduled', query: () => `scheduledTo=${day(0)}T00:00:00Z` },
  {
    name: 'a month, one channel',
    query: ({ channelIds }) => `scheduledFrom=${day(-40)}T00:00:00Z&channelId=${channelIds[1]}`,
  },
  { name: 'common source', query: () => 'integrationData.source=marketplace' },
  { name: 'common source, completed', query: () => 'integrationData.source=shop&status=completed&sortBy=updatedAt' },
  { name: 'two fields', query: () => 'integrationData.source=phone&integrationData.priority=3' },
  { name: 'place', query: ({ locationId }) => `locationId=${locationId + 3}&status=completed` },
];
