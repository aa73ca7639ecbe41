import { readFileSync } from 'node:fs';
import { readConfig } from '../runtime/config.ts';
import { baseUrlOf } from './own-address.ts';
import { findStatus } from './processes/http-probe.ts';

/**
 * The health check of the image: asks the gateway of this container whether it is alive. The image runs other programs,
 * too, which answer nobody: they are healthy as long as they run. Takes the file with the command line of the container.
 */
const [commandLine = '/proc/1/cmdline'] = process.argv.slice(2);
const hasGateway = /\bbin\/(?:gateway|launcher)\.js\b/.test(readFileSync(commandLine, 'utf8'));
if (hasGateway) {
  const config = readConfig();
  const status = await findStatus(`${baseUrlOf(config, config.port)}/healthz`);
  if (status !== 200) process.exit(1);
}
