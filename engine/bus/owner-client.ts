import { Pool } from 'undici';
import type { Answer } from '../../schema/commands.ts';
import { type ErrorCode, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type OwnerCommand, type OwnerRequest, parseAnswer } from '../../schema/owner-command.ts';
import type { Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { shardOf } from '../runtime/shard-of.ts';
import type { Owners } from '../store/cluster/owner-store.ts';

export interface OwnerClientOptions {
  readonly readOwners: () => Promise<Owners>;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** The command did not reach the owner; the present owner may accept it. */
const ELSEWHERE = Symbol('elsewhere');

/** Errors of connections that could not be opened: nothing was sent. */
const UNOPENED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Sends commands to the process that owns an organization. Postgres knows the owner; a read owner counts until it
 * cannot be reached or denies it, and is then read once more.
 */
export class OwnerClient {
  readonly #options: OwnerClientOptions;
  readonly #pools = new Map<string, Pool>();
  #owners: Owners | undefined;
  #reading: Promise<Owners> | undefined;
  #asking = 0;

  constructor(options: OwnerClientOptions) {
    this.#options = options;
  }

  /**
   * Asks the owner. Never rejects: a failure is a coded refusal, as of the engine (503 NOT_OWNER, OVERLOADED,
   * UNAVAILABLE when Postgres is away), and OUTCOME_UNKNOWN when the answer was lost or took too long.
   */
  async ask(organizationId: number, command: OwnerCommand): Promise<Answer> {
    if (this.#asking >= LIMITS.ownerCommandsAtOnce) return refused('OVERLOADED');
    this.#asking += 1;
    try {
      const owners = this.#owners ?? (await this.#read(undefined));
      const first = await this.#send(owners, { organizationId, command });
      if (first !== ELSEWHERE) return first;
      const second = await this.#send(await this.#read(owners), { organizationId, command });
      return second === ELSEWHERE ? refused('NOT_OWNER') : second;
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the owners of shards could not be read');
      return refused('UNAVAILABLE');
    } finally {
      this.#asking -= 1;
    }
  }

  /** Reads the owners before the first command. Rejects while Postgres is away. */
  async prepare(): Promise<void> {
    await this.#read(this.#owners);
  }

  async stop(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** The owners, read later than those that turned out to be wrong. */
  async #read(wrong: Owners | undefined): Promise<Owners> {
    if (this.#owners !== wrong) return this.#owners!;
    this.#reading ??= this.#options.readOwners().finally(() => {
      this.#reading = undefined;
    });
    const owners = await this.#reading;
    this.#owners = owners;
    this.#closeAllBut(new Set(owners.addresses.values()));
    return owners;
  }

  #closeAllBut(addresses: ReadonlySet<string>): void {
    for (const [address, pool] of this.#pools) {
      if (addresses.has(address)) continue;
      this.#pools.delete(address);
      pool.close().catch((error) => this.#options.log.debug({ err: error, address }, 'connections did not close well'));
    }
  }

  async #send({ secret, addresses }: Owners, request: OwnerRequest): Promise<Answer | typeof ELSEWHERE> {
    const address = addresses.get(shardOf(request.organizationId));
    if (address === undefined) return ELSEWHERE;
    const patience = new AbortController();
    const cancel = this.#options.scheduler.after(LIMITS.ownerAnswerMs, () => patience.abort());
    try {
      const { statusCode, body } = await this.#poolOf(address).request({
        method: 'POST',
        path: '/commands',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal: patience.signal,
      });
      if (statusCode === 200) return answerOf(await body.json());
      await body.dump();
      // The gateway of another database may have taken the port over: it does not know us.
      if (statusCode === 404) return ELSEWHERE;
      throw new Error(`the owner answered ${statusCode}`);
    } catch (error) {
      if (UNOPENED.has((error as { code?: string }).code ?? '')) return ELSEWHERE;
      const { organizationId } = request;
      this.#options.log.warn({ err: error, organizationId, address }, 'an owner did not answer');
      return refused('OUTCOME_UNKNOWN');
    } finally {
      cancel();
    }
  }

  #poolOf(address: string): Pool {
    let pool = this.#pools.get(address);
    if (!pool) {
      pool = new Pool(`http://${address}`, {
        connections: LIMITS.ownerConnections,
        connect: { timeout: LIMITS.ownerConnectMs },
        keepAliveTimeout: LIMITS.ownerKeepAliveMs,
        maxResponseSize: LIMITS.ownerAnswerBytes,
      });
      this.#pools.set(address, pool);
    }
    return pool;
  }
}

function answerOf(json: unknown): Answer | typeof ELSEWHERE {
  const answer = parseAnswer(json);
  if (!answer) throw new Error('the owner answered something else than an answer');
  return !answer.ok && answer.refusal.code === 'NOT_OWNER' ? ELSEWHERE : answer;
}

function refused(code: ErrorCode): Answer {
  return { ok: false, refusal: refusal(code) };
}
