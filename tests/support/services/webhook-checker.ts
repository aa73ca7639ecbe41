import type { Arrival } from './webhook-sink.ts';

/** An event of the log, as Postgres has it. */
export interface LoggedRow {
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
}

/** The deliveries that reached one endpoint, and the events that it was promised. */
export interface EndpointRecord {
  readonly name: string;
  readonly arrivals: readonly Arrival[];
  /** The events that it must receive, in the order of the log. */
  readonly promised: readonly LoggedRow[];
  /** The endpoint asked for one at a time: first attempts come in the order of the log. */
  readonly isOrdered: boolean;
}

export interface DeliveryViolation {
  readonly rule: 'missing' | 'phantom' | 'changed' | 'second-id' | 'forged' | 'out-of-order';
  readonly message: string;
}

/** Compares deliveries with promises: at least once, in order, under one id, unchanged, and signed. */
export function findDeliveryViolations(records: readonly EndpointRecord[]): DeliveryViolation[] {
  return records.flatMap(violationsOf);
}

/** Deliveries that were accepted although the endpoint had accepted the same event before. */
export function countDuplicates({ arrivals }: Pick<EndpointRecord, 'arrivals'>): number {
  const accepted = arrivals.filter(isAccepted);
  return accepted.length - new Set(accepted.map(({ sequence }) => sequence)).size;
}

/** Whether every promised event has been accepted. */
export function isComplete({ arrivals, promised }: Pick<EndpointRecord, 'arrivals' | 'promised'>): boolean {
  const accepted = new Set(arrivals.filter(isAccepted).map(({ sequence }) => sequence));
  return promised.every(({ sequence }) => accepted.has(sequence));
}

function violationsOf({ name, arrivals, promised, isOrdered }: EndpointRecord): DeliveryViolation[] {
  const found: DeliveryViolation[] = [];
  const report = (rule: DeliveryViolation['rule'], message: string) =>
    void found.push({ rule, message: `${name}: ${message}` });
  const rows = new Map(promised.map((row) => [row.sequence, row]));
  const accepted = new Set<number>();
  const begun = new Set<number>();
  let newest = 0;
  for (const arrival of arrivals) {
    const { id, body, sequence = 0, forgery } = arrival;
    const row = rows.get(sequence);
    if (forgery !== undefined) report('forged', `${sequence} is not verified: ${forgery}`);
    if (!row) {
      report('phantom', `${sequence} came, which was not promised`);
      continue;
    }
    if (row.body !== body) report('changed', `${sequence} came with another body than the log has`);
    if ((JSON.parse(row.body) as { id: string }).id !== id) report('second-id', `${sequence} came as ${id}`);
    if (isAccepted(arrival)) accepted.add(sequence);
    if (begun.has(sequence)) continue;
    begun.add(sequence);
    if (isOrdered && sequence < newest) report('out-of-order', `${sequence} came for the first time after ${newest}`);
    newest = Math.max(newest, sequence);
  }
  for (const { sequence } of promised) if (!accepted.has(sequence)) report('missing', `${sequence} did not come`);
  return found;
}

function isAccepted({ behaviour }: Arrival): boolean {
  return typeof behaviour === 'number' && behaviour < 300;
}
