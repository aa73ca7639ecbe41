import { useState } from 'preact/hooks';
import { isStaleAt } from '../live/heard.ts';
import type { Courier } from '../live/protocol.ts';
import { agoOf } from '../page/format.ts';
import { couriers, may } from '../page/link.ts';
import { courierId, nowMs } from '../page/state.ts';
import { text } from '../text/english.ts';
import { couriersText } from '../text/english-couriers.ts';
import { Button, Empty } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { lead } from '../ui/lead.ts';
import { AddCourier } from './add-courier.tsx';
import { CourierPage } from './courier-page.tsx';

const { couriers: words } = text;

/** Every courier, or the one whose address is open. */
export function Couriers() {
  return courierId.value === null ? <AllCouriers /> : <CourierPage key={courierId.value} id={courierId.value} />;
}

function AllCouriers() {
  const [find, setFind] = useState('');
  const [isAdding, setAdding] = useState(false);
  const add = may('agents:change') && (
    <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
      {couriersText.add.open}
    </Button>
  );
  const found = couriers.value.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()));
  return (
    <main class="couriers">
      <header>
        <h1>{words.title}</h1>
        {couriers.value.length > 0 && (
          <>
            <div class="search">
              <Icon name="search" />
              <input
                type="search"
                aria-label={words.find}
                placeholder={words.find}
                value={find}
                onInput={({ currentTarget }) => setFind(currentTarget.value)}
              />
            </div>
            {add}
          </>
        )}
      </header>
      {isAdding && <AddCourier onClose={() => setAdding(false)} />}
      {couriers.value.length === 0 ? (
        <Empty title={couriersText.none.title} action={add}>
          {couriersText.none.what} {add && couriersText.none.first}
        </Empty>
      ) : (
        <table>
          <thead>
            <tr>
              {[words.name, words.duty, words.open, words.position, words.vehicle, words.phone].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.map((courier) => (
              <CourierRow key={courier.id} courier={courier} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  );
}

function CourierRow({ courier }: { readonly courier: Courier }) {
  return (
    <tr>
      <th scope="row">
        <a
          class="link"
          href={`/console/couriers/${courier.id}`}
          onClick={(event) =>
            lead(event, () => {
              courierId.value = courier.id;
            })
          }
        >
          <bdi>{courier.name}</bdi>
        </a>
      </th>
      <td>
        <span class={`duty ${courier.onDuty ? 'on' : ''}`}>
          {courier.isActive ? (courier.onDuty ? words.onDuty : words.offDuty) : words.inactive}
        </span>
      </td>
      <td class="figure-cell">
        {courier.open === 0 ? <span class="soft">{courier.onDuty ? words.free : '0'}</span> : courier.open}
        {courier.late > 0 && <span class="late-text"> {text.list.late(courier.late)}</span>}
      </td>
      <td class={courier.heardAtMs !== null && isStaleAt(courier.heardAtMs, nowMs.value) ? 'stale' : ''}>
        {courier.recordedAtMs === null ? <span class="soft">{words.never}</span> : agoOf(courier.recordedAtMs)}
      </td>
      <td dir="auto">{courier.vehicle && (couriersText.vehicles[courier.vehicle] ?? courier.vehicle)}</td>
      <td class="figure-cell">{courier.phone}</td>
    </tr>
  );
}
