import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { openTestEngine } from '../../faults/support/engine-fixture.ts';
import { watchAgent } from './watched-agent.ts';

/** A process that reports an arrival, and ends itself at a fault point: `<database> <fault point> <ids as JSON>`. */
const [databaseUrl, faultPoint, ids] = process.argv.slice(2);
const releaser = createReleaser(() => {});
const engine = await openTestEngine(databaseUrl!, { releaser, faultPoint: faultPoint! });
const agent = watchAgent(engine, JSON.parse(ids!));
agent.reports(20, 0);
await agent.settled();
await releaser.stop();
