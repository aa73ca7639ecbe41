import { useState } from 'preact/hooks';
import { byName } from '../live/by-name.ts';
import type { Courier } from '../live/protocol.ts';
import { metresBetween } from '../page/distance.ts';
import { courierPins, couriers, taskPins } from '../page/link.ts';
import { text } from '../text/english.ts';
import { boardText } from '../text/english-board.ts';
import { allowDrop, dragged, dropOn } from './drag.ts';

/** As many as a hand can choose from without scrolling. */
const SHOWN = 12;

interface Place {
  readonly courier: Courier;
  readonly metres: number | null;
}

/**
 * Places to drop tasks on while they are dragged: the list has a row only for couriers with tasks that fit its filters. It
 * stands away from the pointer, so that a hand that slips drops nothing.
 */
export function DropCouriers() {
  const drag = dragged.value;
  if (!drag) return null;
  return <Places id={drag.ids[0]!} isOnTop={drag.fromY > innerHeight / 2} />;
}

/** The order is that of the beginning: no place moves under the hand. */
function Places({ id, isOnTop }: { readonly id: number; readonly isOnTop: boolean }) {
  const [places] = useState(() => nearest(id));
  if (places.length === 0) return null;
  return (
    <div class={`drop-couriers ${isOnTop ? 'on-top' : ''}`}>
      <p class="soft" id="drop-couriers">
        {boardText.dropOnCourier}
      </p>
      <ul aria-labelledby="drop-couriers">
        {places.map(({ courier, metres }) => (
          <li key={courier.id} onDragOver={allowDrop} onDrop={(event) => dropOn(event, courier.id)}>
            <bdi>{courier.name}</bdi>
            <span class="away">
              {[
                courier.open === 0 ? text.couriers.free : text.list.tasks(courier.open),
                metres !== null && text.metres(metres),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Couriers on duty by the way to a task, those of unknown place last. */
function nearest(taskId: number): readonly Place[] {
  const task = taskPins.peek().find(({ id }) => id === taskId);
  const pins = new Map(courierPins.peek().map((pin) => [pin.id, pin]));
  const metresTo = (pin: (typeof courierPins.value)[number] | undefined) =>
    pin && task ? metresBetween(pin, task) : null;
  return couriers
    .peek()
    .filter(({ onDuty, isActive }) => onDuty && isActive)
    .map((courier): Place => ({ courier, metres: metresTo(pins.get(courier.id)) }))
    .sort(
      (a, b) =>
        (a.metres ?? Number.POSITIVE_INFINITY) - (b.metres ?? Number.POSITIVE_INFINITY) ||
        a.courier.open - b.courier.open ||
        byName(a.courier.name, b.courier.name),
    )
    .slice(0, SHOWN);
}
