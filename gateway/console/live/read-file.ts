import { type Api, CallError } from './api.ts';
import type { Answer } from './protocol.ts';

const FILE_MS = 20_000;

/** A file of the API as a data URL. Never rejects, as a call of `Api` does not. */
export async function readFile(api: Api, path: string): Promise<Answer<string>> {
  try {
    const reply = await api.open(path, AbortSignal.timeout(FILE_MS));
    const bytes = await reply.blob();
    return { ok: true, status: reply.status, data: await dataUrlOf(bytes) };
  } catch (error) {
    return { ok: false, failure: (error instanceof CallError ? error : api.failure(error)).failure };
  }
}

function dataUrlOf(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}
