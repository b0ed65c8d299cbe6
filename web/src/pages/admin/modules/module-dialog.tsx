import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ModuleDefinition } from '@trellis/contract/shapes/module.ts';
import { ENDPOINT_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { useCallback, useState } from 'react';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { CodeField } from '../code-field.tsx';
import { CodeItemLink } from '../code-item-link.tsx';
import { refreshCode } from '../refresh-code.ts';

const TEMPLATE = `export function price(pages: number): number {
  return pages * 10;
}
`;

interface ModuleDialogProps {
  /** Undefined for a new one. */
  readonly name: string | undefined;
  readonly onClose: () => void;
}

/** The code of a module, checked as it is typed, and what imports it. */
export function ModuleDialog({ name, onClose }: ModuleDialogProps) {
  return (
    <Dialog
      isOpen
      keepsOpen
      size="wide"
      onClose={onClose}
      title={name === undefined ? 'Add module' : `Module “${name}”`}
    >
      {name === undefined ? (
        <ModuleForm existing={undefined} onClose={onClose} />
      ) : (
        <ExistingModule name={name} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ExistingModule({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}) {
  const module = useQuery({
    queryKey: ['module', name],
    queryFn: ({ signal }) => client.modules.get(name, { signal }),
    // What is being written is not taken away.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <QueryView query={module} errorTitle="The module could not be read">
      {(existing) => <ModuleForm existing={existing} onClose={onClose} />}
    </QueryView>
  );
}

interface ModuleFormProps {
  readonly existing: ModuleDefinition | undefined;
  readonly onClose: () => void;
}

function ModuleForm({ existing, onClose }: ModuleFormProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const form = useForm({
    defaultValues: { name: existing?.name ?? '', code: existing?.code ?? TEMPLATE },
  });
  const name = existing?.name;
  const check = useCallback(
    (code: string) => client.modules.check({ code, ...(name === undefined ? {} : { name }) }),
    [name],
  );
  const save = async ({
    name: given = '',
    code = '',
  }: typeof form.formState.defaultValues & object) => {
    const saved =
      existing === undefined
        ? await client.modules.create({ name: given, code })
        : await client.modules.put(existing.name, { code, version: existing.version });
    await refreshCode(queries);
    toastDone(...told(saved));
    onClose();
  };
  return (
    <ServerForm form={form} onSend={save}>
      {existing === undefined && (
        <TextField
          label="Name"
          hint="Code imports prices as '#lib/prices.ts'."
          autoComplete="off"
          maxLength={ENDPOINT_NAME_CHARACTERS_MAX}
          error={form.formState.errors.name?.message}
          {...form.register('name', { required: 'Give it a name.' })}
        />
      )}
      <CodeField label="Code of the module" isLocked={!permission.isAllowed} check={check} />
      {existing !== undefined && <Importers existing={existing} />}
      <DialogActions>
        {existing !== undefined && <DeleteModule existing={existing} onDeleted={onClose} />}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          disabled={!permission.isAllowed}
          title={permission.reason}
          isBusy={form.formState.isSubmitting}
        >
          Save
        </Button>
      </DialogActions>
    </ServerForm>
  );
}

/** What it says of a module that was saved. */
function told({ name, version, compiles, usedBy }: ModuleDefinition): [string, string] {
  if (!compiles) return ['The module is kept as a draft', `${name} does not compile`];
  const broken = usedBy.filter((user) => !user.compiles).map((user) => user.name);
  return broken.length === 0
    ? ['The module is saved', `${name}, version ${version}`]
    : ['The module is saved', `It breaks ${broken.join(', ')}: they go on with the last version`];
}

function Importers({ existing: { usedBy } }: { readonly existing: ModuleDefinition }) {
  if (usedBy.length === 0) return <p className="text-[13px] text-muted">Nothing imports it.</p>;
  return (
    <div>
      <h3 className="mb-1 text-[13px] font-medium">Imported by</h3>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {usedBy.map((user) => (
          <li key={`${user.kind} ${user.name}`} className="flex items-center gap-2 break-all">
            <CodeItemLink item={user} />
            {!user.compiles && <Badge tone="danger">Does not compile</Badge>}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DeleteModuleProps {
  readonly existing: ModuleDefinition;
  readonly onDeleted: () => void;
}

function DeleteModule({ existing: { name, usedBy }, onDeleted }: DeleteModuleProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.modules.delete(name),
    onSuccess: async () => {
      await refreshCode(queries);
      toastDone('The module is deleted', name);
      onDeleted();
    },
    onError: (error) => toastError('The module was not deleted', error),
    onSettled: () => setIsAsking(false),
  });
  const isImported = usedBy.length > 0;
  return (
    <>
      <Button
        kind="danger"
        className="mr-auto"
        disabled={!permission.isAllowed || isImported}
        title={isImported ? 'Code imports it.' : permission.reason}
        onClick={() => setIsAsking(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete the module “${name}”?`}
        action="Delete"
        isBusy={remove.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate()}
      >
        Its versions stay in the code history, from where it can be restored.
      </ConfirmDialog>
    </>
  );
}
