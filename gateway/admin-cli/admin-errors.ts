/** The refusal of a command: shown unchanged, exit code 1. */
export class RefusedError extends Error {}

/** Something typed that is not understood: shown with what would do, exit code 2. */
export class UsageError extends Error {}
