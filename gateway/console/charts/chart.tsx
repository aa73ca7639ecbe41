import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { minuteOf, timeOf } from '../page/format.ts';
import { shownTheme, timeZone } from '../page/state.ts';
import { chartsText as words } from '../text/english-charts.ts';
import { remPx } from '../ui/rem.ts';
import type { Series } from './activity.ts';

/** A line or band of a chart. */
export interface Drawn {
  readonly label: string;
  /** The token of its colour. */
  readonly color: string;
  readonly dash?: readonly number[];
}

interface Props {
  readonly title: string;
  /** The data that the chart is made of. */
  readonly made: string;
  /** The chart in a sentence. */
  readonly summary: string;
  readonly series: Series;
  readonly drawn: readonly Drawn[];
  readonly kind: 'bars' | 'lines' | 'stack';
  readonly show: (value: number) => string;
  /** The top of the axis; by the data without it. */
  readonly top?: number;
  /** Steps of the axis that make round figures; by the data without them. */
  readonly steps?: readonly number[];
  /** Said in place of the chart when there is too little to draw. */
  readonly few: string | null;
}

/** A chart on a wall is not a strip. */
const HEIGHT_REM = { least: 12.5, most: 22 } as const;
const HEIGHT_OF_WIDTH = 0.45;
const MINUTE_MS = 60_000;

function sizeOf({ clientWidth: width }: HTMLElement): { readonly width: number; readonly height: number } {
  const rem = remPx();
  const height = Math.min(HEIGHT_REM.most * rem, Math.max(HEIGHT_REM.least * rem, width * HEIGHT_OF_WIDTH));
  return { width, height };
}

/** A chart over time, with its summary, and its figures as a table for those who do not see it. */
export function Chart(props: Props) {
  const { title, made, summary, few } = props;
  const [pointed, point] = useState<number | null>(null);
  return (
    <section class="chart" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p class="soft">{made}</p>
      </header>
      {few === null ? (
        <>
          <p class="chart-summary">{summary}</p>
          <Plot {...props} pointed={pointed} onPoint={point} />
          <Key {...props} pointed={pointed} />
          <Figures {...props} />
        </>
      ) : (
        <p class="say chart-few">{few}</p>
      )}
    </section>
  );
}

interface Pointed extends Props {
  /** The place in the series that the pointer or the keyboard is at; null for none. */
  readonly pointed: number | null;
}

