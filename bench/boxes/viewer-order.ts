/** The order for the viewers, a process of its own. */
export interface ViewerOrder {
  /** The stream of the organization, without a query. */
  readonly url: string;
  readonly apiKey: string;
  readonly streams: number;
  /** Each comes back with another box every second. */
  readonly changesBoxes: boolean;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface ViewerOutcome {
  /** Over the whole run: streams that were let in. */
  readonly opened: number;
  /** Inside the window. */
  readonly messages: number;
  readonly bytes: number;
  /** Refusals and lost streams by kind, with the first of them. */
  readonly failures: Readonly<Record<string, number>>;
  readonly firstFailure: string | undefined;
}
