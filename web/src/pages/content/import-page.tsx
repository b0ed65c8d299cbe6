import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { type ChosenFile, formatOf, ImportFileError, previewRows } from './import-file.ts';
import { ImportMapping } from './import-mapping.tsx';
import { schemaQuery } from './schema.ts';

const PREVIEW_ROWS = 100;

/** A table of rows becomes nodes of one type, with edges to nodes of others. */
export function ImportPage() {
  const permission = useChangePermission();
  const schema = useQuery(schemaQuery);
  const [chosen, setChosen] = useState<ChosenFile>();
  const choose = useMutation({
    mutationFn: async (file: File) => {
      const format = formatOf(file.name);
      const rows = await previewRows(file, format, PREVIEW_ROWS);
      if (rows.length === 0) throw new ImportFileError('The file has no rows');
      if (rows.every(({ fault }) => fault !== undefined)) {
        throw new ImportFileError(`No row can be read. ${rows[0]?.fault}`);
      }
      setChosen({ file, format, rows });
    },
  });
  return (
    <>
      <PageHeader
        title="Import"
        description="Import nodes from a CSV or JSONL file: choose the file, map its columns, check the result, and store it."
      />
      <div className="flex flex-col gap-5">
        {permission.reason !== undefined && <Notice tone="info">{permission.reason}</Notice>}
        <Card title="1. The file">
          <TextField
            label="CSV or JSONL file"
            hint="CSV with the names of the columns in the first row, or one JSON object per line. Your browser reads it."
            type="file"
            accept=".csv,.tsv,.txt,.jsonl,.ndjson"
            disabled={!permission.isAllowed}
            onChange={({ target }) => {
              const file = target.files?.item(0);
              setChosen(undefined);
              if (file !== null && file !== undefined) choose.mutate(file);
            }}
          />
          {choose.isError && (
            <div className="mt-3">
              <ErrorPanel title="The file cannot be imported" error={choose.error} />
            </div>
          )}
          {chosen === undefined && !choose.isError && (
            <p className="mt-3 text-muted">
              To import on a schedule, use <code className="font-mono">trellis import</code> or the
              SDK.
            </p>
          )}
        </Card>
        {chosen !== undefined && (
          <QueryView query={schema} errorTitle="The schema could not be read">
            {(data) => (
              <ImportMapping
                key={`${chosen.file.name} ${chosen.file.lastModified}`}
                chosen={chosen}
                schema={data}
              />
            )}
          </QueryView>
        )}
      </div>
    </>
  );
}
