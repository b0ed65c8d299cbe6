import { formatCount } from '../../ui/format.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';

interface Follower {
  readonly lagVersions: number;
  readonly appliedSequence: number;
}

/** How far a process that follows the log is. */
export const followerColumns: readonly Column<Follower>[] = [
  {
    title: 'Lag',
    isNumber: true,
    cell: ({ lagVersions }) => (
      <Badge tone={lagVersions === 0 ? 'good' : 'warning'}>{formatCount(lagVersions)}</Badge>
    ),
  },
  {
    title: 'Applied sequence',
    isNumber: true,
    isMinor: true,
    cell: ({ appliedSequence }) => formatCount(appliedSequence),
  },
];
