import type { SynonymList } from '@trellis/contract/shapes/search.ts';
import { Button } from '../../../ui/button.tsx';
import { DataTable } from '../../../ui/data-table.tsx';

interface TermTableProps {
  /** Terms, or pairs of a term and one word that it is linked to. */
  readonly rows: SynonymList['Results'];
  readonly hasLinks: boolean;
  readonly onOpen: (term: string) => void;
}

interface TermRow {
  readonly term: string;
  readonly linkedTo: string;
}

export function TermTable({ rows, hasLinks, onOpen }: TermTableProps) {
  return (
    <DataTable
      label="Terms"
      rows={rows.map(rowOf)}
      keyOf={({ term, linkedTo }) => JSON.stringify([term, linkedTo])}
      columns={[
        {
          title: 'Term',
          cell: ({ term }) => <bdi className="font-medium break-words">{term}</bdi>,
        },
        ...(hasLinks
          ? [
              {
                title: 'Linked to',
                cell: ({ linkedTo }: TermRow) => <bdi className="break-words">{linkedTo}</bdi>,
              },
            ]
          : []),
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: ({ term, linkedTo }) => (
            <div className="text-right">
              <Button
                size="small"
                aria-label={
                  linkedTo === '' ? `Edit ${term}` : `Edit ${term}, linked to ${linkedTo}`
                }
                onClick={() => onOpen(term)}
              >
                Edit
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function rowOf(row: SynonymList['Results'][number]): TermRow {
  return typeof row === 'string'
    ? { term: row, linkedTo: '' }
    : { term: row[0] ?? '', linkedTo: row[1] ?? '' };
}
