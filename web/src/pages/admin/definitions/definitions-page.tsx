import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { saveDownload } from '../../../ui/save-download.ts';
import { toastError } from '../../../ui/toast.ts';
import { DefinitionsReport } from './definitions-report.tsx';
import { DraftsField } from './drafts-field.tsx';
import { useImportSteps } from './use-import-steps.ts';

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

interface Wanted {
  readonly mirror: boolean;
  readonly drafts: boolean;
}

function DefinitionsImport() {
  const [file, setFile] = useState<File>();
  const [wanted, setWanted] = useState({ mirror: false, drafts: false });
  const { preview, apply, reset } = useImportSteps(
    ({ zip, ...how }: Wanted & { readonly zip: File }, { dryRun = false }) =>
      client.definitions.import(zip, { ...how, dryRun }),
  );
  const isRunning = preview.isPending || apply.isPending;
  const upload = file === undefined ? undefined : { zip: file, ...wanted };
  return (
    <div className="flex flex-col gap-4">
      <ImportForm
        wanted={wanted}
        isRunning={isRunning}
        isLooking={preview.isPending}
        hasFile={file !== undefined}
        onFile={(chosen) => {
          setFile(chosen);
          reset();
        }}
        onWanted={(change) => {
          setWanted({ ...wanted, ...change });
          reset();
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

interface ImportFormProps {
  readonly wanted: Wanted;
  readonly isRunning: boolean;
  readonly isLooking: boolean;
  readonly hasFile: boolean;
  readonly onFile: (file: File | undefined) => void;
  readonly onWanted: (change: Partial<Wanted>) => void;
  readonly onLook: () => void;
}

function ImportForm({ wanted, isRunning, isLooking, hasFile, ...on }: ImportFormProps) {
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
          hint="Endpoints, tools, agents, tasks, migrations, golden sets, golden answers and synonyms. Types and fields of the schema always stay."
          checked={wanted.mirror}
          disabled={!permission.isAllowed || isRunning}
          onChange={({ target }) => on.onWanted({ mirror: target.checked })}
        />
        <DraftsField
          isOn={wanted.drafts}
          isDisabled={!permission.isAllowed || isRunning}
          onChange={(drafts) => on.onWanted({ drafts })}
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
