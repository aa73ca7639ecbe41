import type { AgentOfTask, AgentRecord } from '../../../../schema/fleet/agent.ts';
import { type Basis, evictOldest, type Live, READ } from '../live.ts';
import { RecencyMap } from '../recency-map.ts';

/**
 * The agents in memory: whole, or as far as tasks show them until somebody wants the rest. Only a whole one changes, so
 * that a part is never older than the whole. Their addresses never change.
 */
export class AgentBook {
  readonly #agents = new RecencyMap<number, Live<AgentOfTask | AgentRecord>>();
  readonly #idByEmail = new Map<string, number>();
  #takenEmails: ReadonlySet<string> = new Set();

  /** An agent of which everything is here. */
  find(id: number): AgentRecord | undefined {
    const agent = this.#agents.get(id)?.record;
    return agent && 'version' in agent ? agent : undefined;
  }

  findShown(id: number): AgentOfTask | undefined {
    return this.#agents.get(id)?.record;
  }

  basisOf(id: number): Basis | undefined {
    return this.#agents.get(id);
  }

  /** Whether a user of any organization is known to have this address. */
  isEmailTaken(email: string): boolean {
    const wanted = email.toLowerCase();
    return this.#idByEmail.has(wanted) || this.#takenEmails.has(wanted);
  }

  put(agent: AgentOfTask, { ticket, sequence }: Basis): void {
    this.#agents.set(agent.id, { record: agent, ticket, sequence });
    if (agent.email !== null) this.#idByEmail.set(agent.email.toLowerCase(), agent.id);
  }

  /** The sequence of the agent's last event. */
  tell(id: number, sequence: number): void {
    this.put(this.findShown(id)!, { ticket: this.#agents.get(id)!.ticket, sequence });
  }

  /** Adds agents that were read, unless memory has them: it is newer or the same. */
  absorb(agents: readonly AgentRecord[], takenEmails: readonly string[]): void {
    for (const agent of agents) if (!this.find(agent.id)) this.put(agent, READ);
    this.#takenEmails = new Set(takenEmails);
  }

  absorbShown(agent: AgentOfTask | null): void {
    if (agent && !this.#agents.has(agent.id)) this.put(agent, READ);
  }

  /** Lets those go that no task in memory has; `agentIdsInUse` is asked for only when there are too many. */
  evict(bound: number, durableTicket: number, agentIdsInUse: () => ReadonlySet<number | null>): void {
    if (this.#agents.size <= bound) return;
    const inUse = agentIdsInUse();
    const forget = ({ record: { email } }: Live<AgentOfTask>) => this.#idByEmail.delete(email?.toLowerCase() ?? '');
    evictOldest(this.#agents, bound, durableTicket, forget, (id) => inUse.has(id));
  }
}
