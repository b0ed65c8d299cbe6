import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import type { TeamNode } from '@trellis/contract/shapes/team.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { TeamFields, type TeamFormValues } from './team-fields.tsx';
import { refreshTeams } from './team-queries.ts';

interface CreateTeamDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (team: TeamNode) => void;
}

export function CreateTeamDialog({ onClose, onCreated }: CreateTeamDialogProps) {
  const queries = useQueryClient();
  const form = useForm<TeamFormValues>({ defaultValues: { name: '', description: '' } });
  const create = async ({ name, description }: TeamFormValues) => {
    const team = await client.teams.create({ name, ...(description !== '' && { description }) });
    await refreshTeams(queries);
    toastDone('The team is created', name);
    onCreated(team);
  };
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title="Add team">
      <ServerForm form={form} onSend={create}>
        <TeamFields form={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.formState.isSubmitting}>
            Create team
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}
