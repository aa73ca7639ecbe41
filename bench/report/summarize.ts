import type { RunResult } from '../measure/measure-run.ts';
import type { ContestantName } from '../scenarios/scenario.ts';
import { type Spread, spreadOf } from '../statistics.ts';

/** One contestant at one number of connections, over all rounds. */
export interface Summary {
  readonly contestant: ContestantName;
  readonly connections: number;
  readonly tasksPerSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** CPU microseconds per task. */
  readonly serverMicros: Spread;
  readonly postgresMicros: Spread;
  readonly generatorMicros: Spread;
  readonly commitsPerTask: Spread;
  /** Parts of all cores' time in the window. */
  readonly shares: Readonly<Record<'server' | 'postgres' | 'generator' | 'idle' | 'others', number>>;
  readonly serverMiB: number;
}

export interface PeerRatio {
  readonly peer: ContestantName;
  readonly throughput: number;
  /** CPU of all processes per task, the peer's by ours: hardly moved by what else runs on the machine. */
  readonly cpu: number;
}

/** Ours against the others at one number of connections; each is a ratio of medians. */
export interface Comparison {
  readonly connections: number;
  /** Ours by each peer's. */
  readonly peers: readonly PeerRatio[];
  /** Our part of the bare server's throughput, and CPU of the server alone per task, the bare server's by ours. */
  readonly bareShare: number;
  readonly bareCpu: number;
  /** CPU microseconds per task. */
  readonly oursMicros: { readonly server: number; readonly postgres: number };
  readonly oursP99Ms: number;
  /** The lower of the two peers'. */
  readonly peerP99Ms: number;
}

export interface Verdict {
  readonly claim: string;
  readonly measured: string;
  readonly met: boolean;
}

export function summarize(results: readonly RunResult[]): Summary[] {
  return groupBy(results, ({ connections, contestant }) => `${connections} ${contestant}`).map(summarizeCell);
}

function summarizeCell(runs: readonly RunResult[]): Summary {
  const spread = (value: (run: RunResult) => number) => spreadOf(runs.map(value));
  const perTask = (value: (run: RunResult) => number) => spread((run) => value(run) / Math.max(1, run.tasks));
  const share = (part: 'server' | 'postgres' | 'generator' | 'idle') =>
    spread((run) => run.cpu[part] / run.cpu.total).median;
  const { contestant, connections } = runs[0]!;
  return {
    contestant,
    connections,
    tasksPerSecond: spread((run) => run.tasksPerSecond),
    p50Ms: spread((run) => run.p50Ms),
    p99Ms: spread((run) => run.p99Ms),
    serverMicros: perTask((run) => run.cpu.server * 1e6),
    postgresMicros: perTask((run) => run.cpu.postgres * 1e6),
    generatorMicros: perTask((run) => run.cpu.generator * 1e6),
    commitsPerTask: perTask((run) => run.commits),
    shares: {
      server: share('server'),
      postgres: share('postgres'),
      generator: share('generator'),
      idle: share('idle'),
      others: spread((run) => run.othersShare).median,
    },
    serverMiB: spread((run) => run.serverMiB).max,
  };
}

export function compare(summaries: readonly Summary[]): Comparison[] {
  return groupBy(summaries, ({ connections }) => connections).map((cells) => {
    const { connections } = cells[0]!;
    const of = (name: ContestantName) => cells.find(({ contestant }) => contestant === name)!;
    const [ours, bare, peers] = [of('ours'), of('bare'), [of('peer'), of('peer-free')]] as const;
    const rate = ours.tasksPerSecond.median;
    return {
      connections,
      peers: peers.map((peer) => ({
        peer: peer.contestant,
        throughput: rate / peer.tasksPerSecond.median,
        cpu: microsOf(peer) / microsOf(ours),
      })),
      oursMicros: { server: ours.serverMicros.median, postgres: ours.postgresMicros.median },
      bareShare: rate / bare.tasksPerSecond.median,
      bareCpu: bare.serverMicros.median / ours.serverMicros.median,
      oursP99Ms: ours.p99Ms.median,
      peerP99Ms: Math.min(...peers.map(({ p99Ms }) => p99Ms.median)),
    };
  });
}

/** CPU of all processes per task. */
export function microsOf({ serverMicros, postgresMicros, generatorMicros }: Summary): number {
  return serverMicros.median + postgresMicros.median + generatorMicros.median;
}

/** The targets at a number of connections. Source: the project's performance goals. */
interface Target {
  readonly connections: number;
  /** Times the throughput of the peer that does the same work, and of the one that does less. */
  readonly peerRatio: number;
  readonly freePeerRatio: number;
  /** Part of the bare server's throughput. */
  readonly bareShare: number;
  /** The most CPU microseconds per task. */
  readonly most?: { readonly server: number; readonly postgres: number };
}

const TARGETS: readonly Target[] = [
  { connections: 64, peerRatio: 5, freePeerRatio: 5, bareShare: 0.35 },
  {
    connections: 256,
    peerRatio: 15,
    freePeerRatio: 8,
    bareShare: 0.45,
    most: { server: 90, postgres: 65 },
  },
];

/** The targets compared with the measurements; numbers of connections without a target have no verdict. */
export function judge(comparisons: readonly Comparison[]): Verdict[] {
  return comparisons.flatMap((comparison) => {
    const { connections, peers, bareShare, oursMicros, oursP99Ms, peerP99Ms } = comparison;
    const target = TARGETS.find((each) => each.connections === connections);
    if (!target) return [];
    const at = `at ${connections} connections`;
    return [
      ...peers.map(({ peer, throughput }) => {
        const ratio = peer === 'peer' ? target.peerRatio : target.freePeerRatio;
        const claim = `${at} at least ${ratio} times the throughput of ${peer}`;
        return { claim, measured: `${throughput.toFixed(2)} times`, met: throughput >= ratio };
      }),
      {
        claim: `${at} at least ${(target.bareShare * 100).toFixed(0)} % of the bare server's throughput`,
        measured: `${(bareShare * 100).toFixed(1)} %`,
        met: bareShare >= target.bareShare,
      },
      ...(['server', 'postgres'] as const).flatMap((part) => {
        const most = target.most?.[part];
        if (most === undefined) return [];
        const claim = `${at} at most ${most} µs of CPU per task in ${part === 'server' ? 'the gateway' : 'Postgres'}`;
        return [{ claim, measured: `${oursMicros[part].toFixed(0)} µs`, met: oursMicros[part] <= most }];
      }),
      {
        claim: `${at} p99 below both peers'`,
        measured: `${oursP99Ms.toFixed(1)} ms against ${peerP99Ms.toFixed(1)} ms`,
        met: oursP99Ms < peerP99Ms,
      },
    ];
  });
}

/** Groups in the order in which their first items come. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}
