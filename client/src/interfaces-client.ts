import type { ApiDocument } from '@trellis/contract/shapes/api-document.ts';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { PageRequest } from './pages.ts';
import { SearchEvaluationClient } from './search-evaluation-client.ts';
import type { CallOptions } from './transport.ts';

/** The description of the API; and custom interfaces: front ends that are uploaded (docs/interfaces.md). The setting `interface` says which one is served. */
export class InterfacesClient extends SearchEvaluationClient {
  /** OpenAPI 3.1, with the custom endpoints that the caller may run; for sessions, API tokens and endpoint tokens. */
  getApiDocument(options?: CallOptions): Promise<ApiDocument> {
    return this.get('/api/openapi.json', options);
  }

  /** One page, by name; for administrators. */
  listInterfaces(
    { skip, take }: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<InterfaceRecord>> {
    return this.get('/api/interfaces', options, { skip, take });
  }

  /** A zip of its files, with `index.html` at its root; for administrators, and with an interface token. */
  putInterface(
    name: string,
    zip: Blob | Uint8Array<ArrayBuffer>,
    options?: CallOptions,
  ): Promise<InterfaceRecord> {
    return this.transport.json({
      method: 'PUT',
      path: interfacePath(name),
      headers: { 'content-type': 'application/zip' },
      body: zip instanceof Blob ? zip : new Blob([zip]),
      ...options,
    });
  }

  /** Not of the one that is chosen; for administrators. */
  async deleteInterface(name: string, options?: CallOptions): Promise<void> {
    await this.tell('DELETE', interfacePath(name), undefined, options);
  }
}

function interfacePath(name: string): string {
  return `/api/interfaces/${encodeURIComponent(name)}`;
}
