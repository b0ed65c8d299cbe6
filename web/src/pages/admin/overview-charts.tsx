import { useQuery } from '@tanstack/react-query';
import { Card } from '../../ui/card.tsx';
import { formatBytes, formatDecimal } from '../../ui/format.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { LagChart } from './lag-chart.tsx';
import { statisticsQuery } from './statistics.ts';

/** Powers of 2, so that the axis shows whole units: 512 MiB, 1 GiB. */
const BYTE_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** The last hour. */
export function OverviewCharts() {
  const statistics = useQuery(statisticsQuery);
  return (
    <QueryView query={statistics} errorTitle="The figures of the last hour could not be read">
      {({ samples }) => {
        const timesSeconds = samples.map(({ at }) => Date.parse(at) / 1_000);
        return (
          <div className="grid gap-5 lg:grid-cols-2">
            <Card title="Commits and calls a second" description="The last hour">
              <LineChart
                label="Commits and endpoint calls a second over the last hour"
                timesSeconds={timesSeconds}
                format={formatDecimal}
                series={[
                  { label: 'Commits', values: samples.map((one) => one.commitsPerSecond) },
                  { label: 'Endpoint calls', values: samples.map((one) => one.callsPerSecond) },
                ]}
              />
            </Card>
            <Card title="Memory" description="The last hour">
              <LineChart
                label="Memory of the server over the last hour"
                timesSeconds={timesSeconds}
                format={formatBytes}
                steps={BYTE_STEPS}
                series={[{ label: 'Resident', values: samples.map((one) => one.rssBytes) }]}
              />
            </Card>
            <LagChart samples={samples} />
          </div>
        );
      }}
    </QueryView>
  );
}
