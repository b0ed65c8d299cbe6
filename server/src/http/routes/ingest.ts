import { operations } from '@trellis/contract/operations/ingest.ts';
import { ingestRoute } from '../ingest-route.ts';
import { routesOf } from '../routes-of.ts';

export const ingestRoutes = routesOf(operations, {
  ingest: ingestRoute(operations.ingest),
});
