import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openEventStream } from '../../support/event-stream.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

test('a stream says at its opening whose it is, what time it is, and after how long a silence to open it again', async () => {
  const { organizationId, key } = await fixture.organization();
  const stream = await openEventStream(fixture.gateway.baseUrl, { organizationId, key });
  try {
    const { event, data } = await stream.next();
    assert.equal(event, 'stream.ready');
    const { history, position, serverTime, ...rest } = data;
    assert.ok(position.startsWith(`${history}-`));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual(rest, { organizationId, version, heartbeatMs: 15_000, reconnectAfterMs: 35_000 });
    assert.ok(Math.abs(Date.parse(serverTime) - Date.now()) < 60_000, serverTime);
  } finally {
    stream.close();
  }
});
