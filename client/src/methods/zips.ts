import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import { answerEvents, textIn } from '../event-stream.ts';
import { callTo } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What is sent as a zip: definitions and interfaces. */
export type Zip = Blob | Uint8Array<ArrayBuffer>;

export interface ImportOptions {
  /** Also deletes whatever the zip does not have. */
  readonly mirror?: boolean;
  /** Only reports what would be done. */
  readonly dryRun?: boolean;
  /** Also takes code that does not compile, and keeps it as a draft. */
  readonly drafts?: boolean;
}

/** What happens in an import: a step, and last what was done. */
export type ImportEvent =
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'result'; readonly result: DefinitionsImport };

/**
 * The events of an import; `result` is the last, and what could not be done is in it. Whoever
 * leaves early does not stop the import, only a dry run. Throws what the service refuses with.
 */
export async function* importDefinitions(
  transport: Transport,
  zip: Zip,
  wanted: ImportOptions = {},
  options?: CallOptions,
): AsyncGenerator<ImportEvent, void, undefined> {
  const { mirror = false, dryRun = false, drafts = false } = wanted;
  const events = answerEvents(transport, {
    ...callTo('definitions', 'import'),
    query: { mirror, dryRun, drafts },
    ...zipBody(zip),
    ...options,
  });
  yield* importEvents(events);
}

/** The events of a rollback to a deployment, which are those of an import. */
export async function* rollBack(
  transport: Transport,
  id: string,
  wanted: Omit<ImportOptions, 'mirror'> = {},
  options?: CallOptions,
): AsyncGenerator<ImportEvent, void, undefined> {
  const { dryRun = false, drafts = false } = wanted;
  const call = callTo('deployments', 'rollBack', id);
  yield* importEvents(answerEvents(transport, { ...call, query: { dryRun, drafts }, ...options }));
}

async function* importEvents(
  events: ReturnType<typeof answerEvents>,
): AsyncGenerator<ImportEvent, void, undefined> {
  for await (const { event, data } of events) {
    if (event === 'log') yield { kind: event, text: textIn(data) };
    if (event === 'result') yield { kind: event, result: JSON.parse(data) as DefinitionsImport };
  }
}

/**
 * A zip of its files, with `index.html` at its root; for administrators, and with an interface
 * token.
 */
export function putInterface(
  transport: Transport,
  name: string,
  zip: Zip,
  options?: CallOptions,
): Promise<InterfaceRecord> {
  return transport.json({ ...callTo('interfaces', 'put', name), ...zipBody(zip), ...options });
}

function zipBody(zip: Zip) {
  const body = zip instanceof Blob ? zip : new Blob([zip]);
  return { headers: { 'content-type': 'application/zip' }, body };
}
