import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import type { WorkShift, WorkSpan } from '../../../schema/fleet/shift.ts';

/** ISO times sort as text. */
const holds = ({ startsAt, endsAt }: WorkSpan, at: string) => startsAt <= at && at < endsAt;

/** The shift that an agent works at this time. */
function shiftAt(shifts: readonly WorkShift[], at: string): WorkShift | undefined {
  return shifts.find((shift) => holds(shift, at));
}

/** Whether an agent may be asked at this time, as far as its shifts say; one without any is bound by duty alone. */
export function mayWorkAt({ shifts }: Pick<AgentRecord, 'shifts'>, at: string): boolean {
  if (shifts === null) return true;
  const shift = shiftAt(shifts, at);
  return shift !== undefined && !shift.breaks.some((pause) => holds(pause, at));
}

/** The fields of an agent that follow from its shifts at this time. */
export function shiftFieldsOf(
  shifts: readonly WorkShift[] | null,
  at: string,
): Pick<AgentRecord, 'shifts' | 'offDutyAt' | 'deadlineAt'> {
  if (shifts === null || shifts.length === 0) return { shifts: null, offDutyAt: null, deadlineAt: null };
  let deadlineAt: string | null = null;
  for (const { startsAt, endsAt, breaks } of shifts) {
    for (const time of [startsAt, ...breaks.map((pause) => pause.endsAt), endsAt])
      if (time > at && (deadlineAt === null || time < deadlineAt)) deadlineAt = time;
  }
  return { shifts, offDutyAt: shiftAt(shifts, at)?.endsAt ?? null, deadlineAt };
}

/** The spans that start in [from, to). */
export function startingIn<T extends WorkSpan>(spans: readonly T[] | null, from?: string, to?: string): T[] {
  return (spans ?? []).filter(
    ({ startsAt }) => (from === undefined || from <= startsAt) && (to === undefined || startsAt < to),
  );
}
