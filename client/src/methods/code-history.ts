import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type { CodeRestore, CodeVersion } from '@trellis/contract/shapes/code-history.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import type { ModuleDefinition } from '@trellis/contract/shapes/module.ts';
import { callTo, jsonBody } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What there is after a version is restored. */
export type RestoredCode<Kind extends CodeKind> = {
  readonly endpoint: EndpointDefinition;
  readonly migration: Migration;
  readonly module: ModuleDefinition;
}[Kind];

/** Methods whose answers depend on the kind of the item. */
export function codeVersions(transport: Transport) {
  return {
    getVersion: <Kind extends CodeKind>(
      kind: Kind,
      name: string,
      query: { readonly version: number },
      options?: CallOptions,
    ): Promise<Extract<CodeVersion, { readonly kind: Kind }>> =>
      transport.json({ ...callTo('codeHistory', 'getVersion', kind, name), query, ...options }),

    /** A new version with the content of an old one, also of an item that is deleted. */
    restore: <Kind extends CodeKind>(
      kind: Kind,
      name: string,
      wanted: CodeRestore,
      options?: CallOptions,
    ): Promise<RestoredCode<Kind>> =>
      transport.json({
        ...callTo('codeHistory', 'restore', kind, name),
        ...jsonBody(wanted),
        ...options,
      }),
  };
}
