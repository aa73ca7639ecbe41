import { useEffect, useState } from 'preact/hooks';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { isEditable } from '../actions/dialog-state.ts';
import { EditTask } from '../actions/edit-task.tsx';
import { rowOf } from '../actions/selection.ts';
import { TaskButtons } from '../actions/task-buttons.tsx';
import { shownStatusOf } from '../live/shown-status.ts';
import { edits } from '../page/edit.ts';
import { agoOf, spanOf, timeOf } from '../page/format.ts';
import { callApi, paymentNews, task } from '../page/link.ts';
import { nowMs, taskId } from '../page/state.ts';
import { olderTask, openTask } from '../records/open-task.ts';
import { text } from '../text/english.ts';
import { couriersText } from '../text/english-couriers.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { StatusChip } from '../ui/status.tsx';
import { TaskHistory } from './task-history.tsx';
import { ReceiptLink, TaskPayments } from './task-payments.tsx';
import { TaskProofs } from './task-proofs.tsx';

const { panel: words } = text;
const { day } = couriersText;

export function TaskPanel() {
  const id = taskId.value;
  const held = task.value;
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    olderTask.value = null;
    setMissing(false);
    if (id === null || held !== null) return;
    // The worker holds open tasks and those of today; the API has every task.
    let isCurrent = true;
    void callApi<TaskView>({ method: 'GET', path: `/tasks/${id}` }).then((answer) => {
      if (!isCurrent) return;
      if (answer.ok) olderTask.value = answer.data;
      else setMissing(true);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, held === null]);
  if (id === null) return null;
  const shown = openTask.value;
  return (
    <aside class="panel" tabIndex={-1} aria-label={words.label}>
      <Button
        kind="quiet"
        icon="close"
        label={words.close}
        onClick={() => {
          taskId.value = null;
        }}
      />
      {shown ? <Shown task={shown} /> : <Coming id={id} say={isMissing ? words.missing : words.loading} />}
    </aside>
  );
}

/** A task that the worker is asked for: its row is here already, so that the panel answers the key at once. */
function Coming({ id, say }: { readonly id: number; readonly say: string }) {
  const row = rowOf(id);
  return (
    <>
      {row && (
        <header>
          <p class="code">{row.code}</p>
          <h2 dir="auto">{row.name}</h2>
        </header>
      )}
      <p class="say">{say}</p>
    </>
  );
}

function Shown({ task: shown }: { readonly task: TaskView }) {
  const edit = edits.value.get(shown.id);
  return edit && isEditable(shown) ? <EditTask key={shown.id} task={shown} edit={edit} /> : <Details task={shown} />;
}

function Details({ task: shown }: { readonly task: TaskView }) {
  const isOpen = shown.status !== 'completed' && shown.status !== 'cancelled';
  const news = paymentNews.value;
  return (
    <>
      <header>
        <p class="code">{shown.code}</p>
        <h2 dir="auto">{shown.name}</h2>
        <p class="chips">
          <StatusChip status={shownStatusOf(shown)} />
          {shown.isDelayed && isOpen && (
            <span class="status-chip late">
              <Icon name="clock" />
              {text.time.late(spanOf(nowMs.value - Date.parse(shown.dueAt)))}
            </span>
          )}
          <span class="soft">{text.taskType[shown.taskType]}</span>
        </p>
        <SearchState task={shown} />
        {shown.failureReason && (
          <p class="say" dir="auto">
            {shown.failureReason}
          </p>
        )}
      </header>
      <TaskButtons task={shown} />
      <dl class="facts">
        <People task={shown} />
        <Places task={shown} />
        <Times task={shown} />
        <Rest task={shown} />
      </dl>
      <Links task={shown} />
      {shown.packages.length > 0 && <Packages task={shown} />}
      <TaskProofs taskId={shown.id} version={shown.updatedAt} />
      <TaskPayments task={shown} version={`${shown.updatedAt} ${news}`} />
      <TaskHistory taskId={shown.id} version={`${shown.updatedAt}${shown.status}${shown.etaAt} ${news}`} />
    </>
  );
}

/** The reason why a search waits, or why it has ended without a courier. */
function SearchState({ task: { status, search, autoAssignmentFailureReason } }: { readonly task: TaskView }) {
  const isUnassigned = status === 'new' || status === 'awaiting_assignment';
  const why = search ? (search.reason ?? search.waitsFor) : isUnassigned && autoAssignmentFailureReason;
  return why ? <p class="say">{text.search[why] ?? why}</p> : null;
}

function Fact({
  name,
  value,
  detail,
}: {
  readonly name: string;
  readonly value: string | null | undefined;
  readonly detail?: string | null | undefined;
}) {
  if (!value) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
        {detail && (
          <span class="soft" dir="auto">
            {detail}
          </span>
        )}
      </dd>
    </div>
  );
}

