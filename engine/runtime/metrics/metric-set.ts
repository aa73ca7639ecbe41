import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Histogram } from './histogram.ts';

export type Labels = Readonly<Record<string, string>>;
type Rows<T> = () => Iterable<readonly [labels: Labels, value: T]>;
type MetricType = 'counter' | 'gauge' | 'histogram';

interface Sample {
  readonly metricName?: string;
  readonly labels: Labels | Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Gauges of prom-client whose names end as those of counters, which Prometheus's linter refuses. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
const NO_LABELS: Labels = {};

/**
 * The metrics of a process. Its parts count in plain numbers and histograms of their own; a scrape reads them, so that
 * counting costs an addition. The metrics of Node are among them.
 */
export class MetricSet {
  readonly #registry = new Registry();
  readonly contentType = this.#registry.contentType;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  counter(name: string, help: string, value: () => number): void {
    this.#add('counter', name, help, () => [{ labels: NO_LABELS, value: value() }]);
  }

  /** `counts`: numbers by the values of the label. */
  counterBy<T extends Readonly<Record<keyof T, number>>>(label: string, name: string, help: string, counts: T): void {
    this.counters(name, help, () =>
      Object.entries<number>(counts).map(([key, value]) => [{ [label]: key }, value] as const),
    );
  }

  counters(name: string, help: string, rows: Rows<number>): void {
    this.#add('counter', name, help, () => plain(rows));
  }

  gauge(name: string, help: string, value: () => number): void {
    this.#add('gauge', name, help, () => [{ labels: NO_LABELS, value: value() }]);
  }

  gauges(name: string, help: string, rows: Rows<number>): void {
    this.#add('gauge', name, help, () => plain(rows));
  }

  histogram(name: string, help: string, histogram: Histogram): void {
    this.histograms(name, help, () => [[NO_LABELS, histogram]]);
  }

  histograms(name: string, help: string, rows: Rows<Histogram>): void {
    this.#add('histogram', name, help, () =>
      [...rows()].flatMap(([labels, histogram]) => samplesOf(name, labels, histogram)),
    );
  }

  /** Encodes every metric as Prometheus text. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #add(type: MetricType, name: string, help: string, read: () => readonly Sample[]): void {
    const metric = { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: read() }) };
    // The registry asks its metrics for this alone.
    this.#registry.registerMetric(metric as unknown as Metric);
  }
}

function plain(rows: Rows<number>): Sample[] {
  return Array.from(rows(), ([labels, value]) => ({ labels, value }));
}

function samplesOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram): Sample[] {
  let total = 0;
  const buckets = Array.from(counts, (count, index) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
