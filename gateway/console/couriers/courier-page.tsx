import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TrailPoint } from '../../../schema/fleet/trail.ts';
import type { Courier, CourierDay } from '../live/protocol.ts';
import { agoOf, timeOf } from '../page/format.ts';
import { callApi, courierDay, couriers, figures } from '../page/link.ts';
import { agentId, courierId, isFollowing, NO_LIST_FILTER, phonePane, showList } from '../page/state.ts';
import { text } from '../text/english.ts';
import { couriersText } from '../text/english-couriers.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { DayTimeline } from './day-timeline.tsx';

const { day: words } = couriersText;
/** Positions carry no battery, so the last point of the trail is read now and then. */
const BATTERY_EVERY_MS = 60_000;

/** One courier: duty, shift, load, where he was heard of last, and his day. */
export function CourierPage({ id }: { readonly id: number }) {
  const courier = couriers.value.find((each) => each.id === id);
  const day = courierDay.value;
  const back = (
    <p>
      <Button
        kind="quiet"
        onClick={() => {
          courierId.value = null;
        }}
      >
        ‹ {words.back}
      </Button>
    </p>
  );
  if (!courier)
    return (
      <main class="couriers courier">
        {back}
        <p class="say">{figures.value ? words.missing : words.loading}</p>
      </main>
    );
  return (
    <main class="couriers courier">
      {back}
      <header>
        <h1>
          <bdi>{courier.name}</bdi>
        </h1>
        {courier.phone && (
          <a class="button plain" href={`tel:${courier.phone.replaceAll(/[^+\d]/g, '')}`}>
            <Icon name="phone" />
            {words.call}
          </a>
        )}
        <Button icon="list" onClick={() => show(id, false)}>
          {words.tasks}
        </Button>
        <Button kind="main" icon="moving" onClick={() => show(id, true)}>
          {words.map}
        </Button>
      </header>
      {day?.agentId === id ? (
        <>
          <Facts courier={courier} day={day} />
          <DayTimeline stops={day.stops} onOpen={() => show(id, false)} />
        </>
      ) : (
        <p class="say">{words.loading}</p>
      )}
    </main>
  );
}

/** Shows the courier among the tasks, and goes along with him on the map. */
function show(id: number, follow: boolean): void {
  agentId.value = id;
  isFollowing.value = follow;
  showList({ ...NO_LIST_FILTER, agentId: id });
  if (follow) phonePane.value = 'map';
}

function Facts({ courier, day }: { readonly courier: Courier; readonly day: CourierDay }) {
  const battery = useBattery(day.agentId, courier.recordedAtMs);
  const { onDuty, isActive, recordedAtMs } = courier;
  const duty = isActive ? (onDuty ? text.couriers.onDuty : text.couriers.offDuty) : text.couriers.inactive;
  const load = [words.packages(day.packages, day.maxPackages), words.weight(day.weightKg, day.maxWeightKg)];
  const accuracy = day.accuracyM === null ? '' : words.accuracy(day.accuracyM);
  return (
    <dl class="courier-facts">
      <Fact name={words.duty} more={day.dutySinceMs === null ? '' : words.since(timeOf(day.dutySinceMs))}>
        <span class={`duty ${onDuty ? 'on' : ''}`}>{duty}</span>
      </Fact>
      <ShiftFact day={day} />
      <Fact name={words.load} more={load.join(' · ')}>
        {courier.open === 0 && onDuty ? text.couriers.free : text.list.tasks(courier.open)}
        {courier.late > 0 && <span class="late-text"> {text.list.late(courier.late)}</span>}
      </Fact>
      <Fact name={words.position} more={day.isStale ? words.stale : accuracy}>
        {recordedAtMs === null ? text.couriers.never : agoOf(recordedAtMs)}
      </Fact>
      <Fact name={words.battery}>{battery === null ? words.noBattery : `${Math.round(battery)} %`}</Fact>
      <Fact name={text.couriers.vehicle} more={day.skills.join(', ')}>
        {(courier.vehicle && (couriersText.vehicles[courier.vehicle] ?? courier.vehicle)) || '–'}
      </Fact>
    </dl>
  );
}

function ShiftFact({ day: { shift } }: { readonly day: CourierDay }) {
  if (shift === null) return <Fact name={words.shift}>{words.noShift}</Fact>;
  const span = (each: { readonly startsAt: string; readonly endsAt: string }) =>
    words.shiftSpan(timeOf(Date.parse(each.startsAt)), timeOf(Date.parse(each.endsAt)));
  const breaks = shift.breaks.map(span).join(', ');
  return (
    <Fact name={words.shift} more={breaks === '' ? '' : words.breaks(breaks)}>
      {span(shift)}
    </Fact>
  );
}

interface FactProps {
  readonly name: string;
  readonly more?: string;
  readonly children: ComponentChildren;
}

function Fact({ name, more = '', children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {more !== '' && <span class="second">{more}</span>}
      </dd>
    </div>
  );
}

/** Percent, by the last point; null while nobody knows. */
function useBattery(id: number, recordedAtMs: number | null): number | null {
  const [battery, setBattery] = useState<number | null>(null);
  const isKnown = recordedAtMs !== null;
  useEffect(() => {
    setBattery(null);
    if (!isKnown) return;
    let isCurrent = true;
    const read = async () => {
      const last = couriers.peek().find((each) => each.id === id)?.recordedAtMs ?? null;
      if (last === null) return;
      const span = `from=${new Date(last - 10_000).toISOString()}&to=${new Date(last + 1_000).toISOString()}`;
      const path = `/agents/${id}/trail?${span}`;
      const answer = await callApi<{ items: readonly TrailPoint[] }>({ method: 'GET', path });
      const told = answer.ok ? answer.data.items.findLast((point) => point.battery !== null) : undefined;
      if (isCurrent && told) setBattery(told.battery);
    };
    void read();
    const timer = setInterval(() => void read(), BATTERY_EVERY_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [id, isKnown]);
  return battery;
}
