/** What a customer says of a task, as it is kept. */
export interface TaskRating {
  readonly score: number;
  readonly comment: string | null;
  readonly at: string;
}
