/** A start that cannot go on for a reason the operator can act on: shown as its message alone, without a stack. */
export class LaunchError extends Error {}
