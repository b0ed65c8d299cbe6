import type { LoadSample } from '@trellis/contract/shapes/stats.ts';
import { Card } from '../../ui/card.tsx';
import { formatCount } from '../../ui/format.ts';
import { LineChart } from '../../ui/line-chart.tsx';

/** Whole numbers: there is no half of an operation. */
const LAG_STEPS = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat();

/** The lag of the replicas; nothing without replication. */
export function LagChart({ samples }: { readonly samples: readonly LoadSample[] }) {
  if (samples.every(({ currentLag }) => currentLag === undefined)) return null;
  const values = (name: 'currentLag' | 'averageLag' | 'emaLag') =>
    samples.map((sample) => sample[name] ?? null);
  return (
    <Card
      title="Lag of the replicas"
      description="Operations behind the primary, the last hour. The EMA is the value to alert on."
    >
      <LineChart
        label="Lag of the replicas over the last hour"
        timesSeconds={samples.map(({ at }) => Date.parse(at) / 1_000)}
        format={formatLag}
        steps={LAG_STEPS}
        series={[
          { label: 'Current', values: values('currentLag') },
          { label: 'Mean', values: values('averageLag') },
          { label: 'EMA', values: values('emaLag') },
        ]}
      />
    </Card>
  );
}

function formatLag(lag: number): string {
  return formatCount(Math.round(lag));
}
