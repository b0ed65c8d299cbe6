import { SidePanel } from '../../../ui/dialog.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import type { AccessType } from './access-types.ts';
import { type FieldReaders, readersOf, type TypeRules, withReaders } from './type-rules.ts';
import type { EditRules } from './type-table.tsx';

interface FieldRulesPanelProps {
  readonly type: AccessType;
  readonly rules: TypeRules;
  readonly isAllowed: boolean;
  readonly onEdit: EditRules;
  readonly onClose: () => void;
}

/** Who reads each field of a type. */
export function FieldRulesPanel(props: FieldRulesPanelProps) {
  const { type, rules, isAllowed, onEdit, onClose } = props;
  return (
    <SidePanel
      isOpen
      onClose={onClose}
      title={`Fields of ${type.title}`}
      description="Whoever sees the node reads a field without a rule. Save your changes on the page of all types."
    >
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

interface FieldRuleProps {
  readonly field: string;
  readonly readers: FieldReaders | undefined;
  readonly isAllowed: boolean;
  readonly onChange: (readers: FieldReaders | undefined) => void;
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
