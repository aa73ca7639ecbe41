import { useEffect, useState } from 'preact/hooks';
import type { Courier } from '../live/protocol.ts';
import { agoOf } from '../page/format.ts';
import { callApi, courierPins, couriers, taskPins } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { text } from '../text/english.ts';
import { Dialog } from '../ui/dialog.tsx';
import { giveTo } from './act.ts';
import { closeDialog } from './dialog-state.ts';
import { nameOfOne } from './selection.ts';

const { picker: words } = text;

interface Plan {
  readonly offers: readonly {
    readonly agentId: number;
    readonly etaSeconds: readonly number[];
    readonly distanceM: number;
  }[];
  readonly unplanned: readonly { readonly nearest: readonly { readonly agentId: number; readonly reason: string }[] }[];
}

interface Choice {
  readonly courier: Courier;
  readonly metres: number | null;
  readonly planned: string | null;
  readonly passedOver: string | null;
}

/** Chooses a courier by name: the planned one first, then by the way to the task. */
export function CourierPicker({ ids }: { readonly ids: readonly number[] }) {
  const [find, setFind] = useState('');
  const [at, setAt] = useState(0);
  const { plan, fault } = usePlan(ids);
  const choices = choicesFor(ids, plan).filter(({ courier }) =>
    courier.name.toLowerCase().includes(find.trim().toLowerCase()),
  );
  const chosen = Math.min(at, choices.length - 1);

  function give(choice: Choice | undefined): void {
    if (!choice) return;
    closeDialog();
    void giveTo(ids, choice.courier.id);
  }

  function move(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt(Math.max(0, Math.min(choices.length - 1, chosen + by)));
    else if (event.key === 'Enter') give(choices[chosen]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={words.title(ids.length, nameOfOne(ids))} onClose={closeDialog}>
      <input
        type="text"
        role="combobox"
        aria-label={words.find}
        aria-expanded="true"
        aria-controls="courier-choices"
        aria-activedescendant={choices[chosen] && `courier-choice-${choices[chosen].courier.id}`}
        placeholder={words.find}
        autofocus
        value={find}
        onInput={({ currentTarget }) => {
          setFind(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      {fault && <p class="say">{fault}</p>}
      <div class="choices" id="courier-choices" role="listbox" aria-label={words.find} tabIndex={-1}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, which names the active one.
          <div
            key={choice.courier.id}
            id={`courier-choice-${choice.courier.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            class="choice"
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => give(choice)}
          >
            <ChoiceText choice={choice} />
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="say">{words.none}</p>}
    </Dialog>
  );
}

function ChoiceText({ choice: { courier, metres, planned, passedOver } }: { readonly choice: Choice }) {
  const facts = [
    courier.open === 0 ? text.couriers.free : text.list.tasks(courier.open),
    metres !== null && words.away(text.metres(metres)),
    courier.recordedAtMs !== null && agoOf(courier.recordedAtMs),
    courier.vehicle,
  ].filter(Boolean);
  return (
    <>
      <span>
        <strong>{courier.name}</strong>
        <span class="soft">{facts.join(' · ')}</span>
      </span>
      {planned ? (
        <span class="planned">{planned}</span>
      ) : (
        <span class="soft">{passedOver ?? (courier.onDuty ? '' : text.couriers.offDuty)}</span>
      )}
    </>
  );
}

/** The plan of a round of assignment that would be now. It is shown, and not carried out. */
function usePlan(ids: readonly number[]): { readonly plan: Plan | null; readonly fault: string | null } {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void callApi<Plan>({ method: 'POST', path: '/dispatch/preview', body: { taskIds: ids } }).then((answer) => {
      if (!isCurrent) return;
      if (answer.ok) setPlan(answer.data);
      else setFault(refusalText(answer.failure));
    });
    return () => {
      isCurrent = false;
    };
  }, [ids]);
  return { plan, fault };
}

function choicesFor(ids: readonly number[], plan: Plan | null): Choice[] {
  const task = taskPins.value.find(({ id }) => id === ids[0]);
  const passed = new Map(
    plan?.unplanned.flatMap(({ nearest }) => nearest.map(({ agentId, reason }) => [agentId, reason])),
  );
  return couriers.value
    .filter(({ isActive }) => isActive)
    .map((courier): Choice => {
      const pin = courierPins.value.find(({ id }) => id === courier.id);
      const offer = plan?.offers.find(({ agentId }) => agentId === courier.id);
      const reason = passed.get(courier.id);
      return {
        courier,
        metres: pin && task ? metresBetween(pin, task) : null,
        planned: offer ? words.planned(text.time.spans(Math.round((offer.etaSeconds[0] ?? 0) / 60))) : null,
        passedOver: reason === undefined ? null : (text.history.passedReasons[reason] ?? reason),
      };
    })
    .sort(byPlan);
}

function byPlan(a: Choice, b: Choice): number {
  return (
    Number(b.planned !== null) - Number(a.planned !== null) ||
    Number(b.courier.onDuty) - Number(a.courier.onDuty) ||
    (a.metres ?? Number.POSITIVE_INFINITY) - (b.metres ?? Number.POSITIVE_INFINITY) ||
    a.courier.name.localeCompare(b.courier.name)
  );
}

interface Spot {
  readonly longitude: number;
  readonly latitude: number;
}

/** As the crow flies; good for the distances of a city. */
function metresBetween(from: Spot, to: Spot): number {
  const east = (to.longitude - from.longitude) * 111_320 * Math.cos((from.latitude * Math.PI) / 180);
  return Math.hypot(east, (to.latitude - from.latitude) * 111_320);
}
