import { LIMITS } from '../../schema/limits.ts';
import type { Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { createOutage, type Outage } from '../runtime/outage.ts';
import type { PositionStore } from '../store/positions/position-store.ts';
import type { OrgPositions } from './org-positions.ts';

interface PositionSaverOptions {
  readonly store: PositionStore;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/**
 * Keeps positions of agents in Redis, and reads them from there once for each organization. While Redis is away unsaved
 * positions wait, one entry for each agent; when Redis has lost its positions, every one is saved again.
 */
export class PositionSaver {
  readonly #options: PositionSaverOptions;
  readonly #saving = new Map<OrgPositions, Promise<void>>();
  readonly #restoring = new WeakMap<OrgPositions, Promise<boolean>>();
  /** Agents of an organization that Redis has been given; it must have as many. */
  readonly #saved = new WeakMap<OrgPositions, Set<number>>();
  readonly #outage: Outage;

  constructor(options: PositionSaverOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, 'saving positions in Redis');
  }

  /** Resolves when what Redis has of the organization is known here, or cannot be now: the next call tries again. */
  async restored(organization: OrgPositions): Promise<void> {
    let restoring = this.#restoring.get(organization);
    if (!restoring) {
      restoring = this.#restore(organization);
      this.#restoring.set(organization, restoring);
    }
    if (!(await restoring)) this.#restoring.delete(organization);
  }

  async #restore(organization: OrgPositions): Promise<boolean> {
    try {
      const saved = await this.#options.store.load(organization.organizationId);
      organization.restore(saved);
      const known = this.#savedOf(organization);
      for (const { agentId } of saved) known.add(agentId);
      return true;
    } catch (error) {
      this.#outage.failed(error);
      return false;
    }
  }

  /** Begins to save what is unsaved, unless that is under way. Never throws. */
  save(organization: OrgPositions): void {
    if (this.#saving.has(organization)) return;
    if (!this.#restoring.has(organization)) void this.restored(organization);
    if (organization.unsaved.size === 0) return;
    const saving = this.#save(organization)
      .then(this.#outage.worked, this.#outage.failed)
      .finally(() => this.#saving.delete(organization));
    this.#saving.set(organization, saving);
  }

  /** In small steps, so that requests get their turn in between. */
  async #save(organization: OrgPositions): Promise<void> {
    const { store } = this.#options;
    const agents = [...organization.unsaved];
    const saved = this.#savedOf(organization);
    let kept = 0;
    for (let at = 0; at < agents.length; at += LIMITS.positionsPerStep) {
      const step = agents.slice(at, at + LIMITS.positionsPerStep);
      for (const agent of step) organization.unsaved.delete(agent);
      try {
        kept = await store.save(organization.organizationId, step);
      } catch (error) {
        for (const agent of step) if (organization.agents.has(agent.agentId)) organization.unsaved.add(agent);
        throw error;
      }
      for (const { agentId } of step) saved.add(agentId);
      await new Promise<void>((resolve) => this.#options.scheduler.soon(resolve));
    }
    if (kept >= saved.size) return;
    saved.clear();
    organization.saveAllAgain();
  }

  /** Saves what is unsaved, behind what is being saved of the organization. Never throws. */
  saveBehind(organization: OrgPositions): void {
    const saving = this.#saving.get(organization);
    if (saving) void saving.then(() => this.save(organization));
    else this.save(organization);
  }

  /** Saves once more what is unsaved, behind what is being saved. Never rejects. */
  async saveLast(organizations: Iterable<OrgPositions>): Promise<void> {
    await Promise.all(this.#saving.values());
    for (const organization of organizations) this.save(organization);
    await Promise.all(this.#saving.values());
  }

  /** Never rejects: what stays expires, and the deletion of the organization's data removes it, too. */
  forget(organizationId: number): void {
    this.#options.store.forget(organizationId).catch((error: unknown) => this.#outage.failed(error));
  }

  #savedOf(organization: OrgPositions): Set<number> {
    const known = this.#saved.get(organization);
    if (known) return known;
    const saved = new Set<number>();
    this.#saved.set(organization, saved);
    return saved;
  }
}
