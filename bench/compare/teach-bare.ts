import { STATUS_CODES } from 'node:http';
import type { Contestant } from '../stand/contestants.ts';

interface Lesson {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** Sends one request to our gateway and tells the bare server its answer, which it gives from then on. */
export async function teachBare(contestants: readonly Contestant[], apiKey: string, lesson: Lesson): Promise<void> {
  const { method, path, body } = lesson;
  const urlOf = (name: string) => contestants.find((contestant) => contestant.name === name)!.baseUrl;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const reply = await fetch(`${urlOf('ours')}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`);
  const answer = {
    status: `${reply.status} ${STATUS_CODES[reply.status]}`,
    headers: [...reply.headers],
    body: await reply.text(),
  };
  const told = await fetch(`${urlOf('bare')}/answers/${method}`, { method: 'PUT', body: JSON.stringify(answer) });
  if (!told.ok) throw new Error(`the bare server answered ${told.status} to its lesson`);
}
