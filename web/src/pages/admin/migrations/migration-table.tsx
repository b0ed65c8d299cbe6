import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { Time } from '../../../ui/time.tsx';
import { MigrationProgress } from './migration-progress.tsx';

/** What can be done with one migration at once. */
export type MigrationDeed = 'run' | 'cancel' | 'reset' | 'delete';

const TONES: Readonly<Record<Migration['status'], BadgeTone>> = {
  pending: 'neutral',
  running: 'info',
  succeeded: 'good',
  failed: 'danger',
  cancelled: 'neutral',
  interrupted: 'warning',
};
/** What is offered of one in this state. */
const DEEDS: Readonly<Record<Migration['status'], readonly MigrationDeed[]>> = {
  pending: ['run', 'delete'],
  running: ['cancel'],
  succeeded: ['reset', 'delete'],
  failed: ['run', 'reset', 'delete'],
  cancelled: ['run', 'reset', 'delete'],
  interrupted: ['run', 'reset', 'delete'],
};
const LABELS = { run: 'Run', cancel: 'Cancel', reset: 'Reset', delete: 'Delete' } as const;

interface MigrationTableProps {
  readonly items: readonly Migration[];
  readonly isAllowed: boolean;
  readonly onOpen: (migration: Migration) => void;
  readonly onDeed: (deed: MigrationDeed, name: string) => void;
}

export function MigrationTable({ items, isAllowed, onOpen, onDeed }: MigrationTableProps) {
  return (
    <DataTable
      label="Migrations"
      rows={items}
      keyOf={({ UID }) => UID}
      columns={[
        {
          title: 'Migration',
          cell: (one) => (
            <button
              type="button"
              className="text-left font-mono text-[13px] underline"
              onClick={() => onOpen(one)}
            >
              {one.name}
            </button>
          ),
        },
        {
          title: 'Status',
          cell: (one) => <Standing migration={one} />,
        },
        {
          title: 'At start',
          isMinor: true,
          cell: ({ runOnStartup }) => (runOnStartup ? 'Runs' : ''),
        },
        {
          title: 'Ended',
          isMinor: true,
          cell: ({ endedAt }) => (endedAt === null ? '' : <Time iso={endedAt} />),
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: ({ name, status }) => (
            <span className="flex justify-end gap-1">
              {DEEDS[status].map((deed) => (
                <Button
                  key={deed}
                  size="small"
                  disabled={!isAllowed}
                  aria-label={`${LABELS[deed]} ${name}`}
                  onClick={() => onDeed(deed, name)}
                >
                  {LABELS[deed]}
                </Button>
              ))}
            </span>
          ),
        },
      ]}
    />
  );
}

function Standing({ migration }: { readonly migration: Migration }) {
  const { status, compiles, error, jobId } = migration;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Badge tone={TONES[status]}>{status}</Badge>
      {!compiles && <Badge tone="danger">Does not compile</Badge>}
      {error !== null && <span className="text-[13px] wrap-anywhere">{error.message}</span>}
      {status === 'running' && jobId !== null && (
        <div className="w-full min-w-40">
          <MigrationProgress jobId={jobId} />
        </div>
      )}
    </div>
  );
}
