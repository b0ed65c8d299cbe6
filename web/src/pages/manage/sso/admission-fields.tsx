import { Plus, Trash2 } from 'lucide-react';
import { useFormContext } from 'react-hook-form';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { type GroupTeam, withRow } from './group-teams.ts';

interface AdmissionValues {
  allowedDomains: readonly string[];
  createUsers: boolean;
  groupTeams: readonly GroupTeam[];
}

const DIRTY = { shouldDirty: true } as const;

/**
 * Who of a provider's people comes in, and as what; in the form around them, the same for every
 * kind of provider.
 */
export function AdmissionFields({ isDisabled }: { readonly isDisabled: boolean }) {
  const form = useFormContext<AdmissionValues>();
  const { errors } = form.formState;
  return (
    <>
      <ChipsInput
        label="Allowed domains"
        hint="Only addresses in these domains may sign in. Leave it empty for any address."
        placeholder="example.com"
        values={form.watch('allowedDomains')}
        onChange={(domains) => form.setValue('allowedDomains', domains, DIRTY)}
        error={errors.allowedDomains?.message}
        isDisabled={isDisabled}
      />
      <CheckboxField
        label="Create a user at the first sign-in"
        hint="Otherwise only people who are users here already can sign in."
        {...form.register('createUsers')}
      />
      <GroupTeamsField
        rows={form.watch('groupTeams')}
        onChange={(rows) => form.setValue('groupTeams', rows, DIRTY)}
        error={errors.groupTeams?.message}
        isDisabled={isDisabled}
      />
    </>
  );
}

interface GroupTeamsFieldProps {
  readonly rows: readonly GroupTeam[];
  readonly onChange: (rows: readonly GroupTeam[]) => void;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
}

function GroupTeamsField({ rows, onChange, error, isDisabled }: GroupTeamsFieldProps) {
  const change = (id: number, part: Partial<GroupTeam>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium">Groups and teams</legend>
      <p className="text-[13px] text-muted">
        Members of a group at the provider are in the team here from their next sign-in on.
      </p>
      {rows.map(({ id, group, team }, i) => (
        <div key={id} className="flex items-start gap-2 rounded-control border p-2">
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
            <TextField
              label={`Group ${i + 1} at the provider`}
              dir="auto"
              value={group}
              onChange={({ target }) => change(id, { group: target.value })}
            />
            <PrincipalsField
              label={`Team of group ${i + 1}`}
              kind="team"
              isSingle
              value={team === '' ? [] : [team]}
              onChange={([uid]) => change(id, { team: uid ?? '' })}
              isDisabled={isDisabled}
            />
          </div>
          <IconButton
            icon={Trash2}
            label={`Remove group ${i + 1}`}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
          />
        </div>
      ))}
      {error !== undefined && <p className="text-[13px] text-danger">{error}</p>}
      <div>
        <Button size="small" icon={Plus} onClick={() => onChange(withRow(rows))}>
          Add a group
        </Button>
      </div>
    </fieldset>
  );
}
