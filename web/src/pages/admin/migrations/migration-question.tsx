import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { useQuery } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { formatCount } from '../../../ui/format.ts';
import { statisticsQuery } from '../statistics.ts';
import { MigrationTrial } from './migration-dry-run.tsx';

/** What is asked before it is done. */
export type AskedDeed = 'run' | 'reset' | 'delete';

interface MigrationQuestionProps {
  readonly deed: AskedDeed;
  readonly name: string;
  /** All migrations, in the order in which they run. */
  readonly migrations: readonly Migration[];
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

const ACTIONS: Readonly<Record<AskedDeed, string>> = {
  run: 'Run',
  reset: 'Reset',
  delete: 'Delete',
};

export function MigrationQuestion(props: MigrationQuestionProps) {
  const { deed, name, migrations, isBusy, onConfirm, onClose } = props;
  return (
    <ConfirmDialog
      isOpen
      title={`${ACTIONS[deed]} the migration “${name}”?`}
      action={ACTIONS[deed]}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {deed === 'run' && <WhatRunDoes name={name} migrations={migrations} />}
      {deed === 'reset' &&
        'Its changes to the data stay. It counts as not run: the next run makes its changes once more, and so does the next start of the server if it runs at start.'}
      {deed !== 'delete' && <MigrationTrial name={name} />}
      {deed === 'delete' && 'Its changes to the data stay. The record of its runs is deleted.'}
    </ConfirmDialog>
  );
}

/** How much it may change, and what would have come first. */
function WhatRunDoes({ name, migrations }: Pick<MigrationQuestionProps, 'name' | 'migrations'>) {
  const { data } = useQuery(statisticsQuery);
  const before = migrations.filter((one) => one.name < name && one.status !== 'succeeded').length;
  return (
    <>
      <p>
        Its code may change any of the data
        {data !== undefined &&
          `: ${formatCount(data.nodes)} nodes and ${formatCount(data.edges)} edges`}
        . What it has changed stays when it fails or is cancelled.
      </p>
      {before > 0 && (
        <p className="mt-2">
          {before === 1
            ? '1 migration that comes before it has not succeeded.'
            : `${formatCount(before)} migrations that come before it have not succeeded.`}
        </p>
      )}
    </>
  );
}
