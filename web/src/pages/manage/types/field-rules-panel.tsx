import { SidePanel } from '../../../ui/dialog.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import type { AccessType } from './access-types.ts';
import {
  type Principals,
  readersOf,
  type TypeRules,
  withReaders,
  withWriters,
  writersOf,
} from './type-rules.ts';
import type { EditRules } from './type-table.tsx';

interface FieldRulesPanelProps {
  readonly type: AccessType;
  readonly rules: TypeRules;
  readonly isAllowed: boolean;
  readonly onEdit: EditRules;
  readonly onClose: () => void;
}

/** Who writes nodes of a type, and who reads each of its fields. */
export function FieldRulesPanel(props: FieldRulesPanelProps) {
  const { type, rules, isAllowed, onEdit, onClose } = props;
  return (
    <SidePanel
      isOpen
      onClose={onClose}
      title={`Fields of ${type.title}`}
      description="Whoever sees the node reads a field without a rule. Save your changes on the page of all types."
    >
      {!type.type.startsWith('_') && (
        <TypeWriters
          title={type.title}
          writers={writersOf(rules, type.type)}
          isAllowed={isAllowed}
          onChange={(writers) => onEdit((last) => withWriters(last, type.type, writers))}
        />
      )}
      <ul className="flex flex-col gap-3">
        {type.fields.map(({ name, type: kind }) => (
          <li key={name} className="rounded-card border px-4 py-3">
            <div className="mb-2 flex items-baseline justify-between gap-3">
              <bdi className="min-w-0 font-medium break-all">{name}</bdi>
              <code className="shrink-0 font-mono text-[13px] text-muted">{kind}</code>
            </div>
            <FieldRule
              field={name}
              readers={readersOf(rules, type.type, name)}
              isAllowed={isAllowed}
              onChange={(readers) => onEdit((last) => withReaders(last, type.type, name, readers))}
            />
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}

interface TypeWritersProps {
  readonly title: string;
  readonly writers: Principals;
  readonly isAllowed: boolean;
  readonly onChange: (writers: Principals) => void;
}

function TypeWriters({ title, writers, isAllowed, onChange }: TypeWritersProps) {
  return (
    <section aria-label={`Who writes ${title}`} className="mb-5">
      <h3 className="mb-1 font-medium">Written by</h3>
      <p className="mb-3 text-[13px] text-muted">
        Whoever is named here creates, changes and deletes nodes of this type that they see.
        Administrators write every type.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <PrincipalsField
          label={`Teams that write ${title}`}
          kind="team"
          value={writers.teams}
          onChange={(teams) => onChange({ ...writers, teams })}
          isDisabled={!isAllowed}
        />
        <PrincipalsField
          label={`Users who write ${title}`}
          kind="user"
          value={writers.users}
          onChange={(users) => onChange({ ...writers, users })}
          isDisabled={!isAllowed}
        />
      </div>
    </section>
  );
}

interface FieldRuleProps {
  readonly field: string;
  readonly readers: Principals | undefined;
  readonly isAllowed: boolean;
  readonly onChange: (readers: Principals | undefined) => void;
}

function FieldRule({ field, readers, isAllowed, onChange }: FieldRuleProps) {
  return (
    <>
      <CheckboxField
        label={`Only some may read ${field}`}
        disabled={!isAllowed}
        checked={readers !== undefined}
        onChange={({ target }) => onChange(target.checked ? { teams: [], users: [] } : undefined)}
      />
      {readers !== undefined && (
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <PrincipalsField
            label={`Teams that read ${field}`}
            kind="team"
            value={readers.teams}
            onChange={(teams) => onChange({ ...readers, teams })}
            isDisabled={!isAllowed}
          />
          <PrincipalsField
            label={`Users who read ${field}`}
            kind="user"
            value={readers.users}
            onChange={(users) => onChange({ ...readers, users })}
            isDisabled={!isAllowed}
          />
          {readers.teams.length + readers.users.length === 0 && (
            <p className="text-[13px] text-muted sm:col-span-2">
              Nobody is chosen: only administrators read it.
            </p>
          )}
        </div>
      )}
    </>
  );
}
