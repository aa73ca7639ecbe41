import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, waitUntilReady } from '../../engine/launcher/processes/child-process.ts';
import { findFreePort } from '../../engine/launcher/processes/free-port.ts';
import { findStatus } from '../../engine/launcher/processes/http-probe.ts';
import { runAs } from '../../engine/launcher/processes/run-as.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { LIMITS } from '../../schema/limits.ts';
import { UsageError } from '../stand/run-to-end.ts';

export interface NchanServer {
  readonly pid: number;
  /** Channels come into being when they are used: POST `<baseUrl>/publish/<name>`, GET `<baseUrl>/events/<name>`. */
  readonly baseUrl: string;
}

/** The paths that Debian uses. */
const FILES = [
  { package: 'nginx-light', path: '/usr/sbin/nginx' },
  { package: 'libnginx-mod-nchan', path: '/usr/lib/nginx/modules/ngx_nchan_module.so' },
] as const;
const STOP_STEPS = [
  { signal: 'SIGTERM', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const;

/** Throws UsageError that names the packages that are missing. */
export function requireNchan(): void {
  const missing = FILES.filter(({ path }) => !existsSync(path)).map((file) => file.package);
  if (missing.length > 0)
    throw new UsageError(
      `This bench compares with nginx and its module nchan. Not installed: ${missing.join(', ')}.\n` +
        `On Debian: apt-get install ${missing.join(' ')}`,
    );
}

/**
 * nginx with nchan on a free port of its own, with all its files in `directory`: one process, which takes all
 * connections.
 */
export async function startNchan(directory: string, releaser: Releaser, signal: AbortSignal): Promise<NchanServer> {
  requireNchan();
  mkdirSync(directory);
  const port = await findFreePort();
  const configuration = join(directory, 'nginx.conf');
  writeFileSync(configuration, configurationOf(port, directory));
  const [nginx] = FILES;
  const command = { file: nginx.path, args: ['-p', directory, '-c', configuration, '-e', 'stderr'] };
  const child = await startChild('nginx', runAs(command, { deathSignal: 'KILL' }), {
    onLine: () => {},
    stopSteps: STOP_STEPS,
  });
  releaser.push('nginx', () => child.stop(), LIMITS.processStopMs);
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = async () => (await findStatus(`${baseUrl}/ready`)) === 204;
  await waitUntilReady(child, isReady, LIMITS.gatewayStartMs, signal);
  return { pid: child.pid, baseUrl };
}

/**
 * Messages stay in memory, as many and for as long as a subscriber that is far behind may need: none of a run is ever
 * dropped. Nothing is logged or compressed, and no connection is closed for its age.
 */
function configurationOf(port: number, directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${directory}/${kind};`)
    .join('\n');
  return `load_module ${FILES[1].path};
daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${directory}/nginx.pid;
error_log stderr crit;
events {
  worker_connections 16384;
}
http {
${temporary}
  access_log off;
  gzip off;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_buffer_size 64k;
  nchan_shared_memory_size 1G;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /ready {
      return 204;
    }
    location ~ ^/publish/(\\w+)$ {
      nchan_publisher http;
      nchan_channel_id $1;
      nchan_message_buffer_length 20000;
      nchan_message_timeout 60s;
    }
    location ~ ^/events/(\\w+)$ {
      nchan_subscriber eventsource;
      nchan_channel_id $1;
      nchan_subscriber_first_message newest;
      nchan_subscriber_timeout 0;
    }
  }
}
`;
}
