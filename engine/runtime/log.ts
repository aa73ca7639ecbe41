import { type Logger, pino } from 'pino';

export type Log = Logger;

/** JSON lines on stdout; the local launcher makes them readable. Credentials never reach a line. */
export function createLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // An error of Redis carries its command: the password of an AUTH, or the places of agents. One of an address that cannot be
    // read carries the address.
    redact: ['apiKey', 'password', 'token', '*.apiKey', '*.password', '*.token', 'err.command.args', 'err.input'],
  });
}
