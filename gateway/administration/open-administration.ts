import type { Engine } from '../../engine/org/start-engine.ts';
import type { Access, AccessOptions } from '../guards/open-access.ts';

/** Changes of organizations, users and channels. */
export type Administration = Record<string, never>;

export function openAdministration(_options: AccessOptions, _engine: Engine, _access: Access): Administration {
  return {};
}
