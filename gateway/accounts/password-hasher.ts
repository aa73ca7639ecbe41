import * as argon2 from '@node-rs/argon2';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { FairQueue } from '../fair-queue.ts';
import { networkOf } from '../guards/network-of.ts';

export interface PasswordHasher {
  /** Both reject with a RefusalError, RATE_LIMITED, when too many wait. `address`: of the client that makes the work. */
  hash(password: string, address: string | null): Promise<string>;
  /** Without a hash, or with another one, it takes as long, and is false. */
  verify(password: string, hashed: string | undefined, address: string | null): Promise<boolean>;
}

/** The parameters of argon2id, the library's default: OWASP's minimum, 19 MiB and two passes. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The hash of no password: salt and digest are random bytes. Its parameters are those above, so that it takes the same time. */
const DECOY = '$argon2id$v=19$m=19456,t=2,p=1$sKVEllLpm+S1OjB32ynNZg$B+ox0RwgrBj67JAUlYa0pBUM5vQN8rmz7X3VGdRb7B0';

/**
 * Hashes passwords, a few at a time and off the event loop. Waiting ones take turns by network, and each network may
 * have only a few waiting, so that a flood from one leaves the others their turn.
 */
export function createPasswordHasher({
  hash,
  verify,
}: Pick<typeof argon2, 'hash' | 'verify'> = argon2): PasswordHasher {
  const queue = new FairQueue({
    atOnce: LIMITS.passwordHashes,
    waiting: LIMITS.passwordQueue,
    waitingOfOne: LIMITS.passwordQueuePerAddress,
    full: () => refusal('RATE_LIMITED', 'Too many passwords are being checked; try again', { retryAfterSeconds: 1 }),
  });
  return {
    hash: (password, address) => queue.run(networkOf(address ?? ''), () => hash(password, PARAMETERS)),
    async verify(password, hashed, address) {
      const isRight = await queue.run(networkOf(address ?? ''), () => verify(hashed ?? DECOY, password));
      return isRight && hashed !== undefined;
    },
  };
}
