import { hash, verify } from '@node-rs/argon2';
import { type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { networkOf } from '../guards/network-of.ts';

/** Too many passwords wait to be hashed, in all or from one network; nothing was judged. */
export class Overcrowded extends Error {
  readonly refusal: Refusal = refusal('RATE_LIMITED', 'Too many passwords are being checked; try again', {
    retryAfterSeconds: 1,
  });
}

export interface PasswordHasher {
  /** Both reject with Overcrowded when their turn would be too far off. `address`: of the client that makes the work. */
  hash(password: string, address: string | null): Promise<string>;
  /** Without a hash, or with another one, it takes as long, and is false. */
  verify(password: string, hashed: string | undefined, address: string | null): Promise<boolean>;
}

/** Of argon2id, the library's default: OWASP's minimum, 19 MiB and two passes. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of nothing: salt and digest are random bytes. Its parameters are those above, so that it takes the same time. */
const DECOY = '$argon2id$v=19$m=19456,t=2,p=1$sKVEllLpm+S1OjB32ynNZg$B+ox0RwgrBj67JAUlYa0pBUM5vQN8rmz7X3VGdRb7B0';

/**
 * Hashes passwords, a few at a time and off the event loop. Those that wait are taken in turn by network, and no network
 * may have more than a few waiting, so that a flood from one leaves the others their turn.
 */
export function createPasswordHasher(): PasswordHasher {
  const queue = new FairQueue();
  return {
    hash: (password, address) => queue.run(networkOf(address ?? ''), () => hash(password, PARAMETERS)),
    async verify(password, hashed, address) {
      const isRight = await queue.run(networkOf(address ?? ''), () => verify(hashed ?? DECOY, password));
      return isRight && hashed !== undefined;
    },
  };
}

/** Runs work, `passwordHashes` at a time; what waits is taken round robin over the networks. */
class FairQueue {
  /** The next network is the first one. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;
  #length = 0;

  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    if (this.#running >= LIMITS.passwordHashes) await this.#turn(network);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#handOver();
    }
  }

  #turn(network: string): Promise<void> {
    const line = this.#waiting.get(network) ?? [];
    if (this.#length >= LIMITS.passwordQueue || line.length >= LIMITS.passwordQueuePerAddress) throw new Overcrowded();
    this.#length += 1;
    return new Promise((resolve) => {
      line.push(resolve);
      this.#waiting.set(network, line);
    });
  }

  /** The place of what has finished goes to whoever is next. */
  #handOver(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [network, line] = next;
    const begin = line.shift()!;
    this.#waiting.delete(network);
    if (line.length > 0) this.#waiting.set(network, line);
    this.#length -= 1;
    begin();
  }
}
