import type { AccessIndex } from '#access/access-index.ts';
import { AccessService } from '#access/access-service.ts';
import { IngestService, type IngestPort } from '#access/ingest-service.ts';
import { NodeService } from '#access/node-service.ts';
import { SchemaService } from '#access/schema-service.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { Foundation } from './foundation.ts';

export interface GraphArguments {
  readonly access: AccessIndex;
  readonly ingest: IngestPort;
  /** Their types are made of the schema. */
  readonly endpoints: EndpointService;
}

export interface Graph {
  readonly access: AccessService;
  readonly nodes: NodeService;
  readonly schema: SchemaService;
  readonly ingest: IngestService;
}

/** What is in the graph, what may be in it, and who may see it. */
export function buildGraph(
  { reader, commits, audit }: Foundation,
  { access, ingest, endpoints }: GraphArguments,
): Graph {
  return {
    access: new AccessService({ reader, commits, audit, access }),
    nodes: new NodeService({ reader, access }),
    schema: new SchemaService(reader, commits, () => endpoints.schemaMayHaveChanged()),
    ingest: new IngestService(ingest, audit),
  };
}
