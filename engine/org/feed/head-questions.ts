import type { LogStore } from '../../store/log/event-log-store.ts';

interface Question {
  readonly organizationId: number;
  readonly resolve: (lastSequence: number) => void;
  readonly reject: (reason: unknown) => void;
}

/** How far logs reach: questions that come while another one is on its way go together in the next. */
export class HeadQuestions {
  readonly #store: Pick<LogStore, 'lastSequences'>;
  #waiting: Question[] = [];
  #isAsking = false;

  constructor(store: Pick<LogStore, 'lastSequences'>) {
    this.#store = store;
  }

  /** No older than the question; 0 for a log without events. Rejects when Postgres cannot be asked. */
  ask(organizationId: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ organizationId, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      try {
        const heads = await this.#store.lastSequences([...new Set(asked.map(({ organizationId }) => organizationId))]);
        for (const { organizationId, resolve } of asked) resolve(heads.get(organizationId) ?? 0);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#isAsking = false;
  }
}
