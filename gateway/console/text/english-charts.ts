const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** The texts of the charts. */
export const chartsText = {
  loading: 'Reading the log',
  since: (time: string, at: string) =>
    `Since ${time}, until ${at}. Read from the log of events, and again every few seconds.`,
  stands: (problem: string, time: string) => `${problem} The charts show ${time}.`,
  asTable: 'As a table',
  time: 'Time',
  newest: 'Newest',
  arrows: 'The arrow keys lead through the times.',
  nothing: '–',
  few: (number: number, things: string, least: number) =>
    `Too little to draw. A chart needs ${least} ${things}; so far: ${number}.`,
  perMinute: {
    title: 'Tasks a minute',
    made: 'Events task.created and task.status_changed, counted by the minute. A task ends completed, failed or cancelled.',
    things: 'tasks that came or ended',
    series: ['Came', 'Ended'],
    summary: (came: number, ended: number) => `${came.toLocaleString('en')} came, ${ended.toLocaleString('en')} ended.`,
  },
  toAssign: {
    title: 'Time to assign',
    made: 'From the creation of a task to the moment a courier had it, in steps of 5 minutes. Scheduled tasks are left out.',
    things: 'tasks that found a courier',
    series: ['Half within', '9 of 10 within'],
    summary: (number: number) => `${count(number, 'task', 'tasks')} found a courier.`,
  },
  onTime: {
    title: 'On time',
    made: 'The share of the tasks that succeeded without being late, in steps of 5 minutes.',
    things: 'tasks that succeeded',
    series: ['On time'],
    summary: (share: number, number: number) => `${Math.round(share)} % of ${count(number, 'task', 'tasks')}.`,
  },
  open: {
    title: 'Open tasks by status',
    made: 'The tasks that are open now, and the events that led to them, at the end of each minute.',
    bands: { unassigned: 'Unassigned', assigned: 'Assigned', accepted: 'Accepted', in_transit: 'On its way' },
    summary: (number: number) => `${count(number, 'task is', 'tasks are')} open now.`,
  },
  webhooks: {
    title: 'Webhook success',
    made: (most: number) => `The newest deliveries of each webhook, at most ${most}.`,
    more: (number: number) => `Show ${number} more`,
    none: 'There is no webhook. An administrator adds one in the settings.',
    noDelivery: 'No delivery yet.',
    endpoint: 'Webhook',
    share: 'Success',
    succeeded: 'Succeeded',
    failed: 'Failed',
    pending: 'Waiting',
    since: 'Since',
  },
  percent: (share: number) => `${Math.round(share)} %`,
  seconds: (seconds: number) => {
    if (seconds < 90) return `${Math.round(seconds)} s`;
    // A minute more or less says something while there are few of them.
    return `${(seconds / 60).toLocaleString('en', { maximumFractionDigits: seconds < 600 ? 1 : 0 })} min`;
  },
};
