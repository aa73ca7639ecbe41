import { LIMITS } from '../../schema/limits.ts';

/** Which shard an organization belongs to: the same answer in every process, for ever. */
export function shardOf(organizationId: number): number {
  // Fibonacci hashing spreads ids that come in sequence evenly.
  const low = Math.imul((organizationId % 0x1_0000_0000) | 0, 0x9e3779b1);
  const high = Math.imul(Math.floor(organizationId / 0x1_0000_0000), 0x85ebca6b);
  return ((low ^ high) >>> 24) % LIMITS.shards;
}
