import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NodeAccess } from '@trellis/contract/shapes/access.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { client } from '../../../api/client.ts';
import { useNames } from '../../../api/names.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ChipList } from '../../../ui/chip.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastDone } from '../../../ui/toast.ts';

/** Whom one node is restricted to, to read and to change. */
export function NodeAccessCard({ node }: { readonly node: NodeObject }) {
  const query = useQuery({
    queryKey: ['access', 'node', node.UID],
    queryFn: ({ signal }) => client.access.getNode(node.UID, { signal }),
  });
  return (
    <QueryView query={query} errorTitle="The access of the node could not be read">
      {(access) => (
        <Card
          title="Who may see the node"
          description="Without teams and users, the rule of its type decides who sees it."
        >
          {node.Type.startsWith('_') ? (
            <p className="text-muted">Nodes of the type {node.Type} cannot be restricted.</p>
          ) : (
            <NodeAccessForm key={JSON.stringify(access)} uid={node.UID} access={access} />
          )}
          <Owners owners={access.owners} />
        </Card>
      )}
    </QueryView>
  );
}

interface NodeAccessFormProps {
  readonly uid: string;
  readonly access: NodeAccess;
}

function NodeAccessForm({ uid, access }: NodeAccessFormProps) {
  const queries = useQueryClient();
  const { isAllowed, reason } = useChangePermission();
  const [teams, setTeams] = useState(access.teams);
  const [users, setUsers] = useState(access.users);
  const save = useMutation({
    mutationFn: () => client.access.putNode(uid, { teams, users }),
    onSuccess: async () => {
      toastDone('The access of the node is changed');
      await queries.invalidateQueries({ queryKey: ['access'] });
    },
  });
  const isChanged = !isSame(teams, access.teams) || !isSame(users, access.users);
  return (
    <div className="flex flex-col gap-4">
      {!isAllowed && reason !== undefined && <p className="text-muted">{reason}</p>}
      <PrincipalsField
        label="Teams"
        kind="team"
        value={teams}
        onChange={setTeams}
        isDisabled={!isAllowed}
      />
      <PrincipalsField
        label="Users"
        kind="user"
        value={users}
        onChange={setUsers}
        isDisabled={!isAllowed}
      />
      {save.isError && <ErrorPanel title="The access was not changed" error={save.error} />}
      <div>
        <Button
          kind="primary"
          disabled={!isAllowed || !isChanged}
          isBusy={save.isPending}
          onClick={() => save.mutate()}
        >
          Save access
        </Button>
      </div>
    </div>
  );
}

function Owners({ owners }: { readonly owners: readonly string[] }) {
  const nameOf = useNames(owners);
  return (
    <div className="mt-4 border-t pt-3">
      <p className="font-medium">Owners</p>
      {owners.length === 0 ? (
        <p className="text-muted">Nobody owns it.</p>
      ) : (
        <ChipList label="Owners" items={owners.map((uid) => ({ key: uid, text: nameOf(uid) }))} />
      )}
    </div>
  );
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
