import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { midnightMs } from '../time/midnight.ts';
import { FAILED_KEPT_MS, Records } from './records.ts';

const OPEN = 'status=new,awaiting_assignment,assigned,accepted,in_transit';
const PAGE = 100;
/** Pages of couriers that are read at a time. */
const READERS = 4;
/** The bytes of an export come one after the other: after this long without any, the connection has died in silence. */
const SILENCE_MS = 10_000;
/** Pages of couriers that are read again at once: those of a larger fleet have their turn later. */
const PAGES_AGAIN = 10;

interface AgentPage {
  readonly items: readonly AgentView[];
  readonly count: number;
}

/** The readings that a snapshot is made of. */
interface Readings {
  open(path: string, signal: AbortSignal): Promise<Response>;
  read<T>(path: string): Promise<{ readonly data: T; readonly position: string }>;
}

type Reader = Pick<Readings, 'read'>;

/** The place in the log that a position names. */
export function sequenceOf(position: string): number {
  return Number(position.slice(position.lastIndexOf('-') + 1));
}

/**
 * Every open task, every task that ended today in the organization's zone, those that failed yesterday, and every courier. `position` is the oldest
 * of the readings: from there the stream goes on, and each record knows which of its events it holds already.
 */
export async function loadSnapshot(
  api: Readings,
  timeZone: string,
  signal: AbortSignal,
): Promise<{ readonly records: Records; readonly position: string }> {
  const records = new Records();
  const exportOf = (filter: string) => api.open(`/tasks/export?${filter}`, signal);
  const open = await exportOf(OPEN);
  const nowMs = serverTimeOf(open);
  const midnight = midnightMs(nowMs, timeZone);
  const today = new Date(midnight).toISOString();
  const dayAgo = new Date(nowMs - FAILED_KEPT_MS).toISOString();
  const readTasks = async (reply: Response) => {
    const position = reply.headers.get('x-log-position')!;
    for await (const line of readLines(reply)) records.putTask(JSON.parse(line) as TaskView, sequenceOf(position));
    return position;
  };
  // An organization lets two exports run at a time; a third one would have to come again.
  const readEnded = async () => [
    await readTasks(await exportOf(`status=completed,cancelled&updatedFrom=${today}`)),
    await readTasks(await exportOf(`status=completed&outcome=failed&completedFrom=${dayAgo}&completedTo=${today}`)),
  ];
  const positions = (await Promise.all([readTasks(open), readEnded(), readAgents(api, records)])).flat();
  records.forgetBefore(midnight, nowMs);
  const position = positions.reduce((oldest, next) => (sequenceOf(next) < sequenceOf(oldest) ? next : oldest));
  return { records, position };
}

/** Reads every courier. Returns the position of the first reading: what came later each record knows by itself. */
async function readAgents(api: Reader, records: Records): Promise<string> {
  const { count, position } = await readPage(api, records, 1);
  let next = 2;
  const reader = async () => {
    while ((next - 1) * PAGE < count) await readPage(api, records, next++);
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return position;
}

/** Reads the couriers of some pages again, one page after the other, and every courier when there are new ones. Returns the page to go on with. */
export async function readAgentsAgain(api: Reader, records: Records, from: number): Promise<number> {
  for (let page = from; page < from + PAGES_AGAIN; page += 1) {
    const { count } = await readPage(api, records, page);
    if (count > records.agents.size) await readAgents(api, records);
    if (page * PAGE >= count) return 1;
  }
  return from + PAGES_AGAIN;
}

async function readPage(api: Reader, records: Records, page: number): Promise<{ count: number; position: string }> {
  const { data, position } = await api.read<AgentPage>(`/agents?limit=${PAGE}&page=${page}`);
  for (const agent of data.items) records.putAgent(agent, sequenceOf(position));
  return { count: data.count, position };
}

/** The clock of this machine may be wrong; what is of today is the server's to say. */
function serverTimeOf({ headers }: Response): number {
  const ms = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(ms)) throw new Error('The answer says no date. A proxy before the service has to let it through.');
  return ms;
}

/** The lines of an export. Rejects when the connection broke off or fell silent: a part of a list is no list. */
async function* readLines(reply: Response): AsyncGenerator<string> {
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read());
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line !== '') yield line;
    }
    if (rest !== '') yield rest;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function unlessSilent<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the list was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
