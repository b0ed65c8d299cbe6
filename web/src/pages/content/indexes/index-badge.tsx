import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Badge } from '../../../ui/badge.tsx';

/** Whether queries can use the index yet. */
export function IndexBadge({ index }: { readonly index: IndexDocument }) {
  const isReady = index.state === 'ready';
  return <Badge tone={isReady ? 'good' : 'info'}>{isReady ? 'Ready' : 'Building'}</Badge>;
}