type User = {
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: string | null;
  readonly countryCode: string | null;
};
const fullName = ({ firstName, lastName }: User) => `${firstName} ${lastName}`.trim();
const phoneOf = ({ countryCode, phoneNumber }: User) => phoneNumber && `${countryCode ?? ''} ${phoneNumber}`.trim();

function People({ task: { customer, contact, agent, courier } }: { readonly task: TaskView }) {
  return (
    <>
      {customer && <Fact name={words.customer} value={fullName(customer.user)} detail={phoneOf(customer.user)} />}
      {contact && <Fact name={words.contact} value={contact.name} detail={contact.phone} />}
      {agent ? (
        <Fact name={words.courier} value={fullName(agent.user)} detail={phoneOf(agent.user)} />
      ) : (
        <Fact name={words.courier} value={courier?.name ?? words.nobody} detail={courier?.provider} />
      )}
    </>
  );
}

function Places({ task: { location, pickupLocation } }: { readonly task: TaskView }) {
  const inside = (place: NonNullable<TaskView['location']>) =>
    [place.building, place.floor, place.apartment].filter(Boolean).join(', ');
  return (
    <>
      {pickupLocation && <Fact name={words.pickup} value={pickupLocation.address} detail={inside(pickupLocation)} />}
      {location && <Fact name={words.dropOff} value={location.address} detail={inside(location)} />}
    </>
  );
}

function Times({ task: shown }: { readonly task: TaskView }) {
  const at = (time: string | null) => time && timeOf(Date.parse(time));
  const due = Date.parse(shown.dueAt);
  const isOpen = shown.status !== 'completed' && shown.status !== 'cancelled';
  const left = due > nowMs.value ? text.time.in(spanOf(due - nowMs.value)) : null;
  return (
    <>
      <Fact name={words.due} value={timeOf(due)} detail={isOpen ? left : null} />
      <Fact name={words.window} value={windowOf(at(shown.windowStart), at(shown.windowEnd))} />
      <Fact name={words.scheduled} value={at(shown.scheduledAt)} />
      <Fact
        name={words.pickupEta}
        value={isOpen && !shown.pickupArrivedAt && !shown.pickedUpAt ? at(shown.pickupEtaAt) : null}
      />
      <Fact name={words.pickupArrived} value={at(shown.pickupArrivedAt)} />
      <Fact name={words.pickedUp} value={at(shown.pickedUpAt)} />
      <Fact name={words.eta} value={isOpen && !shown.arrivedAt ? at(shown.etaAt) : null} />
      <Fact
        name={words.arrived}
        value={at(shown.arrivedAt)}
        detail={shown.arrivedAt && isOpen ? agoOf(Date.parse(shown.arrivedAt)) : null}
      />
    </>
  );
}

function windowOf(from: string | null, until: string | null): string | null {
  if (from && until) return `${from} – ${until}`;
  return (from && day.from(from)) || (until && day.until(until));
}

function Rest({ task: shown }: { readonly task: TaskView }) {
  return (
    <>
      <Fact name={words.amount} value={shown.amount && `${shown.amount} ${shown.currency ?? ''}`} />
      <Fact name={words.skills} value={shown.requiredSkills.join(', ')} />
      <Fact name={words.description} value={shown.description} />
      <Fact name={words.notes} value={shown.notes} />
      {shown.rating && <Fact name={words.rating} value={`${shown.rating.score} / 5`} detail={shown.rating.comment} />}
    </>
  );
}

function Links({ task: shown }: { readonly task: TaskView }) {
  const open = (id: number) => () => {
    taskId.value = id;
  };
  return (
    <div class="links">
      <a href={shown.trackingUrl} target="_blank" rel="noreferrer">
        {words.tracking} <Icon name="external" />
      </a>
      <ReceiptLink task={shown} />
      {shown.previousTaskId !== null && (
        <button type="button" class="link" onClick={open(shown.previousTaskId)}>
          {words.previous}
        </button>
      )}
      {shown.nextTaskId !== null && (
        <button type="button" class="link" onClick={open(shown.nextTaskId)}>
          {words.next}
        </button>
      )}
    </div>
  );
}

function Packages({ task: { packages } }: { readonly task: TaskView }) {
  return (
    <section class="packages">
      <h3>{words.packages}</h3>
      <ul>
        {packages.map((each) => (
          <li key={each.id}>
            <Icon name="package" />
            <span>
              {each.quantity > 1 && `${words.quantity(each.quantity)} `}
              <bdi>{each.name}</bdi>
              <span class="soft">
                {[each.weight && words.weight(each.weight), each.isFragile && words.fragile, each.barcode]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            <span class="soft">{text.packageStatus[each.status]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
