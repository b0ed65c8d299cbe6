import { useQuery } from '@tanstack/react-query';
import { LockKeyhole, Plus } from 'lucide-react';
import { useState } from 'react';
import type { SecretRecord } from '@trellis/contract/shapes/secret.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { DeleteSecretDialog } from './delete-secret-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { secretsQuery } from './secret-queries.ts';
import { SecretTable } from './secret-table.tsx';

/** Keys that the code of endpoints sends to other servers (docs/secrets.md). */
export function SecretsPage() {
  /** The one that is set again; null for a new one. */
  const [set, setSet] = useState<SecretRecord | null>();
  const [deleted, setDeleted] = useState<SecretRecord>();
  const permission = useChangePermission();
  const query = useQuery(secretsQuery);
  return (
    <>
      <PageHeader
        title="Secrets"
        description="Keys that the code of endpoints sends to other servers without having them. Nobody can read a value again."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            onClick={() => setSet(null)}
          >
            Add secret
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      <QueryView query={query} errorTitle="The secrets could not be read">
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={LockKeyhole} title="No secrets yet">
                Add the key of another server, and name it in the code of an endpoint:{' '}
                <code className="font-mono text-[13px]">secret(&apos;CRM_KEY&apos;)</code>
              </EmptyState>
            ) : (
              <SecretTable
                secrets={items}
                isAllowed={permission.isAllowed}
                onSet={setSet}
                onDelete={setDeleted}
              />
            )}
          </Card>
        )}
      </QueryView>
      {set !== undefined && <SecretDialog secret={set} onClose={() => setSet(undefined)} />}
      {deleted !== undefined && (
        <DeleteSecretDialog secret={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </>
  );
}
