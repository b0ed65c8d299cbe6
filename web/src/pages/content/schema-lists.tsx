import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Pencil, Replace, Waypoints } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { ChangeDialog } from './changes/change-dialog.tsx';
import { EdgeTypeDialog } from './edge-type-dialog.tsx';
import { NodeTypeDialog } from './node-type-dialog.tsx';
import { isOwnType } from './schema.ts';

type NodeType = SchemaDocument['nodes'][number];
type EdgeType = SchemaDocument['edges'][number];

export function SchemaLists({ schema }: { readonly schema: SchemaDocument }) {
  const [filter, setFilter] = useState('');
  const [showsOwn, setShowsOwn] = useState(false);
  const passes = ({ type }: { readonly type: string }) =>
    (showsOwn || !isOwnType(type)) && type.toLowerCase().includes(filter.trim().toLowerCase());
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-end gap-4">
        <TextField
          label="Filter by type"
          className="w-full sm:w-72"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <CheckboxField
          label="Show the server's own types"
          className="pb-2"
          checked={showsOwn}
          onChange={(event) => setShowsOwn(event.target.checked)}
        />
      </div>
      <NodeTypes types={schema.nodes.filter(passes)} />
      <EdgeTypes types={schema.edges.filter(passes)} />
    </div>
  );
}

function NodeTypes({ types }: { readonly types: readonly NodeType[] }) {
  return (
    <TypeTable
      kind="node"
      title="Node types"
      hint="Add one here, or let an import create it."
      types={types}
      detail={{ title: 'Key', isMinor: true, cell: ({ key }) => key ?? 'None' }}
      renderDialog={(existing, onClose) => <NodeTypeDialog existing={existing} onClose={onClose} />}
    />
  );
}

function EdgeTypes({ types }: { readonly types: readonly EdgeType[] }) {
  return (
    <TypeTable
      kind="edge"
      title="Edge types"
      hint="Edges connect nodes. Add a type here, or let an import create it."
      types={types}
      detail={{ title: 'Inverse', cell: ({ inverse }) => inverse ?? 'None' }}
      renderDialog={(existing, onClose) => <EdgeTypeDialog existing={existing} onClose={onClose} />}
    />
  );
}

interface TypeTableProps<T extends NodeType | EdgeType> {
  readonly kind: 'node' | 'edge';
  readonly title: string;
  /** What to do where there are none. */
  readonly hint: string;
  readonly types: readonly T[];
  /** What such a type has beside its fields. */
  readonly detail: Column<T>;
  readonly renderDialog: (existing: T, onClose: () => void) => ReactNode;
}

function TypeTable<T extends NodeType | EdgeType>(props: TypeTableProps<T>) {
  const { kind, title, hint, types, detail, renderDialog } = props;
  const { isAllowed } = useChangePermission();
  const [edited, setEdited] = useState<T>();
  const [changed, setChanged] = useState<T>();
  const columns: readonly Column<T>[] = [
    { title: 'Type', cell: ({ type }) => <span className="font-medium">{type}</span> },
    detail,
    { title: 'Fields', cell: ({ fields = {} }) => <FieldBadges fields={fields} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (row) =>
        !isOwnType(row.type) && (
          <span className="flex justify-end gap-1">
            <IconButton
              icon={Pencil}
              size="small"
              label={`Change ${row.type}`}
              disabled={!isAllowed}
              onClick={() => setEdited(row)}
            />
            <IconButton
              icon={Replace}
              size="small"
              label={`Rename, retype or drop ${row.type}`}
              disabled={!isAllowed}
              onClick={() => setChanged(row)}
            />
          </span>
        ),
    },
  ];
  return (
    <Card title={title} isFlush>
      {types.length === 0 ? (
        <EmptyState icon={Waypoints} title={`No ${title.toLowerCase()}`}>
          {hint}
        </EmptyState>
      ) : (
        <DataTable label={title} rows={types} keyOf={({ type }) => type} columns={columns} />
      )}
      {edited !== undefined && renderDialog(edited, () => setEdited(undefined))}
      {changed !== undefined && (
        <ChangeDialog kind={kind} type={changed} onClose={() => setChanged(undefined)} />
      )}
    </Card>
  );
}

function FieldBadges({ fields }: { readonly fields: NodeType['fields'] }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return 'None';
  return (
    <ul className="flex flex-wrap gap-1">
      {entries.map(([name, type]) => (
        <li key={name}>
          <Badge>
            {name}: {type}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
