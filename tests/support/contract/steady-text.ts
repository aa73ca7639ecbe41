/** The time of all examples; what a call makes later is later by as many steps. */
const NOW_MS = Date.parse('2031-03-05T09:00:00.000Z');
/** Far longer than a walk takes, so that its own length never shows. */
const STEP_MS = 600_000;
/** Times further away are the walk's own. */
const NEAR_MS = 90 * 86_400_000;

const TOKEN = '5hWq0ZkT8rNxLm2c';

/** The parts of an exchange's JSON that differ from one run to the next, each with its stand-in. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://dispatch.example'],
  // A webhook needs an address that no look-up is for.
  [/https:\/\/1\.1\.1\.1\b/g, 'https://shop.example'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '7f9c24e5-2f0d-4b5a-9c1e-8a6d3b0f4e21'],
  [/\b[0-9a-f]{16}@test\.example/g, 'someone@shop.example'],
  // Addresses stay addresses.
  [/(?<=(?:[" ]|\.\.)\/t\/)[\w.-]+/g, TOKEN],
  [/(?<=\/payments\/checkout\/[0-9a-z]+\.[0-9a-z]+\.)[\w-]+/g, TOKEN],
  [/(?<=\btc_[0-9a-z]+_[0-9a-z]+_)[\w-]{24}/g, TOKEN],
  [/(?<=[?&]token=|"publicKey":")[\w.-]+/g, '…'],
  // Other secrets keep the letters that tell their kind.
  [/(?<=\b(?:d[a-z]{1,2}_(?:live_)?|whsec_))[\w+/-]{16,}={0,2}/g, '…'],
  [/(?<="pin":")\d+/g, '0482'],
  // It holds the time of a record.
  [/(?<="nextCursor":")[\w.-]+/g, 'WzIzMTY1NjMyLCIyMDMxLTAzLTA1Il0'],
  [/(?<="qr":"<svg)(?:[^"\\]|\\.)*/g, ' …'],
  [/\bTSK-\w{10}\b/g, 'TSK-7Q4M2XK9RD'],
  [/\bevt_test_\w+/g, 'evt_test_…'],
  // The names of the console's files change with their content.
  [/(?<=\/assets\/[a-z-]+-)[A-Z0-9]{8}(?=\.)/g, '…'],
  // The name of the log, and how far it is: positions of agents add to it in their own time.
  [/\bevt_[a-z0-9]{10}(?=_\d)/g, 'evt_k4t7w2m9xd'],
  [/(?<="(?:position|history)\\?":\\?"|lastEventId=|\\nid: )[a-z0-9]{10}\b/g, 'k4t7w2m9xd'],
  // A tracking page's: it holds the times that the page shows.
  [/(?<=\\nid: )[\w-]{44}(?=\\n)/g, 'TvZLnNyxsk_juqW3Y1-vZK_yKXdsD0fehacpX-4-aEiY'],
  [/(?<="duration":)[\d.]+/g, '1.5'],
  [/(?<="duration":1\.5,"position":"\w+-)\d+/g, '42'],
  [/(?<="toSequence":)\d+,"count":\d+/g, '42,"count":42'],
  // A plan's: it counts from the moment.
  [/(?<="score":)\d{5,}(?:\.\d+)?/g, '930829.4'],
  [/(?<="(?:etaAt|pickupEtaAt)":")[^"]+/g, '2031-03-05T09:20:00.000Z'],
  // The first figure of the metrics.
  [/(?<=\\nprocess_cpu_user_seconds_total )[\d.]+/g, '27.5'],
  // Settings of the Postgres of the tests.
  [/(?<="volatilePostgres":)\[[^\]]*\]/g, '[]'],
];

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;

/** A text without what differs from one run to the next: times, secrets, random names. Ids count up in each database. */
export function steady(text: string, startedAtMs: number): string {
  const timed = text.replace(TIME, (time) => steadyTime(time, startedAtMs));
  return REPLACEMENTS.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), timed);
}

function steadyTime(time: string, startedAtMs: number): string {
  const sinceStartMs = Date.parse(time) - startedAtMs;
  if (Math.abs(sinceStartMs) > NEAR_MS) return time;
  return new Date(NOW_MS + Math.floor(sinceStartMs / STEP_MS) * STEP_MS).toISOString();
}
