import type { Config } from '../runtime/config.ts';

/** Where a program on this machine reaches the gateway of these settings. */
export function baseUrlOf(config: Pick<Config, 'host' | 'tlsCertFile'>, port: number): string {
  const everywhere = config.host === '0.0.0.0' || config.host === '::';
  const host = everywhere ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tlsCertFile ? 'https' : 'http'}://${host}:${port}`;
}
