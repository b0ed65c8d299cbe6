import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { SelectField } from '../../../ui/field.tsx';
import type { AccessType } from './access-types.ts';
import {
  fieldsWithRules,
  type Principals,
  type TypeRules,
  VISIBILITIES,
  visibilityOf,
  withVisibility,
  writersOf,
} from './type-rules.ts';

/** Changes the rules as they are by then. */
export type EditRules = (change: (rules: TypeRules) => TypeRules) => void;

interface TypeTableProps {
  readonly types: readonly AccessType[];
  readonly rules: TypeRules;
  readonly isAllowed: boolean;
  readonly onEdit: EditRules;
  readonly onOpen: (type: string) => void;
}

export function TypeTable({ types, rules, isAllowed, onEdit, onOpen }: TypeTableProps) {
  return (
    <DataTable
      label="Types"
      rows={types}
      keyOf={({ type }) => type}
      columns={[
        {
          title: 'Type',
          cell: ({ title, fields }) => (
            <div className="min-w-20">
              <bdi className="font-medium break-words">{title}</bdi>
              <div className="text-[13px] text-muted">
                {fields.length} {fields.length === 1 ? 'field' : 'fields'}
              </div>
            </div>
          ),
        },
        {
          title: 'Seen by',
          cell: ({ type, title }) => (
            <SelectField
              label={`Who sees ${title}`}
              isLabelHidden
              className="min-w-32"
              disabled={!isAllowed}
              value={visibilityOf(rules, type)}
              onChange={({ target }) =>
                onEdit((last) =>
                  withVisibility(
                    last,
                    type,
                    target.value === 'restricted' ? 'restricted' : 'everyone',
                  ),
                )
              }
              options={Object.entries(VISIBILITIES).map(([value, label]) => ({ value, label }))}
            />
          ),
        },
        {
          title: 'Written by',
          isMinor: true,
          cell: ({ type }) => <Writers writers={writersOf(rules, type)} />,
        },
        {
          title: 'Fields with rules',
          isMinor: true,
          cell: ({ type }) => <FieldBadges fields={fieldsWithRules(rules, type)} />,
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: ({ type, title }) => (
            <div className="text-right">
              <Button size="small" aria-label={`Fields of ${title}`} onClick={() => onOpen(type)}>
                Fields
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function Writers({ writers: { teams, users } }: { readonly writers: Principals }) {
  const named = [
    ...(teams.length === 0 ? [] : [counted(teams.length, 'team')]),
    ...(users.length === 0 ? [] : [counted(users.length, 'user')]),
  ];
  if (named.length === 0) return <span className="text-muted">Administrators</span>;
  return <span>{named.join(', ')}</span>;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function FieldBadges({ fields }: { readonly fields: readonly string[] }) {
  if (fields.length === 0) return <span className="text-muted">None</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {fields.map((field) => (
        <Badge key={field} tone="warning">
          {field}
        </Badge>
      ))}
    </span>
  );
}
