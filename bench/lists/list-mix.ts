import type { SeededTasks } from '../seed/seed-tasks.ts';

/** One kind of list that consoles and integrations ask for. */
export interface ListKind {
  readonly name: string;
  /** How often it is asked for, of the sum of all weights. */
  readonly weight: number;
  /** It asks for a page that is not the first. */
  readonly isFarPage?: true;
  /** A query of this kind; `draw(bound)` is a number below `bound`. */
  readonly query: (seeded: SeededTasks, draw: (bound: number) => number) => string;
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const daysAgo = (seeded: SeededTasks, draw: (bound: number) => number) => {
  const days = draw(300);
  return `scheduledFrom=${day(-days)}T00:00:00Z&scheduledTo=${day(-days + 1)}T00:00:00Z&channelId=${seeded.channelIds[0]}`;
};
const agentOf = ({ agentIds }: SeededTasks, draw: (bound: number) => number) => agentIds[draw(agentIds.length)];
const manyOf = (count: number, one: () => string) => Array.from({ length: count }, one).join(',');
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const onDay = (name: string, ago: number) => `${name}From=${day(-ago)}T00:00:00Z&${name}To=${day(1 - ago)}T00:00:00Z`;
const boxOf = (draw: (bound: number) => number, degrees: number) => {
  const [south, west] = [51 + draw(990) / 1_000, 6 + draw(990) / 1_000];
  return `bbox=${west.toFixed(3)},${south.toFixed(3)},${(west + degrees).toFixed(3)},${(south + degrees).toFixed(3)}`;
};
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
  { name: 'page 40', weight: 2, isFarPage: true, query: () => 'status=completed&page=40' },
  { name: 'code', weight: 5, query: ({ tasks }, draw) => `code=SEED-${draw(tasks)}` },
  { name: 'codes', weight: 2, query: ({ tasks }, draw) => `code=${manyOf(20, () => `SEED-${draw(tasks)}`)}` },
  { name: 'search, code', weight: 5, query: ({ tasks }, draw) => `search=eed-${draw(tasks)}` },
  {
    name: 'search, phone',
    weight: 3,
    query: (_, draw) => `search=%2B49+1555+${String(draw(50_000)).padStart(8, '0')}`,
  },
  { name: 'search, barcode', weight: 3, query: ({ tasks }, draw) => `search=BAR${draw(tasks)}` },
  { name: 'search, customer', weight: 3, query: (_, draw) => `search=number+${10_000 + draw(40_000)}` },
  { name: 'search, common', weight: 3, query: () => 'search=deliv' },
  { name: 'created today', weight: 3, query: () => `createdFrom=${day(0)}T00:00:00Z` },
  { name: 'changed since', weight: 5, query: (_, draw) => `updatedFrom=${minutesAgo(5 + draw(600))}&sortBy=updatedAt` },
  { name: 'completed on a day', weight: 3, query: (_, draw) => onDay('completed', draw(300)) },
  { name: 'due on a day', weight: 3, query: (_, draw) => onDay('due', draw(300)) },
  { name: 'open, due first', weight: 5, query: () => `status=${OPEN}&sortBy=dueAt&sortOrder=ASC` },
  { name: 'failed', weight: 2, query: () => 'outcome=failed' },
  { name: 'succeeded', weight: 2, query: () => 'outcome=succeeded' },
  { name: 'delayed', weight: 3, query: () => 'isDelayed=true' },
  { name: 'in time', weight: 1, query: () => 'isDelayed=false' },
  { name: 'searching', weight: 2, query: () => 'autoAssignmentStatus=searching' },
  { name: 'external', weight: 2, query: () => 'courierType=external' },
  { name: 'unassigned', weight: 3, query: () => 'unassigned=true' },
  { name: 'unassigned, oldest', weight: 2, query: () => 'unassigned=true&sortOrder=ASC' },
  { name: 'small box', weight: 3, query: (_, draw) => boxOf(draw, 0.005) },
  { name: 'large box', weight: 2, query: () => 'bbox=6,51,6.9,51.9' },
  { name: 'by schedule', weight: 2, query: () => 'sortBy=scheduledAt' },
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
  { name: 'half a year', query: () => `createdFrom=${day(-180)}T00:00:00Z` },
  { name: 'half a year of changes', query: () => `updatedFrom=${day(-180)}T00:00:00Z` },
  { name: 'half a year of completions', query: () => `completedFrom=${day(-180)}T00:00:00Z` },
  { name: 'half a year due', query: () => `dueFrom=${day(-180)}T00:00:00Z` },
  { name: 'succeeded', query: () => 'outcome=succeeded' },
  { name: 'in time', query: () => 'isDelayed=false' },
  { name: 'not requested', query: () => 'autoAssignmentStatus=not_requested' },
  { name: 'internal', query: () => 'courierType=internal' },
  { name: 'unassigned', query: () => 'unassigned=true' },
  { name: 'assigned', query: () => 'unassigned=false' },
  { name: 'search all', query: () => 'search=delivery' },
  { name: 'search two letters', query: () => 'search=de' },
  { name: 'search a sign', query: () => 'search=%25' },
  { name: 'box, all', query: () => 'bbox=5,50,8,53' },
  { name: 'box, half', query: () => 'bbox=6,51,6.5,52' },
];
