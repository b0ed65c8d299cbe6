import { operations } from '@trellis/contract/operations/ingest.ts';
import { must } from '#base/assert.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { bodyBytesMaxOf } from '@trellis/contract/operation.ts';
import type { IngestStream } from '#access/ingest-service.ts';
import { EXPORT_FORMATS } from '@trellis/contract/shapes/graph-export.ts';
import { bodyStream, wholeBody } from '../body/read-body.ts';
import { downloadRoute } from '../download-route.ts';
import { requireContentType, type Route, routesOf, sendJson, whileStreaming } from '../route.ts';
import { validate } from '../error-answer.ts';

/**
 * The one operation whose body has no limit: NDJSON is handed on as it arrives, and only JSON is
 * held as a whole.
 */
function ingestRoute(operation: typeof operations.ingest): Route {
  return {
    operation,
    intake: 'stream',
    async handle(request, reply, context) {
      const { services, timeouts } = context;
      const caller = must(request.caller, 'the caller of an ingest');
      requireContentType(operation, request);
      let summary: IngestSummary;
      if (request.mediaType === 'application/x-ndjson') {
        summary = await whileStreaming(request, context, async () =>
          streamLines(
            bodyStream(request, timeouts.streamIdle),
            await services.ingest.openStream(caller, request.ip),
          ),
        );
      } else {
        const hold = context.bodies.hold(request);
        const bytesMax = bodyBytesMaxOf(operation);
        const bytes = await wholeBody(request, timeouts.streamIdle, hold, bytesMax);
        const body = await context.bodies.json(request, bytes, hold);
        const given = validate(operation.body, body, 'body');
        summary = await services.ingest.commit(caller, given.operations, request.ip);
      }
      return sendJson(reply, services, summary);
    },
  };
}

async function streamLines(
  chunks: AsyncIterable<Uint8Array>,
  stream: IngestStream,
): Promise<IngestSummary> {
  try {
    for await (const chunk of chunks) await stream.write(chunk);
    return await stream.end();
  } catch (error) {
    await stream.abort();
    throw error;
  }
}

export const ingestRoutes = routesOf(operations, {
  ingest: ingestRoute(operations.ingest),
  exportGraph: downloadRoute(
    operations.exportGraph,
    ({ caller, query: { format = 'jsonl', as } }, { nodes }) => {
      const { mediaType, ending } = EXPORT_FORMATS[format];
      return {
        fileName: `graph.${ending}`,
        mediaType,
        content: nodes.exportGraph(format, { caller, as }),
      };
    },
  ),
});
