import { timeOf } from '../page/format.ts';
import { figures } from '../page/link.ts';
import { text } from '../text/english.ts';
import { chartsText as words } from '../text/english-charts.ts';
import {
  BANDS,
  type Counts,
  onTimeShare,
  openByStatus,
  type Span,
  tasksPerMinute,
  timeToAssign,
  WAIT_STEPS,
} from './activity.ts';
import { Chart } from './chart.tsx';
import { type Known, useActivity } from './use-activity.ts';
import { WebhookSuccess } from './webhook-success.tsx';

/** Fewer things than this make no chart that one should trust. */
const LEAST = { perMinute: 2, toAssign: 5, onTime: 5 } as const;
const plain = (value: number) => value.toLocaleString('en');
const COLORS: Readonly<Record<(typeof BANDS)[number], string>> = {
  unassigned: '--wait',
  assigned: '--slate-7',
  accepted: '--indigo-7',
  in_transit: '--accent',
};

/** The last hour of the organization. */
export function Charts() {
  const { known, problem } = useActivity();
  return (
    <main class="charts">
      <header>
        <h1>{text.nav.charts}</h1>
        {known && <p class="soft">{words.since(timeOf(known.sinceMs), timeOf(known.atMs))}</p>}
      </header>
      {problem !== null && (
        <p class="fault" role="alert">
          {known ? words.stands(problem, timeOf(known.atMs)) : problem}
        </p>
      )}
      {!known && problem === null && <p class="say">{words.loading}</p>}
      <div class="chart-grid">
        {known && <LogCharts known={known} />}
        <WebhookSuccess />
      </div>
    </main>
  );
}

function LogCharts({ known: { activity, sinceMs, atMs } }: { readonly known: Known }) {
  const span: Span = { fromMs: sinceMs, toMs: atMs };
  const { perMinute, toAssign, onTime } = words;
  const rate = tasksPerMinute(activity, span);
  const assign = timeToAssign(activity, span);
  const share = onTimeShare(activity, span);
  const inTime = activity.ended.filter(({ isOnTime }) => isOnTime).length;
  const few = (name: keyof typeof LEAST, samples: number) =>
    samples >= LEAST[name] ? null : words.few(samples, words[name].things, LEAST[name]);
  return (
    <>
      <Chart
        {...perMinute}
        summary={perMinute.summary(activity.created.length, activity.ended.length)}
        series={rate}
        drawn={[
          { label: perMinute.series[0]!, color: '--accent' },
          { label: perMinute.series[1]!, color: '--good' },
        ]}
        kind="bars"
        show={plain}
        few={few('perMinute', rate.samples)}
      />
      <OpenTasks activity={activity} span={span} />
      <Chart
        {...toAssign}
        summary={toAssign.summary(assign.samples)}
        series={assign}
        drawn={[
          { label: toAssign.series[0]!, color: '--accent' },
          { label: toAssign.series[1]!, color: '--slate-9', dash: [6, 4] },
        ]}
        kind="lines"
        show={words.seconds}
        steps={WAIT_STEPS}
        few={few('toAssign', assign.samples)}
      />
      <Chart
        {...onTime}
        summary={onTime.summary((100 * inTime) / Math.max(1, share.samples), share.samples)}
        series={share}
        drawn={[{ label: onTime.series[0]!, color: '--good' }]}
        kind="lines"
        show={words.percent}
        top={105}
        few={few('onTime', share.samples)}
      />
    </>
  );
}

function OpenTasks({ activity, span }: { readonly activity: Known['activity']; readonly span: Span }) {
  const now = figures.peek();
  if (!now) return null;
  const { byStatus, sequence, open } = now;
  const counts: Counts = {
    unassigned: byStatus.new + byStatus.awaiting_assignment,
    assigned: byStatus.assigned,
    accepted: byStatus.accepted,
    in_transit: byStatus.in_transit,
  };
  return (
    <Chart
      {...words.open}
      summary={words.open.summary(open)}
      series={openByStatus(activity, span, counts, sequence)}
      drawn={BANDS.map((band) => ({ label: words.open.bands[band], color: COLORS[band] }))}
      kind="stack"
      show={plain}
      few={null}
    />
  );
}
