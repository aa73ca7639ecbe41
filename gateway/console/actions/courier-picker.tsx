import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Plan, type PlanWords, planWords } from '../couriers/plan-words.ts';
import { NO_PLAN_FOUND, type PlanFound, readPlan } from '../couriers/read-plan.ts';
import { byName } from '../live/by-name.ts';
import type { Courier } from '../live/protocol.ts';
import { metresBetween } from '../page/distance.ts';
import { agoOf } from '../page/format.ts';
import { callApi, courierPins, couriers, taskPins, tasksOf } from '../page/link.ts';
import { text } from '../text/english.ts';
import { couriersText } from '../text/english-couriers.ts';
import { pickerText as words } from '../text/english-picker.ts';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { giveTo } from './act.ts';
import { closeDialog } from './dialog-state.ts';
import { nameOfOne } from './selection.ts';
import { Away } from './selection-bar.tsx';

interface Choice extends PlanWords {
  readonly courier: Courier;
  readonly metres: number | null;
}

const NO_PLAN: PlanWords = { planned: null, passedOver: null };

/** Chooses a courier by name: the planned one first, then by the way to the task. */
export function CourierPicker({ ids }: { readonly ids: readonly number[] }) {
  const [find, setFind] = useState('');
  const found = usePlan(ids);
  const { plan, fault } = found;
  const choices = inSteadyOrder(choicesFor(ids, found), ids, plan).filter(({ courier }) =>
    courier.name.toLowerCase().includes(find.trim().toLowerCase()),
  );

  function give({ courier }: Choice): void {
    closeDialog();
    void giveTo(ids, courier.id);
  }

  return (
    <Dialog title={words.title(ids.length, nameOfOne(ids))} onClose={closeDialog}>
      <Choices
        id="courier-choices"
        label={words.find}
        hint={words.find}
        typed={find}
        onType={setFind}
        choices={choices}
        keyOf={({ courier }) => courier.id}
        render={(choice) => <ChoiceText choice={choice} />}
        onChoose={give}
        none={words.none}
      >
        <Away ids={ids} />
        {fault && <p class="say">{fault}</p>}
      </Choices>
    </Dialog>
  );
}

function ChoiceText({ choice: { courier, metres, planned, passedOver } }: { readonly choice: Choice }) {
  const facts = [
    courier.open === 0 ? text.couriers.free : text.list.tasks(courier.open),
    metres !== null && words.away(text.metres(metres)),
    courier.recordedAtMs !== null && agoOf(courier.recordedAtMs),
    courier.vehicle && (couriersText.vehicles[courier.vehicle] ?? courier.vehicle),
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
        <span class="soft">{courier.onDuty ? passedOver : text.couriers.offDuty}</span>
      )}
    </>
  );
}

function usePlan(ids: readonly number[]): PlanFound {
  const [found, setFound] = useState(NO_PLAN_FOUND);
  useEffect(() => {
    let isCurrent = true;
    void readPlan(ids, (taskIds) => tasksOf({ about: 'with-courier', taskIds }), callApi<Plan>).then((next) => {
      if (isCurrent) setFound(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [ids]);
  return found;
}

function choicesFor(ids: readonly number[], { plan, tasks }: PlanFound): Choice[] {
  const task = taskPins.value.find(({ id }) => id === ids[0]);
  const pins = new Map(courierPins.value.map((pin) => [pin.id, pin]));
  const wordsFor = plan ? planWords(plan, tasks) : () => NO_PLAN;
  return couriers.value
    .filter(({ isActive }) => isActive)
    .map((courier): Choice => {
      const pin = pins.get(courier.id);
      return { courier, metres: pin && task ? metresBetween(pin, task) : null, ...wordsFor(courier.id) };
    })
    .sort(byPlan);
}

/** Couriers who drive while the list is open change their distance in it, and not their place. */
function inSteadyOrder(choices: readonly Choice[], ids: readonly number[], plan: Plan | null): Choice[] {
  const order = useMemo(() => new Map(choices.map(({ courier }, index) => [courier.id, index])), [ids, plan]);
  const placeOf = ({ courier }: Choice) => order.get(courier.id) ?? order.size;
  return [...choices].sort((a, b) => placeOf(a) - placeOf(b));
}

function byPlan(a: Choice, b: Choice): number {
  return (
    Number(b.planned !== null) - Number(a.planned !== null) ||
    Number(b.courier.onDuty) - Number(a.courier.onDuty) ||
    (a.metres ?? Number.POSITIVE_INFINITY) - (b.metres ?? Number.POSITIVE_INFINITY) ||
    byName(a.courier.name, b.courier.name)
  );
}
