import { HttpPool } from '../load/http-pool.ts';

/** As many as the service has connections to Postgres. */
const CONNECTIONS = 10;

/** Publishes to nchan, to one channel for each organization. */
export class NchanPublisher {
  readonly #pool: HttpPool;
  readonly #path: string;

  /** Ends in a slash. */
  constructor(url: string) {
    const target = new URL(url);
    this.#pool = new HttpPool(target, CONNECTIONS);
    this.#path = target.pathname;
  }

  /** Rejects when nchan refused it. */
  async publish(organizationId: number, body: string): Promise<void> {
    const { status } = await this.#pool.ask({
      method: 'POST',
      path: `${this.#path}${organizationId}`,
      headers: {},
      body,
    });
    if (status !== 201 && status !== 202) throw new Error(`nchan answered ${status}`);
  }
}
