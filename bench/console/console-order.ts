/** The order for the consoles without a screen, a process of its own. */
export interface ConsoleOrder {
  readonly baseUrl: string;
  /** Their users, in turn: one user has at most a hundred streams. */
  readonly logins: readonly { readonly email: string; readonly password: string }[];
  readonly consoles: number;
  /** So many of them have the program of the console's worker; of the others the streams are read. */
  readonly programs: number;
  /** Every console has to be live by then. The load begins after that. */
  readonly warmUpSeconds: number;
  /** From the beginning of the load until the window. */
  readonly settlingSeconds: number;
  readonly seconds: number;
}

export interface ConsoleOutcome {
  /** Until every console had its snapshot and its stream. */
  readonly openedInSeconds: number;
  /** Inside the window, of one console. */
  readonly events: number;
  readonly positions: number;
  /** From the commit until the console had applied it, over all consoles. */
  readonly lagP50Ms: number;
  readonly lagP95Ms: number;
  /** Consoles that were cut off inside the window. */
  readonly cut: number;
  /** The least that a stream got that is only read. */
  readonly leastBytes: number;
  readonly mostBytes: number;
  /** Consoles that do not hold the same open tasks as the first one at the end. */
  readonly different: number;
}
