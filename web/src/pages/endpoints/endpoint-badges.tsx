import { Badge } from '../../ui/badge.tsx';
import { type EndpointSummary, isBuiltIn } from './endpoint-queries.ts';

interface EndpointBadgesProps {
  readonly endpoint: Pick<
    EndpointSummary,
    'name' | 'isReadOnly' | 'mayRunOnPrimary' | 'mode' | 'access' | 'runAsAdmin'
  >;
  readonly isFailing: boolean;
}

/** What is not as with most endpoints. */
export function EndpointBadges({ endpoint, isFailing }: EndpointBadgesProps) {
  return (
    <span className="flex flex-wrap gap-1">
      {isFailing && <Badge tone="danger">Does not compile</Badge>}
      {isBuiltIn(endpoint.name) && <Badge tone="info">Built in</Badge>}
      {endpoint.isReadOnly && <Badge tone="good">Read-only</Badge>}
      {endpoint.mayRunOnPrimary && <Badge tone="warning">May run on primary</Badge>}
      {endpoint.mode === 'pooling' && <Badge>Pooling</Badge>}
      {endpoint.access === 'admins' && <Badge tone="warning">Admins only</Badge>}
      {endpoint.runAsAdmin && <Badge tone="warning">Runs as admin</Badge>}
    </span>
  );
}
