/**
 * Named places where a test may make the process misbehave. Nothing is armed unless the environment
 * says so, and a production start refuses an armed process (see config).
 */
export const FAULT_POINTS = [
  'before-commit-send',
  'after-commit-send',
  'after-commit-before-reply',
  'after-takeover-before-load',
  'after-round-view',
  'after-round-plan',
  /** The owner has decided, and its answer is lost. */
  'after-proposal',
  'before-provider-call',
  'after-provider-call',
  'after-provider-report',
  'before-notices-made',
  'after-notices-made',
  'before-notice-sent',
  /** Its outcome is known here alone. */
  'after-notice-sent',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

export type FaultPoints = (point: FaultPoint) => void;

const noFaults: FaultPoints = () => {};

/** `armed`: `point:n` kills the process, as kill -9 would, at the n-th passage of the point. */
export function armFaultPoints(armed: string | undefined): FaultPoints {
  if (!armed) return noFaults;
  const [wanted, count] = armed.split(':');
  let passagesLeft = Number(count ?? 1);
  return (point) => {
    if (point !== wanted) return;
    passagesLeft -= 1;
    if (passagesLeft <= 0) process.kill(process.pid, 'SIGKILL');
  };
}
