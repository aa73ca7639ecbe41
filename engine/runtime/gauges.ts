import { Gauge, type Registry } from 'prom-client';

/** Adds metrics to a registry. Their values are read at each scrape. */
export function gaugesOf(registry: Registry): (name: string, help: string, value: () => number) => void {
  return (name, help, value) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  };
}
