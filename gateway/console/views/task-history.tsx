import { useEffect, useState } from 'preact/hooks';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import { clockOf, timeOf } from '../page/format.ts';
import { callApi, couriers } from '../page/link.ts';
import { text } from '../text/english.ts';
import { evidence } from '../text/english-evidence.ts';
import { Button } from '../ui/controls.tsx';

const { history: words, panel } = text;

/** Every step of a task, the newest first. It is read again whenever the task or a payment of it changes. */
export function TaskHistory({ taskId, version }: { readonly taskId: number; readonly version: string }) {
  const [steps, setSteps] = useState<{ readonly of: number; readonly items: readonly HistoryStepView[] } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    void callApi<{ items: HistoryStepView[] }>({ method: 'GET', path: `/tasks/${taskId}/history` }).then((answer) => {
      if (!isCurrent) return;
      setFailed(!answer.ok);
      if (answer.ok) setSteps({ of: taskId, items: answer.data.items });
    });
    return () => {
      isCurrent = false;
    };
  }, [taskId, version, again]);
  return (
    <section class="history">
      <h3>{panel.history}</h3>
      {hasFailed && (
        <p class="say">
          {panel.historyFailed} <Button onClick={() => setAgain(again + 1)}>{panel.again}</Button>
        </p>
      )}
      {steps?.of !== taskId && !hasFailed && <p class="say">{panel.historyLoading}</p>}
      <ol>
        {steps?.of === taskId && [...steps.items].reverse().map((step) => <Step key={step.sequence} step={step} />)}
      </ol>
    </section>
  );
}

function Step({ step }: { readonly step: HistoryStepView }) {
  const at = Date.parse(step.at);
  const details = step.details ?? {};
  const passed = details['nearest'];
  return (
    <li class={step.kind === 'delayed' ? 'late' : ''}>
      <time dateTime={step.at} title={clockOf(at)}>
        {timeOf(at)}
      </time>
      <p>
        <strong>{titleOf(step)}</strong>
        <span class="soft" dir="auto">
          {[noteOf(step), words.by[step.actor.type]].filter(Boolean).join(' · ')}
        </span>
        {Array.isArray(passed) && passed.length > 0 && <PassedOver agents={passed as Passed[]} />}
      </p>
    </li>
  );
}

interface Passed {
  readonly agentId: number;
  readonly reason: string;
  readonly distanceM: number | null;
}

function PassedOver({ agents }: { readonly agents: readonly Passed[] }) {
  return (
    <span class="passed">
      {agents.slice(0, 5).map(({ agentId, reason, distanceM }) => (
        <span key={agentId}>
          {courierName(agentId)}: {words.passedReasons[reason] ?? reason}
          {distanceM !== null && `, ${text.metres(distanceM)}`}
        </span>
      ))}
    </span>
  );
}

function courierName(id: number): string {
  return couriers.value.find((courier) => courier.id === id)?.name ?? `${id}`;
}

function titleOf({ kind, toStatus, details }: HistoryStepView): string {
  if (kind === 'status_changed' && toStatus)
    return wasTakenBack(toStatus, details)
      ? words.takenBack
      : text.status[details?.['outcome'] === 'failed' ? 'failed' : toStatus]!;
  if (kind === 'assignment_request') return words.offers[String(details?.['status'])] ?? words.assignment_request;
  if (kind === 'arrived' && details?.['place'] === 'pickup') return words.arrivedAtPickup;
  if (kind === 'updated' && details?.['counts']) return words.noneFound;
  if (kind === 'payment') return evidence.paymentStep(details ?? {});
  if (kind === 'package_status_changed')
    return `${words.package_status_changed}: ${packageStatus(details?.['toStatus'])}`;
  return words[kind];
}

function wasTakenBack(toStatus: string, details: HistoryStepView['details']): boolean {
  return toStatus === 'awaiting_assignment' && (details?.['previousAgentId'] ?? details?.['previousCourierId']) != null;
}

function packageStatus(status: unknown): string {
  return text.packageStatus[status as keyof typeof text.packageStatus] ?? '';
}

/** The changed fields in words, each once. */
function changedFields(names: readonly unknown[]): string {
  return [...new Set(names.map((name) => words.fields[String(name)] ?? words.otherField))].join(', ');
}

function noteOf({ kind, reason, details }: HistoryStepView): string {
  const notes: string[] = [];
  const agent = details?.['agentId'];
  if (typeof agent === 'number') notes.push(words.to(courierName(agent)));
  const previous = details?.['previousAgentId'];
  if (typeof previous === 'number') notes.push(words.from(courierName(previous)));
  const eta = details?.['etaAt'];
  if (kind === 'eta_updated' && typeof eta === 'string') notes.push(timeOf(Date.parse(eta)));
  const changed = details?.['changed'];
  if (Array.isArray(changed) && !details?.['counts']) notes.push(changedFields(changed));
  const failure = details?.['failureReason'];
  if (typeof failure === 'string') notes.push(failure);
  const lateMinutes = details?.['lateMinutes'];
  if (typeof lateMinutes === 'number') notes.push(words.late(lateMinutes));
  const why = reason ?? details?.['reason'];
  if (typeof why === 'string') notes.push(text.search[why] ?? words.reasons[why] ?? why);
  return notes.join(' · ');
}
