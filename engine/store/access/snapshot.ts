/**
 * Whether a query showed the commit of a transaction. `snapshot` is the query's, as Postgres writes it:
 * `xmin:xmax:xip`. Every transaction below xmax had ended, except those in xip. Both belong to one run of Postgres.
 */
export function isVisible(xid: string, snapshot: string): boolean {
  const [, xmax, running] = snapshot.split(':');
  return BigInt(xid) < BigInt(xmax!) && !running!.split(',').includes(xid);
}
