import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { ChosenFile, FileRow } from './import-file.ts';
import { type ImportPlan, keyOfRow, operationsOf } from './import-plan.ts';

const SHOWN_ROWS = 10;
const FAULTS_SHOWN = 5;

interface ImportPreviewProps {
  readonly chosen: ChosenFile;
  readonly plan: ImportPlan;
}

/** What one row becomes, or why it cannot. */
interface PreviewRow {
  readonly number: number;
  readonly key: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly edges: readonly string[];
  readonly fault?: string;
}

/** What the first rows become, and what is wrong with any of those that were read. */
export function ImportPreview({ chosen, plan }: ImportPreviewProps) {
  const rows = chosen.rows.map((row) => previewOf(plan, row));
  const faults = rows.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  const repeated = repeatedKeys(rows);
  return (
    <Card title="3. The result" description={`The first rows, as nodes of ${plan.type}`} isFlush>
      {(faults.length > 0 || repeated.length > 0) && (
        <div className="flex flex-col gap-2 px-4 pb-3">
          {faults.length > 0 && <Notice tone="warning">{someOf(faults)}</Notice>}
          {repeated.length > 0 && <Notice tone="info">{someOf(repeated)}</Notice>}
        </div>
      )}
      <DataTable
        label="Preview of the nodes"
        rows={rows.slice(0, SHOWN_ROWS)}
        keyOf={({ number }) => String(number)}
        columns={columnsOf(plan)}
      />
    </Card>
  );
}

function columnsOf(plan: ImportPlan): Column<PreviewRow>[] {
  const fields = plan.columns.filter(({ use }) => use === 'field');
  const hasEdges = plan.columns.some(({ use }) => use === 'edge');
  return [
    { title: 'Row', isNumber: true, cell: ({ number }) => number },
    {
      title: 'Key',
      cell: ({ key, fault }) => (
        <>
          <span className="font-medium">{key}</span>
          {fault !== undefined && (
            <span className="block whitespace-nowrap text-warning">Is wrong</span>
          )}
        </>
      ),
    },
    ...fields.map(({ field, type }): Column<PreviewRow> => ({
      title: `${field}: ${type}`,
      cell: (row) => valueShown(row.fields[field]),
    })),
    ...(hasEdges
      ? [
          {
            title: 'Edges',
            cell: ({ edges }: PreviewRow) => (
              <span className="block min-w-40">{edges.join(', ') || 'None'}</span>
            ),
          },
        ]
      : []),
  ];
}

function valueShown(value: unknown): ReactNode {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <span className="line-clamp-2 max-w-64 min-w-16 break-words">{text}</span>;
}

function previewOf(plan: ImportPlan, { number, row, fault }: FileRow): PreviewRow {
  const wrong = (why: string): PreviewRow => ({
    number,
    key: keyOfRow(plan, row),
    fields: Object.fromEntries(plan.columns.map(({ column, field }) => [field, row[column]])),
    edges: [],
    fault: why,
  });
  if (fault !== undefined) return wrong(fault);
  try {
    const [node, ...links] = operationsOf(plan, row, number);
    const edges = links.flatMap((one) =>
      one.op === 'link' && typeof one.to === 'object' && 'key' in one.to
        ? [`${one.edge} → ${one.to.type} ${one.to.key}`]
        : [],
    );
    const fields = node?.op === 'addOrUpdate' ? (node.fields ?? {}) : {};
    return { number, key: keyOfRow(plan, row), fields, edges };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

/** A later row with the key of an earlier one changes its node, which few people want. */
function repeatedKeys(rows: readonly PreviewRow[]): string[] {
  const numbers = new Map<string, number>();
  return rows.flatMap(({ number, key, fault }) => {
    if (fault !== undefined) return [];
    const first = numbers.get(key);
    numbers.set(key, first ?? number);
    return first === undefined
      ? []
      : [`Row ${number} has the key of row ${first}: it changes the same node`];
  });
}

function someOf(messages: readonly string[]): string {
  const more = messages.length - FAULTS_SHOWN;
  return `${messages.slice(0, FAULTS_SHOWN).join('. ')}.${more > 0 ? ` And ${more} more.` : ''}`;
}
