import { Pool } from 'undici';
import type { Answer } from '../../schema/commands.ts';
import { type ErrorCode, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type OwnerCommand, type OwnerRequest, parseAnswer } from '../../schema/owner-command.ts';
import type { Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { shardOf } from '../runtime/shard-of.ts';
import type { Owners } from '../store/cluster/owner-store.ts';
import type { KnownPosition } from '../store/positions/position-store.ts';
import { unpackPositions } from './packed-positions.ts';

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
      const answer = await this.#askOwner(async (owners) => {
        try {
          return await this.#post(owners, '/commands', { organizationId, command }, answerOf);
        } catch (error) {
          this.#options.log.warn({ err: error, organizationId }, 'an owner did not answer');
          return refused('OUTCOME_UNKNOWN');
        }
      });
      return answer === ELSEWHERE ? refused('NOT_OWNER') : answer;
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the owners of shards could not be read');
      return refused('UNAVAILABLE');
    } finally {
      this.#asking -= 1;
    }
  }

  /**
   * The positions in the owner's memory; undefined when there is no owner, or one of a release that cannot say. Rejects
   * when the owner does not answer, and while Postgres is away.
   */
  async positions(organizationId: number): Promise<readonly KnownPosition[] | undefined> {
    const found = await this.#askOwner((owners) =>
      this.#post(owners, '/positions', { organizationId }, unpackPositions),
    );
    return found === ELSEWHERE ? undefined : found;
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

  /** Tries the owner as it is known, and once more as Postgres names it now. */
  async #askOwner<T>(send: (owners: Owners) => Promise<T | typeof ELSEWHERE>): Promise<T | typeof ELSEWHERE> {
    const owners = this.#owners ?? (await this.#read(undefined));
    const first = await send(owners);
    return first === ELSEWHERE ? send(await this.#read(owners)) : first;
  }

  /** Rejects when the answer is lost, takes too long or cannot be read. */
  async #post<T>(
    { secret, addresses }: Owners,
    path: string,
    request: OwnerRequest | Pick<OwnerRequest, 'organizationId'>,
    read: (body: Buffer) => T,
  ): Promise<T | typeof ELSEWHERE> {
    const address = addresses.get(shardOf(request.organizationId));
    if (address === undefined) return ELSEWHERE;
    const patience = new AbortController();
    const cancel = this.#options.scheduler.after(LIMITS.ownerAnswerMs, () => patience.abort());
    try {
      const { statusCode, body } = await this.#poolOf(address).request({
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal: patience.signal,
      });
      if (statusCode === 200) return read(Buffer.from(await body.arrayBuffer()));
      await body.dump();
      // The gateway of another database may have taken the port over: it does not know us.
      if (statusCode === 404) return ELSEWHERE;
      throw new Error(`the owner at ${address} answered ${statusCode}`);
    } catch (error) {
      if (UNOPENED.has((error as { code?: string }).code ?? '')) return ELSEWHERE;
      throw error;
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

function answerOf(body: Buffer): Answer | typeof ELSEWHERE {
  const answer = parseAnswer(JSON.parse(body.toString()));
  if (!answer) throw new Error('the owner answered something else than an answer');
  return !answer.ok && answer.refusal.code === 'NOT_OWNER' ? ELSEWHERE : answer;
}

function refused(code: ErrorCode): Answer {
  return { ok: false, refusal: refusal(code) };
}
