import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds used so far. `total` and `idle` are the whole machine's. */
export interface CpuReading {
  readonly server: number;
  readonly postgres: number;
  readonly generator: number;
  readonly total: number;
  readonly idle: number;
}

export interface MeasuredProcesses {
  readonly serverPid: number;
  readonly postmasterPid: number;
  readonly generatorPid: number;
}

/** The unit of /proc/<pid>/stat and /proc/stat: USER_HZ, 100 on every Linux there is. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly parentPid: number;
  /** User and system time of the process with all its threads. */
  readonly ownTicks: number;
  /** The same of its children that have ended and were waited for. */
  readonly endedChildrenTicks: number;
}

/** The CPU time of each process until now (Linux). Throws when the machine has no /proc or a process is gone. */
export function readCpu({ serverPid, postmasterPid, generatorPid }: MeasuredProcesses): CpuReading {
  const seconds = (ticks: number) => ticks / TICKS_PER_SECOND;
  return {
    server: seconds(statOf(serverPid).ownTicks),
    postgres: seconds(treeTicks(postmasterPid)),
    generator: seconds(statOf(generatorPid).ownTicks),
    ...machineSeconds(),
  };
}

/** The difference of two readings. */
export function cpuBetween(before: CpuReading, after: CpuReading): CpuReading {
  const keys = ['server', 'postgres', 'generator', 'total', 'idle'] as const;
  return Object.fromEntries(keys.map((key) => [key, after[key] - before[key]])) as unknown as CpuReading;
}

/** CPU seconds of each part, and of the whole machine. */
export type CpuSeconds<Part extends string> = Readonly<Record<Part | 'total' | 'idle', number>>;

export interface CpuWatch<Part extends string> {
  /** The CPU time of each part since the watch began. */
  read(): CpuSeconds<Part>;
}

/** Watches parts that each are some processes, or a process with all its children. Throws like `readCpu`. */
export function watchCpu<Part extends string>(
  parts: Readonly<Record<Part, readonly number[] | { readonly tree: number }>>,
): CpuWatch<Part> {
  const now = () => {
    const seconds: Record<string, number> = machineSeconds() as never;
    for (const [part, pids] of Object.entries(parts) as [Part, readonly number[] | { readonly tree: number }][]) {
      const ticks = 'tree' in pids ? treeTicks(pids.tree) : pids.reduce((sum, pid) => sum + statOf(pid).ownTicks, 0);
      seconds[part] = ticks / TICKS_PER_SECOND;
    }
    return seconds as CpuSeconds<Part>;
  };
  const before = now();
  return {
    read() {
      const after: Record<string, number> = now();
      for (const [part, seconds] of Object.entries(before) as [Part, number][]) after[part]! -= seconds;
      return after as CpuSeconds<Part>;
    },
  };
}

/** Memory that the process holds now, in MiB. */
export function residentMiB(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m);
  return Number(pages?.[1] ?? 0) / 1024;
}

/**
 * Postmaster and backends. A backend that ends in between moves what it used into the postmaster's account of
 * ended children, so that the sum never loses it.
 */
function treeTicks(postmasterPid: number): number {
  const postmaster = statOf(postmasterPid);
  let ticks = postmaster.ownTicks + postmaster.endedChildrenTicks;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = findStat(Number(name));
    if (stat?.parentPid === postmasterPid) ticks += stat.ownTicks;
  }
  return ticks;
}

function statOf(pid: number): ProcessStat {
  const stat = findStat(pid);
  if (!stat) throw new Error(`process ${pid} is gone, or this machine has no /proc`);
  return stat;
}

/** Fields as in proc(5); the second, the program's name, may hold spaces and parentheses itself. */
function findStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parentPid, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
  return { parentPid: parentPid!, ownTicks: utime! + stime!, endedChildrenTicks: cutime! + cstime! };
}

function machineSeconds(): { total: number; idle: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!;
  // user nice system idle iowait irq softirq steal; what follows is contained in these.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const total = ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
  return { total, idle: (ticks[3]! + ticks[4]!) / TICKS_PER_SECOND };
}
