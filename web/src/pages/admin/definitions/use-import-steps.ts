import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ImportEvent, ImportOptions } from '@trellis/client/methods/zips.ts';
import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { useState } from 'react';

type Send<T> = (input: T, options: Pick<ImportOptions, 'dryRun'>) => AsyncIterable<ImportEvent>;

/**
 * The look at what would change, and the change itself with what it says as it goes on: of an
 * import, or of a rollback.
 */
export function useImportSteps<T>(send: Send<T>) {
  const queries = useQueryClient();
  const [log, setLog] = useState<readonly string[]>([]);
  const preview = useMutation({
    mutationFn: (input: T) => resultOf(send(input, { dryRun: true }), () => {}),
  });
  const apply = useMutation({
    mutationFn: (input: T) => {
      setLog([]);
      return resultOf(send(input, { dryRun: false }), (text) =>
        setLog((lines) => [...lines, text]),
      );
    },
    // Whatever was changed may be shown elsewhere.
    onSettled: () => queries.invalidateQueries(),
  });
  const reset = () => {
    preview.reset();
    apply.reset();
  };
  return { preview, apply: { ...apply, log }, reset };
}

/** Resolves with what was done, or would be. */
async function resultOf(
  events: AsyncIterable<ImportEvent>,
  onLog: (text: string) => void,
): Promise<DefinitionsImport> {
  for await (const event of events) {
    if (event.kind === 'log') onLog(event.text);
    else return event.result;
  }
  throw new Error('The server sent no result.');
}
