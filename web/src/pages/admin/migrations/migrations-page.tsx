import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DatabaseZap, Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { client } from '../../../api/client.ts';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { MIGRATIONS_KEY, migrationListQuery, refreshMigrations } from './migration-queries.ts';
import { type AskedDeed, MigrationQuestion } from './migration-question.tsx';
import { type MigrationDeed, MigrationTable } from './migration-table.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** With the editor of code, which who only looks does not need. */
const MigrationDialog = lazyPart(
  async () => (await import('./migration-dialog.tsx')).MigrationDialog,
);

/** Jobs that change how a migration is shown: it has run, or a changed schema has broken it. */
const tellsOfRuns = tellsOfJobs('migration', 'endpoint-recheck');
const DONE: Readonly<Record<MigrationDeed, string>> = {
  run: 'The migration runs',
  cancel: 'The migration has stopped',
  reset: 'The migration can run again',
  delete: 'The migration is deleted',
};

export function MigrationsPage() {
  const { isAllowed } = useChangePermission();
  const migrations = useQuery(migrationListQuery);
  const [opened, setOpened] = useState<Migration | 'new'>();
  const [asked, setAsked] = useState<{ readonly deed: AskedDeed; readonly name: string }>();
  const close = () => setAsked(undefined);
  const { refresh, act } = useMigrationDeeds();
  const onDeed = (deed: MigrationDeed, name: string) =>
    deed === 'cancel' ? act.mutate({ deed, name }) : setAsked({ deed, name });
  useLiveQueries(MIGRATIONS_KEY, tellsOfRuns);
  return (
    <>
      <MigrationsHeader onAdd={() => setOpened('new')} />
      <QueryView query={migrations} errorTitle="The migrations could not be read">
        {(items) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={DatabaseZap} title="No migrations yet">
                Add one here, or with <code className="font-mono">trellis migration push</code>.
              </EmptyState>
            ) : (
              <MigrationTable
                items={items}
                isAllowed={isAllowed}
                onOpen={setOpened}
                onDeed={onDeed}
              />
            )}
          </Card>
        )}
      </QueryView>
      {asked !== undefined && (
        <MigrationQuestion
          {...asked}
          migrations={migrations.data ?? []}
          isBusy={act.isPending}
          onClose={close}
          onConfirm={() => act.mutate(asked, { onSettled: close })}
        />
      )}
      {opened !== undefined && (
        <Suspense>
          <MigrationDialog
            existing={opened === 'new' ? undefined : opened}
            onSaved={refresh}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

function MigrationsHeader({ onAdd }: { readonly onAdd: () => void }) {
  const permission = useChangePermission();
  return (
    <PageHeader
      title="Migrations"
      description="Code that runs once, in the order of names, for example to bring data into a new shape."
      actions={
        <Button
          kind="primary"
          icon={Plus}
          disabled={!permission.isAllowed}
          title={permission.reason}
          onClick={onAdd}
        >
          Add migration
        </Button>
      }
    />
  );
}

/** What is done with one migration; the list is read again afterwards. */
function useMigrationDeeds() {
  const queries = useQueryClient();
  const refresh = () => refreshMigrations(queries);
  const act = useMutation({
    mutationFn: ({ deed, name }: { readonly deed: MigrationDeed; readonly name: string }) =>
      perform(deed, name),
    onSuccess: (_, { deed, name }) => toastDone(DONE[deed], name),
    onError: (error) => toastError('The migration was not changed', error),
    onSettled: refresh,
  });
  return { refresh, act };
}

async function perform(deed: MigrationDeed, name: string): Promise<void> {
  if (deed === 'run') await client.migrations.run(name);
  else if (deed === 'cancel') await client.migrations.cancel({ name });
  else if (deed === 'reset') await client.migrations.resetStatus({ name });
  else await client.migrations.delete(name);
}
