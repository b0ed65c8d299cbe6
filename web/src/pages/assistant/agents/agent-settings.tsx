import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AgentDefinition } from '@trellis/contract/shapes/agent.ts';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { AgentFields } from './agent-fields.tsx';
import { agentListQuery, agentQuery } from './agent-queries.ts';
import { agentOf, type AgentValues, agentValuesOf } from './agent-values.ts';

export function AgentSettings({ name }: { readonly name: string }) {
  const agent = useQuery(agentQuery(name));
  return (
    <QueryView query={agent} errorTitle="The settings of the agent could not be read">
      {(definition) => <AgentForm agent={definition} />}
    </QueryView>
  );
}

function AgentForm({ agent }: { readonly agent: AgentDefinition }) {
  const queries = useQueryClient();
  const permission = useChangePermission();
  const form = useForm<AgentValues>({ defaultValues: agentValuesOf(agent) });
  const { isDirty, isSubmitting } = form.formState;
  const save = async (values: AgentValues) => {
    const { name, ...change } = agentOf(values);
    const saved = await client.agents.put(name, change);
    form.reset(agentValuesOf(saved));
    queries.setQueryData(agentQuery(name).queryKey, saved);
    await queries.invalidateQueries({ queryKey: agentListQuery.queryKey });
    toastDone('The agent is saved', name);
  };
  return (
    <Card>
      <PermissionNotice permission={permission} />
      <ServerForm
        form={form}
        onSend={save}
        label={`Settings of ${agent.name}`}
        isDisabled={!permission.isAllowed}
        className="max-w-3xl"
      >
        <AgentFields form={form} isNew={false} />
        <div className="flex flex-wrap justify-between gap-2">
          <DeleteAgent name={agent.name} />
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

function DeleteAgent({ name }: { readonly name: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.agents.delete(name),
    onSuccess: async () => {
      await navigate({ to: '/assistant/agents' });
      queries.removeQueries({ queryKey: agentQuery(name).queryKey });
      await queries.invalidateQueries({ queryKey: agentListQuery.queryKey });
      toastDone('The agent is deleted', name);
    },
    onError: (error) => {
      setIsAsked(false);
      toastError('The agent was not deleted', error);
    },
  });
  return (
    <>
      <Button icon={Trash2} onClick={() => setIsAsked(true)}>
        Delete agent
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the agent “${name}”?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        Endpoints and programs that run it are refused from then on. Its runs stay.
      </ConfirmDialog>
    </>
  );
}
