import { LIMITS } from '../../schema/limits.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Roster } from '../store/positions/roster-store.ts';
import { takesRecord, takesTask } from './open-route.ts';
import type { OrgPositions } from './org-positions.ts';
import type { RosterChange } from './roster-change.ts';

interface RosterReaderOptions {
  readonly readRoster: (organizationId: number) => Promise<Roster>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A reading under way, and what was committed since it began: the reading may not show it yet. */
interface Reading {
  readonly done: Promise<void>;
  readonly changes: RosterChange[];
}

/** Keeps the agents of organizations what Postgres says of them: read once, then kept up by what is committed here. */
export class RosterReader {
  readonly #options: RosterReaderOptions;
  readonly #readings = new Map<OrgPositions, Reading>();
  readonly #triedAt = new WeakMap<OrgPositions, number>();

  constructor(options: RosterReaderOptions) {
    this.#options = options;
  }

  /** Reads them now; all who ask meanwhile share it. Rejects when Postgres cannot be asked. */
  read(organization: OrgPositions): Promise<void> {
    const underWay = this.#readings.get(organization);
    if (underWay) return underWay.done;
    const { readRoster, clock } = this.#options;
    const changes: RosterChange[] = [];
    this.#triedAt.set(organization, clock.monotonic());
    const done = readRoster(organization.organizationId)
      .then(({ agents, sequence, services }) => {
        organization.setRoster(agents, sequence);
        organization.services = services;
        organization.isBehind = false;
        for (const change of changes) applyChange(organization, change);
      })
      .finally(() => this.#readings.delete(organization));
    this.#readings.set(organization, { done, changes });
    return done;
  }

  /** Reads them again, unless that was tried just now. Never rejects. */
  refresh(organization: OrgPositions): void {
    const triedAt = this.#triedAt.get(organization) ?? Number.NEGATIVE_INFINITY;
    if (this.#options.clock.monotonic() - triedAt < LIMITS.rosterRefreshMs) return;
    this.read(organization).catch((error: unknown) => {
      const { organizationId } = organization;
      this.#options.log.warn({ err: error, organizationId }, 'the agents of an organization could not be read');
    });
  }

  /** A commit arrived. An earlier commit that this process missed is found by reading again, until that has worked. */
  apply(organization: OrgPositions, change: RosterChange): void {
    this.#readings.get(organization)?.changes.push(change);
    const wasBehind = organization.isBehind;
    applyChange(organization, change);
    if (wasBehind || !organization.isBehind || this.#readings.has(organization)) return;
    this.#triedAt.delete(organization);
    this.refresh(organization);
  }
}

function applyChange(organization: OrgPositions, change: RosterChange): void {
  const { expectedSequence, lastSequence, agents, tasks, services } = change;
  const { replanned } = organization;
  if (organization.hasRoster && expectedSequence > organization.rosterSequence) organization.isBehind = true;
  const { pickupServiceMs, dropoffServiceMs } = organization.services;
  if (services.pickupServiceMs !== pickupServiceMs || services.dropoffServiceMs !== dropoffServiceMs)
    for (const agent of organization.agents.values()) replanned.add(agent);
  organization.services = services;
  organization.rosterSequence = Math.max(organization.rosterSequence, lastSequence);
  for (const record of agents) {
    const agent = organization.agentOf(record.agentId);
    if (takesRecord(agent, record)) replanned.add(agent);
  }
  for (const { before, agentId, task } of tasks) {
    const former = before === null || before === agentId ? undefined : organization.agents.get(before);
    if (former?.openTasks.delete(task.taskId)) replanned.add(former);
    if (agentId === null) continue;
    const agent = organization.agentOf(agentId);
    if (takesTask(agent, task)) replanned.add(agent);
  }
}
