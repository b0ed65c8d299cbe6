import { ingest as operation } from '@trellis/contract/operations/ingest.ts';
import { ingestRoute } from '../../ingest-route.ts';

export const ingest = ingestRoute(operation);
