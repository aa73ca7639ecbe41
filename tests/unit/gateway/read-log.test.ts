import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundEvents } from '../../../engine/org/feed/log-search.ts';
import type { Engine } from '../../../engine/org/start-engine.ts';
import type { ParsedRequest } from '../../../gateway/route.ts';
import { eventRoutes } from '../../../gateway/routes/event-routes.ts';
import type { ListEventsQuery, LoggedEvent } from '../../../schema/events.ts';

const EVENT: LoggedEvent = { organizationId: 1, sequence: 7, type: 'task.rated', at: '', body: '{}' };

/** The answer of `GET /events` to what a search has found. */
function answerTo(found: Pick<FoundEvents, 'events' | 'upTo'>) {
  const page: FoundEvents = { ...found, lastSequence: 90, keptAfter: 0 };
  const [route] = eventRoutes({ history: 'h', readLog: async () => page } as unknown as Engine);
  const query: ListEventsQuery = { after: 0, limit: 100, types: ['task.rated'] };
  return route!.handle({ identity: { organizationId: 1 }, query } as unknown as ParsedRequest);
}

test('an empty page is the end of the log: a search that ended before it without an event is refused', async () => {
  assert.deepEqual(await answerTo({ events: [], upTo: 40 }), {
    refusal: {
      code: 'OVERLOADED',
      message: 'No event of these types was found up to 40 of 90; try again, and the search goes on there',
    },
  });
  const shown = async (found: Pick<FoundEvents, 'events' | 'upTo'>) => {
    const answer = await answerTo(found);
    return 'data' in answer ? answer.data : answer;
  };
  assert.equal(await shown({ events: [], upTo: 90 }), '{"items":[],"count":0,"nextAfter":90}');
  assert.equal(await shown({ events: [EVENT], upTo: 40 }), '{"items":[{}],"count":1,"nextAfter":40}');
});
