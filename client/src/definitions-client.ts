import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { answerEvents, textIn } from './answer-events.ts';
import type { Download } from './graph-client.ts';
import { InterfacesClient } from './interfaces-client.ts';
import type { CallOptions } from './transport.ts';

export interface ImportOptions {
  /** Also deletes what the zip has not. */
  readonly mirror?: boolean;
  /** Only reports what would be done. */
  readonly dryRun?: boolean;
}

/** What happens in an import: a step, and last what was done. */
export type ImportEvent =
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'result'; readonly result: DefinitionsImport };

/** Everything custom of a workspace as a zip of files that people read (docs/definitions.md); for administrators. */
export class DefinitionsClient extends InterfacesClient {
  /** The bytes of a zip as they come. */
  async exportDefinitions(options?: CallOptions): Promise<Download> {
    const { response } = await this.transport.send({
      method: 'GET',
      path: '/api/graph/export-definitions',
      ...options,
      streams: true,
    });
    return response.body ?? new Blob([]).stream();
  }

  /**
   * The events of an import; `result` is the last, and what could not be done is in it. Whoever leaves early does not stop the import,
   * only a dry run. Throws what the service refuses with.
   */
  async *importDefinitions(
    zip: Blob | Uint8Array<ArrayBuffer>,
    { mirror = false, dryRun = false }: ImportOptions = {},
    options?: CallOptions,
  ): AsyncGenerator<ImportEvent, void, undefined> {
    const events = answerEvents(this.transport, {
      method: 'POST',
      path: '/api/graph/import-definitions',
      query: { mirror: String(mirror), dryRun: String(dryRun) },
      headers: { 'content-type': 'application/zip' },
      body: zip instanceof Blob ? zip : new Blob([zip]),
      ...options,
    });
    for await (const { event, data } of events) {
      if (event === 'log') yield { kind: event, text: textIn(data) };
      if (event === 'result') {
        yield { kind: event, result: JSON.parse(data) as DefinitionsImport };
      }
    }
  }
}