/** The pointer leads through the times, and so do the arrows. */
function Plot(props: Pointed & { readonly onPoint: (at: number | null) => void }) {
  const { series, pointed, onPoint } = props;
  const last = series.times.length - 1;
  const at = Math.min(pointed ?? last, last);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = shownTheme.value;
  const zone = timeZone.value;
  useEffect(() => {
    const element = place.current!;
    const options = optionsOf(props, sizeOf(element), zone);
    const setCursor = ({ cursor: { left = -1, idx } }: uPlot) => onPoint(left < 0 ? null : (idx ?? null));
    const made = new uPlot({ ...options, hooks: { setCursor: [setCursor] } }, dataOf(props), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [theme, zone]);
  useEffect(() => plot.current?.setData(dataOf(props)), [series]);

  function go(next: number | null): void {
    const left = next === null ? -1 : plot.current!.valToPos(series.times[next]! / 1_000, 'x');
    plot.current!.setCursor({ left, top: left });
  }
  function press(event: KeyboardEvent): void {
    const next = placeAfter(event.key, at, last);
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  }
  return (
    <div
      class="plot"
      ref={place}
      role="slider"
      tabIndex={0}
      aria-label={`${props.title}. ${words.arrows}`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={[timeOf(series.times[at]!), ...valuesAt(props, at)].join(', ')}
      onKeyDown={press}
      onBlur={() => go(null)}
    />
  );
}

/** The place that a key leads to; null leaves the chart, undefined is no key of it. */
function placeAfter(key: string, at: number, last: number): number | null | undefined {
  const places: Readonly<Record<string, number | null>> = {
    ArrowLeft: Math.max(0, at - 1),
    ArrowRight: Math.min(last, at + 1),
    Home: 0,
    End: last,
    Escape: null,
  };
  return places[key];
}

function valuesAt({ drawn, series: { values }, show }: Props, at: number): string[] {
  return drawn.map(({ label }, band) => `${label} ${shown(values[band]![at], show)}`);
}

/** Bands lie on one another: each is drawn from the ground to its top, the highest one first. */
function dataOf({ series: { times, values }, kind }: Props): uPlot.AlignedData {
  const seconds = times.map((ms) => ms / 1_000);
  if (kind !== 'stack') return [seconds, ...values.map((each) => [...each])];
  const tops = values.map((_, band) =>
    times.map((_, at) => values.slice(0, band + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0)),
  );
  return [seconds, ...tops.toReversed()];
}

function optionsOf(
  { series, drawn, kind, show, top, steps }: Props,
  size: Pick<uPlot.Options, 'width' | 'height'>,
  zone: string,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const rem = remPx();
  // Bars stand on both sides of their time, also where there is one time yet.
  const [first = 0, second = first + MINUTE_MS] = series.times;
  const margin = kind === 'bars' ? (second - first) / 2_000 : 0;
  const axis = {
    font: `${0.75 * rem}px "Inter Variable", system-ui, sans-serif`,
    stroke: token('--ink-soft'),
    grid: { stroke: token('--line-soft'), width: 1 },
    ticks: { show: false },
  };
  const inOrder = kind === 'stack' ? drawn.toReversed() : drawn;
  const bars = (at: number) => uPlot.paths.bars!({ size: [0.4], align: at === 0 ? -1 : 1 });
  return {
    ...size,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
    padding: [0.5 * rem, 1.25 * rem, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      x: { range: (_, from, to) => [from - margin, to + margin] },
      y: { range: (_, __, most) => [0, top ?? Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 1.75 * rem,
        space: 3.5 * rem,
        values: (_, splits) => splits.map((seconds) => minuteOf(seconds * 1_000)),
      },
      {
        ...axis,
        size: 3.5 * rem,
        space: 2.25 * rem,
        ...(steps ? { incrs: [...steps] } : {}),
        values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? show(value) : '')),
      },
    ],
    series: [
      {},
      ...inOrder.map(({ label, color, dash }, at): uPlot.Series => {
        const paint = token(color);
        const line = {
          label,
          stroke: paint,
          width: rem / 8,
          ...(dash ? { dash: dash.map((px) => (px * rem) / 16) } : {}),
        };
        if (kind === 'lines') return { ...line, spanGaps: true, points: { show: true, size: 0.375 * rem } };
        return {
          ...line,
          fill: paint,
          width: 0,
          points: { show: false },
          ...(kind === 'bars' ? { paths: bars(at) } : {}),
        };
      }),
    ],
  };
}

/** The colours, with the values at the pointer, or the newest ones. */
function Key({ series: { times, values }, drawn, show, pointed }: Pointed) {
  const time = pointed === null ? undefined : times[pointed];
  const valueIn = (band: number) =>
    time === undefined ? values[band]?.findLast((value) => value !== null) : values[band]?.[pointed!];
  return (
    <ul class="chart-key">
      <li class="soft">{time === undefined ? words.newest : timeOf(time)}</li>
      {drawn.map(({ label, color }, band) => (
        <li key={label}>
          <span class="swatch" style={{ background: `var(${color})` }} aria-hidden="true" />
          <bdi>{label}</bdi> <strong>{shown(valueIn(band), show)}</strong>
        </li>
      ))}
    </ul>
  );
}

/** The newest time first. */
function Figures({ series: { times, values }, drawn, show }: Props) {
  return (
    <details>
      <summary>{words.asTable}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            {drawn.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, at) => (
              <tr key={time}>
                <th scope="row">{timeOf(time)}</th>
                {drawn.map(({ label }, band) => (
                  <td key={label}>{shown(values[band]![at], show)}</td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </details>
  );
}

function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? words.nothing : show(value);
}
