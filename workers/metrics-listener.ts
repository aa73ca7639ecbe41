import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../engine/runtime/config.ts';
import type { Log } from '../engine/runtime/log.ts';
import type { MetricSet } from '../engine/runtime/metrics/metric-set.ts';
import type { MetricsRequest } from '../engine/runtime/metrics/metrics-access.ts';
import { LIMITS } from '../schema/limits.ts';

export interface MetricsListener {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Answers `GET /metrics` with Prometheus text where `mayRead` permits it, and anything else with 404. 0 takes any free
 * port. Rejects with ConfigError when the port cannot be had.
 */
export async function startMetricsListener(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: MetricSet,
  mayRead: (request: MetricsRequest) => boolean,
  log: Log,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: LIMITS.metricsRequestMs }, (request, response) => {
    request.resume();
    const isAsked = request.method === 'GET' && request.url === '/metrics';
    const answered = isAsked && mayRead(factsOf(request)) ? answer(metrics, response) : end(response, 404);
    answered.catch((error) => {
      log.warn({ err: error }, 'metrics could not be served');
      response.destroy();
    });
  });
  server.maxConnections = LIMITS.metricsConnections;
  const listening = once(server, 'listening');
  server.listen({ host, port });
  try {
    await listening;
  } catch (error) {
    throw new ConfigError(`WORKERS_METRICS_PORT ${port} on ${host}: ${(error as Error).message}`);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function factsOf({ socket, headers }: IncomingMessage): MetricsRequest {
  return { remoteAddress: socket.remoteAddress ?? '', header: (name) => headers[name]?.toString() };
}

async function answer(metrics: MetricSet, response: ServerResponse): Promise<void> {
  const text = await metrics.text();
  response.setHeader('Content-Type', metrics.contentType);
  await end(response, 200, text);
}

async function end(response: ServerResponse, status: number, text = ''): Promise<void> {
  response.statusCode = status;
  response.end(text);
}
