/**
 * The mark by which a row `alias` is recognized: under one mark it has one content. Every change raises the version of its
 * row; a change of a package raises that of its task in the same commit, and places never change. A restored database may
 * reach the same version another way, but not at the same time.
 */
export const markOf = (alias: string) => `${alias}.version || ' ' || date_part('epoch', ${alias}.updated_at)`;
