import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { TeamNode } from '@trellis/contract/shapes/team.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { TeamFields, type TeamFormValues } from './team-fields.tsx';
import { refreshTeams } from './team-queries.ts';

interface TeamDetailsProps {
  readonly team: TeamNode;
  readonly isAllowed: boolean;
  readonly onDeleted: () => void;
}

export function TeamDetails({ team, isAllowed, onDeleted }: TeamDetailsProps) {
  const queries = useQueryClient();
  const form = useForm<TeamFormValues>({
    defaultValues: { name: team.Name ?? '', description: team.Description ?? '' },
  });
  const save = async (values: TeamFormValues) => {
    await client.teams.update(team.UID, values);
    await refreshTeams(queries);
    toastDone('The team is changed', values.name);
  };
  return (
    <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
      <TeamFields form={form} />
      <div className="flex flex-wrap justify-between gap-2">
        <DeleteTeam team={team} onDeleted={onDeleted} />
        <Button kind="primary" type="submit" isBusy={form.formState.isSubmitting}>
          Save
        </Button>
      </div>
    </ServerForm>
  );
}

function DeleteTeam({ team, onDeleted }: Omit<TeamDetailsProps, 'isAllowed'>) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.teams.delete(team.UID),
    onSuccess: async () => {
      toastDone('The team is deleted', nameOf(team));
      onDeleted();
      await refreshTeams(queries);
    },
    onError: (error) => {
      setIsAsked(false);
      toastError('The team was not deleted', error);
    },
  });
  return (
    <>
      <Button icon={Trash2} onClick={() => setIsAsked(true)}>
        Delete team
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the team “${nameOf(team)}”?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        Its members stay as users and teams. A team that nodes are restricted to cannot be deleted.
      </ConfirmDialog>
    </>
  );
}
