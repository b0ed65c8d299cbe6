import { storageErrors } from '@trellis/contract/errors/storage.ts';
import type { CatalogueEntry } from '@trellis/contract/errors/entry.ts';
import type { ProblemMessage } from '#base/problem.ts';

const ENTRIES: Readonly<Record<string, CatalogueEntry>> = storageErrors;

/** Whether the message is for the log alone, as it names folders, files and keys. */
export function isInternal({ code }: Pick<ProblemMessage, 'code'>): boolean {
  return Object.hasOwn(ENTRIES, code) && ENTRIES[code]?.internal === true;
}

/** What the code of an endpoint is told of a problem: only the code when it is internal. */
export function toldProblem(problem: ProblemMessage): ProblemMessage {
  if (!isInternal(problem)) return problem;
  return {
    code: problem.code,
    message: 'the storage of the server failed',
    hint: 'An administrator finds the reason in the log.',
    details: undefined,
  };
}
