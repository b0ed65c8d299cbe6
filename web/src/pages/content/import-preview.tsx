import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type ImportPlan, operationsOf } from './import-plan.ts';
import type { ChosenFile } from './import-file.ts';

const SHOWN_ROWS = 10;
const FAULTS_SHOWN = 5;

interface ImportPreviewProps {
  readonly chosen: ChosenFile;
  readonly plan: ImportPlan;
}

/** What the first rows become, and what is wrong with any of those that were read. */
export function ImportPreview({ chosen, plan }: ImportPreviewProps) {
  const faults: string[] = [];
  const operations = chosen.rows.map((row, at) => {
    try {
      return operationsOf(plan, row, at + 1);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  const rows = operations.slice(0, SHOWN_ROWS).flatMap((ofRow, at) =>
    ofRow.flatMap((operation) => {
      if (operation.op !== 'addOrUpdate') return [];
      const edges = ofRow.flatMap((one) =>
        one.op === 'link' && 'key' in one.to ? [`${one.edge} → ${one.to.type} ${one.to.key}`] : [],
      );
      const { key = '', fields = {} } = operation;
      return [{ id: `${at} ${key}`, key, fields, edges }];
    }),
  );
  return (
    <Card title="3. The result" description={`The first rows, as nodes of ${plan.type}`} isFlush>
      {faults.length > 0 && (
        <div className="px-4 pb-3">
          <Notice tone="warning">
            {faults.slice(0, FAULTS_SHOWN).join('. ')}.
            {faults.length > FAULTS_SHOWN && ` And ${faults.length - FAULTS_SHOWN} more.`}
          </Notice>
        </div>
      )}
      <DataTable
        label="Preview of the nodes"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Key', cell: ({ key }) => <span className="font-medium">{key}</span> },
          {
            title: 'Fields',
            cell: ({ fields }) => (
              <code className="font-mono text-xs break-all">{JSON.stringify(fields)}</code>
            ),
          },
          { title: 'Edges', cell: ({ edges }) => edges.join(', ') || 'None' },
        ]}
      />
    </Card>
  );
}
