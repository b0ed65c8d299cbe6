import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { labelOf } from '../../../api/node-label.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { formatPercent } from '../../../ui/format.ts';
import { similarNodesQuery } from './node-queries.ts';

/** What is near by its vectors; nothing where there are none. */
export function SimilarNodes({ uid }: { readonly uid: string }) {
  const { data, error, refetch } = useQuery(similarNodesQuery(uid));
  if (error !== null) {
    return (
      <Card title="Similar nodes">
        <ErrorPanel title="The similar nodes could not be read" error={error} onRetry={refetch} />
      </Card>
    );
  }
  if (data === undefined || data.length === 0) return null;
  return (
    <Card title="Similar nodes">
      <ol className="-my-1.5 divide-y">
        {data.map(({ node, score }) => (
          <li key={node.UID} className="flex items-baseline gap-3 py-1.5">
            <Link
              to="/node/$uid"
              params={{ uid: node.UID }}
              className="min-w-0 truncate text-accent hover:underline"
            >
              <bdi>{labelOf(node)}</bdi>
            </Link>
            <span className="shrink-0 text-[13px] text-muted">{node.Type}</span>
            <span className="ml-auto shrink-0 text-[13px] text-muted tabular-nums">
              {formatPercent(score)} <span className="sr-only">similar</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
