import { fileURLToPath } from 'node:url';
import { ensureDemoOrganization } from '../store/demo.ts';
import { migrate } from '../store/migrate.ts';
import { runLauncher } from './run-launcher.ts';

/** `npm start`: everything on this machine, ready to be tried (decisions.md §8, "For the operator"). */
runLauncher({
  gateway: program('../../gateway/main.ts'),
  workers: program('../../workers/main.ts'),
  migrate,
  ensureDemoOrganization,
});

function program(file: string) {
  const args = ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(file, import.meta.url))];
  return { file: process.execPath, args };
}
