import { fileURLToPath } from 'node:url';
import { migrate } from '../store/migrate.ts';
import { ensureDemoOrganization } from './demo-organization.ts';
import { runLauncher } from './run-launcher.ts';

/** `npm start`: everything on this machine, ready to be tried (docs/contract.md §8, "For the operator"). */
runLauncher({
  // A larger nursery: what a request leaves behind dies there instead of being moved first.
  gateway: program('../../gateway/main.ts', '--max-semi-space-size=64'),
  workers: program('../../workers/main.ts'),
  migrate,
  ensureDemoOrganization,
});

function program(file: string, ...flags: string[]) {
  const args = [...flags, '--import', import.meta.resolve('tsx'), fileURLToPath(new URL(file, import.meta.url))];
  return { file: process.execPath, args };
}
