import { spawnSync } from 'node:child_process';
import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from './child-process.ts';
import { LaunchError } from './launch-error.ts';

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

interface RunAsOptions {
  /** The user of the process; our own when absent. */
  readonly identity?: Identity | undefined;
  /** The programs and directories that this user must be able to reach. */
  readonly reaches?: readonly string[];
  /** The signal that the kernel sends the process when the launcher dies for any reason (Linux only). */
  readonly deathSignal: 'INT' | 'TERM' | 'KILL';
}

/**
 * For a program that refuses to run as root, whom to run it as: the owner of `directory`, or `nobody` while
 * that is root. Undefined when we are not root.
 */
export function findIdentity(directory: string): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(directory);
  return owner.uid === 0 ? nobody() : { uid: owner.uid, gid: owner.gid };
}

/**
 * Wraps a command so that it runs as `identity` and ends with the launcher.
 *
 * Root's clone usually lies under /root, closed to anyone else. There the process keeps one capability, to pass
 * closed directories (`no_setuid_fixup` because access(2), by which Postgres looks for its own programs,
 * would drop it). Throws LaunchError where that cannot be had.
 */
export function runAs(command: Command, { identity, reaches = [], deathSignal }: RunAsOptions): Command {
  const closed = identity && reaches.map((path) => findClosed(path, identity)).find(Boolean);
  if (process.platform === 'linux' && hasSetpriv()) {
    const args = ['--pdeathsig', deathSignal];
    if (identity) args.push('--reuid', `${identity.uid}`, '--regid', `${identity.gid}`, '--clear-groups');
    if (closed) {
      args.push('--inh-caps', '+dac_override', '--ambient-caps', '+dac_override', '--securebits', '+no_setuid_fixup');
    }
    return { file: 'setpriv', args: [...args, '--', command.file, ...command.args] };
  }
  if (closed) {
    throw new LaunchError(
      `Postgres does not run as root, and the user it runs as instead (uid ${identity.uid}) has no way through ${closed}.\n` +
        'Install util-linux (its `setpriv` opens one), start as an ordinary user, or move the folder elsewhere.',
    );
  }
  return identity ? { ...command, ...identity } : command;
}

/** busybox has a setpriv too, which knows none of these options. */
function hasSetpriv(): boolean {
  const { status, stdout } = spawnSync('setpriv', ['--version'], { encoding: 'utf8' });
  return status === 0 && stdout.includes('util-linux');
}

/** The first of `path` and the directories above it that `identity` may not use. */
function findClosed(path: string, identity: Identity): string | undefined {
  let current = realpathSync(path);
  if (!permits(statSync(current), identity, 0o5)) return current;
  while (current !== dirname(current)) {
    current = dirname(current);
    if (!permits(statSync(current), identity, 0o1)) return current;
  }
  return undefined;
}

function permits(stats: Stats, { uid, gid }: Identity, wanted: number): boolean {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  return ((stats.mode >> shift) & wanted) === wanted;
}

function nobody(): Identity {
  const ask = (option: string) => Number(spawnSync('id', [option, 'nobody'], { encoding: 'utf8' }).stdout);
  const [uid, gid] = [ask('-u'), ask('-g')];
  if (!uid || !gid) throw new LaunchError('Postgres does not run as root, and there is no user `nobody` to run it as.');
  return { uid, gid };
}
