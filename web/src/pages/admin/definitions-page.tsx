import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { saveDownload } from '../../ui/save-download.ts';
import { toastError } from '../../ui/toast.ts';
import { DefinitionsReport } from './definitions-report.tsx';
import { runImport, type ChosenImport } from './run-import.ts';

/**
 * Everything custom of the workspace as files: to take out, and to bring in after a look at what
 * would change.
 */
export function DefinitionsPage() {
  const download = useMutation({
    mutationFn: async () => saveDownload(await client.definitions.export(), 'definitions.zip'),
    onError: (error) => toastError('The definitions could not be downloaded', error),
  });
  return (
    <>
      <PageHeader
        title="Definitions"
        description="Schema, settings, endpoints, tools and agents as a zip of readable files: to move them, review them, or keep them in git."
        actions={
          <Button
            kind="primary"
            icon={Download}
            isBusy={download.isPending}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
        }
      />
      <DefinitionsImport />
    </>
  );
}

function DefinitionsImport() {
  const [chosen, setChosen] = useState<ChosenImport>();
  const [isMirror, setIsMirror] = useState(false);
  const { preview, apply } = useImports();
  const isRunning = preview.isPending || apply.isPending;
  const choose = (next: ChosenImport | undefined) => {
    setChosen(next);
    preview.reset();
    apply.reset();
  };
  const upload = chosen === undefined ? undefined : { ...chosen, isMirror };
  return (
    <div className="flex flex-col gap-4">
      <ImportForm
        isMirror={isMirror}
        isRunning={isRunning}
        isLooking={preview.isPending}
        hasFile={chosen !== undefined}
        onFile={(file) => choose(file && { file })}
        onMirror={(wanted) => {
          setIsMirror(wanted);
          choose(chosen);
        }}
        onLook={() => upload && preview.mutate(upload)}
      />
      {preview.isError && (
        <ErrorPanel title="The file could not be checked" error={preview.error} />
      )}
      {preview.isSuccess && apply.isIdle && (
        <DefinitionsReport
          title="What it would change"
          result={preview.data}
          onApply={() => upload && apply.mutate(upload)}
        />
      )}
      {apply.isError && <ErrorPanel title="The import was refused" error={apply.error} />}
      {(apply.isPending || apply.isSuccess) && (
        <DefinitionsReport title="What is done" log={apply.log} result={apply.data} />
      )}
    </div>
  );
}

/** The look at what would change, and the import itself with what it says as it goes on. */
function useImports() {
  const queries = useQueryClient();
  const [log, setLog] = useState<readonly string[]>([]);
  const preview = useMutation({
    mutationFn: (upload: ChosenImport) => runImport(upload, { dryRun: true }),
  });
  const apply = useMutation({
    mutationFn: (upload: ChosenImport) => {
      setLog([]);
      const onLog = (text: string) => setLog((lines) => [...lines, text]);
      return runImport(upload, { dryRun: false, onLog });
    },
    // Whatever was changed may be shown elsewhere.
    onSettled: () => queries.invalidateQueries(),
  });
  return { preview, apply: { ...apply, log } };
}

interface ImportFormProps {
  readonly isMirror: boolean;
  readonly isRunning: boolean;
  readonly isLooking: boolean;
  readonly hasFile: boolean;
  readonly onFile: (file: File | undefined) => void;
  readonly onMirror: (isMirror: boolean) => void;
  readonly onLook: () => void;
}

function ImportForm({ isMirror, isRunning, isLooking, hasFile, ...on }: ImportFormProps) {
  const permission = useChangePermission();
  return (
    <Card title="Import" description="First you see what it would change; nothing is done yet.">
      <div className="flex flex-col gap-4">
        <TextField
          label="Zip file"
          type="file"
          accept=".zip,application/zip"
          disabled={!permission.isAllowed || isRunning}
          onChange={({ target }) => on.onFile(target.files?.item(0) ?? undefined)}
        />
        <CheckboxField
          label="Also delete what is not in the file"
          hint="Endpoints, tools, agents, tasks, migrations, golden sets and synonyms. Types and fields of the schema always stay."
          checked={isMirror}
          disabled={!permission.isAllowed || isRunning}
          onChange={({ target }) => on.onMirror(target.checked)}
        />
        {permission.reason !== undefined && <Notice tone="info">{permission.reason}</Notice>}
        <div className="flex justify-end">
          <Button
            disabled={!permission.isAllowed || !hasFile || isRunning}
            isBusy={isLooking}
            onClick={on.onLook}
          >
            Show what it would change
          </Button>
        </div>
      </div>
    </Card>
  );
}
