import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { ListTree, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { isOwnType } from '../schema.ts';
import { IndexBadge } from './index-badge.tsx';
import { IndexDialog } from './index-dialog.tsx';
import { indexStepOf, type ListedIndex, useListedIndexes } from './index-queries.ts';
import { RemoveIndexDialog } from './remove-index-dialog.tsx';

/** The indexes of fields, by node type. */
export function IndexList({ schema }: { readonly schema: SchemaDocument }) {
  const { isAllowed } = useChangePermission();
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<ListedIndex>();
  const rows = useListedIndexes(schema);
  const [first, ...others] = schema.nodes.filter(({ type }) => !isOwnType(type));
  const add = <AddButton hasTypes={first !== undefined} onClick={() => setIsAdding(true)} />;
  return (
    <Card
      title="Indexes"
      description="With an index, queries find nodes by their fields without reading every node of the type."
      isFlush
      {...(rows.length > 0 && { actions: add })}
    >
      {rows.length === 0 ? (
        <EmptyState icon={ListTree} title="No indexes yet" action={add}>
          Add one for a field that queries look for, sort by or group by.
        </EmptyState>
      ) : (
        <IndexTable rows={rows} isAllowed={isAllowed} onRemove={setRemoved} />
      )}
      {isAdding && first !== undefined && (
        <IndexDialog types={[first, ...others]} onClose={() => setIsAdding(false)} />
      )}
      {removed !== undefined && (
        <RemoveIndexDialog index={removed} onClose={() => setRemoved(undefined)} />
      )}
    </Card>
  );
}

function AddButton(props: { readonly hasTypes: boolean; readonly onClick: () => void }) {
  const { isAllowed, reason } = useChangePermission();
  const lack = props.hasTypes ? undefined : 'There is no node type yet.';
  return (
    <Button
      size="small"
      icon={Plus}
      disabled={!isAllowed || !props.hasTypes}
      title={reason ?? lack}
      onClick={props.onClick}
    >
      Add index
    </Button>
  );
}

interface IndexTableProps {
  readonly rows: readonly ListedIndex[];
  readonly isAllowed: boolean;
  readonly onRemove: (index: ListedIndex) => void;
}

function IndexTable({ rows, isAllowed, onRemove }: IndexTableProps) {
  return (
    <DataTable
      label="Indexes"
      rows={rows}
      keyOf={({ type, names }) => [type, ...names].join('\n')}
      columns={[
        { title: 'Type', cell: ({ type }) => <span className="font-medium">{type}</span> },
        { title: 'Fields', cell: (index) => <IndexFields index={index} /> },
        { title: 'State', cell: (index) => <IndexState index={index} /> },
        {
          title: 'Values',
          isNumber: true,
          isMinor: true,
          cell: ({ document }) => formatCount(document.entries ?? 0),
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (index) => (
            <IconButton
              icon={Trash2}
              size="small"
              label={`Remove the index of ${index.type} over ${index.names.join(', ')}`}
              disabled={!isAllowed}
              onClick={() => onRemove(index)}
            />
          ),
        },
      ]}
    />
  );
}

function IndexFields({ index }: { readonly index: ListedIndex }) {
  return (
    <div className="flex flex-wrap gap-1">
      <ol className="contents">
        {index.fields.map(({ name, type }) => (
          <li key={name}>
            <Badge>
              {name}: {type}
            </Badge>
          </li>
        ))}
      </ol>
      {index.document.unique === true && <Badge tone="info">unique</Badge>}
    </div>
  );
}

/** With the number of values where their column is left out. */
function IndexState({ index: { document, job } }: { readonly index: ListedIndex }) {
  return (
    <div className="flex flex-col items-start gap-1">
      <IndexBadge index={document} />
      <span className="text-[13px] text-muted max-sm:hidden md:hidden">
        {formatCount(document.entries ?? 0)} values
      </span>
      {job !== undefined && (
        <div className="w-28 sm:w-56">
          <ProgressBar label={indexStepOf(job).progress} fraction={job.progress} />
        </div>
      )}
    </div>
  );
}
