/**
 * Whether a query showed what a transaction has committed. `snapshot` is that query's, as Postgres writes it:
 * `xmin:xmax:xip`, where all below xmax had ended but for those in xip. Both are of one run of Postgres.
 */
export function isVisible(xid: string, snapshot: string): boolean {
  const [, xmax, running] = snapshot.split(':');
  return BigInt(xid) < BigInt(xmax!) && !running!.split(',').includes(xid);
}
