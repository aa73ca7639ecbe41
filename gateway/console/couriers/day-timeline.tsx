import type { DayStop } from '../live/protocol.ts';
import { minuteOf, spanOf, timeOf } from '../page/format.ts';
import { nowMs, taskId, timeZone } from '../page/state.ts';
import { text } from '../text/english.ts';
import { couriersText } from '../text/english-couriers.ts';
import { StatusSign } from '../ui/status.tsx';
import { percentAt, type TimeScale, timeScaleOf } from './time-scale.ts';

const { day: words } = couriersText;

/** The stops of a day, one a line: what was promised as a band, when the courier is expected as a mark, now as a line. */
export function DayTimeline({ stops, onOpen }: { readonly stops: readonly DayStop[]; readonly onOpen: () => void }) {
  const scale = timeScaleOf(stops, nowMs.value, timeZone.value);
  return (
    <section class="day" aria-label={words.title}>
      <h2>{words.title}</h2>
      {stops.length === 0 ? (
        <p class="say">{words.empty}</p>
      ) : (
        <>
          <Axis scale={scale} />
          <ol>
            {stops.map((stop) => (
              <Stop
                key={stop.row.id}
                stop={stop}
                scale={scale}
                onOpen={() => {
                  taskId.value = stop.row.id;
                  onOpen();
                }}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

const at = (scale: TimeScale, ms: number) => ({ insetInlineStart: `${percentAt(scale, ms)}%` });

function Axis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div class="axis" aria-hidden="true">
      <span class="track">
        {scale.ticks.map((tick) => (
          <span key={tick} style={at(scale, tick)}>
            {minuteOf(tick)}
          </span>
        ))}
      </span>
    </div>
  );
}

interface StopProps {
  readonly stop: DayStop;
  readonly scale: TimeScale;
  readonly onOpen: () => void;
}

function Stop({ stop, scale, onOpen }: StopProps) {
  const { row } = stop;
  return (
    <li class={row.isLate ? 'late' : ''}>
      <StatusSign status={row.shown} />
      <span class="what">
        <button type="button" class="link" onClick={onOpen}>
          <bdi>{row.customer || row.name}</bdi>
        </button>
        <span class="second" dir="auto">
          {row.address}
        </span>
      </span>
      <Track stop={stop} scale={scale} />
      <span class="when">
        <Expected stop={stop} />
        <span class="second">{promiseOf(stop)}</span>
      </span>
    </li>
  );
}

/** A picture of what the words beside it say. */
function Track({ stop, scale }: { readonly stop: DayStop; readonly scale: TimeScale }) {
  const { row, windowStartMs, windowEndMs, pickupEtaMs } = stop;
  const from = percentAt(scale, windowStartMs ?? scale.fromMs);
  const until = percentAt(scale, windowEndMs ?? row.dueAtMs);
  const mark = row.endedAtMs ?? row.arrivedAtMs ?? row.etaAtMs;
  return (
    <span class="track" aria-hidden="true">
      {scale.ticks.map((tick) => (
        <i key={tick} class="tick" style={at(scale, tick)} />
      ))}
      {row.endedAtMs === null && until > from && (
        <i class="promise" style={{ insetInlineStart: `${from}%`, width: `${until - from}%` }} />
      )}
      <i class="now" style={at(scale, nowMs.value)} />
      {pickupEtaMs !== null && row.endedAtMs === null && <i class="pickup" style={at(scale, pickupEtaMs)} />}
      {mark !== null && <i class={`stop-mark ${row.endedAtMs === null ? '' : 'done'}`} style={at(scale, mark)} />}
    </span>
  );
}

function Expected({ stop: { row, windowEndMs, pickupEtaMs } }: { readonly stop: DayStop }) {
  if (row.endedAtMs !== null) return <span class="soft">{words.done(timeOf(row.endedAtMs))}</span>;
  if (row.isLate) return <span class="late-text">{words.late(spanOf(nowMs.value - row.dueAtMs))}</span>;
  if (row.arrivedAtMs !== null) return <span>{text.time.arrived(timeOf(row.arrivedAtMs))}</span>;
  if (row.etaAtMs === null) return <span class="soft">{text.status[row.shown]}</span>;
  const slackMs = (windowEndMs ?? row.dueAtMs) - row.etaAtMs;
  return (
    <span>
      {text.time.eta(timeOf(row.etaAtMs))}{' '}
      <span class={slackMs < 0 ? 'late-text' : 'soft'}>
        {slackMs < 0 ? words.late(spanOf(slackMs)) : words.spare(spanOf(slackMs))}
      </span>
      {pickupEtaMs !== null && <span class="soft"> · {words.pickup(timeOf(pickupEtaMs))}</span>}
    </span>
  );
}

function promiseOf({ row, windowStartMs, windowEndMs }: DayStop): string {
  if (windowStartMs !== null && windowEndMs !== null) return words.window(timeOf(windowStartMs), timeOf(windowEndMs));
  if (windowStartMs !== null) return words.from(timeOf(windowStartMs));
  return windowEndMs === null ? words.due(timeOf(row.dueAtMs)) : words.until(timeOf(windowEndMs));
}
