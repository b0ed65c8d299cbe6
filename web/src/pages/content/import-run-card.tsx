import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import type { ImportPlan } from './import-plan.ts';
import { type ImportProgress, runImport } from './import-run.ts';
import { schemaQuery } from './schema.ts';
import type { ChosenFile } from './import-file.ts';

interface ImportRunProps {
  readonly chosen: ChosenFile;
  readonly plan: ImportPlan;
  readonly isReady: boolean;
}

export function ImportRun({ chosen, plan, isReady }: ImportRunProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<ImportProgress>();
  const cancel = useRef<AbortController>(undefined);
  useEffect(() => () => cancel.current?.abort(), []);
  const run = useMutation({
    mutationFn: () => {
      cancel.current = new AbortController();
      setProgress(undefined);
      const { signal } = cancel.current;
      return runImport(chosen.file, chosen.format, plan, { signal, onProgress: setProgress });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: schemaQuery.queryKey }),
  });
  const isCancelled = cancel.current?.signal.aborted === true;
  return (
    <Card title="4. Store it">
      <div className="flex flex-col gap-4">
        <div className="flex gap-2">
          <Button
            kind="primary"
            disabled={!isReady || !permission.isAllowed}
            title={permission.reason}
            isBusy={run.isPending}
            onClick={() => run.mutate()}
          >
            Import
          </Button>
          {run.isPending && <Button onClick={() => cancel.current?.abort()}>Cancel</Button>}
        </div>
        {run.isPending && (
          <ProgressBar
            label={`${formatCount(progress?.rows ?? 0)} rows stored`}
            fraction={progress?.fraction ?? 0}
          />
        )}
        <ImportOutcome {...{ run, progress, isCancelled }} />
      </div>
    </Card>
  );
}

interface ImportOutcomeProps {
  readonly run: UseMutationResult<ImportProgress, Error, void>;
  readonly progress: ImportProgress | undefined;
  readonly isCancelled: boolean;
}

function ImportOutcome({ run, progress, isCancelled }: ImportOutcomeProps) {
  return (
    <>
      {run.isError && isCancelled && (
        <Notice tone="warning">
          Cancelled. {formatCount(progress?.rows ?? 0)} rows are stored; importing the file again
          updates them.
        </Notice>
      )}
      {run.isError && !isCancelled && (
        <ErrorPanel
          title={`The import stopped after ${formatCount(progress?.rows ?? 0)} rows, which are stored`}
          error={run.error}
        />
      )}
      {run.data !== undefined && (
        <Notice tone="info">
          {formatCount(run.data.rows)} rows are stored, as {formatCount(run.data.nodes)} nodes and{' '}
          {formatCount(run.data.edges)} edges.{' '}
          <Link to="/admin/search" className="underline">
            Make them searchable
          </Link>
        </Notice>
      )}
    </>
  );
}
