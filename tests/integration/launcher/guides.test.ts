import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { currentHistory } from '../../../engine/store/cluster/platform-store.ts';
import { listPages } from '../../docs/pages.ts';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';
import { type Exchange, exchangesOf, findMissing } from './guide-exchanges.ts';
import { type GuideShell, openGuideShell } from './guide-shell.ts';
import { startLauncher, temporaryDirectory } from './launcher-run.ts';

/**
 * Every page with a `curl`, in the order of docs/README.md, except the driver apps: the receipts take their agent's
 * token from there. The records of one page must not change the answers that a later one prints.
 */
const PAGES = [
  'docs/guides/quick-start.md',
  'README.md',
  'docs/guides/credentials.md',
  'docs/guides/retries.md',
  'docs/guides/windows-and-etas.md',
  'docs/guides/webhooks.md',
  'docs/guides/payments.md',
  'docs/guides/driver-apps.md',
  'docs/guides/receipts-and-proof.md',
  'docs/migrating/from-onfleet.md',
  'docs/guides/notifications.md',
  'docs/guides/finding-tasks.md',
  'docs/guides/streams.md',
];
/** A reader who waits this long for a delivery has waited. */
const READ_AGAIN_MS = 15_000;
/** Characters of an answer that a failure shows. */
const SHOWN = 2_000;

test('every curl of the guides is in the list that a fresh start is asked', () => {
  const withCurl = listPages().filter((path) => exchangesOf(path).some(({ command }) => command.includes('curl ')));
  assert.deepEqual(withCurl.toSorted(), PAGES.toSorted());
});

test('an answer that lacks a printed part, or goes on behind its printed end, is noticed', () => {
  const printed = '{"id":1, … "at":"2026-01-01T00:00:00Z", … "code":"TSK-0123456789"}\n';
  const came = '{"id":1,"name":"A","at":"2026-11-21T04:55:16.894Z","by":null,"code":"TSK-3WC9FMK3F9"}';
  assert.equal(findMissing(printed, came), undefined);
  assert.equal(findMissing('{"id":1, …', came), undefined);
  assert.equal(findMissing(printed, came.replace('1', '2')), '{"id":1,');
  assert.equal(findMissing(printed, came.replace('"at"', '"on"')), '"at":"<time>",');
  assert.equal(findMissing(printed, came.replace('{', '{"new":0,')), '{"id":1,');
  assert.match(findMissing(printed, `${came}x`) ?? '', /^the end of the answer behind /);
});

test('a start with --renew-history gives the logs another history, and answers every curl as the guides print', async (t) => {
  const directory = temporaryDirectory(t);
  const database = await createMigratedDatabase();
  t.after(() => database.drop());
  const redis = testRedis();
  const stores = { DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_PREFIX: redis.prefix };
  // `head` leaves a stream, which curl notices at the next heartbeat.
  const environment = { ...stores, HEARTBEAT_MS: '1000' };
  const history = () => withSql(database.url, (sql) => currentHistory(sql, createRandomSource()));
  const known = await history();
  const { args, env } = compiledProgram('launcher');
  const program = { args: [...args, '--renew-history'], env };
  const launcher = startLauncher(join(directory, '.data'), environment, [], program);
  const { host } = new URL(await launcher.ready());
  const renewed = await history();
  assert.notEqual(renewed, known);
  assert.ok(launcher.output().includes(`the history of the event logs is ${renewed} from now on`));
  const hookPort = await reservePort();
  const shell = openGuideShell(directory);
  try {
    const made = new Set<string>();
    const here = (text: string) => text.replaceAll('127.0.0.1:8080', host).replaceAll('9977', `${hookPort}`);
    for (const { place, command, answer } of PAGES.flatMap(exchangesOf)) {
      // A change that two pages show, word for word, is made once.
      if (answer && made.has(command + answer)) continue;
      made.add(command + answer);
      await assertAnswer(shell, { place, command: here(command), answer: here(answer) });
      // A reader takes longer to type the next command than a program takes to start.
      if (command.endsWith('&')) await until(`${place}: the program listens`, () => isAnswered(shell, hookPort));
    }
  } finally {
    await shell.stop();
    await launcher.exit('SIGTERM');
  }
});

/** Heartbeats come in between on a slow machine: a few of them, of two or three lines each. */
const LINES_OF_BEATS = 10;

async function isAnswered(shell: GuideShell, port: number): Promise<boolean> {
  const { code } = await shell.run(`curl -sS http://127.0.0.1:${port}`);
  return code === 0;
}

async function assertAnswer(shell: GuideShell, { place, command, answer }: Exchange): Promise<void> {
  const isStream = command.includes('curl -sN');
  // A stream begins with a comment, which the guides leave out.
  const lines = 1 + Math.max(3, answer.trimEnd().split('\n').length) + LINES_OF_BEATS;
  const asked = isStream ? `${command} | head -n ${lines}` : command;
  const printed = answer || impliedAnswer(command);
  let came = await shell.run(asked);
  const isOther = () => came.code !== 0 || (printed && findMissing(printed, came.output));
  const isRead = !isStream && !/=\$\(| -d | -X /.test(command);
  for (const endsAt = performance.now() + READ_AGAIN_MS; isOther() && isRead && performance.now() < endsAt; ) {
    await delay(100);
    came = await shell.run(asked);
  }
  assert.equal(came.code, 0, `${place}: ${command}\n${came.output}`);
  const missing = printed && findMissing(printed, came.output);
  assert.ok(
    !missing,
    `${place}: ${command}\nprints\n${printed}\nin the guide, and now\n${came.output.slice(0, SHOWN)}\nwithout\n${missing}`,
  );
}

/** A call whose answer the guide leaves out succeeds all the same. */
function impliedAnswer(command: string): string {
  if (command.includes('=$(') || command.includes('> ') || command.endsWith('&')) return '';
  return command.includes('curl -sN') ? 'id: …event: stream.ready\ndata: {…' : '{"statusIndicator":"SUCCESS",…';
}
