import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { client } from '../../api/client.ts';

export interface ChosenImport {
  readonly file: File;
  readonly isMirror?: boolean;
}

/** Resolves with what was done, or would be. */
export async function runImport(
  { file, isMirror = false }: ChosenImport,
  {
    dryRun,
    onLog = () => {},
  }: { readonly dryRun: boolean; readonly onLog?: (text: string) => void },
): Promise<DefinitionsImport> {
  for await (const event of client.definitions.import(file, { mirror: isMirror, dryRun })) {
    if (event.kind === 'log') onLog(event.text);
    else return event.result;
  }
  throw new Error('The server sent no result.');
}
