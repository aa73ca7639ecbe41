import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { TRACKING_SCRIPT } from '../../../../gateway/tracking/tracking-script.ts';

type Listener = (event: { readonly data: string }) => void;

/** A page with a form for a comment, which the script runs in; timers come when the test says so. */
function openPage(zone = 'Europe/Berlin') {
  const state = { comment: '', reloads: 0, nowMs: Date.parse('2026-11-21T09:00:00Z'), readyState: 1 };
  const timers: (() => void)[] = [];
  const intervals: (() => void)[] = [];
  const listeners = new Map<string, Listener>();
  const status = { innerHTML: 'Order received', querySelectorAll: () => [] };
  const title = { innerHTML: 'Order received', querySelectorAll: () => [] };
  const elements: Record<string, object> = { again: { hidden: false }, 'status-7': status };
  class Now extends Date {
    constructor() {
      super(state.nowMs);
    }
  }
  class EventSource {
    static readonly CLOSED = 2;
    get readyState() {
      return state.readyState;
    }
    addEventListener(type: string, listener: Listener): void {
      listeners.set(type, listener);
    }
    close(): void {}
  }
  runInNewContext(TRACKING_SCRIPT, {
    Date: Now,
    EventSource,
    document: {
      querySelector: (which: string) => (which === 'title' ? title : { dataset: { events: '/t/token/events', zone } }),
      querySelectorAll: () => [{ value: state.comment }],
      getElementById: (id: string) => elements[id] ?? null,
    },
    location: {
      reload() {
        state.reloads += 1;
      },
    },
    setTimeout: (act: () => void) => timers.push(act),
    setInterval: (act: () => void) => intervals.push(act),
  });
  return {
    state,
    status,
    title,
    tell: (type: string, data = '{}') => listeners.get(type)!({ data }),
    passTimers() {
      for (const act of timers.splice(0)) act();
    },
    passInterval() {
      for (const act of intervals) act();
    },
  };
}

test('a page whose stream is refused loads again, and not while a comment is in it', () => {
  const idle = openPage();
  idle.tell('error');
  idle.passTimers();
  idle.passInterval();
  assert.equal(idle.state.reloads, 0, 'a browser that tries again by itself needs no help');
  idle.state.readyState = 2;
  idle.tell('error');
  idle.passTimers();
  assert.equal(idle.state.reloads, 1);

  const written = openPage();
  Object.assign(written.state, { comment: 'Quick, and kind.', readyState: 2 });
  written.tell('error');
  written.passTimers();
  written.passInterval();
  assert.equal(written.state.reloads, 0);
  written.state.comment = '';
  written.passInterval();
  assert.equal(written.state.reloads, 1);
});

test('a page loads again on another day of its zone, and on one of UTC where the browser does not know the zone', () => {
  for (const [zone, before, after] of [
    ['Asia/Riyadh', '2026-11-21T20:59:59Z', '2026-11-21T21:00:00Z'],
    ['Europe/Of_Tomorrow', '2026-11-21T23:59:59Z', '2026-11-22T00:00:00Z'],
  ] as const) {
    const page = openPage(zone);
    page.tell('parts', JSON.stringify({ 'status-7': 'Courier found' }));
    assert.equal(page.status.innerHTML, 'Courier found', zone);
    page.state.nowMs = Date.parse(before);
    page.passInterval();
    assert.equal(page.state.reloads, 0, zone);
    page.state.nowMs = Date.parse(after);
    page.passInterval();
    assert.equal(page.state.reloads, 1, zone);
  }
});

test('the title of a page follows its status', () => {
  const page = openPage();
  page.tell('parts', JSON.stringify({ title: 'Courier found · Kestrel', 'status-7': 'Courier found' }));
  assert.deepEqual([page.title.innerHTML, page.state.reloads], ['Courier found · Kestrel', 0]);
});
