import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckboxField } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import type { ChosenFile } from './import-file.ts';
import { type ImportEnd, ImportOutcome } from './import-outcome.tsx';
import type { ImportPlan } from './import-plan.ts';
import { type ImportProgress, NOTHING_STORED, runImport } from './import-run.ts';
import { SkippedRows } from './import-skipped.ts';

interface ImportRunProps {
  readonly chosen: ChosenFile;
  readonly plan: ImportPlan;
  readonly isReady: boolean;
}

export function ImportRun({ chosen, plan, isReady }: ImportRunProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const [isSkipping, setIsSkipping] = useState(false);
  const [progress, setProgress] = useState(NOTHING_STORED);
  const cancel = useRef<AbortController>(undefined);
  useEffect(() => () => cancel.current?.abort(), []);
  const run = useMutation({
    mutationFn: async (): Promise<ImportEnd> => {
      cancel.current = new AbortController();
      const { signal } = cancel.current;
      const columns = plan.columns.map(({ column }) => column);
      const skipped = isSkipping ? new SkippedRows(columns) : undefined;
      let reached = NOTHING_STORED;
      const onProgress = (now: ImportProgress): void => {
        reached = now;
        setProgress(now);
      };
      onProgress(NOTHING_STORED);
      const end = { type: plan.type, skipped };
      try {
        await runImport(chosen.file, chosen.format, plan, { signal, onProgress, skipped });
        return { ...end, progress: reached, isCancelled: false };
      } catch (error) {
        return { ...end, progress: reached, isCancelled: signal.aborted, error };
      }
    },
    // The schema, the counts of its types and what a search finds have changed.
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Card title="4. Store it">
      <div className="flex flex-col gap-4">
        <CheckboxField
          label="Skip rows that are wrong"
          hint="They come as a file with the reasons afterwards. Otherwise the first of them stops the import."
          checked={isSkipping}
          disabled={run.isPending}
          onChange={({ target }) => setIsSkipping(target.checked)}
        />
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
            label={`${formatCount(progress.rows)} rows stored`}
            fraction={progress.fraction}
          />
        )}
        {run.data !== undefined && <ImportOutcome fileName={chosen.file.name} end={run.data} />}
      </div>
    </Card>
  );
}
