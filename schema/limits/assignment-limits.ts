/** The bounds of searches, offers and rounds; part of LIMITS. */
export const ASSIGNMENT_LIMITS = {
  /** Requests that a round of broadcasts makes; the tasks that are left are in the next one. */
  broadcastOffers: 5_000,
  /** Agents asked at once by a broadcast: each request travels with its task until it is answered. */
  broadcastAgents: 50,
  /** Offers of one proposal; what else a round found goes in further ones. */
  proposedOffers: 200,
  /** How long before its time the search for a scheduled task may begin: a week. */
  leadMinutes: 10_080,
  /** Tasks of one round; the others are next. */
  roundTasks: 5_000,
  /** Agents of one round. */
  roundAgents: 10_000,
  /**
   * Open tasks of these agents that a round knows; beyond it some agents look freer than they are, and their actors
   * judge again.
   */
  roundCarried: 50_000,
  /** Rows of the last rounds that a process keeps, of all organizations, so as not to read them again; about 1 kB each. More than any one round has. */
  roundRowsKept: 100_000,
  /** So many tasks of one agent are on the way that is followed. */
  routeTasks: 50,
  /** How long an order waits for its preferred agent to be free. */
  preferredPatienceMs: 600_000,
  /** An agent that waits so long at its next stop may do something else before. */
  roomyWaitMs: 600_000,
  /** Rounds under way in one process, each of another organization, and their connections to Postgres. */
  roundsAtOnce: 4,
  roundConnections: 6,
  /** Between two rounds of an organization, which is also left alone for as long as the last one took. */
  roundPauseMs: 50,
  /** After a round that failed. */
  roundRetryMs: 1_000,
  /** How long before the end of a window its round begins at most, if the last one took so long. */
  roundLeadMs: 100,
  /**
   * A round begins so long before the first end of a search at the latest, and by the duration of the last one earlier: time
   * to wait for a place and for a turn that a dead process has. Windows that are no longer never wait for less.
   */
  roundBeforeEndMs: 2_000,
  /** The longest time until a commit is heard of, as far as its window is concerned: clocks may differ. */
  roundHeardMs: 100,
  /** The longest rest of an organization whose rounds find nobody while nothing happens that could help. */
  roundRestMs: 15_000,
  /** At most so often a round is made only because agents have moved, or the log has and nobody told what for. */
  roundMovesMs: 2_000,
  /** An organization that rests and is not heard of for so long after that has no searching task. */
  roundForgetMs: 5_000,
  /** A process that has not ended its round by then may have died: another one begins. */
  roundTurnMs: 1_000,
  /** Our patience with Redis for a round. */
  roundPositionsMs: 2_000,
  /** Orders times agents of a round that is planned beside other work; a larger one has a thread of its own. */
  roundPairsInTurn: 90_000,
  /** Where the CPU is short, requests come first: the niceness of the workers, and of that thread. */
  workersNiceness: 5,
  planningNiceness: 10,
  /** Rounds that wait for that thread, and how long one may take there. */
  roundsInThread: 16,
  roundPlanMs: 30_000,
  /** Tasks of one preview. */
  previewTasks: 500,
  /** Previews under way in one process, those that wait, and for how long; each reads as much as a round does. */
  previewsAtOnce: 2,
  previewsWaiting: 32,
  previewsWaitingOfOne: 4,
  previewPatienceMs: 5_000,
  /** As roundPairsInTurn: less, since requests wait for the same turn. */
  previewPairsInTurn: 10_000,
  /** Asked so long before it is free, an agent has answered by then. */
  answerLeadMs: 10_000,
  /** How long an order waits for an agent who is busy before it is given to it in advance. */
  holdMs: 60_000,
  /** Candidates whose reasons are kept one by one when a task finds nobody. */
  passedOverShown: 10,
  /** Agents that declined a task, or let its offer expire, in one search; with so many it ends. */
  declinedAgents: 200,
  /** So long before its end a search keeps the candidates of each round: more than the longest rest between two rounds. */
  searchEndsSoonMs: 20_000,
  /** Why nobody was found is noted so often at most. */
  searchNoteMs: 30_000,
  /** Requests that have been answered are kept so long; who was asked stays in the history of the task. */
  requestRetentionDays: 90,
  /** Answered requests that an actor remembers, so that late answers cost no query. */
  requestsInMemory: 10_000,
  /** Shifts of an agent, and breaks of one of them. */
  shiftsPerAgent: 400,
  breaksPerShift: 20,
  /** Shifts that ended longer ago leave with the next change of the agent's shifts. */
  shiftsKeptMs: 31 * 86_400_000,
  /** Tasks of an agent's schedule that are shown; more than rounds ever give to one. */
  scheduledItems: 1_000,
  /** Agents whose open tasks an actor knows. */
  agentLoads: 20_000,
  /** Tasks for which external couriers are called in one round; the others are next. */
  courierJobs: 100,
  /** How long a company's courier is booked before a task has it: a round and its command take far less. */
  courierBookingMs: 60_000,
  /** How often courier companies get the list of cancelled jobs. */
  courierNewsMs: 2_000,
  /** Vehicles of an organization's fleet, and what they may have to do in all. */
  fleetVehicles: 50,
  fleetJobs: 1_000,
  /** How often the books of a fleet are read again since somebody else has written into them. */
  fleetAttempts: 10,
} as const;
