import type { ReplicaVerification } from '@trellis/contract/shapes/replica.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';

const TONES = { equal: 'good', different: 'danger', unknown: 'warning' } as const;

export function ReplicaVerificationResult({ result }: { readonly result: ReplicaVerification }) {
  const at = `at sequence ${formatCount(result.sequence)}`;
  return (
    <Card title="Comparison" description={`States ${at}`} isFlush>
      <div className="px-4 pb-3">
        <Notice tone={result.isEqual ? 'info' : 'warning'}>
          {result.isEqual
            ? `Every replica equals the primary ${at}.`
            : 'Not every replica equals the primary. Start a replica that differs again, with an empty folder.'}
        </Notice>
      </div>
      <DataTable
        label="Comparison of each replica"
        rows={result.replicas}
        keyOf={({ replicaUID }) => replicaUID}
        columns={[
          { title: 'Replica', cell: ({ replicaName }) => replicaName },
          { title: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
          {
            title: 'Differences',
            cell: ({ differences }) =>
              differences.length === 0
                ? 'None known'
                : differences
                    .map(
                      ({ database, piecesOnPrimary, piecesOnReplica }) =>
                        `${database}: ${piecesOnPrimary} pieces only on the primary, ${piecesOnReplica} only on the replica`,
                    )
                    .join('; '),
          },
        ]}
      />
    </Card>
  );
}
