import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrawPace } from '../../../../../gateway/console/map/drawing/draw-pace.ts';

/** A pace whose drawings take so long, the last one ended at 10,000 ms. */
function paceOf(drawMs: number): DrawPace {
  const pace = new DrawPace();
  for (let times = 0; times < 3; times++) pace.end(10_000, drawMs);
  return pace;
}

test('with a graphics card the map is drawn at once, also after a key', () => {
  const pace = paceOf(12);
  pace.want(10_001);
  pace.press(10_001);
  assert.equal(pace.isSlow, false);
  assert.equal(pace.dueAt(10_001), 10_001);
});

test('without one the map rests longer than it draws, and not for ever', () => {
  const slow = paceOf(100);
  assert.equal(slow.isSlow, true);
  assert.equal(slow.dueAt(10_001), 10_200);
  assert.equal(paceOf(5_000).dueAt(10_001), 11_500);
});

test('after a key the slow map waits for a moment, and no longer while somebody goes on typing', () => {
  const pace = paceOf(100);
  pace.want(20_000);
  pace.press(20_000);
  assert.equal(pace.dueAt(20_001), 20_250);
  let now = 20_000;
  while (pace.dueAt(now) > now && now < 30_000) {
    now += 50;
    pace.press(now);
  }
  assert.equal(now, 21_500);
});

test('one drawing that was seen late makes no slow map, and one that was quick no quick one', () => {
  const quick = paceOf(12);
  quick.end(11_000, 1_000);
  assert.equal(quick.isSlow, false);
  const slow = paceOf(100);
  slow.end(11_000, 5);
  assert.equal(slow.isSlow, true);
  slow.end(11_000, 5);
  assert.equal(slow.isSlow, false);
});

test('a map that a person moves is drawn at once, however slow it is', () => {
  const pace = paceOf(400);
  pace.press(10_100);
  pace.move(10_110);
  assert.equal(pace.dueAt(10_120), 10_120);
  assert.ok(pace.dueAt(10_500) > 10_500, 'it rests when it has come to rest');
});

test('a drawing answers every wish before it', () => {
  const pace = paceOf(100);
  pace.want(20_000);
  pace.begin();
  pace.end(20_100, 100);
  pace.press(21_600);
  pace.want(21_610);
  assert.equal(pace.dueAt(21_620), 21_850);
});
