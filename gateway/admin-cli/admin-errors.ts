/** What a command is refused with: shown as it is, exit code 1. */
export class RefusedError extends Error {}

/** Something typed that is not understood: shown with what would do, exit code 2. */
export class UsageError extends Error {}
